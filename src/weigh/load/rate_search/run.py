"""Make the probes that a search asks for, as long as there is time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from weigh.load import record as records
from weigh.load.analysis.figures import figures
from weigh.load.rate_search.probes import judged
from weigh.load.rate_search.results import PILOT_S, left_s, pilot, planned, with_machine
from weigh.load.rate_search.search import Search

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.budgets import RateSearch
    from weigh.load.runs import LoadRun
    from weigh.load.session import Session

_NAMES = {"kept": "kept it", "broken": "broke it"}


def search_rates(session: Session, search: RateSearch, folder: Path) -> None:
    """Make the closed loop, and then probe after probe.

    Args:
        session: makes the runs, and writes them down.
        search: what is searched.
        folder: of the evidence, whose journal knows what the machine did meanwhile.

    Raises:
        WeighError: the server is in the way.
    """
    (connections,) = session.spec.connections
    session.prepare()
    began = time.monotonic()
    first = session.make(
        "closed", connections, duration_s=search.probe_s or PILOT_S, name="a closed loop: where to begin"
    )
    begun = pilot(first, _figures(first, session, folder), search)
    plan = planned(session.spec, search, begun.rate) if begun else None
    if plan is None:
        return
    between = [time.monotonic() - began - (first.duration_s or 0.0)]
    deciding = Search(plan).run()
    probe, last = next(deciding), ""
    while left_s(search, time.monotonic() - began, between, probe.seconds) >= 0:
        started = time.monotonic()
        name = f"probe {len(between)} at {probe.rate:,.4g}/s{last}"
        run = session.make("open", connections, rate=probe.rate, duration_s=probe.seconds, name=name)
        found = judged(run, _figures(run, session, folder), search, last=probe.last)
        between.append(max(time.monotonic() - started - probe.seconds, 0.0))
        last = f"; {probe.rate:,.4g}/s {_NAMES.get(found.verdict, 'told nothing')}"
        try:
            probe = deciding.send(found.verdict)
        except StopIteration:
            return


def _figures(run: LoadRun, session: Session, folder: Path) -> RunFigures:
    """Its figures, as they are computed from the evidence."""
    return with_machine(records.read(folder), run, figures(run, session.spec))

"""Make the probes that a search asks for, as long as there is time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from weigh.load import record as records
from weigh.load.analysis.figures import figures
from weigh.load.rate_search.findings import rate
from weigh.load.rate_search.probes import judged
from weigh.load.rate_search.results import PILOT_S, left_s, pilot, planned, with_machine
from weigh.load.rate_search.search import Search
from weigh.model import units

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from weigh.load.analysis.figures import RunFigures
    from weigh.load.budgets import RateSearch
    from weigh.load.rate_search.search import Ending, Probe, Verdict
    from weigh.load.runs import LoadRun
    from weigh.load.session import Session
    from weigh.model.units import Seconds

_NAMES = {"kept": "kept it", "broken": "broke it"}


class SearchGoing:
    """A search while it goes on. A step is a run: the closed loop first, and then each probe that is asked for.

    Its time is that of its own steps: what happens between two of them may be another server's.

    Args:
        session: makes the runs, and writes them down; prepared.
        search: what is searched.
        folder: of the evidence, whose journal knows what the machine did meanwhile.
    """

    def __init__(self, session: Session, search: RateSearch, folder: Path) -> None:
        self._session = session
        self._complete = search
        self._folder = folder
        (self._connections,) = session.spec.connections
        self._spent_s = 0.0
        self._between_s: list[Seconds] = []
        self._search: Search | None = None
        self._deciding: Generator[Probe, Verdict, Ending] | None = None
        self._next: Probe | None = None
        self._over = False
        self._last = ""

    @property
    def goes_on(self) -> bool:
        """Whether there is another step, and time for it."""
        if self._over or self._next is None:
            return not self._over
        return left_s(self._complete, self._spent_s, self._between_s, self._next.seconds) >= 0

    @property
    def narrow(self) -> bool:
        """Whether the interval is as narrow as it is to be."""
        return self._search is not None and self._search.narrow

    def step(self, repeat: int = 1, who: str = "") -> None:
        """Make the next run.

        Args:
            repeat: its number among those of other servers.
            who: is told to who watches, before what is done.

        Raises:
            WeighError: the server is in the way.
        """
        began = time.monotonic()
        run = self._begin(repeat, who) if self._next is None else self._probe(self._next, repeat, who)
        took = time.monotonic() - began
        self._spent_s += took
        self._between_s.append(max(took - (run.duration_s or 0.0), 0.0))

    def _begin(self, repeat: int, who: str) -> LoadRun:
        """The closed loop, from which the plan follows."""
        session, search = self._session, self._complete
        run = session.make(
            "closed",
            self._connections,
            repeat,
            duration_s=search.probe_s or PILOT_S,
            name=f"{who}a closed loop: where to begin",
        )
        begun = pilot(run, self._figures(run), search)
        plan = planned(session.spec, search, begun.rate) if begun else None
        if plan is None:
            self._over = True
            return run
        self._search = Search(plan)
        self._deciding = self._search.run()
        self._next = next(self._deciding)
        return run

    def _probe(self, probe: Probe, repeat: int, who: str) -> LoadRun:
        assert self._deciding is not None
        left = units.duration(max(self._complete.budget_s - self._spent_s, 0.0))
        name = f"{who}probe {len(self._between_s)} at {rate(probe.rate)}{self._last}; at most {left} left"
        run = self._session.make(
            "open", self._connections, repeat, rate=probe.rate, duration_s=probe.seconds, name=name
        )
        found = judged(run, self._figures(run), self._complete.budgets, last=probe.last)
        self._last = f"; {rate(probe.rate)} {_NAMES.get(found.verdict, 'did not count')}"
        try:
            self._next = self._deciding.send(found.verdict)
        except StopIteration:
            self._over = True
        return run

    def _figures(self, run: LoadRun) -> RunFigures:
        """Its figures, as they are computed from the evidence."""
        return with_machine(records.read(self._folder), run, figures(run, self._session.spec))


def search_rates(session: Session, search: RateSearch, folder: Path) -> None:
    """Make the closed loop, and then probe after probe; arguments as of :class:`SearchGoing`.

    Raises:
        WeighError: the server is in the way.
    """
    session.prepare()
    going = SearchGoing(session, search, folder)
    while going.goes_on:
        going.step()

"""Verify a search: its rates are those that the decision asks for after what came before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.analysis.figures import figures
from weigh.load.rate_search.results import rate_search

if TYPE_CHECKING:
    from weigh.load.record import LoadRecord


def departure(record: LoadRecord) -> str:
    """What is wrong with the rates of a search; nothing where they are as they should be, and where there is none.

    Whoever chooses where to probe chooses what is found: below the limit only, every rate is kept.
    """
    search = record.spec.find_rate
    if not search:
        return ""
    found = rate_search(record, search, {run.number: figures(run, record.spec) for run in record.runs})
    return "" if found.as_planned else "the rates of its probes are not those that the search asks for"

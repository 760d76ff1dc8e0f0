"""Search for the highest rate of every contender in turn, until all are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.load.comparison import record as records
from weigh.load.comparison.rate_search.rounds import turns
from weigh.load.rate_search.run import SearchGoing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from weigh.evidence.journal import Journal
    from weigh.load.budgets import RateSearch
    from weigh.load.comparison.spec import LoadComparisonSpec
    from weigh.load.session import Session


def search_in_turn(
    spec: LoadComparisonSpec,
    search: RateSearch,
    sessions: Mapping[str, Session],
    folder: Path,
    journal: Journal,
    watched: Callable[[str], AbstractContextManager[None]],
) -> None:
    """Make round after round.

    Who has found its rate goes on as long as another one searches: what changes over the session meets all alike. Each
    has the whole time of the search for its own runs.

    Args:
        spec: of the comparison.
        search: what is searched.
        sessions: make the runs, by contender; prepared.
        folder: of the evidence.
        journal: of the comparison.
        watched: watches the machine during the turn of a contender.

    Raises:
        WeighError: a server is in the way.
    """
    places = {arm.name: records.folder_of(folder, arm) for arm in spec.arms}
    searches = {name: SearchGoing(session, search, places[name]) for name, session in sessions.items()}
    number = 0
    while going := [name for name, one in searches.items() if one.goes_on]:
        if all(searches[name].narrow for name in going):
            return
        number += 1
        order = turns(spec, number, going)
        journal.append("block", records.BlockBegun(block=number, arms=order))
        for name in order:
            with watched(name):
                searches[name].step(number, f"{name}: ")
            # The next one has the machine to itself.
            sessions[name].lives.end()

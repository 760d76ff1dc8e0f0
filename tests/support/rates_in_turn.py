"""Records of several servers whose highest rates were searched in turn, as it would have gone at known limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from support import load_records
from support.load_comparison_records import environment, spec
from support.load_records import EACH
from support.rate_search_records import CLOSED, bucket, probe_run
from weigh.evidence.sealing import End
from weigh.load.analysis.figures import figures
from weigh.load.budgets import Budget, RateSearch
from weigh.load.comparison.rate_search.rounds import turns
from weigh.load.comparison.record import BlockBegun, LoadComparisonRecord
from weigh.load.rate_search.probes import judged
from weigh.load.rate_search.results import pilot, planned
from weigh.load.rate_search.search import Search
from weigh.load.record import LoadEnvironment, LoadRecord
from weigh.load.spec import Arrivals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.load.runs import LoadRun
    from weigh.load.spec import LoadSpec

LENGTH_S = 5.0
SEARCH = RateSearch(budgets=(Budget(q=0.9, limit_s=0.05),), probe_s=LENGTH_S, highest=1_500.0, half_width=0.015)


class _Going:
    """A search as it would go against a server of that limit."""

    def __init__(self, load: LoadSpec, limit: float, most: int) -> None:
        self._load, self._slow = load, bucket(limit)
        closed = probe_run(1, None, CLOSED, 0.3, LENGTH_S)
        begun = pilot(closed, figures(closed, load), SEARCH)
        assert begun
        plan = planned(load, SEARCH, begun.rate)
        assert plan
        self._closed = closed
        self._deciding = Search(plan).run()
        self._next = next(self._deciding)
        self.runs: list[LoadRun] = []
        self.left = most + 1

    def step(self, number: int) -> None:
        """The closed loop, or the next probe."""
        self.left -= 1
        if not self.runs:
            self.runs.append(msgspec.structs.replace(self._closed, repeat=number))
            return
        rate = self._next.rate
        made = probe_run(len(self.runs) + 1, rate, rate, self._slow(rate), LENGTH_S)
        self.runs.append(msgspec.structs.replace(made, repeat=number))
        found = judged(made, figures(made, self._load), SEARCH.budgets, last=self._next.last)
        try:
            self._next = self._deciding.send(found.verdict)
        except StopIteration:
            self.left = 0


def in_turn(limits: Mapping[str, float], most: int) -> LoadComparisonRecord:
    """Searches in turn; the first contender is the baseline.

    Args:
        limits: requests a second that each answers at once, by contender.
        most: probes of each.
    """
    named = {name: f"valkey:embedded?hz={10 + at}" for at, name in enumerate(limits)}
    asked = spec(1, named, length=round(LENGTH_S / EACH), twice=False, arrivals=Arrivals(rate=None), find_rate=SEARCH)
    going = {arm.name: _Going(asked.load_of(arm), limits[arm.name], most) for arm in asked.arms}
    blocks: list[BlockBegun] = []
    while names := [name for name, one in going.items() if one.left > 0]:
        number = len(blocks) + 1
        blocks.append(BlockBegun(block=number, arms=turns(asked, number, names)))
        for name in blocks[-1].arms:
            going[name].step(number)
    loads = {
        arm.name: LoadRecord(
            attempt=1,
            spec=asked.load_of(arm),
            environment=LoadEnvironment(
                weigh="0",
                command="weigh load ycsb-b",
                host={"cpu": "some"},
                target=load_records.target(),
            ),
            runs=tuple(going[arm.name].runs),
            end=End(how="complete"),
        )
        for arm in asked.arms
    }
    return LoadComparisonRecord(
        attempt=1,
        spec=asked,
        environment=environment(),
        blocks=tuple(blocks),
        loads=loads,
        end=End(how="complete"),
    )

"""Suites of many operations: what the page tells in full, and a row for every other operation.

The page runs no script. What is far from the window costs a browser nothing all the same: rows stand in blocks with
``content-visibility: auto``, which are laid out when they come near.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.model import units
from weigh.model.answer import GateStatus
from weigh.model.verdict import VerdictName
from weigh.render import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from weigh.experiment.report.contenders import Contenders
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.verdict import Verdict

FULL = 100
"""Operations up to which every one is reported in full."""
CHOSEN = 40
"""Of more than that: those that are reported in full."""
DOTS = 600
"""Executions in the plot of one of them."""
_ROWS = 8_000
"""Rows of others: beyond that those that claim nothing new are left to verdicts.json."""
_BLOCK = 50
"""Operations of a block that is laid out as a whole."""
_BROKEN = (GateStatus.DIVERGED, GateStatus.ERROR)
_DIFFER = (VerdictName.SLOWER, VerdictName.FASTER)
_OPEN = (VerdictName.REFUSED, VerdictName.UNRESOLVED)


@dataclass(frozen=True, slots=True)
class Row:
    """One contender on one operation.

    Attributes:
        operation: its name; empty in the rows after the first.
        who: the contender.
        median, ratio, interval: drawn; empty where there is none.
        sign: class of the verdict, or of what the gate found.
        verdict: its name.
    """

    operation: str
    who: str
    median: str
    ratio: str
    interval: str
    sign: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Others:
    """Operations that are not told in full.

    Attributes:
        number: of them.
        full: number of those that are.
        blocks: their rows, by fifty operations.
        left_out: rows that only verdicts.json has.
    """

    number: int
    full: int
    blocks: tuple[tuple[Row, ...], ...]
    left_out: int


def chosen(results: ExperimentResults, operations: Sequence[str]) -> list[str]:
    """Those that are told in full, in their order: all of a few; of many what broke, fails, differs most, is open."""
    if len(operations) <= FULL:
        return list(operations)
    rank: dict[str, tuple[int, float]] = dict.fromkeys(operations, (9, 0.0))
    for one in results.gate.operations if results.gate else ():
        if one.status in _BROKEN:
            rank[one.operation] = (0, 0.0)
    declared = results.record.spec.baseline_declared
    for verdict in results.headline.verdicts:
        failing = declared and verdict.verdict is VerdictName.SLOWER
        place = 1 if failing else 2 if verdict.verdict in _DIFFER else 3 if verdict.verdict in _OPEN else 5
        size = -abs(math.log(verdict.ratio)) if verdict.ratio else 0.0
        rank[verdict.operation] = min(rank.get(verdict.operation, (9, 0.0)), (place, size))
    most = set(sorted(operations, key=lambda name: rank[name])[:CHOSEN])
    return [name for name in operations if name in most]


def others(
    results: ExperimentResults, contenders: Contenders, operations: Sequence[str], full: Collection[str]
) -> Others | None:
    """The operations that are not told in full; None where there are none."""
    rest = [name for name in operations if name not in full]
    if not rest:
        return None
    verdicts: dict[str, list[Verdict]] = {}
    for one in results.headline.verdicts:
        verdicts.setdefault(one.operation, []).append(one)
    rows = sum(len(verdicts.get(name, ())) or 1 for name in rest)
    crowded = rows > _ROWS
    made = _Rows(results, contenders, verdicts, crowded=crowded)
    blocks = [
        tuple(row for name in rest[at : at + _BLOCK] for row in made.of(name)) for at in range(0, len(rest), _BLOCK)
    ]
    drawn = tuple(block for block in blocks if block)
    return Others(len(rest), len(operations) - len(rest), drawn, rows - sum(map(len, drawn)))


class _Rows:
    def __init__(
        self,
        results: ExperimentResults,
        contenders: Contenders,
        verdicts: dict[str, list[Verdict]],
        *,
        crowded: bool,
    ) -> None:
        self._several = len(contenders.everybody) > 2
        self._verdicts, self._crowded = verdicts, crowded
        timings = results.headline.timings
        self._medians = {(one.operation, one.contender, one.temperature): one.median for one in timings}
        self._statuses = {one.operation: str(one.status) for one in results.gate.operations} if results.gate else {}

    def of(self, operation: str) -> Iterator[Row]:
        """The rows of one operation: a verdict each, or what the gate found."""
        found = self._verdicts.get(operation, ())
        if not found:
            status = self._statuses.get(operation, "")
            yield Row(operation, "", "", "", "", status, status or "not timed")
            return
        calm = (VerdictName.SAME, VerdictName.SMALL)
        drawn = [one for one in found if not (self._crowded and one.verdict in calm)]
        for number, one in enumerate(drawn):
            median = self._medians.get((one.operation, one.contender, one.temperature))
            who = one.contender if self._several else ""
            yield Row(
                operation="" if number else operation,
                who=who if one.temperature == "hot" else f"{who} {one.temperature}".strip(),
                median=units.seconds(median) if median is not None else "",
                ratio=words.ratio(one),
                interval=f"{one.low:.2f}–{one.high:.2f}" if one.low is not None and one.high is not None else "",
                sign=str(one.verdict),
                verdict=words.verdict(one),
            )

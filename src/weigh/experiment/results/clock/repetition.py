"""Result caches in the blocks (A9): what was asked before against what nobody asked. Pure.

Each turn of an operation in a life, but the first, begins with a question that nobody asked before, and goes on with
the timed one, which was. Both are compared for every operation, over all starts.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.sample import Outcome
from weigh.model.schedule import CONTROL
from weigh.model.units import count, seconds
from weigh.verdict.question import Question
from weigh.verdict.repetition import Cost, remembered

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.experiment.record import Record
    from weigh.model.finding import Finding
    from weigh.model.sample import Sample
    from weigh.model.verdict import Reason

LEAST = 3
"""Turns below which nobody is accused."""
_OPEN = (codes.A9_SUSPECT, codes.A12_FAST)
"""Findings that forbid the verdicts on one operation until they are explained."""

_Turn = tuple[Cost, Cost]
"""What the repeated question took in the median, and what the unseen one did."""


def repetitions(attempts: Sequence[Record]) -> list[Finding]:
    """Contenders whose repetitions cost next to nothing, by operation; not where the gate looked at that before."""
    known = {codes.A9_PLAN.code, codes.A9_SUSPECT.code}
    plans = {(f.contender, f.operation) for record in attempts for f in record.findings if f.code in known}
    found = []
    for (contender, operation), turns in _turns([one for record in attempts for one in record.samples]).items():
        if len(turns) < LEAST or (contender, operation) in plans:
            continue
        repeated, unseen = _typical([turn[0] for turn in turns]), _quick([turn[1] for turn in turns])
        each = sum(remembered(*turn) for turn in turns)
        # In most turns too: one stall, or one pause of a collector, is nobody's cache.
        if remembered(repeated, unseen) and 2 * each > len(turns):
            found.append(_detected(contender, operation, repeated, unseen, len(turns)))
    return found


def _turns(samples: Iterable[Sample]) -> dict[tuple[str, str], list[_Turn]]:
    """By contender and operation; of the baseline its first arm alone, because the second asks the same again."""
    grouped: dict[tuple[int, int, int, str], list[Sample]] = defaultdict(list)
    for one in samples:
        if one.outcome is Outcome.OK and one.wall_s is not None and not one.arm.endswith(CONTROL):
            grouped[one.attempt, one.block, one.turn, one.arm].append(one)
    found: dict[tuple[str, str], list[_Turn]] = defaultdict(list)
    for turn in grouped.values():
        unseen = [_cost(one) for one in turn if one.salt]
        repeated = [_cost(one) for one in turn if one.run > 0]
        if unseen and repeated:
            found[turn[0].contender, turn[0].operation].append((_typical(repeated), unseen[0]))
    return found


def _cost(one: Sample) -> Cost:
    assert one.wall_s is not None
    return Cost(one.wall_s, one.round_trip_cpu_s if one.cpu_s is not None else None)


def _typical(costs: Sequence[Cost]) -> Cost:
    charged = [one.cpu_s for one in costs if one.cpu_s is not None]
    return Cost(median(one.wall_s for one in costs), median(charged) if charged else None)


def _quick(costs: Sequence[Cost]) -> Cost:
    """The first quartile: with a cache the quicker ones of the unseen questions are executed, too."""
    charged = sorted(one.cpu_s for one in costs if one.cpu_s is not None)
    walls = sorted(one.wall_s for one in costs)
    return Cost(walls[len(walls) // 4], charged[len(charged) // 4] if charged else None)


def _detected(contender: str, operation: str, repeated: Cost, unseen: Cost, turns: int) -> Finding:
    slow = not remembered(Cost(repeated.wall_s, None), Cost(unseen.wall_s, None))
    times = (repeated.cpu_s or 0.0, unseen.cpu_s or 0.0) if slow else (repeated.wall_s, unseen.wall_s)
    of = " of CPU" if slow else ""
    return codes.A9_DETECTED.finding(
        contender=contender,
        operation=operation,
        text=f"in {count(turns, 'turn')} the repeated query takes {seconds(times[0])}{of}, one like it that nobody "
        f"asked before {seconds(times[1])}: a result cache answers",
        remedy="switch the cache off in its settings; its times would be those of the cache",
    )


def refusals(findings: Iterable[Finding], temperatures: Iterable[str]) -> Mapping[tuple[Question, str], Reason]:
    """Verdicts that are refused until somebody explains what was found."""
    waiting = {entry.code: entry for entry in _OPEN}
    return {
        (Question(finding.operation, temperature), finding.contender): waiting[finding.code].reason(finding.text)
        for finding in findings
        if finding.code in waiting and finding.operation and finding.contender
        for temperature in temperatures
    }

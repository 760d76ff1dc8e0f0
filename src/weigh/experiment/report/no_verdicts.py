"""Disturbed: what is said first where others disturbed one side so much more that most comparisons have no verdict."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from weigh.machine import contention_findings
from weigh.machine.contention import merged
from weigh.model.units import count, percent
from weigh.model.verdict import VerdictName
from weigh.verdict.tier import refused_for_others

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.experiment.results.results import ExperimentResults
    from weigh.machine.contention import Contention
    from weigh.model.gate import Gate

_STEP = 0.05
_MOST = 0.5
"""Steps in which a bound is proposed, and the largest one: beyond it next to nothing is left of a time."""
_UNANSWERED = (VerdictName.DIVERGED, VerdictName.ERROR)


def disturbed(results: ExperimentResults) -> tuple[str, ...]:
    """What happened, what stands and what to do, under a heading; nothing where fewer than half are concerned."""
    verdicts = results.headline.verdicts
    answered = [one for one in verdicts if one.verdict not in _UNANSWERED]
    refused = sum(map(refused_for_others, answered))
    if results.machine is None or results.gate is None or not refused or 2 * refused < len(answered):
        return ()
    of = f"No verdict on {refused} of {count(len(answered), 'comparison')}"
    which = "No verdicts" if refused == len(answered) else of
    found = results.machine.contention
    return (
        f"{which}: others used the machine while the turns were timed",
        f"What happened: {', and '.join(_takers(found))}. It fell on one side of comparisons, by more than "
        f"{percent(found.bound)} of its CPU, so their ratios are not those of the contenders.",
        f"What stands: {_standing(results, results.gate)}.",
        f"What to do: {_remedy(found)}.",
    )


def _takers(found: Contention) -> Iterator[str]:
    """Who took how much."""
    if stolen := [one for one in found.pairs if one.stolen]:
        worst = max(stolen, key=lambda one: one.steal)
        share = f"up to {percent(worst.steal)} of the CPU of turns ({worst.operation}, {worst.contender})"
        yield f"the hypervisor gave {share} to other guests"
    if refused := [one for one in found.pairs if one.refused]:
        worst = max(refused, key=lambda one: one.foreign)
        share = f"up to {percent(worst.foreign)} of the CPU of turns ({worst.operation}, {worst.contender})"
        other_processes = merged(one for pair in refused for one in pair.other_processes)
        yield f"other processes used {share}: {contention_findings.named(other_processes)}"


def _standing(results: ExperimentResults, gate: Gate) -> str:
    counts = Counter(str(one.status) for one in gate.operations)
    text = f"the answers, which were checked before any clock was started: {_counted(counts)}"
    none = (VerdictName.REFUSED, *_UNANSWERED)
    if any(one.verdict not in none for one in results.analyses["peak_memory"].verdicts):
        text += ". The verdicts on memory do not suffer"
    return text


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {name}" for name, number in counts.items())


def _remedy(found: Contention) -> str:
    disturbed = [one for one in found.pairs if one.refused or one.stolen]
    taken = [one.foreign for one in disturbed if one.refused] + [one.steal for one in disturbed if one.stolen]
    least = math.floor(max(taken) / _STEP + 1) * _STEP
    when = (
        "stop these processes and run it again" if any(one.refused for one in disturbed) else "run it at another time"
    )
    if any(one.stolen for one in disturbed):
        when += ", on a host with fewer guests"
    text = f"{when}; weigh doctor shows what else stands in the way"
    if least > _MOST:
        return text
    return f"{text}. --contention {100 * least:.0f}% accepts this much, and every report says so"

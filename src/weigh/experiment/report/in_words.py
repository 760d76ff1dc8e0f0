"""In plain words: one sentence for each kind of verdict, and how the other metrics moved."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weigh.experiment.report.cold import question
from weigh.model import codes, units
from weigh.model.metrics.run_metrics import RUN_METRICS
from weigh.model.text import one_line
from weigh.model.verdict import VerdictName
from weigh.render.sentences import sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.experiment.results.results import ExperimentResults
    from weigh.experiment.results.statements import Statement
    from weigh.model.verdict import Verdict

_ORDER = (
    VerdictName.SLOWER,
    VerdictName.FASTER,
    VerdictName.SMALL,
    VerdictName.SAME,
    VerdictName.UNRESOLVED,
    VerdictName.REFUSED,
)
"""Kinds in the order in which they are told; what diverged or failed stands in the gate and in the table."""
_UNSTABLE = codes.T7_UNSTABLE.code
_LISTED = 30
"""Unstable comparisons that are named; the table has them all."""
_EXAMPLES = 3
"""Statements of one kind on other metrics that are told; the JSON has them all."""


def in_words(results: ExperimentResults) -> list[str]:
    """The sentences, each kind with its most striking example; those that are unstable are all named."""
    clauses = []
    for name in _ORDER:
        same = [one for one in results.headline.verdicts if one.verdict is name]
        if not same:
            continue
        text = sentence(max(same, key=_striking), results.record.spec.rules)
        more = f" And {units.count(len(same) - 1, 'more comparison')} {str(name).upper()}." if len(same) > 1 else ""
        clauses.append(one_line(text + more, 1000))
    members = [one for one in results.statements if one.operation is not None]
    whole = [f"{code} {text}" for code, text in of_session(results)]
    return [*clauses, *_unstable(results.headline.verdicts), *whole, *_others(members)]


def of_session(results: ExperimentResults) -> list[tuple[str, str]]:
    """What is reported of metrics of the whole session, code and text, once for however many contenders and metrics."""
    temperatures = results.record.spec.temperatures
    texts: dict[tuple[str, str, str, str], list[str]] = {}
    for one in results.statements:
        if one.operation is None:
            noun = RUN_METRICS[one.metrics[0]].noun
            tail = one.text.removeprefix(f"{noun}: ")
            texts.setdefault((one.code, tail, one.temperature, one.contender or ""), []).append(noun)
    whose: dict[tuple[str, str, str, tuple[str, ...]], list[str]] = {}
    for (code, tail, temperature, contender), nouns in texts.items():
        whose.setdefault((code, tail, temperature, tuple(nouns)), []).append(contender)
    when: dict[tuple[str, str, tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for (code, tail, temperature, metrics), contenders in whose.items():
        when.setdefault((code, tail, metrics, tuple(filter(None, contenders))), []).append(temperature)
    clauses = []
    for (code, tail, metrics, names), found in when.items():
        place = f"{', '.join(names)}: " if names else ""
        there = "" if len(found) == len(temperatures) else f", {_and(found)}"
        clauses.append((code, one_line(f"{place}{_and(metrics)}{there}: {tail}", 1000)))
    return clauses


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _striking(one: Verdict) -> tuple[float, float]:
    """The largest difference, or the least that would be found where none is claimed."""
    difference = abs(math.log(one.ratio)) if one.ratio else 0.0
    return (one.detectable or 0.0, difference) if one.verdict is VerdictName.REFUSED else (difference, 0.0)


def _unstable(verdicts: Sequence[Verdict]) -> list[str]:
    """T7: what is unstable has not passed, and is listed."""
    found = [
        f"{question(one.operation, one.temperature)} on {one.contender}"
        for one in verdicts
        if one.verdict is VerdictName.REFUSED and one.reasons and one.reasons[0].code == _UNSTABLE
    ]
    if not found:
        return []
    more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    return [one_line(f"Unstable, so neither passed nor failed: {', '.join(found[:_LISTED])}{more}.", 4000)]


def _others(statements: Sequence[Statement]) -> list[str]:
    """What the other metrics say of operations, a few of each kind."""
    by_code: dict[str, list[Statement]] = {}
    for one in statements:
        by_code.setdefault(one.code, []).append(one)
    clauses = []
    for code, same in by_code.items():
        clauses += [f"{code} {one_line(placed(one), 1000)}" for one in same[:_EXAMPLES]]
        if len(same) > _EXAMPLES:
            clauses[-1] += f" (and {len(same) - _EXAMPLES} more)"
    return clauses


def placed(one: Statement) -> str:
    """A statement with whom it is about."""
    operation = question(one.operation or "", one.temperature)
    return f"{', '.join(filter(None, (operation, one.contender)))}: {one.text}"

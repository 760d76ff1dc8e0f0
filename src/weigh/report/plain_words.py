"""In plain words: one sentence for each kind of verdict, and how the other metrics moved."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weigh.model import units
from weigh.model.text import one_line
from weigh.model.verdict import VerdictName
from weigh.report.sentences import sentence
from weigh.report.warmth import question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.model.verdict import Verdict
    from weigh.report.conclusion import Conclusion
    from weigh.verdict.metrics import Statement

_SAID = (
    VerdictName.SLOWER,
    VerdictName.FASTER,
    VerdictName.SMALL,
    VerdictName.SAME,
    VerdictName.UNRESOLVED,
    VerdictName.REFUSED,
)
"""Kinds in the order in which they are told; what diverged or failed stands in the gate and in the table."""
_UNSTABLE = "T7.unstable"
_LISTED = 30
"""Unstable comparisons that are named; the table has them all."""
_EXAMPLES = 3
"""Statements of one kind on other metrics that are told; the JSON has them all."""


def in_words(conclusion: Conclusion) -> list[str]:
    """The sentences, each kind with its most striking example; those that are unstable are all named."""
    said = []
    for name in _SAID:
        same = [one for one in conclusion.headline.verdicts if one.verdict is name]
        if not same:
            continue
        text = sentence(max(same, key=_striking), conclusion.record.spec.rules)
        more = f" And {units.count(len(same) - 1, 'more comparison')} {str(name).upper()}." if len(same) > 1 else ""
        said.append(one_line(text + more, 1000))
    return [*said, *_unstable(conclusion.headline.verdicts), *_beside(conclusion.statements)]


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


def _beside(statements: Sequence[Statement]) -> list[str]:
    """What the other metrics say, a few of each kind."""
    by_code: dict[str, list[Statement]] = {}
    for one in statements:
        by_code.setdefault(one.code, []).append(one)
    said = []
    for code, same in by_code.items():
        said += [f"{code} {one_line(placed(one), 1000)}" for one in same[:_EXAMPLES]]
        if len(same) > _EXAMPLES:
            said[-1] += f" (and {len(same) - _EXAMPLES} more)"
    return said


def placed(one: Statement) -> str:
    """A statement with whom it is about."""
    operation = question(one.operation or "all", one.temperature) if one.operation or one.temperature != "hot" else ""
    place = ", ".join(part for part in (operation, one.contender) if part)
    return f"{place}: {one.text}" if place else one.text

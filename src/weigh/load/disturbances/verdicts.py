"""Windows of a run with something against those without: verdicts on response times, a block being a pair. Pure.

Both windows of a block stand beside each other in random order. What is seen holds for this life of the server.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from weigh.model.metrics.metric import Metric, Unit
from weigh.model.rules import Rules, Typical
from weigh.model.verdict import VerdictName
from weigh.statistics.histogram import decode, merged
from weigh.verdict.analysis import analyse
from weigh.verdict.analysis_model import Inquiry
from weigh.verdict.observation import Observation
from weigh.verdict.question import Question
from weigh.verdict.table import tabulate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.load.disturbances.record import Window
    from weigh.load.runs import LoadRun

PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
RULES = Rules(margin=0.05, unstable=1.0, typical=Typical.CONTRAST)
"""A window holds hundreds of requests and not a run: its percentiles scatter, and a small change says little."""
_RESPONSE = Metric(name="response", unit=Unit.SECONDS, absent="nothing was answered", each="windows")
_SIDES = ("without", "with")


class WindowVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """One percentile of the response time with something against without.

    Attributes:
        metric: ``p50``, ``p95`` or ``p99``.
        verdict: SLOWER, FASTER, SMALL, SAME, UNRESOLVED or REFUSED (docs/concept/statistics.md#the-verdicts).
        with_s, without_s: geometric means over the windows; None where there is none.
        ratio: with over without; None where there are too few blocks.
        low, high: its interval at ``confidence``.
        confidence: level of that interval.
        margin: the smallest change that matters.
        blocks: pairs of windows.
    """

    metric: str
    verdict: VerdictName
    with_s: float | None
    without_s: float | None
    ratio: float | None
    low: float | None
    high: float | None
    confidence: float
    margin: float
    blocks: int


def verdicts(windows: Sequence[Window], runs: Mapping[int, LoadRun]) -> tuple[tuple[WindowVerdict, ...], int, int]:
    """The verdicts, how many blocks were left out, and how many windows were compared."""
    blocks: dict[tuple[int, int], dict[str, Window]] = defaultdict(dict)
    for one in windows:
        blocks[one.run, one.block][one.arm] = one
    values: list[tuple[tuple[int, int], str, dict[str, float | None]]] = []
    for key, sides in blocks.items():
        run = runs.get(key[0])
        # What went on in the window without it has spoilt both.
        if run is None or len(sides) < 2 or not _is_apart(sides["with"], sides["without"]):
            continue
        values += [(key, side, _figures(sides[side], run)) for side in _SIDES]
    made = []
    questions = [Question(name) for name in PERCENTILES]
    table = tabulate(
        [
            Observation(question, key, side, side, figures[question.operation])
            for question in questions
            for key, side, figures in values
        ],
        Unit.SECONDS,
        _SIDES,
    )
    judged = analyse(table, Inquiry(metric=_RESPONSE, baseline="without", questions=questions, rules=RULES))
    for question in questions:
        verdict = judged.verdicts.get((question, "with"))
        if verdict is None:
            continue
        means = {side: _mean([each[question.operation] for _, name, each in values if name == side]) for side in _SIDES}
        made.append(
            WindowVerdict(
                metric=question.operation,
                verdict=verdict.verdict,
                with_s=means["with"],
                without_s=means["without"],
                ratio=verdict.ratio,
                low=verdict.low,
                high=verdict.high,
                confidence=RULES.confidence,
                margin=RULES.margin,
                blocks=verdict.starts or 0,
            )
        )
    return tuple(made), len(blocks) - len(values) // 2, len(values)


def _is_apart(one: Window, other: Window) -> bool:
    if one.failed or one.ended_s is None:
        return False
    return one.ended_s <= other.from_s or one.from_s >= other.until_s


def _figures(window: Window, run: LoadRun) -> dict[str, float | None]:
    """Percentiles of the intervals inside, by rank; the first one still holds what was due before it."""
    inside = [one for one in run.intervals if one.from_s >= window.from_s and one.to_s <= window.until_s]
    whole = merged(decode(one.response) for part in inside for one in part.operations)
    return {name: whole.quantile(q) for name, q in PERCENTILES.items()}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value]
    if not known:
        return None
    product = 1.0
    for value in known:
        product *= value ** (1 / len(known))
    return product

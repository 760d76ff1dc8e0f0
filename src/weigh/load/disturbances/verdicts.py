"""Windows of a run with something against those without: verdicts on response times, a block being a pair. Pure.

Both windows of a block stand side by side in random order. What is observed holds for this life of the server.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from weigh.load.disturbances.record import Arm
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

    from weigh.load.disturbances.record import QueryAnswer, Window
    from weigh.load.runs import LoadRun

PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
WHOLE = "all, geometric mean"
RULES = Rules(margin=0.05, unstable=1.0, typical=Typical.CONTRAST)
"""A window holds hundreds of requests and not a run: its percentiles scatter, and a small change says little."""
_RESPONSE = Metric(name="response", unit=Unit.SECONDS, absent="nothing was answered", each="windows")


_Values = tuple[tuple[int, int], Arm, "dict[str, float | None]"]
"""Of a window: its block, its side, and its figures."""


class WindowVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """One percentile of the response time with something against without; or a query with the load against alone.

    Attributes:
        metric: ``p50``, ``p95`` or ``p99``; or name of the query, ``all, geometric mean`` for that of several.
        verdict: SLOWER, FASTER, SMALL, SAME, UNRESOLVED or REFUSED (docs/concept/statistics.md#the-verdicts).
        with_s, without_s: geometric means over the windows, of a query ``without`` the load; None where there is none.
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
    """The verdicts on the load, how many blocks were left out, and how many windows were compared."""
    blocks = _blocks(windows, ("without", "with"))
    values: list[_Values] = []
    for key, sides in blocks.items():
        run = runs.get(key[0])
        # What went on in the window without it has spoilt both.
        if run is None or not _is_apart(sides["with"], sides["without"]):
            continue
        values += [(key, side, _figures(one, run)) for side, one in sides.items()]
    made = _judged(values, tuple(PERCENTILES), "without")
    return made, len(blocks) - len(values) // 2, len(values)


def of_queries(windows: Sequence[Window], answers: Sequence[QueryAnswer] = ()) -> tuple[WindowVerdict, ...]:
    """The verdicts on queries with the load against queries alone: one each, before them one on their geometric mean.

    What answered wrongly has none; and where one is missing, whatever the reason, nothing is reported of all.
    """
    wrong = {name for one in windows for name in one.changed} | {
        one.name for one in answers if one.status == "diverged"
    }
    blocks = _blocks(windows, ("alone", "with"))
    values: list[_Values] = [
        (key, side, {name: each for name, each in one.times.items() if name not in wrong})
        for key, sides in blocks.items()
        for side, one in sides.items()
        if not one.failed
    ]
    names = tuple(dict.fromkeys(name for *_, times in values for name in times))
    if len(names) < 2 or wrong or any(one.seconds is None for one in answers):
        return _judged(values, names, "alone")
    for *_, times in values:
        times[WHOLE] = _mean([*times.values()]) if times.keys() == {*names} else None
    return _judged(values, (WHOLE, *names), "alone")


def _blocks(windows: Sequence[Window], sides: Sequence[Arm]) -> dict[tuple[int, int], dict[Arm, Window]]:
    """The windows of both sides, where a block has both."""
    found: dict[tuple[int, int], dict[Arm, Window]] = defaultdict(dict)
    for one in windows:
        if one.arm in sides:
            found[one.run, one.block][one.arm] = one
    return {key: pair for key, pair in found.items() if len(pair) == len(sides)}


def _judged(values: Sequence[_Values], names: Sequence[str], baseline: Arm) -> tuple[WindowVerdict, ...]:
    if not values:
        return ()
    sides: tuple[Arm, Arm] = (baseline, "with")
    made = []
    questions = [Question(name) for name in names]
    table = tabulate(
        [
            Observation(question, key, side, side, figures.get(question.operation))
            for question in questions
            for key, side, figures in values
        ],
        Unit.SECONDS,
        sides,
    )
    judged = analyse(table, Inquiry(metric=_RESPONSE, baseline=baseline, questions=questions, rules=RULES))
    for question in questions:
        verdict = judged.verdicts.get((question, "with"))
        if verdict is None:
            continue
        means = {
            side: _mean([each.get(question.operation) for _, name, each in values if name == side]) for side in sides
        }
        made.append(
            WindowVerdict(
                metric=question.operation,
                verdict=verdict.verdict,
                with_s=means["with"],
                without_s=means[baseline],
                ratio=verdict.ratio,
                low=verdict.low,
                high=verdict.high,
                confidence=RULES.confidence,
                margin=RULES.margin,
                blocks=verdict.starts or 0,
            )
        )
    return tuple(made)


def _is_apart(one: Window, other: Window) -> bool:
    if one.failed or other.failed or one.ended_s is None:
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

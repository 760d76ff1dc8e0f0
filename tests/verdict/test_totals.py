"""Totals: the second question, a family of its own, by hand-worked numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from weigh.experiment.results.analysis import analyse
from weigh.model.contender import Contender
from weigh.model.rules import Rules
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import Spec
from weigh.model.verdict import Total, VerdictName
from weigh.verdict import totals

SPEC = Spec(
    workload="w",
    contenders=tuple(Contender(name=name, engine="duckdb") for name in ("old", "new")),
    baseline="old",
)


def samples(times: dict[str, np.ndarray]) -> list[Sample]:
    """Samples of seconds of the shape (blocks, rounds, runs) by arm."""
    return [
        Sample(
            block=block, start=0, turn=0, run=run + 1, round=turn, arm=arm, contender=arm.removesuffix("#2"),
            operation="q", case="", outcome=Outcome.OK, wall_s=float(value),
        )
        for arm, values in times.items()
        for (block, turn, run), value in np.ndenumerate(values)
    ]  # fmt: skip


def scattered(shape: tuple[int, int, int], seed: int) -> np.ndarray:
    return np.exp(np.random.default_rng(seed).normal(0, 0.01, shape))


def stalling(runs: int, blocks: int = 10) -> dict[str, np.ndarray]:
    """The last of ten rounds takes eleven times as long for the candidate, in every start."""
    times = {arm: scattered((blocks, 10, runs), seed) for seed, arm in enumerate(("old", "new", "old#2"))}
    times["new"][:, 9] *= 11
    return times


@pytest.mark.promise(
    "Each has half of the false discovery rate, so that no more than 5 % of all claims on time are "
    "expected to be false."
)
def test_each_question_has_half_of_the_false_discoveries() -> None:
    assert totals.halved(Rules()) == Rules(fdr=0.025)


@pytest.mark.promise(
    "Where the total claims a difference that the typical execution does not show, the verdict says so (`T1.total`)."
)
def test_a_stall_in_every_start_is_in_the_total_and_not_in_the_verdict() -> None:
    (verdict,) = analyse(samples(stalling(1)), spec=SPEC).verdicts
    assert verdict.verdict is VerdictName.SAME
    assert verdict.total is not None
    assert verdict.total.verdict is VerdictName.SLOWER
    assert verdict.total.ratio == pytest.approx(2, rel=0.02)
    assert verdict.total.low < 2 < verdict.total.high
    (reason,) = [one for one in verdict.reasons if one.code == "T1.total"]
    assert "in total it is slower" in reason.text


def test_the_figures_of_a_total_by_hand() -> None:
    """Sums 2, 4, 6, 8, 10 over 1, 2, 3, 4, 5 but for the last block: 32 over 15, error from the linear parts."""
    own, other = np.array([2.0, 4.0, 6.0, 8.0, 12.0]), np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    arms = {"new": own.reshape(5, 1, 1), "old": other.reshape(5, 1, 1)}
    (verdict,) = analyse(samples(arms), spec=SPEC).verdicts
    parts = own / own.mean() - other / other.mean()
    error = parts.std(ddof=1) / math.sqrt(5)
    assert verdict.total is not None
    assert verdict.total.ratio == pytest.approx(32 / 15)
    assert math.log(verdict.total.high / verdict.total.ratio) == pytest.approx(4.604095 * error)


@pytest.mark.promise("A total is SAME or SMALL only from 400 timed executions of either side on.")
@pytest.mark.parametrize(("runs", "name"), [(3, VerdictName.UNRESOLVED), (4, VerdictName.SAME)])
def test_a_total_is_the_same_from_400_executions_on(runs: int, name: VerdictName) -> None:
    """Ten starts of ten rounds: 300 executions of the candidate, or 400."""
    times = {arm: scattered((10, 10, runs), seed) for seed, arm in enumerate(("old", "new", "old#2"))}
    (verdict,) = analyse(samples(times), spec=SPEC).verdicts
    assert verdict.verdict is VerdictName.SAME
    assert verdict.total is not None
    assert verdict.total.verdict is name


def test_other_metrics_have_no_total() -> None:
    times = samples(stalling(1))
    (verdict,) = analyse(times, spec=SPEC, metric="cpu_s").verdicts or (None,)
    assert verdict is None or verdict.total is None


@pytest.mark.parametrize(
    ("whole", "usual", "against"),
    [
        (VerdictName.SLOWER, VerdictName.SAME, True),
        (VerdictName.SLOWER, VerdictName.FASTER, True),
        (VerdictName.SLOWER, VerdictName.SLOWER, False),
        (VerdictName.UNRESOLVED, VerdictName.SAME, False),
        (VerdictName.SAME, VerdictName.SLOWER, False),
    ],
)
def test_what_contradicts(whole: VerdictName, usual: VerdictName, against: bool) -> None:
    figures: dict[str, Any] = dict.fromkeys(("ratio", "low", "high", "low_fcr", "high_fcr"), 1.0)
    assert totals.contradicts(usual, Total(verdict=whole, **figures)) is against

"""ClickHouse's published rule: the exact law against dealing out in every possible way."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

from weigh.experiment.results.analysis import analyse
from weigh.model.contender import Contender
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import Spec
from weigh.verdict import clickhouse_rule

SIZES = [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (1, 2), (2, 1), (3, 6), (6, 3), (4, 7), (5, 8), (8, 4)]


def every_deal(new: int, old: int) -> dict[tuple[int, int], int]:
    """How often the medians have which pooled ranks, lower one first."""
    found: dict[tuple[int, int], int] = {}
    for chosen in combinations(range(new + old), new):
        rest = [rank for rank in range(new + old) if rank not in chosen]
        low, high = sorted((chosen[new // 2], rest[old // 2]))
        found[low, high] = found.get((low, high), 0) + 1
    return found


@pytest.mark.promise("They shuffle 10,000 times; weigh computes the exact law.")
@pytest.mark.parametrize(("new", "old"), SIZES)
def test_the_law_is_that_of_every_deal(new: int, old: int) -> None:
    every, law = every_deal(new, old), clickhouse_rule.law(new, old)
    found = dict(zip(zip(law.low.tolist(), law.high.tolist(), strict=True), law.probability.tolist(), strict=True))
    assert found.keys() == every.keys()
    for pair, count in every.items():
        assert found[pair] == pytest.approx(count / comb(new + old, new), rel=1e-11)


def test_seven_runs_have_sixteen_support_points_with_the_printed_probabilities() -> None:
    """P{i,j} = 2 C(i-1,m-1) C(j-i-1,2m-1-i) C(2n-j,n-m) / C(2n,n), m the rank of the median, ranks from 1."""
    n, m, law = 7, 4, clickhouse_rule.law(7, 7)
    assert len(law.probability) == 16
    for i, j, found in zip(law.low + 1, law.high + 1, law.probability, strict=True):
        printed = 2 * comb(i - 1, m - 1) * comb(j - i - 1, 2 * m - 1 - i) * comb(2 * n - j, n - m) / comb(2 * n, n)
        assert found == pytest.approx(printed, rel=1e-11)


@pytest.mark.parametrize(("new", "old"), [(3, 3), (4, 4), (5, 5), (3, 6), (4, 7)])
@pytest.mark.parametrize("digits", [12, 1])
def test_the_threshold_is_the_quantile_of_every_deal(new: int, old: int, digits: int) -> None:
    """With one digit many executions are equal, as coarse clocks make them."""
    draw = np.random.default_rng(new * 100 + old)
    values = np.round(draw.exponential(1.0, (20, new + old)) + 1, digits)
    found = clickhouse_rule.threshold(values[:, :new], values[:, new:])
    for row, bound in zip(values, found, strict=True):
        sizes = []
        for chosen in combinations(range(new + old), new):
            rest = np.delete(row, chosen)
            sizes.append(abs(np.sort(row[list(chosen)])[new // 2] - np.sort(rest)[old // 2]))
        ordered = np.sort(sizes)
        # The element that a 99th percentile of endless shuffles would be.
        assert bound == pytest.approx(ordered[int(0.99 * len(ordered))], abs=1e-12)


def test_the_threshold_is_that_of_ten_thousand_shuffles() -> None:
    draw = np.random.default_rng(5)
    new, old = draw.lognormal(0, 0.1, (2, 1, 30))
    pooled, sizes = np.concatenate([new, old], axis=1)[0], []
    for _ in range(10_000):
        dealt = draw.permutation(pooled)
        sizes.append(abs(np.sort(dealt[:30])[15] - np.sort(dealt[30:])[15]))
    exact = clickhouse_rule.threshold(new, old)[0]
    assert np.quantile(sizes, 0.987) <= exact <= np.quantile(sizes, 0.993)


def test_many_queries_at_once_give_what_each_gives_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(6)
    new, old = draw.lognormal(0, 0.1, (50, 9)), draw.lognormal(0, 0.1, (50, 18))
    together = clickhouse_rule.threshold(new, old)
    monkeypatch.setattr(clickhouse_rule, "_CELLS", 1)
    np.testing.assert_array_equal(clickhouse_rule.threshold(new, old), together)


def test_a_thousand_executions_take_a_law_of_their_own_size() -> None:
    law = clickhouse_rule.law(1_000, 2_000)
    assert law.probability.sum() == pytest.approx(1)
    assert len(law.probability) < 200_000


@pytest.mark.parametrize(
    ("difference", "bound", "name"),
    [
        (0.30, 0.31, "no difference"),
        (0.30, 0.30, "no difference"),
        (-0.04, 0.01, "too small"),
        (0.05, 0.01, "too small"),
        (-0.20, 0.15, "unstable"),
        (0.20, 0.10, "unstable"),
        (0.20, 0.0999, "changed"),
        (-0.20, 0.01, "changed"),
    ],
)
def test_the_four_conditions_in_their_order(difference: float, bound: float, name: str) -> None:
    assert list(clickhouse_rule.rule(np.array([difference]), np.array([bound]))) == [name]


CONTENDERS = tuple(Contender(name=name, engine="duckdb") for name in ("old", "new"))


def spec(**fields: object) -> Spec:
    return Spec(workload="w", contenders=CONTENDERS, baseline="old", **fields)  # type: ignore[arg-type]


def sampled(times: dict[str, list[float]], starts: int, case: str = "c") -> list[Sample]:
    """Times by arm, dealt out to the starts in their order."""
    return [
        Sample(
            block=at * starts // len(values),
            start=0,
            turn=0,
            run=1 + at,
            arm=arm,
            contender=arm.removesuffix("#2"),
            operation="o",
            case=case,
            outcome=Outcome.OK,
            wall_s=value,
        )
        for arm, values in times.items()
        for at, value in enumerate(values)
    ]


def test_the_opinion_stands_beside_the_verdict_and_changes_nothing() -> None:
    draw = np.random.default_rng(7)
    times = {arm: draw.lognormal(0, 0.01, 30).tolist() for arm in ("old", "old#2")}
    times["new"] = draw.lognormal(0.07, 0.01, 30).tolist()
    samples = sampled(times, 10)
    (asked,) = analyse(samples, spec=spec(rule="clickhouse")).verdicts
    (alone,) = analyse(samples, spec=spec()).verdicts
    assert alone.second_opinion is None
    assert asked.second_opinion is not None
    assert asked.second_opinion.name == "changed"
    assert asked.second_opinion.runs == (30, 60)
    old = np.sort(times["old"] + times["old#2"])
    assert asked.second_opinion.difference == pytest.approx(np.sort(times["new"])[15] / old[30] - 1)
    assert (asked.verdict, asked.ratio, asked.reasons) == (alone.verdict, alone.ratio, alone.reasons)


def test_the_rule_speaks_where_one_start_is_refused() -> None:
    """It knows no starts, so it calls the offset of one start a change."""
    draw = np.random.default_rng(8)
    times = {arm: draw.lognormal(0, 0.005, 30).tolist() for arm in ("old", "old#2")}
    times["new"] = draw.lognormal(0.06, 0.005, 30).tolist()
    (found,) = analyse(sampled(times, 1), spec=spec(rule="clickhouse")).verdicts
    assert found.verdict == "refused"
    assert found.second_opinion is not None
    assert found.second_opinion.name == "changed"


def test_the_difference_between_cases_is_not_noise() -> None:
    draw = np.random.default_rng(9)
    arms = ("old", "old#2", "new")
    short, long = ({arm: draw.lognormal(level, 0.01, 20).tolist() for arm in arms} for level in (0, 3))
    samples = sampled(short, 10, "short") + sampled(long, 10, "long")
    (found,) = analyse(samples, spec=spec(rule="clickhouse")).verdicts
    assert found.second_opinion is not None
    assert found.second_opinion.threshold < 0.02
    assert abs(found.second_opinion.difference) < 0.02


def test_no_opinion_where_nobody_is_timed() -> None:
    samples = sampled(dict.fromkeys(("old", "old#2", "new"), [1.0] * 30), 10)
    gate = {"o": {"old": "agreed", "new": "diverged"}}
    (found,) = analyse(samples, spec=spec(rule="clickhouse"), gate=gate).verdicts  # type: ignore[arg-type]
    assert found.verdict == "diverged"
    assert found.second_opinion is None


def test_only_the_wish_for_a_second_opinion_changes_the_id() -> None:
    """The id of everything that was asked before there was a rule."""
    assert spec().id == "b0ae65b8cecf"
    assert spec(rule="clickhouse").id != spec().id

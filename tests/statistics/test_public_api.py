"""``weigh.stats``: the same figures as the reports, from arrays."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from weigh import stats
from weigh.experiment.results.analysis import analyse
from weigh.model.contender import Contender
from weigh.model.errors import DataFault, WeighError
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weigh.model.verdict import Verdict
    from weigh.statistics.arrays import Floats


PAGE = Path(__file__).parents[2] / "docs" / "guide" / "python.md"
FUNCTIONS = [name for name in stats.__all__ if inspect.isfunction(getattr(stats, name))]


def drawn(*shape: int, seed: int = 1, noise: float = 0.02) -> Floats:
    return np.exp(np.random.default_rng(seed).normal(0, noise, shape))


def judged(arms: dict[str, Floats], **fields: object) -> tuple[Verdict, ...]:
    """The judge's verdicts on arms of the shape (operations, starts, runs)."""
    samples = [
        Sample(
            block=block, start=0, turn=0, run=run + 1, arm=arm, contender=arm.removesuffix("#2"),
            operation=f"q{operation:03}", case="", outcome=Outcome.OK, wall_s=float(values[operation, block, run]),
        )
        for arm, values in arms.items()
        for operation, block, run in np.ndindex(values.shape)
        if not np.isnan(values[operation, block, run])
    ]  # fmt: skip
    named = tuple(Contender(name=name, engine="none") for name in ("base", "new"))
    return analyse(samples, spec=Spec(workload="none", contenders=named, baseline="base", **fields)).verdicts  # type: ignore[arg-type]


def test_a_ratio_is_the_judges() -> None:
    new, base, again = (drawn(1, 10, 3, seed=seed) for seed in (1, 2, 3))
    (verdict,) = judged({"new": 1.1 * new, "base": base, "base#2": again})
    blocks = (range(10), [*range(10), *range(10)])
    found = stats.ratio(1.1 * new[0], np.concatenate([base[0], again[0]]), blocks=blocks)
    for name in ("ratio", "low", "high", "median_ratio", "noise_floor", "detectable", "starts", "confidence"):
        assert getattr(found, name) == pytest.approx(getattr(verdict, name), rel=1e-9), name
    assert found.freedom == pytest.approx(9)


def test_where_starts_are_missing_it_is_the_judges_t_over_the_rest() -> None:
    new, base, again = (drawn(1, 8, 2, seed=seed) for seed in (4, 5, 6))
    new[0, 2], again[0, 5] = np.nan, np.nan
    (verdict,) = judged({"new": new, "base": base, "base#2": again})
    there = [block for block in range(8) if block != 5]
    kept = np.concatenate([base[0], again[0, there]])
    found = stats.ratio(np.delete(new[0], 2, axis=0), kept, blocks=([0, 1, 3, 4, 5, 6, 7], [*range(8), *there]))
    assert (found.ratio, found.low, found.high) == pytest.approx((verdict.ratio, verdict.low, verdict.high), rel=1e-9)
    assert found.starts == verdict.starts == 7
    assert found.freedom == 6


def test_a_start_counts_with_the_median_of_its_runs_and_the_total_with_all() -> None:
    """Runs of 1, 1 and 4 against 1, 1 and 1 in every start: typically the same, twice as much in all."""
    new = np.tile([1.0, 1.0, 4.0], (6, 1)) * np.linspace(1, 2, 6)[:, None]
    base = np.ones((6, 3)) * np.linspace(1, 2, 6)[:, None]
    found = stats.ratio(new, base, clock=False)
    assert found.ratio == 1
    assert (found.total, found.total_low, found.total_high) == pytest.approx((2, 2, 2))
    session = stats.verdicts(new[None], base[None], clock=False)
    assert (session.names[0], session.total_names[0]) == ("same", "slower")
    assert session.total[0] == pytest.approx(2)


def test_more_than_one_missing_start_is_refused_with_its_figures() -> None:
    new, base = drawn(2, 10, 3, seed=22, noise=0.003), drawn(2, 10, 3, seed=23, noise=0.003)
    new[0, 3], new[1, 3:5] = np.nan, np.nan
    found = stats.verdicts(new, base)
    assert list(found.names) == ["same", "refused"]
    assert found.ratio[1] == pytest.approx(1, abs=0.02)


def test_a_clock_that_is_too_coarse_is_refused_and_counts_have_none() -> None:
    new, base = (np.round(drawn(1, 12, 3, seed=seed, noise=0.01) * 32) for seed in (24, 25))
    new *= 1.1
    assert stats.verdicts(np.round(new / 10), np.round(base / 10)).names[0] == "refused"
    same = np.full((1, 12, 3), 3.0)
    assert stats.verdicts(same, same).names[0] == "refused"
    assert stats.verdicts(same, same, clock=False).names[0] == "same"
    with pytest.raises(DataFault, match="clock"):
        stats.ratio(same[0], same[0])
    assert stats.ratio(same[0], same[0], clock=False).ratio == 1


def test_blocks_are_labels_and_starts_without_them_are_pairs() -> None:
    new, base = drawn(12, 3, seed=7), drawn(12, 3, seed=8)
    plain = stats.ratio(new, base)
    order = np.random.default_rng(9).permutation(12)
    labels = [f"monday {number}" for number in range(12)]
    found = stats.ratio(new[order], base, blocks=([labels[number] for number in order], labels))
    assert (found.ratio, found.low, found.high) == pytest.approx((plain.ratio, plain.low, plain.high), rel=1e-12)
    assert stats.ratio(new[:, 0], base[:, 0]).starts == 12


def test_a_shared_drift_cancels_and_the_confidence_widens() -> None:
    new, base = drawn(10, 3, seed=10), drawn(10, 3, seed=11)
    drift = np.linspace(1, 3, 10)[:, None]
    plain, drifting = stats.ratio(new, base), stats.ratio(new * drift, base * drift)
    assert (drifting.low, drifting.high) == pytest.approx((plain.low, plain.high), rel=1e-9)
    wide = stats.ratio(new, base, confidence=0.999)
    assert wide.low < plain.low < plain.ratio < plain.high < wide.high
    assert plain.noise_floor is None


@pytest.mark.parametrize("second", [False, True])
def test_a_session_has_the_judges_verdicts(second: bool) -> None:
    new, base, again = (drawn(30, 10, 2, seed=seed) for seed in (12, 13, 14))
    new[:6] *= 1.2
    new[6:9] *= 0.8
    new[9:12] *= np.exp(np.random.default_rng(15).normal(0, 0.3, (3, 10, 1)))
    new[12, 4:] = np.nan
    new[13, 3, 1] = np.nan
    rules = stats.Rules(margin=0.02)
    arms = {"new": new, "base": base} | ({"base#2": again} if second else {})
    wanted = judged(arms, rules=rules)
    found = stats.verdicts(new, base, second=again if second else None, rules=rules)
    assert {"slower", "faster", "refused"} < set(found.names)
    assert list(found.names) == [verdict.verdict.value for verdict in wanted]
    for name in ("ratio", "low", "high", "low_fcr", "high_fcr", "noise_floor", "detectable", "starts", "starts_needed"):
        values = [getattr(verdict, name) for verdict in wanted]
        expected = [np.nan if value is None else value for value in values]
        if name == "starts":
            assert found.starts[12] == 4
        assert getattr(found, name) == pytest.approx(expected, rel=1e-9, nan_ok=True), name
    for number, verdict in enumerate(wanted):
        if verdict.total is None:
            assert found.total_names[number] == "refused"
            continue
        figures = [getattr(found, name)[number] for name in ("total", "total_low", "total_high")]
        assert figures == pytest.approx([verdict.total.ratio, verdict.total.low, verdict.total.high], rel=1e-9)
        assert found.total_names[number] == verdict.total.verdict
    assert (found.family, found.rules) == (29, rules)


def test_one_run_a_start_needs_no_axis() -> None:
    new, base = drawn(5, 10, seed=16), drawn(5, 10, seed=17)
    assert list(stats.verdicts(new, base).ratio) == list(stats.verdicts(new[..., None], base[..., None]).ratio)


def test_the_second_opinion_is_the_judges() -> None:
    new, base = drawn(8, 7, 1, seed=18, noise=0.01), drawn(8, 7, 1, seed=19, noise=0.01)
    new[:4] *= 1.2
    found = stats.clickhouse(new[..., 0], base[..., 0])
    wanted = tuple(verdict.second_opinion for verdict in judged({"new": new, "base": base}, rule="clickhouse"))
    assert found == wanted
    assert len({opinion.name for opinion in found}) > 1
    assert stats.clickhouse(new[0, :, 0], base[0, :, 0]) == found[:1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: stats.ratio([1, 2], [1]), "no pairs"),
        (lambda: stats.ratio([1], [1]), "in 1 block"),
        (lambda: stats.ratio([], []), "in 0 blocks"),
        (lambda: stats.ratio([0, 1], [1, 2]), "1 of 2 values of the candidate are not above zero"),
        (lambda: stats.ratio([1, 2], [1, np.inf]), "1 of 2 values of the baseline are not above zero"),
        (lambda: stats.ratio([[[1]]], [1]), "3 dimensions"),
        (lambda: stats.ratio([1, 2], [1, 2], blocks=([1], [1, 2])), "2 starts have 1 block"),
        (lambda: stats.ratio([1, 2], [1, 2], blocks=([1, 2], [3, 4])), "in 0 blocks"),
        (lambda: stats.ratio([1, 2], [1, 2], confidence=99), "no level"),
        (lambda: stats.verdicts([[1, 2]], [[1]]), "differ: candidate"),
        (lambda: stats.verdicts([1, 2], [1, 2]), "1 dimension"),
        (lambda: stats.clickhouse([1, np.nan], [1, 2]), "missing"),
        (lambda: stats.clickhouse([[1, 2]], [[1, 2], [1, 2]]), "do not go together"),
        (lambda: stats.clickhouse([], []), "do not go together"),
    ],
)
def test_what_cannot_be_compared_is_told(call: Callable[[], object], words: str) -> None:
    with pytest.raises(WeighError, match=words) as caught:
        call()
    assert caught.value.remedy


def test_below_five_starts_there_is_a_ratio_and_no_verdict() -> None:
    new, base = drawn(1, 4, 3, seed=20), drawn(1, 4, 3, seed=21)
    assert stats.ratio(new[0], base[0]).starts == 4
    found = stats.verdicts(new, base)
    assert (list(found.names), np.isnan(found.ratio[0])) == (["refused"], True)


@pytest.mark.parametrize("name", stats.__all__)
def test_every_name_is_documented(name: str) -> None:
    one = getattr(stats, name)
    assert name == "MIN_STARTS" or inspect.getdoc(one)


def test_every_function_is_on_the_page() -> None:
    page = PAGE.read_text()
    missing: Sequence[str] = [name for name in FUNCTIONS if f"stats.{name}(" not in page]
    assert not missing

"""Decisions: names, levels and the agreement of verdict and printed interval."""

import msgspec
import numpy as np
import pytest
import scipy

from weigh.model.rules import RULES, Rules
from weigh.statistics import student_t
from weigh.statistics.effects import Effects
from weigh.verdict.decide import EARLY, LOOKS, Decisions, at_end, decide, decided_early, step_up

MARGIN = np.log1p(0.03)


def decided(effect: float, error: float, starts: int = 10, rules: Rules = Rules()) -> Decisions:  # noqa: B008
    effects = Effects(np.array([effect]), np.array([error]), np.array([starts - 1.0]))
    return decide(effects, np.array([starts]), rules)


@pytest.mark.parametrize(
    ("effect", "error", "starts", "name"),
    [
        (0.10, 0.005, 10, "slower"),
        (-0.10, 0.005, 10, "faster"),
        (0.01, 0.002, 10, "small"),
        (0.001, 0.005, 10, "same"),
        (0.02, 0.010, 10, "unresolved"),
        (0.05, 0.012, 10, "unresolved"),
        (0.10, 0.030, 10, "refused"),
        (0.10, 0.001, 4, "refused"),
        (0.10, 0.001, 5, "slower"),
        (np.nan, np.nan, 8, "refused"),
        (0.0, 0.0, 10, "same"),
        (0.02, 0.0, 10, "small"),
        (0.10, 0.0, 10, "slower"),
        (MARGIN, 0.0, 10, "unresolved"),
    ],
)
def test_the_table(effect: float, error: float, starts: int, name: str) -> None:
    assert decided(effect, error, starts).names[0] == name


def test_the_interval_is_student() -> None:
    """K = 10: t with 9 degrees of freedom, 3.2498 standard errors at 99 %."""
    assert decided(0.0, 0.01).half[0] == pytest.approx(0.032498, rel=1e-4)


@pytest.mark.promise(
    "The interval at level `1 - min(R q / m, 1 %)` [2] is printed next to the 99 % one and is never narrower."
)
def test_what_matters_is_shown_to_differ() -> None:
    """One comparison alone would have 95 %; the interval that decides is never narrower than the 99 % one."""
    for effect in (0.0, 0.2):
        decisions = decided(effect, 0.005)
        assert decisions.level_fcr == pytest.approx(0.99)
        assert decisions.half_fcr[0] == pytest.approx(scipy.stats.t.ppf(0.995, 9) * 0.005)


def test_false_coverage_level_follows_the_number_selected() -> None:
    """Of 20 comparisons 4 are far beyond the margin: level 1 - 4 * .05 / 20 = .99."""
    effect = np.array([0.2] * 4 + [0.0] * 16)
    effects = Effects(effect, np.full(20, 0.005), np.full(20, 9.0))
    decisions = decide(effects, np.full(20, 10), Rules())
    assert (decisions.family, decisions.selected) == (20, 4)
    assert decisions.level_fcr == pytest.approx(0.99)
    np.testing.assert_allclose(decisions.half_fcr, decisions.half)


@pytest.mark.promise(
    "It excludes the margin for every SLOWER and FASTER and for no other verdict, so that verdict and"
    " interval cannot contradict each other."
)
def test_verdict_and_interval_cannot_contradict_each_other() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        count = int(rng.integers(1, 200))
        effects = Effects(rng.normal(0, 0.05, count), rng.uniform(0.001, 0.02, count), np.full(count, 9.0))
        decisions = decide(effects, np.full(count, 10), Rules())
        lower = np.abs(effects.effect) - decisions.half_fcr
        claimed = np.isin(decisions.names, ["slower", "faster"])
        judged = decisions.names != "refused"
        np.testing.assert_array_equal(claimed[judged], (lower > MARGIN)[judged])


def test_too_few_starts_are_no_part_of_the_family() -> None:
    effects = Effects(np.array([0.2, 0.2, 0.2]), np.array([0.005, 0.5, 0.005]), np.array([9.0, 9.0, 3.0]))
    decisions = decide(effects, np.array([10, 10, 4]), Rules())
    assert list(decisions.names) == ["slower", "refused", "refused"]
    assert (decisions.family, decisions.selected) == (2, 1)


@pytest.mark.promise("the noise would hide a change of 10 % and no larger one is shown (`T7.unstable`)")
def test_an_unstable_comparison_needs_an_effect_beyond_the_bound_of_instability() -> None:
    effects = Effects(np.log([2.0, 0.5, 1.12, 1.0]), np.full(4, 0.05), np.full(4, 9.0))
    decisions = decide(effects, np.full(4, 10), Rules())
    assert decisions.unstable.all()
    assert list(decisions.names) == ["slower", "faster", "refused", "refused"]


def test_step_up_of_the_original_paper() -> None:
    """The example of Benjamini and Hochberg 1995, section 3.1: four of fifteen at 5 %."""
    small = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    large = [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    p_values = np.array([*small, *large])
    assert step_up(p_values, 0.05).sum() == 4
    assert step_up(np.array([]), 0.05).sum() == 0


def test_detectable_is_found_with_80_percent_power() -> None:
    for freedom in (4.0, 9.0, 29.0):
        effect = student_t.detectable(0.99, 0.80, np.array([freedom]))[0]
        critical = scipy.stats.t.ppf(0.995, freedom)
        assert scipy.stats.nct.sf(critical, freedom, effect) == pytest.approx(0.80, abs=1e-6)


def test_the_starts_proposed_would_settle_it() -> None:
    """SAME by 90 % interval: at the proposed number the half-width just fits, one fewer does not."""
    effect, error, starts = 0.010, 0.012, 10
    decisions = decided(effect, error, starts)
    needed = int(decisions.needed[0])
    assert decisions.names[0] == "unresolved"

    def half(count: int) -> float:
        return float(scipy.stats.t.ppf(0.95, count - 1) * error * np.sqrt(starts / count))

    assert half(needed) <= MARGIN - effect < half(needed - 1)


def test_the_starts_proposed_would_settle_an_unstable_one() -> None:
    """So many and it is both stable and SAME, if noise and effect stay; where they leave it open, none are proposed."""
    error, starts = 0.05, 10
    decisions = decided(0.0, error, starts)
    needed = int(decisions.needed[0])
    assert decisions.names[0] == "refused"
    assert decided(0.0, error * np.sqrt(starts / needed), needed).names[0] == "same"
    fewer = needed - 10
    assert decided(0.0, error * np.sqrt(starts / fewer), fewer).names[0] != "same"
    assert np.isnan(decided(MARGIN, error, starts).needed[0])


@pytest.mark.parametrize("error", [0.04, 0.08])
def test_before_an_unstable_one_is_stable_nothing_settles_it(error: float) -> None:
    """With a margin of 50 % it would be SAME long before a change of 10 % would be found."""
    rules = Rules(margin=0.5)
    needed = int(decided(0.0, error, 10, rules).needed[0])
    later = decided(0.0, error * np.sqrt(10 / needed), needed, rules)
    assert (later.names[0], later.detectable[0]) == ("same", pytest.approx(0.10, abs=0.01))


def test_no_starts_are_proposed_at_the_margin() -> None:
    assert np.isnan(decided(MARGIN, 0.01).needed[0])
    assert np.isnan(decided(0.0, 0.001).needed[0])


def test_margin_zero_and_other_rules() -> None:
    rules = Rules(margin=0.0, confidence=0.95)
    assert decided(0.01, 0.001, rules=rules).names[0] == "slower"
    assert decided(0.0, 0.01, rules=rules).names[0] == "unresolved"
    assert decided(0.0, 0.01, rules=rules).half[0] == pytest.approx(scipy.stats.t.ppf(0.975, 9) * 0.01)


def test_empty_session() -> None:
    none = np.empty(0)
    decisions = decide(Effects(none, none, none), np.empty(0, dtype=np.int64), Rules())
    assert (decisions.family, decisions.selected, len(decisions.names)) == (0, 0, 0)


SHARE = EARLY / len(LOOKS)


def at_look(effect: float, error: float, starts: int = 10, family: int = 24) -> bool:
    effects = Effects(np.array([effect]), np.array([error]), np.array([starts - 1.0]))
    return bool(decided_early(effects, np.array([starts]), Rules(), family)[0])


@pytest.mark.promise(
    "The five looks of the second kind spend three tenths of every error rate together; what ends "
    "otherwise has what the looks before its last start have left"
)
def test_the_shares_of_all_looks_add_up_to_the_error_rates() -> None:
    assert LOOKS[0] == 10
    assert pytest.approx(0.06) == SHARE
    # A look at as many starts as there are at the end sees the same figures.
    assert [at_end(starts) for starts in (5, 10, 11, 16, 17, 63)] == pytest.approx([1, 1, 0.94, 0.94, 0.88, 0.76])
    assert at_end(64) == at_end(100) == pytest.approx(1 - EARLY)


def skewed_effects(*skewness: float, effect: float = 0.0) -> Effects:
    count = len(skewness)
    return Effects(np.full(count, effect), np.full(count, 0.01), np.full(count, 9.0), np.array(skewness))


def test_same_allows_for_skewness_on_its_own_side() -> None:
    """Student's 1.833 by one and a half of Hall's term, 1 + 1.5 * 0.8 * 7.72 / (6 * 3.162 * 1.833) = 1.267."""
    margin = float(np.log(1.03))
    for effect, same in ((margin - 0.0231, True), (margin - 0.0235, True), (margin - 0.0184, False)):
        found = decide(skewed_effects(0.8, effect=effect), np.array([10]), RULES)
        assert (found.names[0] in ("same", "small")) == (same and effect < margin - 0.01833 * 1.267)
    # To the other side chance is none, as before; and without the rule it is none to either.
    near = np.array([10])
    assert decide(skewed_effects(-0.8, effect=margin - 0.0184), near, RULES).names[0] == "same"
    old = msgspec.structs.replace(RULES, skewed=msgspec.UNSET)
    assert decide(skewed_effects(0.8, effect=margin - 0.0184), near, old).names[0] == "same"
    # Beyond chance it holds on both sides, by either rule.
    for rules in (RULES, old):
        assert decide(skewed_effects(-1.5, effect=margin - 0.0184), near, rules).names[0] == "unresolved"


def test_an_early_look_asks_for_its_share_of_the_smallest_threshold() -> None:
    """Of 24 comparisons: 0.06 * 0.05 / 24 = 1.25e-4, which is 6.40 standard errors of 9 degrees of freedom."""
    critical = scipy.stats.t.isf(SHARE * 0.05 / 24 / 2, 9)
    assert critical == pytest.approx(6.40, abs=0.01)
    assert at_look(MARGIN + 1.01 * critical * 0.01, 0.01)
    assert not at_look(MARGIN + 0.99 * critical * 0.01, 0.01)
    assert at_look(-MARGIN - 1.01 * critical * 0.01, 0.01)


def test_an_early_look_asks_for_its_share_of_the_equivalence_test() -> None:
    """0.06 * 0.05 on either side: 3.57 standard errors of 9 degrees of freedom."""
    critical = scipy.stats.t.isf(SHARE * 0.05, 9)
    assert critical == pytest.approx(3.57, abs=0.01)
    assert at_look(0.0, 0.99 * MARGIN / critical)
    assert not at_look(0.0, 1.01 * MARGIN / critical)
    assert not at_look(0.5 * MARGIN, 0.99 * MARGIN / critical)


def test_what_is_noisy_must_exceed_the_bound_of_instability_early_too() -> None:
    """An error of 5 % hides changes of 10 %; three times as slow is decided all the same, 50 % is not."""
    assert at_look(np.log(3), 0.05)
    assert not at_look(np.log(1.4), 0.05)


@pytest.mark.parametrize("starts", [9, 11, 100])
def test_nothing_is_decided_early_but_at_a_look(starts: int) -> None:
    assert not at_look(np.log(3), 0.01, starts=starts)


def test_what_was_decided_early_is_so_at_the_end_whatever_else_is() -> None:
    """The one of 24 that is just decided is SLOWER with the share of its look, the others being unchanged."""
    critical = scipy.stats.t.isf(SHARE * 0.05 / 24 / 2, 9)
    effect = np.array([MARGIN + 1.01 * critical * 0.005, *[0.0] * 23])
    effects = Effects(effect, np.full(24, 0.005), np.full(24, 9.0))
    share = np.array([SHARE, *[1 - EARLY] * 23])
    decisions = decide(effects, np.full(24, 10), Rules(), share=share)
    assert list(decisions.names) == ["slower", *["same"] * 23]
    assert effect[0] - decisions.half_fcr[0] > MARGIN


def test_a_share_widens_the_interval_and_not_the_effect() -> None:
    effects = Effects(np.zeros(2), np.full(2, 0.01), np.full(2, 9.0))
    half = decide(effects, np.full(2, 10), Rules(), share=np.array([1.0, 0.9])).half
    assert half == pytest.approx(
        [scipy.stats.t.ppf(1 - 0.01 / 2, 9) * 0.01, scipy.stats.t.ppf(1 - 0.009 / 2, 9) * 0.01]
    )

"""Events and spikes: together more often than by chance, or not."""

from __future__ import annotations

import numpy as np
import pytest

from weigh.statistics.coincidence import coincidence, holm

IRREGULAR = [3.0, 9.5, 11.0, 27.0, 41.5, 44.0]
TOTAL = 60.0


def lengths(number: int) -> list[float]:
    return [0.5] * number


def test_a_spike_in_every_event_is_no_chance() -> None:
    found = coincidence(IRREGULAR, lengths(6), [at + 0.2 for at in IRREGULAR], TOTAL, 0.1)
    assert found.hits == (True,) * 6
    assert found.p < 0.01


def test_spikes_at_other_moments_are() -> None:
    found = coincidence(IRREGULAR, lengths(6), [at + 1.2 for at in IRREGULAR], TOTAL, 0.1)
    assert not any(found.hits)
    assert found.p == 1.0
    assert coincidence(IRREGULAR, lengths(6), [], TOTAL, 0.1).p == 1.0


def test_spikes_everywhere_prove_nothing() -> None:
    found = coincidence(IRREGULAR, lengths(6), list(np.arange(0.0, TOTAL, 0.4)), TOTAL, 0.1)
    assert all(found.hits)
    assert found.p == pytest.approx(1.0)


def test_two_clocks_of_one_period_keep_step_by_chance() -> None:
    """Ten of ten, and yet there is one thing only that came together: where in the period each strikes."""
    regular = [2.0 + 6.0 * number for number in range(10)]
    found = coincidence(regular, lengths(10), [at + 0.2 for at in regular], TOTAL, 0.1)
    assert all(found.hits)
    assert found.p == pytest.approx(0.7 / 6.0, abs=0.03)


def test_a_slack_finds_what_is_a_little_late() -> None:
    late = [at + 0.55 for at in IRREGULAR]
    assert not any(coincidence(IRREGULAR, lengths(6), late, TOTAL, 0.01).hits)
    assert all(coincidence(IRREGULAR, lengths(6), late, TOTAL, 0.1).hits)


def test_the_same_input_gives_the_same_p() -> None:
    marks = [3.2, 9.8, 30.0, 50.0]
    assert coincidence(IRREGULAR, lengths(6), marks, TOTAL, 0.1) == coincidence(
        IRREGULAR, lengths(6), marks, TOTAL, 0.1
    )


def test_holm_multiplies_the_smallest_most_and_never_falls() -> None:
    """S. Holm's rule by hand: 3 x 0.01, 2 x 0.02 and 0.03, which is no less than the one before it."""
    assert holm([0.02, 0.01, 0.03]) == pytest.approx((0.04, 0.03, 0.04))
    assert holm([0.9, 0.8]) == pytest.approx((1.0, 1.0))
    assert holm([]) == ()

"""What is decided of all operations together (docs/concept/statistics.md#overall)."""

from __future__ import annotations

import numpy as np
import pytest

from weigh.model.verdict import VerdictName

from . import overall, rates
from .test_guarantees import LAWS

SESSIONS = 100


@pytest.mark.parametrize("kind", LAWS)
def test_without_a_difference_nobody_is_called_different_and_nearly_all_are_the_same(kind: str) -> None:
    found = overall.sessions(kind, SESSIONS, 0.0, 31)
    assert found.any_different.count == 0
    assert found.called(VerdictName.SAME, VerdictName.SMALL).value >= 0.8
    assert rates.rate(found.missed).within(0.0, 0.015)


@pytest.mark.parametrize("kind", LAWS)
@pytest.mark.parametrize(("side", "name"), [(1, VerdictName.SLOWER), (-1, VerdictName.FASTER)])
def test_at_the_margin_neither_a_difference_nor_sameness_is_claimed(kind: str, side: int, name: VerdictName) -> None:
    found = overall.sessions(kind, SESSIONS, side * rates.MARGIN, 32)
    assert found.first_called(name).within(0.0, 0.025)
    assert found.first_called(VerdictName.SAME).within(0.0, 0.05)


@pytest.mark.parametrize("kind", LAWS)
def test_ten_percent_on_all_operations_are_found(kind: str) -> None:
    assert overall.sessions(kind, SESSIONS, float(np.log(1.1)), 33).first_called(VerdictName.SLOWER).value >= 0.9

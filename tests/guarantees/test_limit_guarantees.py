"""Limits that a share of the answers may exceed (docs/reference/guarantees.md)."""

from __future__ import annotations

import pytest

from . import limits
from .limits import RUNS, Slow


@pytest.mark.parametrize("setting", ["5 min, 26 a minute", "40 min, 2.6 a minute"])
@pytest.mark.parametrize("slow", [Slow("independent"), Slow("phases", 3.0)], ids=str)
def test_a_limit_at_its_edge_is_neither_kept_nor_broken(setting: str, slow: Slow) -> None:
    kept, broken = limits.judgements(RUNS[setting], slow, 0.1, 150, seed=91)
    assert kept.within(0.0, 0.01), kept
    assert broken.within(0.0, 0.01), broken


def test_what_is_clear_is_judged() -> None:
    answers = RUNS["20 min, 26 a minute"]
    for share, judged in ((0.03, 0), (0.4, 1)):
        assert limits.judgements(answers, Slow("phases", 2.0), share, 60, seed=92)[judged].value > 0.6


@pytest.mark.long
@pytest.mark.parametrize("setting", RUNS)
def test_a_limit_is_seldom_judged_wrongly(setting: str) -> None:
    answers = RUNS[setting]
    for slow in limits.laws(answers):
        for share in (0.1, 0.12):
            kept, broken = limits.judgements(answers, slow, share, 1_000, seed=93)
            assert kept.within(0.0, 0.01), (slow, share, kept)
            assert share > limits.ALLOWED or broken.within(0.0, 0.01), (slow, share, broken)

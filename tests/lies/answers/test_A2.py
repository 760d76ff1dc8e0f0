"""A2: last bits of float sums called wrong answers, or wrong answers called rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..reading import SMALL, assert_silent, contenders, detail, diverged

if TYPE_CHECKING:
    from support.command import Run, Weigh

FLOATS = ("--operations", "duration_by_proto,score_by_action")


def test_a_millionth_is_a_wrong_answer(weigh: Weigh) -> None:
    liar = "liar?lie=rounding&by=1e-6"
    run = weigh("gate", *contenders("duckdb=fork", liar), *SMALL, *FLOATS)
    assert diverged(run) == {(liar, "duration_by_proto"), (liar, "score_by_action")}
    assert "contradicted by ground truth" in detail(run, "duration_by_proto")
    assert "total_duration: " in detail(run, "duration_by_proto")
    assert run.code == 1


def test_the_last_bit_is_rounding_and_said(twins: Run) -> None:
    assert_silent(twins)
    assert detail(twins, "duration_by_proto").startswith("A2: float columns differ by up to ")


def test_the_last_bit_is_rounding_without_truth_too(weigh: Weigh) -> None:
    assert_silent(
        weigh("gate", *contenders("duckdb=fork", "liar?lie=rounding&by=2.3e-16"), *SMALL, *FLOATS, "--no-truth")
    )


@pytest.mark.parametrize(
    "repetition", [1, *(pytest.param(number, marks=pytest.mark.long) for number in range(20) if number != 1)]
)
def test_threads_that_add_in_another_order_each_time_accuse_nobody(weigh: Weigh, repetition: int) -> None:
    truth = "--no-truth" if repetition % 2 else "--truth"
    flags = ("--scale", "400K", "--quiet", "--json", truth)
    assert_silent(weigh("gate", *contenders("duckdb?threads=2", "chdb?max_threads=2"), *flags, *FLOATS))

"""A2: last bits of float sums called wrong answers, or wrong answers called rounding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
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


@pytest.mark.long
@pytest.mark.parametrize(
    "repetition", [1, *(pytest.param(number, marks=pytest.mark.long) for number in range(20) if number != 1)]
)
def test_threads_that_add_in_another_order_each_time_accuse_nobody(weigh: Weigh, repetition: int) -> None:
    truth = "--no-truth" if repetition % 2 else "--truth"
    flags = ("--scale", "400K", "--quiet", "--json", truth)
    assert_silent(weigh("gate", *contenders("duckdb?threads=2", "chdb?max_threads=2"), *flags, *FLOATS))


CANCELLING = """
    SELECT i AS id, [1e16, 1.0, -1e16, 0.25][1 + i % 4] AS x, i % 10 AS g FROM range(4000) AS t(i) ORDER BY hash(i)
"""


MENDS = "liar?lie=mends"
"""Adds with what addition loses, as SQLite does and DuckDB and Polars do not."""


def cancelling(weigh: Weigh, *named: str) -> Run:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({CANCELLING}) TO '{weigh.folder / 't.parquet'}' (FORMAT parquet)")
    (weigh.folder / "q.sql").write_text("SELECT sum(x) AS s FROM t")
    flags = ("--data", "t.parquet", "--sql", "q.sql", "--quiet", "--json", "--no-shrink")
    return weigh("gate", *contenders(*named), *flags)


def test_who_is_further_off_than_what_addition_loses_is_wrong_and_who_mends_it_is_not(weigh: Weigh) -> None:
    liar = f"{MENDS}&by=1e9"
    run = cancelling(weigh, "duckdb=fork", "polars", MENDS, liar)
    assert diverged(run) == {(liar, "q")}
    assert f"{liar} is wrong" in detail(run, "q")
    assert "tells who" not in detail(run, "q")
    assert run.code == 1


@pytest.mark.long
def test_no_majority_tells_what_is_left_where_large_numbers_cancel(weigh: Weigh) -> None:
    run = cancelling(weigh, "duckdb=fork", "polars", MENDS, "sqlite")
    assert (run.code, diverged(run)) == (3, set())
    assert "large numbers cancel" in detail(run, "q")

"""A5: a lazy engine hands back a handle, and computes after the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..reading import SHORT, SMALL, assert_silent, contenders, errors, statuses, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

FILES, MEMORY, THREAD = "liar?lie=lazy", "liar?lie=lazy-in-memory", "liar?lie=background"


@pytest.fixture(scope="module")
def gate(fresh: Callable[[], Weigh]) -> Run:
    """One lazy engine over files, one over memory."""
    return fresh()("gate", *contenders("duckdb=fork", FILES, MEMORY), *SMALL, "--operations", "distinct,by_action")


@pytest.mark.promise(
    (
        "The gate withdraws the data files while it fetches the answer: an engine that has executed the "
        "query does not need them any more."
    ),
    "It compares the number of rows reported inside the clock with that of the answer.",
)
@pytest.mark.parametrize(
    ("liar", "why"),
    [
        (FILES, "No files found"),  # one row is right for `distinct`, but the data had been withdrawn
        (MEMORY, "it reported 1 rows inside the clock and handed out 8"),
    ],
)
def test_it_is_found_before_any_clock(gate: Run, liar: str, why: str) -> None:
    (finding,) = (f for f in gate.json["findings"] if f["contender"] == liar)
    assert finding["code"] == "A5.lazy"
    assert why in finding["text"]
    assert gate.code == 1


def test_the_honest_are_not_accused_beside_it(gate: Run) -> None:
    assert errors(gate) == {("A5.lazy", FILES), ("A5.lazy", MEMORY)}


@pytest.mark.promise(
    "After the measurement it compares CPU time: fetching an answer that costs more than eight times "
    "the CPU of executing the query, and more than a generous allowance for conversion (1 ms and 20 "
    "us a row), is work done outside the clock."
)
def test_where_rows_and_files_tell_nothing_the_processor_does(weigh: Weigh) -> None:
    # One row, as promised, out of memory: only the CPU time of handing it out is left to betray it.
    flags = ("--scale", "100K", "--quiet", "--json", *SHORT, "--operations", "distinct")
    run = weigh("run", *contenders("duckdb=fork", MEMORY, THREAD), *flags)
    assert statuses(run) == {"distinct": "agreed"}
    found = errors(run)
    # On a busy machine its thread computes into the next clock, too: a lie of its own, and found as such.
    assert found - {("A11.processes", THREAD)} == {("A5.lazy", MEMORY), ("A5.lazy", THREAD)}
    assert {verdict["verdict"] for verdict in verdicts(run, "distinct").values()} == {"refused"}
    assert {timing["contender"] for timing in run.json["timings"]} == {"duckdb"}
    assert run.code == 1


def test_a_slow_conversion_is_left_alone(twins: Run) -> None:
    assert_silent(twins)

"""Work outside the clock (A5, A6): whom the bounds accuse, and whom they leave alone."""

from __future__ import annotations

import msgspec
import pytest

from weigh.experiment.results.clock.clock_coverage import clock_coverage
from weigh.model.sample import Outcome, Sample

MS = 1e-3


def samples(
    preparing: float, executing: float, handing: float = 0.0, operation: str = "q", rows: int = 1
) -> list[Sample]:
    """Five starts with CPU seconds of each phase; the first ten times as slow, as first ones are."""
    return [
        Sample(
            block=block, start=block, turn=0, run=1, arm="b", contender="b", operation=operation, case="only",
            outcome=Outcome.OK, wall_s=executing, cpu_s=executing, prepare_cpu_s=preparing * (1 if block else 10),
            answer_cpu_s=handing, rows=rows,
        )
        for block in range(5)
    ]  # fmt: skip


def found(*of: Sample) -> list[tuple[str, str | None]]:
    return [(finding.code, finding.operation) for finding in clock_coverage(of, {"b": "before its clock"})]


@pytest.mark.parametrize(
    ("preparing", "executing", "code"),
    [
        (0.01 * MS, 0.05 * MS, None),
        (0.9 * MS, 0.05 * MS, None),
        (3 * MS, 0.05 * MS, "A6.planned"),  # planning a query over hardly any rows
        (5 * MS, 200 * MS, "A6.planned"),
        (9.9 * MS, 0.0, "A6.planned"),  # a liar below the floor: said, and not accused
        (15 * MS, 200 * MS, "A6.planned"),  # planning that takes long, of a query that takes longer
        (15 * MS, 10 * MS, "A6.prepare"),
        (50 * MS, 0.0, "A6.prepare"),
    ],
)
def test_work_before_the_clock(preparing: float, executing: float, code: str | None) -> None:
    assert [one for one, _ in found(*samples(preparing, executing))] == ([code] if code else [])


@pytest.mark.parametrize("layouts", [{}, {"b": "the files"}, {"a": "before its clock"}])
def test_who_needs_its_files_after_taking_the_query_has_compiled_it(layouts: dict[str, str]) -> None:
    (note,) = clock_coverage(samples(50 * MS, 0.1 * MS), layouts)
    assert (note.code, note.severity) == ("A6.planned", "note")


def test_time_that_passed_is_not_called_cpu() -> None:
    """Of a server by URL nobody reads the CPU: what taking a query lasted on a busy machine is no cost of its."""
    waited = [
        msgspec.structs.replace(one, cpu_s=None, prepare_cpu_s=None, prepare_s=5 * MS, wall_s=20 * MS)
        for one in samples(0.0, 0.0)
    ]
    assert clock_coverage(waited, {}) == []


@pytest.mark.promise(
    "After the measurement it compares CPU time: fetching an answer that costs more than eight times "
    "the CPU of executing the query, and more than a generous allowance for conversion (1 ms and 20 "
    "us a row), is work done outside the clock."
)
@pytest.mark.parametrize(
    ("handing", "executing", "rows", "lazy"),
    [
        (0.3 * MS, 0.01 * MS, 1, False),
        (2 * MS, 5 * MS, 1, False),  # a slow conversion
        (4.4 * MS, 0.8 * MS, 1, False),  # the same where queries are quick
        (20 * MS, 1 * MS, 1_000, False),  # many rows to convert
        (30 * MS, 0.01 * MS, 1, True),
    ],
)
def test_work_after_the_clock(handing: float, executing: float, rows: int, lazy: bool) -> None:
    assert found(*samples(0.0, executing, handing, rows=rows)) == ([("A5.lazy", "q")] if lazy else [])


@pytest.mark.parametrize(("late", "lazy"), [(0.4 * MS, False), (4.9 * MS, False), (17 * MS, True)])
def test_work_that_is_over_before_the_answer_is_asked_for_is_after_the_clock(late: float, lazy: bool) -> None:
    """On a busy machine weigh reads a reply late: in two of five executions the work is over by then."""
    of = [
        msgspec.structs.replace(one, round_trip_cpu_s=0.3 * MS + (late if at % 2 else 0.2 * MS), answer_cpu_s=fetch)
        for at, (one, fetch) in enumerate(
            zip(samples(0.0, 0.3 * MS), (17 * MS, 0.4 * MS, 17 * MS, 0.4 * MS, 0.4 * MS), strict=True)
        )
    ]
    assert found(*of) == ([("A5.lazy", "q")] if lazy else [])


def test_a_single_execution_accuses_nobody() -> None:
    """What a client does at its first answer takes milliseconds, and an execution of the honest may hold it."""
    lazy, early = samples(0.0, 0.15 * MS, 4 * MS), samples(50 * MS, 0.0)
    assert found(*lazy[:2]) == found(*early[:2]) == []
    assert found(*lazy[:3]) == [("A5.lazy", "q")]
    assert found(*early[1:4]) == [("A6.prepare", "q")]


def test_each_operation_is_accused_and_the_note_is_one() -> None:
    both = samples(50 * MS, 0.0, operation="q") + samples(60 * MS, 0.0, operation="r")
    assert found(*both) == [("A6.prepare", "q"), ("A6.prepare", "r")]
    assert found(*both, *samples(2 * MS, 1 * MS, operation="s")) == [("A6.prepare", "q"), ("A6.prepare", "r")]
    little = samples(2 * MS, 50 * MS, operation="q") + samples(4 * MS, 50 * MS, operation="r")
    (note,) = clock_coverage(little, {"b": "before its clock"})
    assert "on 2 operations: up to 4.00 ms (r, where executing takes 50.0 ms)" in note.text


def test_executions_that_failed_or_were_not_timed_say_nothing() -> None:
    untimed = [Sample(**{**as_fields(one), "run": 0}) for one in samples(50 * MS, 0.0)]
    failed = [Sample(**{**as_fields(one), "outcome": Outcome.ERROR}) for one in samples(50 * MS, 0.0)]
    assert found(*untimed, *failed) == []


def as_fields(sample: Sample) -> dict[str, object]:
    return {name: getattr(sample, name) for name in sample.__struct_fields__}

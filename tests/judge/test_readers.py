"""Readers: true files of every tool, and what of them becomes a measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.samples import FIXTURES
from weigh.judge.formats import registry
from weigh.judge.formats.source import Source

if TYPE_CHECKING:
    from weigh.judge.formats.reading import Reading

OF = {
    "hyperfine/fixed-order.json": "hyperfine",
    "hyperfine/failing.json": "hyperfine",
    "pyperf/old.json": "pyperf",
    "google-benchmark/repetitions.json": "google-benchmark",
    "google-benchmark/aggregates.json": "google-benchmark",
    "go/count.txt": "go",
    "pgbench/threads.101": "pgbench",
    "pgbench/rate.102": "pgbench",
    "pgbench/skipped.103": "pgbench",
    "hlog/rate.hlog": "hlog",
    "pytest-benchmark/rounds.json": "pytest-benchmark",
    "pytest-benchmark/saved.json": "pytest-benchmark",
    "jmh/forks.json": "jmh",
    "jmh/modes.json": "jmh",
    "k6/closed.json": "k6",
    "k6/arrivals.json": "k6",
    "k6/summary.json": "k6",
}


def read(name: str, unit: str = "") -> Reading:
    source = Source(name, (FIXTURES / name).read_bytes(), unit)
    return registry.detect(source).read(source)


def text(content: str, unit: str = "") -> Reading:
    source = Source("made-up", content.encode(), unit)
    return registry.detect(source).read(source)


@pytest.mark.parametrize(("name", "tool"), OF.items())
def test_a_format_is_told_by_its_content_and_by_nobody_elses_reader(name: str, tool: str) -> None:
    source = Source(name, (FIXTURES / name).read_bytes())
    assert [reader.name for reader in registry.READERS if reader.recognises(source)] == [tool]


def test_hyperfine_runs_are_starts_and_its_commands_come_one_after_another() -> None:
    old, new = read("hyperfine/fixed-order.json").measurements
    assert (old.contender, new.contender) == ("old", "new")
    assert (old.starts, len(old.values), old.turn, new.turn) == (10, 10, 0, 1)
    assert old.values[0] == 0.015871542000000002


def test_a_run_that_failed_is_no_measurement() -> None:
    right, wrong = read("hyperfine/failing.json").measurements
    assert (right.failed, len(right.values)) == (0, 5)
    assert (wrong.failed, len(wrong.values), wrong.detail) == (5, 0, "exit code 1")


def test_pyperf_warmups_and_calibration_are_no_values() -> None:
    (measured,) = read("pyperf/alternating/old1.json").measurements
    assert (measured.operation, measured.starts, len(measured.values)) == ("sort", 2, 4)
    assert measured.at is not None
    assert read("pyperf/old.json").measurements[0].starts == 5


def test_a_pyperf_file_that_was_appended_to_has_several_turns() -> None:
    calibration = '{"warmups": [[1, 0.1]]}'
    run = '{"values": [0.1, 0.2], "warmups": [[1, 0.3]]}'
    runs = ",".join([calibration, run, run, calibration, run])
    file = f'{{"benchmarks": [{{"metadata": {{"name": "b"}}, "runs": [{runs}]}}], "version": "1.0"}}'
    found = text(file).measurements
    assert [(one.turn, one.starts, len(one.values)) for one in found] == [(0, 2, 4), (1, 1, 2)]


def test_google_benchmarks_repetitions_are_one_start_in_seconds() -> None:
    reading = read("google-benchmark/repetitions.json")
    small, large, failing = reading.measurements
    assert (small.operation, small.starts, len(small.values)) == ("BM_sort/100", 1, 4)
    assert small.values[0] == pytest.approx(1.9647928681251599e-6)
    assert large.values.mean() > small.values.mean()
    assert (failing.operation, failing.failed, failing.detail) == ("BM_fails", 4, "no input")
    assert reading.summaries == ()


def test_aggregates_are_no_measurements() -> None:
    reading = read("google-benchmark/aggregates.json")
    assert [one.operation for one in reading.measurements if len(one.values)] == []
    assert reading.summaries == ("BM_sort/100", "BM_sort/1000")


def test_go_counts_are_one_start_and_every_call_is_another() -> None:
    assert {(one.starts, len(one.values)) for one in read("go/count.txt").measurements} == {(1, 5)}
    called = read("go/alternating/old.txt").measurements
    assert [one.turn for one in called if one.operation == "Sort-2"] == [0, 1, 2, 3, 4, 5]
    assert called[0].values[0] == pytest.approx(38381e-9)


def test_go_packages_are_kept_apart_and_seconds_are_known() -> None:
    found = text(
        "pkg: a/b\nBenchmarkX 10 2 sec/op 3 B/op\n--- FAIL: BenchmarkY-2\npkg: a/c\nBenchmarkX 10 5 ns/op\n"
    ).measurements
    assert {one.operation: one.values.tolist() for one in found} == {"a/b.X": [2.0], "a/b.Y-2": [], "a/c.X": [5e-9]}
    assert [one.failed for one in found] == [0, 1, 0]


def test_pgbench_latencies_are_seconds_in_the_order_of_their_ends() -> None:
    both = b"\n".join((FIXTURES / "pgbench" / name).read_bytes() for name in ("threads.101", "threads.101.1"))
    source = Source("both", both.replace(b"\n\n", b"\n"))
    (measured,) = registry.detect(source).read(source).measurements
    lines = [line.split() for line in both.decode().split("\n") if line]
    ended = sorted((int(line[4]), int(line[5]), int(line[2])) for line in lines)
    assert measured.series
    assert sorted(measured.values) == pytest.approx(sorted(int(line[2]) * 1e-6 for line in lines))
    assert measured.values[:3] == pytest.approx([latency * 1e-6 for _, _, latency in ended[:3]])


def test_pgbench_says_what_has_no_latency_and_whether_the_loop_was_closed() -> None:
    assert [note[0].code for note in read("pgbench/threads.101").notes] == ["L2"]
    assert [note[0].code for note in read("pgbench/rate.102").notes] == []
    ((code, said, _),) = read("pgbench/skipped.103").notes
    assert code.code == "L7"
    assert "55 of 60 transactions have no latency (skipped)" in said


def test_an_hlog_is_as_good_as_its_intervals() -> None:
    reading = read("hlog/rate.hlog")
    (measured,) = reading.measurements
    assert len(measured.values) == 60
    assert [note[0].code for note in reading.notes] == ["T3.intervals"]
    # The same transactions, one by one: the histogram keeps three digits.
    lines = [line.split() for line in (FIXTURES / "pgbench" / "rate.102").read_text().splitlines()]
    first = [int(line[2]) * 1e-6 for line in lines if ended(line) - ended(lines[0]) < 0.05]
    assert measured.values[0] == pytest.approx(np.mean(first), rel=2e-3)
    assert read("hlog/rate.hlog", "us").measurements[0].values[0] == pytest.approx(1000 * measured.values[0])
    median = dict(measured.quantiles)[0.5]
    assert 100e-6 < median < 1e-3


def ended(line: list[str]) -> float:
    return int(line[4]) + int(line[5]) * 1e-6


def test_csv_starts_turns_and_units() -> None:
    found = text("version,operation,start,time_ms\na,x,1,5\nb,x,1,6\na,x,2,7\na,y,2,8\n").measurements
    assert [(one.contender, one.operation, one.turn, one.values.tolist()) for one in found] == [
        ("a", "x", 0, [0.005]),
        ("b", "x", 1, [0.006]),
        ("a", "x", 2, [0.007]),
        ("a", "y", 2, [0.008]),
    ]


@pytest.mark.parametrize("content", ["1.5\n2\n3e0\n", "latency_ms\n1500\n2000\n3000\n", '"value"\n1.5\n2\n3\n'])
def test_one_column_is_one_series(content: str) -> None:
    (measured,) = text(content).measurements
    assert measured.series
    assert measured.values.tolist() == [1.5, 2.0, 3.0]


def test_a_unit_can_be_said() -> None:
    assert text("value\n1\n2\n", "ms").measurements[0].values.tolist() == [0.001, 0.002]

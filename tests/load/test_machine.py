"""Loads on machines that were watched by hand: who is accused, and what is only told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pyarrow.parquet as pq
import pytest

from support.load_records import EACH, interval, record, run, spec, steady_times, target
from support.watched_loads import AT, LENGTH, SLOW, SPAN, intervals, load, of, watches
from weigh.evidence import attempts, sealing, timeline
from weigh.evidence.journal import Journal
from weigh.evidence.sealing import End
from weigh.load import record as records
from weigh.load.report import files, timeline_plot
from weigh.load.report.document import document
from weigh.load.report.report import page, plain
from weigh.load.results import LoadResults, load_results
from weigh.load.verify import verify

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def codes(found: LoadResults) -> dict[str, str]:
    return {one.code: one.severity for one in found.findings if one.code.startswith("E4")}


@pytest.fixture(scope="module")
def quiet() -> LoadResults:
    return load_results(load(watches()))


@pytest.fixture(scope="module")
def beside() -> LoadResults:
    """A job that uses 60 % of one CPU all the time."""
    return load_results(load(watches(foreign=lambda _: 0.6 * SPAN)))


@pytest.mark.promise(
    "Where others used more than 5 % of it (`--contention` names another share), or other guests of "
    "the host did, the run is refused (`E4.contended`, `E4.steal`), with the names of the processes "
    "that used most."
)
def test_a_job_beside_the_run_is_named_and_the_run_refused(beside: LoadResults) -> None:
    (reason,) = beside.runs[0].reasons
    assert reason.code == "E4.contended"
    assert reason.text.startswith("others used 60.0 % of the CPU of the run, more than 5.0 %: cc1plus (pid 812)")
    assert codes(beside) == {"E4.contended": "warning"}
    assert beside.tier.name == "inadmissible"
    assert len(of(beside).contended) == LENGTH
    made = document(beside, "here")
    assert made["load"]["rate_achieved"] is None
    assert made["runs"][0]["machine"]["refused"]
    assert made["runs"][0]["machine"]["other_processes"][0]["name"] == "cc1plus"
    assert "REFUSED E4.contended" in plain(beside, "here")


def test_a_quiet_machine_is_a_reason_less(quiet: LoadResults) -> None:
    assert not quiet.runs[0].reasons
    assert not codes(quiet)
    assert "E4.unwatched" not in {one.code for one in quiet.tier.reasons}
    assert of(quiet).foreign == 0
    assert "others used 0.0 % of the CPU" in plain(quiet, "here")


def test_what_is_before_and_behind_the_run_is_not_its() -> None:
    found = load_results(load(watches(foreign=lambda at: 0.0 if 0 <= at <= LENGTH * EACH else 2 * SPAN)))
    assert of(found).foreign == pytest.approx(0, abs=1e-9)
    assert not codes(found)


@pytest.mark.promise("Single intervals with more than that, and at least 20 ms of it, are a note.")
def test_a_short_job_names_its_intervals_and_refuses_nothing() -> None:
    found = load_results(load(watches(foreign=lambda at: SPAN if 3.0 < at < 3.3 else 0.0)))
    assert not found.runs[0].reasons
    assert codes(found) == {"E4.contended": "note"}
    assert [round(one.from_s, 3) for one in of(found).contended] == [3.0, 3.1, 3.2]
    (said,) = (one.text for one in found.findings if one.code == "E4.contended")
    assert "cc1plus (pid 812)" in said
    assert "3 of 100 intervals: from 3.00 s (100 %)" in said


@pytest.mark.promise(
    "**The CPU of a run** is what weigh and the server used over the part that counts, and at least "
    "one CPU for as long as it lasted."
)
def test_the_cpu_of_a_run_is_what_it_used_and_at_least_one_cpu() -> None:
    found = load_results(load(watches(tracked=lambda _: 2 * SPAN, foreign=lambda _: 0.08 * SPAN)))
    assert of(found).foreign == pytest.approx(0.04)
    assert not codes(found)


@pytest.mark.promise(
    "Where others used more than 5 % of it (`--contention` names another share), or other guests of "
    "the host did, the run is refused (`E4.contended`, `E4.steal`), with the names of the processes "
    "that used most."
)
def test_other_guests_are_a_reason_of_their_own() -> None:
    found = load_results(load(watches(steal=lambda _: 0.2 * SPAN)))
    assert {one.code for one in found.runs[0].reasons} == {"E4.steal"}
    assert codes(found) == {"E4.steal": "warning"}


def test_a_server_that_cannot_be_told_from_others_is_not_accused() -> None:
    found = load_results(load(watches(foreign=lambda _: 0.6 * SPAN), apart=True))
    assert not found.runs[0].reasons
    assert codes(found) == {"E4.apart": "warning"}
    assert "E4.apart" in {one.code for one in found.tier.reasons}
    assert not of(found).other_processes
    assert "others cannot be distinguished from the server" in plain(found, "here")


@pytest.mark.parametrize(("bound", "expected"), [(1.0, {"E4.allowed": "warning"}), (0.7, {"E4.allowed": "warning"})])
def test_another_bound_is_kept_and_said(bound: float, expected: dict[str, str]) -> None:
    found = load_results(load(watches(foreign=lambda _: 0.6 * SPAN), contention=bound))
    assert not found.runs[0].reasons
    assert codes(found) == expected
    assert "E4.allowed" in {one.code for one in found.tier.reasons}


def test_the_bound_is_part_of_the_experiment_and_its_absence_is_not() -> None:
    assert spec(LENGTH).id != spec(LENGTH, contention=0.05).id
    assert "contention" not in msgspec.to_builtins(spec(LENGTH))


def test_a_hole_says_where() -> None:
    (whole,) = watches()
    holed = msgspec.structs.replace(whole, moments=tuple(one for one in whole.moments if not 8 < one.at - AT < 8.8))
    found = load_results(load((holed,)))
    reasons = [one.text for one in found.tier.reasons if one.code == "E4.unwatched"]
    assert reasons == ["the machine was not watched during 8 of 100 intervals of run 1"]
    assert not document(found, "here")["machine"]["watched"]


def test_evidence_of_before_reads_as_it_did() -> None:
    found = load_results(record([run(intervals())]))
    made = document(found, "here")
    assert "machine" not in made
    assert "machine" not in made["runs"][0]
    assert {one.text for one in found.tier.reasons if one.code == "E4.unwatched"} == {
        "weigh did not watch the machine during these runs"
    }
    assert "Throughput over time" in page(found, "here").decode()


def test_a_watched_load_on_a_server_elsewhere_can_be_conclusive() -> None:
    where = target(same_host=False, cycles={"log written back": 0.5})
    ones = [
        msgspec.structs.replace(run([interval(at, own) for at, own in enumerate(steady_times(LENGTH, seed=number))]))
        for number in (1, 2, 3)
    ]
    ones = [msgspec.structs.replace(one, number=at, repeat=at, at=20.0 * at) for at, one in enumerate(ones, 1)]
    # YCSB is nobody's own traffic.
    made = record(ones, spec(LENGTH, repeats=3, workload="replay"), where)
    environment = msgspec.structs.replace(made.environment, apart=False)  # type: ignore[type-var]
    seen = tuple(one for at in (1, 2, 3) for one in watches(at=20.0 * at))
    found = load_results(msgspec.structs.replace(made, environment=environment, watches=seen))
    assert found.tier.name == "conclusive", found.tier.reasons
    assert load_results(made).tier.name == "suggestive"


def test_other_guests_name_no_process_and_both_kinds_are_told() -> None:
    told = {
        "steal": lambda at: SPAN if 3.0 < at < 3.3 else 0.0,
        "foreign": lambda at: SPAN if 6.0 < at < 6.1 else 0.0,
    }
    found = load_results(load(watches(**told)))
    assert codes(found) == {"E4.contended": "note", "E4.steal": "note"}
    both = {one.code: one.text for one in found.findings}
    assert "1 of 100 intervals: from 6.00 s" in both["E4.contended"]
    assert "3 of 100 intervals: from 3.00 s" in both["E4.steal"]
    alone = load_results(load(watches(steal=told["steal"], foreign=lambda _: 0.03 * SPAN)))
    assert codes(alone) == {"E4.steal": "note"}
    assert not of(alone).other_processes


def test_a_server_that_began_anew_cannot_be_told_from_others() -> None:
    made = load(watches(foreign=lambda _: 0.6 * SPAN))
    (one,) = made.runs
    parts = (msgspec.structs.replace(one.intervals[0], reconnects=3), *one.intervals[1:])
    runs = (msgspec.structs.replace(one, intervals=parts),)
    for where, expected in (
        ({"embedded": False}, {"E4.apart": "warning"}),
        ({"embedded": False, "same_host": False}, {"E4.contended": "warning"}),
        ({}, {"E4.contended": "warning"}),
    ):
        environment = msgspec.structs.replace(made.environment, target=target(**where))  # type: ignore[type-var]
        found = load_results(msgspec.structs.replace(made, runs=runs, environment=environment))
        assert codes(found) == expected
    again = msgspec.structs.replace(made.environment, target=target(embedded=False))  # type: ignore[type-var]
    text = " ".join(plain(load_results(msgspec.structs.replace(made, runs=runs, environment=again)), "here").split())
    assert "a server that began anew has other processes" in text


def test_the_page_draws_both_on_one_axis_and_stays_small(beside: LoadResults) -> None:
    text = page(load_results(load(watches(), SLOW)), "here").decode()
    assert text.count('class="sp"') == 1
    assert "Throughput over time" not in text, "it is above the machine"
    assert "spike 1, from" in text
    assert "<script" not in text
    assert len(text) < 100_000
    assert 'class="fg"' in page(beside, "here").decode()


def test_requests_under_way_and_waiting_are_drawn_where_they_change() -> None:
    made = load(watches(), SLOW)
    (one,) = made.runs

    def drawn(under_way: Callable[[int], int], waiting: Callable[[int], int]) -> tuple[tuple[str, int], ...]:
        parts = tuple(
            msgspec.structs.replace(part, in_flight=under_way(at), queued=waiting(at))
            for at, part in enumerate(one.intervals)
        )
        runs = (msgspec.structs.replace(one, intervals=parts),)
        found = load_results(msgspec.structs.replace(made, runs=runs))
        curves = timeline_plot.open_requests(found.runs[0], found.record.spec.duration_s)
        text = page(found, "here").decode()
        for curve in curves:
            assert f"</span> {curve.name}" in text
        assert ("requests under way and waiting</text>" in text) == bool(curves)
        return tuple((curve.name, curve.style) for curve in curves)

    stall = drawn(lambda at: 16 if at in SLOW else 1, lambda at: 90 if at == SLOW[-1] else 0)
    assert stall == (("requests under way", 1), ("requests waiting", 2))
    assert drawn(lambda at: at % 3, lambda _: 0) == (("requests under way", 1),)
    last = LENGTH - 1
    assert drawn(lambda at: 0 if at == last else 16, lambda _: 0) == (), (
        "the last answers come when nothing more is due"
    )


def test_the_first_saturated_resource_is_named() -> None:
    found = load_results(load(watches(pressure_cpu=lambda at: 0.5 if at > 2 else 0.0)))
    assert of(found).use.bottleneck == "cpu"
    assert "first saturated: CPU, in the interval from 2.00 s on" in plain(found, "here")
    assert document(found, "here")["runs"][0]["machine"]["bottleneck"] == "cpu"


def test_the_run_queue_is_told_and_where_it_cannot_be_read_nothing_is(quiet: LoadResults) -> None:
    found = load_results(load(watches(queue=lambda at: 9 if 2 < at < 3 else 1)))
    assert (of(found).longest_queue, of(found).cpus) == (9, 2)
    assert of(found).queue == pytest.approx(1.8, abs=0.05)
    assert "run queue: 1.8 tasks for 2 CPUs on average, 9 at most" in plain(found, "here")
    assert "run queue" not in plain(quiet, "here")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sealed experiment whose journal has what the sampler saw."""
    asked = spec(LENGTH)
    place, attempt = attempts.begin(tmp_path, asked.id)
    journal = Journal(place)
    made = run(intervals())
    assert made.summary
    journal.append("load", records.LoadOpened(attempt=attempt, spec=asked))
    environment = records.LoadEnvironment(weigh="0", command="weigh load", host={}, target=target(), apart=False)
    journal.append("environment", environment)
    journal.append("run", records.RunBegun(number=1, loop="open", connections=16, repeat=1, at=1.0))
    for one in made.intervals:
        journal.append("interval", records.RunInterval(run=1, interval=one))
    columns = timeline.Columns(at=9_000, span=[500] * 210, busy=1, tracked=1000, foreign=0, steal=0)
    journal.append("watch", columns)
    journal.append("summary", records.RunEnded(run=1, summary=made.summary))
    journal.append("end", End(how="complete"))
    journal.close()
    files.write(place)
    sealing.seal(place, "0")
    return place


def test_the_timeline_is_laid_beside_the_runs_and_follows_from_the_journal(folder: Path) -> None:
    assert not verify(folder).problems
    rows = pq.read_table(folder / timeline.TIMELINE).to_pylist()
    assert len(rows) == 210
    assert [one["run"] for one in rows] == [None] * 2 + [1] * 200 + [None] * 8
    assert {one["connections"] for one in rows} == {16, None}
    assert records.read(folder).runs[0].at == 1.0
    pq.write_table(pq.read_table(folder / timeline.TIMELINE).slice(1), folder / timeline.TIMELINE)
    sealing.seal(folder, "0")
    assert {(one.code, one.file) for one in verify(folder).problems} == {("R4.derived", timeline.TIMELINE)}
    (folder / timeline.TIMELINE).write_bytes(b"no table")
    (folder / "load.json").write_text("{}")
    sealing.seal(folder, "0")
    damaged = {(one.code, one.file) for one in verify(folder).problems}
    assert damaged == {("R4.derived", timeline.TIMELINE), ("R4.figures", "load.json")}

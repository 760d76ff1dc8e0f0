"""Figures of query streams from made times, their evidence, and who is accused of what."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from support.command import Weigh
from support.streams_made import NAMES, SPEC, TPCDS, honest, life, maintained, power, record, throughput, written
from weigh.kinds.table import STREAMS, kind_of
from weigh.model.errors import ExitCode
from weigh.model.machine.timeline import Moment, Watch
from weigh.streams import files
from weigh.streams.figures import FIGURES, figures_of, value_of
from weigh.streams.record import Step, StreamTest, TableRead, Watched
from weigh.streams.results import StreamsResults
from weigh.streams.spec import RF1
from weigh.workloads.tpch import NOTICE

if TYPE_CHECKING:
    from pathlib import Path

NAME = f"20261127-{SPEC.id}-1"


def test_figures_are_those_of_the_specification() -> None:
    one = life("one", 1, power(0.5), throughput(0.25))
    assert value_of("power", one, SPEC) == pytest.approx(3600 * 0.1 / 0.5)
    assert value_of("throughput", one, SPEC) == pytest.approx(2 * 22 * 3600 / (22 * 0.25) * 0.1)
    assert value_of("composite", one, SPEC) == pytest.approx(math.sqrt(720 * 2880))
    assert value_of("queries alone", one, SPEC) == pytest.approx(720)


def test_figures_of_tpcds_are_those_of_its_specification() -> None:
    one = maintained("one", 1, 0.5)
    hour = 99 * 0.5 / 3600
    assert value_of("power", one, TPCDS) == pytest.approx(99 * 0.1 / hour)
    assert value_of("throughput", one, TPCDS) == pytest.approx(2 * 2 * 99 * 0.1 / (2 * hour))
    assert value_of("maintenance", one, TPCDS) == pytest.approx(2 * 0.1 / (2 * 11 * 0.5 / 3600))
    hours = (2 * hour) * (2 * hour) * (2 * 11 * 0.5 / 3600) * (0.01 * 2 * 50 / 3600)
    assert value_of("composite", one, TPCDS) == pytest.approx(0.1 * 2 * 99 / hours**0.25)
    assert value_of("queries alone", one, TPCDS) == pytest.approx(3600 * 0.1 / 0.5)


@pytest.mark.parametrize("test", ["throughput", "maintenance 2"])
def test_a_step_of_tpcds_that_is_left_out_leaves_no_composite(test: str) -> None:
    one = maintained("one", 1, 0.5)
    tests = tuple(
        msgspec.structs.replace(each, steps=each.steps[1:]) if each.name == test else each for each in one.tests
    )
    short = msgspec.structs.replace(one, tests=tests)
    assert value_of("composite", short, TPCDS) is None
    assert value_of(test.partition(" ")[0], short, TPCDS) is None  # type: ignore[arg-type]
    assert value_of("power", short, TPCDS) == value_of("power", one, TPCDS)


def test_a_second_implementation_gives_the_same_figures_of_tpcds(tmp_path: Path) -> None:
    lives = [
        maintained(name, at, seconds * (1 + at / 1000))
        for name, seconds in (("one", 0.1), ("other", 0.2))
        for at in range(6)
    ]
    written(tmp_path / f"20261127-{TPCDS.id}-1", record(*lives, spec=TPCDS))
    document = Weigh(tmp_path)("verify", "--sql", "--json", f"20261127-{TPCDS.id}-1").json
    assert document["passed"], document
    compared = document["sql"]["compared"]
    assert {name: compared[name] for name in FIGURES} == dict.fromkeys(FIGURES, 10)
    assert compared["low"] == 10
    page = (tmp_path / f"20261127-{TPCDS.id}-1" / files.HTML).read_text()
    assert "derived from TPC-DS, not comparable to published results" in page
    assert not re.search(r"qph|qpp|qth|power@|throughput@", page, re.IGNORECASE)


def test_a_query_that_is_left_out_leaves_no_figure() -> None:
    whole = power(0.5)
    short = msgspec.structs.replace(whole, steps=whole.steps[:-2] + whole.steps[-1:])
    one = life("one", 1, short, throughput(0.25))
    assert value_of("power", one, SPEC) is None
    assert value_of("composite", one, SPEC) is None
    assert value_of("queries alone", one, SPEC) is None


def test_the_gate_is_not_timed_and_the_rest_is_judged() -> None:
    results = StreamsResults(record=record(*honest("one", 0.1), *honest("other", 0.2)))
    composite = {one.contender: one for one in results.figures if one.name == "composite"}
    assert [len(one.values) for one in composite.values()] == [5, 5]
    assert composite["one"].low is not None
    assert composite["one"].mean == pytest.approx(2 * (composite["other"].mean or 0), rel=0.01)
    assert {str(one.verdict) for one in results.verdicts} == {"slower"}
    assert not results.findings
    assert results.exit_code() is ExitCode.OK


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (
            {"reads": (TableRead(table="orders", state=2, digest="a", expected="b", detail="1 order missing"),)},
            "A4.refreshed",
        ),
        ({"watched": Watched(looks=9, between=1, detail="half")}, "A4.between"),
        ({"steps": power(0.1, status="diverged").steps}, "A1.stream"),
    ],
)
def test_whoever_is_wrong_once_has_no_figure(change: dict[str, object], code: str) -> None:
    wrong = life("other", 0, msgspec.structs.replace(power(0.1), **change), throughput(0.1))
    results = StreamsResults(record=record(*honest("one", 0.1), wrong))
    assert [one.code for one in results.findings] == [code]
    assert {one.contender for one in results.figures} == {"one"}
    assert {one.contender: one.status for one in results.outcomes} == {"one": "agreed", "other": "diverged"}
    assert results.exit_code() is ExitCode.FOUND


def test_what_follows_an_error_accuses_nobody() -> None:
    failed = Step(stream="0", name=RF1, began=0.0, ended=0.1, status="error", detail="disk full")
    unread = TableRead(table="orders", state=2, digest="a", expected="b")
    broken = life("other", 0, StreamTest(name="power", request_s=1.0, steps=(failed,), reads=(unread,)))
    results = StreamsResults(record=record(*honest("one", 0.1), broken))
    assert [one.code for one in results.findings] == ["X.streams"]
    assert {one.contender: one.status for one in results.outcomes}["other"] == "error"
    assert results.exit_code() is ExitCode.FAILED


def test_streams_one_after_the_other_are_found_and_slow_ones_are_not() -> None:
    waits = life("other", 1, power(0.1), throughput(0.1, after=2.2))
    slow = life("one", 1, power(2.2), throughput(0.1, after=2.2))
    results = StreamsResults(record=record(slow, waits))
    assert [(one.code, one.contender) for one in results.findings] == [("T5.sequence", "other")]
    assert {one.name for one in results.figures if one.contender == "other"} == {"power", "queries alone"}


def test_evidence_is_recognised_and_an_edited_time_does_not_verify(tmp_path: Path) -> None:
    folder = written(tmp_path / NAME)
    assert kind_of(folder) is STREAMS
    assert STREAMS.about(folder).about == "one, other, 2 streams"
    passed = files.verify(folder)
    assert passed.passed, passed.problems
    assert passed.figures == 8
    page = (folder / files.HTML).read_text()
    assert NOTICE in page
    # R7: no figure has a name of the TPC's.
    assert not re.search(r"qph|qpp|qth|power@|throughput@", page, re.IGNORECASE)
    document = json.loads((folder / files.JSON).read_text())
    assert document["schema"] == "weigh/streams/1"
    # The name has the hash of the spec: who edits it, chains and seals it again is found.
    other = written(tmp_path / "other" / "20261127-0123456789ab-1")
    (problem,) = files.verify(other).problems
    assert problem.text.endswith("and its name says 0123456789ab: one was edited")
    document["figures"][0]["mean"] *= 2
    (folder / files.JSON).write_text(json.dumps(document))
    assert {one.code for one in files.verify(folder).problems} == {"R4.hash", "R4.figures"}


def test_a_history_refuses_it_and_says_why(tmp_path: Path) -> None:
    written(tmp_path / NAME)
    refused = Weigh(tmp_path)("history", "add", NAME, "--to", "h")
    assert refused.code == 2
    assert "it is a run of query streams, whose figures no history has a series of" in refused.err
    assert "nothing can be computed" not in refused.err


def test_of_fewer_repetitions_than_a_verdict_needs_there_is_no_interval() -> None:
    few = [life(name, at, power(0.1 * at + 0.1), throughput(0.1)) for name in NAMES for at in range(3)]
    results = StreamsResults(record=record(*few))
    assert {(len(one.values), one.low, one.high) for one in results.figures} == {(2, None, None)}
    assert all(one.mean for one in results.figures)


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (("--temperature", "cold"), "begins with a load"),
        (("--no-truth",), "by engines of other lineages"),
        (("--why",), "profiles single queries"),
        (("--witness", "polars"), "are asked already"),
        (("--same-engine",), "are measured as they are"),
        (("--reuse-gate",), "checks its own answers"),
        (("--no-reuse-gate",), "checks its own answers"),
        (("--runs", "3"), "--starts says how often"),
        (("--ingest",), "is in the report"),
        (("--price", "2USD/h"), "judges what queries cost"),
        (("--anchor", "git:elsewhere"), "nothing of streams is kept elsewhere"),
    ],
)
def test_a_flag_that_means_nothing_with_streams_is_refused_by_its_name(
    tmp_path: Path, flags: tuple[str, ...], why: str
) -> None:
    contenders = ("--contender", "a=duckdb", "--contender", "b=datafusion")
    refused = Weigh(tmp_path)("run", "--workload", "tpch", "--scale", "0.01", "--streams", "2", *contenders, *flags)
    assert refused.code == 2
    said = " ".join(refused.err.split())
    assert f"{flags[0].replace('--no-reuse', '--reuse')} means nothing with --streams" in said
    assert why in said
    assert not (tmp_path / "runs").exists()


def test_a_second_implementation_gives_the_same_figures(tmp_path: Path) -> None:
    folder = written(tmp_path / NAME)
    weigh = Weigh(tmp_path)
    document = weigh("verify", "--sql", "--json", NAME).json
    assert document["passed"]
    compared = document["sql"]["compared"]
    assert compared["mean"] == 8
    assert compared["low"] == compared["high"] == 8
    assert {name: compared[name] for name in figures_of(SPEC)} == dict.fromkeys(figures_of(SPEC), 10)
    changed = json.loads((folder / files.JSON).read_text())
    changed["figures"][0]["values"][0] *= 1.01
    (folder / files.JSON).write_text(json.dumps(changed))
    found = weigh("verify", "--sql", "--json", NAME)
    assert found.code == 1
    assert "power is" in found.out, found.json


def watched(*foreign: tuple[str, float]) -> StreamsResults:
    """Both contenders, whose tests others disturbed by so many CPUs."""
    shares, lives, moments = dict(foreign), [], []
    at = 0.0
    for one in (*honest("one", 0.1), *honest("other", 0.1)):
        tests = []
        for test in one.tests:
            tests.append(msgspec.structs.replace(test, at=at, request_s=10.0))
            moments.append(
                Moment(at=at, span=10.0, busy=10.0, tracked=10.0, foreign=10 * shares[one.contender], steal=0.0)
            )
            at += 10.0
        lives.append(msgspec.structs.replace(one, tests=tuple(tests)))
    made = msgspec.structs.replace(record(*lives), watches=(Watch(moments=tuple(moments)),))
    return StreamsResults(record=made)


def test_others_that_disturb_one_side_leave_no_verdict() -> None:
    results = watched(("one", 0.0), ("other", 0.5))
    assert {str(one.verdict) for one in results.verdicts} == {"refused"}
    assert all("E4.contended" in {reason.code for reason in one.reasons} for one in results.verdicts)
    assert "E4.contended" in {one.code for one in results.findings}
    assert results.tier is not None
    assert results.tier.name == "inadmissible"


def test_a_quiet_machine_is_accused_of_nothing() -> None:
    results = watched(("one", 0.01), ("other", 0.01))
    assert {str(one.verdict) for one in results.verdicts} == {"same"}
    assert not results.findings
    assert results.tier is not None
    assert results.tier.name == "suggestive"
    assert "E4.unwatched" not in {one.code for one in results.tier.reasons}


def test_a_machine_that_nobody_watched_is_a_reason() -> None:
    results = StreamsResults(record=record(*honest("one", 0.1), *honest("other", 0.2)))
    assert results.tier is not None
    assert "E4.unwatched" in {one.code for one in results.tier.reasons}

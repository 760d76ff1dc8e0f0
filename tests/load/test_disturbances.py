"""Faults and statements during a load: when they come, and what is reported of them, by made records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from support.load_flags import NONE
from support.load_records import EACH, interval, record, run, spec, steady_times
from weigh.load import config
from weigh.load.config.disturbances import statements
from weigh.load.disturbances import plan, results
from weigh.load.disturbances.nemeses import NEMESES
from weigh.load.disturbances.record import QueryAnswer, Window
from weigh.load.durability.record import Account
from weigh.load.isolation.record import Anomaly, Example, Witness
from weigh.load.isolation.results import IsolationFigures
from weigh.load.report.report import page, plain
from weigh.load.results import load_results
from weigh.load.spec import Disturbances
from weigh.model.errors import ExitCode, UsageError
from weigh.model.verdict import VerdictName

if TYPE_CHECKING:
    from weigh.load.record import LoadRecord

LENGTH = 240
"""Intervals of a run: 24 s."""


def requested(**flags: Any) -> Any:
    """A spec of these flags."""
    given = {"rate": "500", "answers": None, "pin": None, **flags}
    return config.make(["ycsb-a"], given.pop("target", "valkey:embedded"), {**NONE, **given})


def complete(**changed: Any) -> Account:
    """A server that has kept everything."""
    usual = {
        "unit": "writes", "rows": 100, "acknowledged": 500, "lost": 0, "unanswered": 4, "found": 1, "missing": 0,
        "torn": 0, "strange": 0,
    }  # fmt: skip
    return Account(**{**usual, **changed})


def paused(*accounts: Account | None, failed: str = "") -> LoadRecord:
    """A run in which the server stood still for a second after 10 s, and another one after 16 s."""
    times = steady_times(LENGTH)
    made = []
    windows = []
    moments = [10.0, 16.0][: len(accounts)]
    for at, own in enumerate(times):
        begin = next((one for one in moments if one <= at * EACH < one + 1.0 - 1e-9), None)
        after = next((one for one in moments if abs(at * EACH - one - 1.0) < 1e-9), None)
        if begin is not None:
            made.append(interval(at, []))
        elif after is not None:
            late = np.linspace(1.0, 0.0, 1000)
            made.append(interval(at, np.concatenate([late, own]), errors={"no answer (57P01)": 3}))
        else:
            made.append(interval(at, own))
    for block, (moment, account) in enumerate(zip(moments, accounts, strict=True), 1):
        windows.append(
            Window(
                run=1, block=block, arm="with", kind="pause", from_s=moment, ended_s=moment + 1.0,
                answered_s=None if failed else moment + 1.001, until_s=moment + 5.0, account=account, failed=failed,
            )
        )  # fmt: skip
    made_of = record([run(made)], spec(LENGTH, disturbances=Disturbances(nemeses=("pause",))))
    return msgspec.structs.replace(made_of, windows=tuple(windows))


def disturbed(factor: float, *, went_on: int = 0) -> LoadRecord:
    """A run with a statement in every block, in which responses take so many times as long."""
    wanted = spec(LENGTH, disturbances=Disturbances(during=("VACUUM",), name="VACUUM"))
    planned = plan.planned(wanted, 1)
    times = steady_times(LENGTH)
    for one in planned:
        if one.arm == "with":
            for at in range(round(one.from_s / EACH), round(one.until_s / EACH)):
                times[at] = times[at] * factor
    windows = []
    for at, one in enumerate(planned):
        late = 5.0 if at < 2 * went_on else 0.3
        ended = one.from_s + late if one.arm == "with" else None
        windows.append(
            Window(
                run=1, block=one.block, arm=one.arm, kind="statement", from_s=one.from_s, until_s=one.until_s,
                ended_s=ended,
            )
        )  # fmt: skip
    made = record([run([interval(at, own) for at, own in enumerate(times)])], wanted)
    return msgspec.structs.replace(made, windows=tuple(windows))


def test_faults_come_each_in_a_part_of_its_own_behind_the_first_quarter() -> None:
    wanted = spec(LENGTH, disturbances=Disturbances(nemeses=NEMESES))
    found = plan.planned(wanted, 1)
    assert found == plan.planned(wanted, 1) != plan.planned(wanted, 2)
    assert sorted(one.kind for one in found) == sorted(NEMESES)
    end = plan.FIRST * wanted.duration_s
    for one in found:
        assert end <= one.from_s < one.ended_s < one.until_s
        end = one.until_s
    assert end == pytest.approx(wanted.duration_s)


def test_pairs_of_windows_are_whole_intervals_in_random_order() -> None:
    wanted = spec(LENGTH, disturbances=Disturbances(during=("VACUUM",)))
    found = plan.planned(wanted, 1)
    assert len(found) == 2 * plan.BLOCKS
    first = {one.arm for one in found[::2]}
    assert first == {"with", "without"}
    for one, other in zip(found[::2], found[1::2], strict=True):
        assert {one.arm, other.arm} == first
        assert one.block == other.block
        assert one.until_s == pytest.approx(other.from_s)
        assert round(one.from_s / EACH) == pytest.approx(one.from_s / EACH)
    assert found[0].from_s >= plan.FIRST * wanted.duration_s
    assert found[-1].until_s == pytest.approx(wanted.duration_s)


@pytest.mark.promise("The figures of a run are those of the part before anything happens in it")
def test_a_pause_is_felt_named_and_loses_nothing() -> None:
    results = load_results(paused(complete()))
    assert results.exit_code() is ExitCode.OK
    assert not results.refused
    (found,) = results.runs
    assert found.whole.failed == 0
    assert found.whole.count == 100 * 100
    assert len(found.moments) == LENGTH
    assert results.disturbed is not None
    (fault,) = results.disturbed.faults
    assert fault.length_s == pytest.approx(1.0)
    assert fault.p99_with == pytest.approx(0.99, rel=0.02)
    assert fault.p99_after is not None
    assert fault.p99_after < 0.01
    assert fault.back_s is not None
    assert fault.back_s <= 0.2
    assert fault.errors == {"57P01": 3}
    assert (fault.lost, fault.gone) == (0, 0)
    assert not {one.code for one in results.findings} & {"E7.lost", "L7.failed", "L7.errors"}
    text = " ".join(plain(results, "some").split())
    assert "Nothing that was acknowledged was lost in 1 fault (pause)" in text
    assert b"Faults of the server" in page(results, "some")


def test_what_a_fault_lost_is_counted_once() -> None:
    lost = complete(lost=5, unit="transactions")
    results = load_results(paused(lost, lost))
    assert results.disturbed is not None
    assert [one.lost for one in results.disturbed.faults] == [5, 0]
    assert results.exit_code() is ExitCode.FOUND
    assert "E7.lost" in {one.code for one in results.findings}
    assert results.record.durable is False
    # Of a key the loss of a write is known from then on: the next ones are others.
    writes = load_results(paused(complete(lost=5, missing=2), complete(lost=3, missing=2))).disturbed
    assert writes is not None
    assert [(one.lost, one.gone) for one in writes.faults] == [(5, 2), (3, 0)]


def test_a_server_that_does_not_come_back_has_failed() -> None:
    results = load_results(paused(None, failed="it does not answer"))
    assert "E7.not_back" in {one.code for one in results.findings}
    assert results.exit_code() is ExitCode.FOUND
    nobody = load_results(paused(None))
    assert "E7.not_counted" in {one.code for one in nobody.findings}


def test_a_load_without_them_says_nothing_of_them() -> None:
    results = load_results(record([run([interval(at, own) for at, own in enumerate(steady_times(100))])]))
    assert results.disturbed is None
    assert b"Faults of the server" not in page(results, "some")


@pytest.mark.promise("Both windows of a pair stand side by side, in random order")
def test_a_statement_that_makes_users_wait_is_slower_and_an_idle_one_is_not() -> None:
    slow, idle = load_results(disturbed(1.5)).disturbed, load_results(disturbed(1.0)).disturbed
    assert slow is not None
    assert idle is not None
    assert [one.metric for one in slow.verdicts] == ["p50", "p95", "p99"]
    assert {one.verdict for one in slow.verdicts} == {VerdictName.SLOWER}
    assert slow.verdicts[-1].ratio == pytest.approx(1.5, rel=0.15)
    assert slow.verdicts[-1].blocks == plan.BLOCKS
    assert VerdictName.SLOWER not in {one.verdict for one in idle.verdicts}
    text = " ".join(plain(load_results(disturbed(1.5)), "some").split())
    assert "While VACUUM went on users waited longer" in text


def test_a_statement_that_goes_on_into_the_other_window_is_left_out() -> None:
    found = load_results(disturbed(1.5, went_on=plan.BLOCKS)).disturbed
    assert found is not None
    # Those whose window with it came second are compared still.
    assert found.left_out > 0
    assert found.windows == 2 * (plan.BLOCKS - found.left_out)


def test_statements_are_apart_at_semicolons_of_no_text() -> None:
    text = "-- a comment; of a line\nSELECT ';' ; CREATE FUNCTION f() AS $x$ a; b $x$;\nSELECT \";\" FROM t"
    assert statements(text) == ["SELECT ';'", "CREATE FUNCTION f() AS $x$ a; b $x$", 'SELECT ";" FROM t']
    assert statements("SELECT $1; SELECT 2;") == ["SELECT $1", "SELECT 2"]


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        ({"nemesis": "pauze"}, "there is no nemesis 'pauze'"),
        ({"nemesis": "pause", "during": "VACUUM"}, "would belong to neither"),
        ({"nemesis": "pause", "crash": 2}, "do not go together"),
        ({"power_loss": True}, "is of crashes"),
        ({"crash": 2, "power_loss": True, "target": "redis://127.0.0.1:1"}, "on a disk of its own"),
        ({"nemesis": "pause", "connections": "2,4"}, "one kind of run"),
        ({"nemesis": "kill", "target": "redis://127.0.0.1:1"}, "cannot kill a server that it has not started"),
        ({"nemesis": "pause", "target": "sqlite:embedded"}, "is about a server"),
        ({"during": "-- nothing"}, "names no statement"),
        ({"during": "VACUUM", "duration": "2s"}, "has no room"),
        ({"during": "VACUUM", "arrivals": "ramp:9"}, "its rate changes"),
    ],
)
def test_what_cannot_be_is_said_beforehand(flags: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        requested(**flags)


def test_what_is_not_asked_for_does_not_enter_the_id() -> None:
    assert requested().id == config.make(["ycsb-a"], "valkey:embedded", {**NONE, "rate": "500"}).id
    assert requested(nemesis="pause, kill").disturbances == Disturbances(nemeses=("pause", "kill"))
    assert requested(nemesis="pause").id != requested(nemesis="kill").id


def mixed(factor: float) -> LoadRecord:
    """A run in which queries take so many times as long under load as alone, and the load waits twice as long."""
    wanted = spec(LENGTH, disturbances=Disturbances(queries="tpch", scale=0.01, name="tpch"))
    times = steady_times(LENGTH)
    windows = []
    at = 60
    rng = np.random.default_rng(1)
    for block, arm in plan.arms(wanted, 1):
        begin, at = at, at + 6
        if arm == "with":
            times[begin:at] = [one * 2 for one in times[begin:at]]
        each = 0.1 * (factor if arm == "with" else 1.0) * (1 + 0.01 * rng.standard_normal())
        windows.append(
            Window(
                run=1, block=block, arm=arm, kind="queries", from_s=begin * EACH, until_s=at * EACH,
                ended_s=None if arm == "without" else at * EACH, times={} if arm == "without" else {"q1": each},
            )
        )  # fmt: skip
    made = record([run([interval(place, one) for place, one in enumerate(times)])], wanted)
    return msgspec.structs.replace(made, windows=tuple(windows))


@pytest.mark.promise("the load's response times with the queries against without, and what each query took")
def test_queries_in_the_same_server_have_verdicts_on_both_sides() -> None:
    found, calm = load_results(mixed(1.8)).disturbed, load_results(mixed(1.0)).disturbed
    assert found is not None
    assert calm is not None
    assert {one.verdict for one in found.verdicts} == {VerdictName.SLOWER}
    (query,) = found.queries
    assert (query.metric, query.verdict) == ("q1", VerdictName.SLOWER)
    assert query.ratio == pytest.approx(1.8, rel=0.05)
    assert calm.queries[0].verdict is not VerdictName.SLOWER
    assert "times as long as alone: slower" in " ".join(plain(load_results(mixed(1.8)), "some").split())


def test_a_query_that_answers_otherwise_under_load_has_no_times() -> None:
    made = mixed(1.8)
    windows = [msgspec.structs.replace(one, changed={"q1": "revenue: 1, not 2"}) for one in made.windows]
    results = load_results(msgspec.structs.replace(made, windows=tuple(windows)))
    assert results.disturbed is not None
    assert not results.disturbed.queries
    assert "A3.mixed" in {one.code for one in results.findings}
    assert results.exit_code() is ExitCode.FOUND


def test_answers_before_the_load_are_in_the_report() -> None:
    answers = (
        QueryAnswer(run=1, name="q1", status="agreed", seconds=0.1, witnesses=("duckdb", "datafusion")),
        QueryAnswer(run=1, name="q2", status="unsupported", detail="no such function"),
    )
    text = " ".join(plain(load_results(msgspec.structs.replace(mixed(1.0), queries=answers)), "some").split())
    assert "Every answer of the query was right, alone and under load" in text
    assert "Left out: q2, no such function." in text
    wrong = (msgspec.structs.replace(answers[0], status="diverged", detail="duckdb says otherwise"),)
    results = load_results(msgspec.structs.replace(mixed(1.0), queries=wrong))
    assert "A1.mixed" in {one.code for one in results.findings}


def test_queries_are_named_as_of_a_run() -> None:
    words = "run --workload tpch --scale 0.01 --operations q1,q6"
    found = requested(target="postgres:embedded", **{"with": words}).disturbances
    assert (found.queries, found.scale, found.operations) == ("tpch", 0.01, ("q1", "q6"))
    for text in ("gate", "run --starts 3", "run --workload"):
        with pytest.raises(UsageError):
            requested(target="postgres:embedded", **{"with": text})
    with pytest.raises(UsageError, match="takes a server of PostgreSQL or MariaDB"):
        requested(**{"with": words})


def test_a_violation_is_of_the_fault_in_whose_time_its_example_lies() -> None:
    made = paused(None, None)
    both = [
        Witness(number=at, process=at, begun_s=16.5, ended_s=16.6, outcome="committed", operations=()) for at in (1, 2)
    ]
    anomaly = Anomaly(name="lost-update", count=1, counted=True, examples=(Example(transactions=tuple(both)),))
    figures = IsolationFigures(
        number=1, declared="serializable", outcome="violated", named={}, other_levels=(), committed=9,
        aborted=0, unknown=0, bound=None, promise="", source="", violations=(anomaly,), allowed=(), retries={}, file="",
    )  # fmt: skip
    found = results.disturbed(made.spec, made.windows, made.runs, {}, [figures])
    assert found is not None
    first, second = found.faults
    assert (first.isolation, second.isolation) == ("violated, and no example is of this fault", "violated: lost-update")
    kept = msgspec.structs.replace(figures, outcome="not seen", violations=())
    unseen = results.disturbed(made.spec, made.windows, made.runs, {}, [kept])
    assert unseen is not None and {one.isolation for one in unseen.faults} == {"not seen"}

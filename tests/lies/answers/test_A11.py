"""A11: work is done outside the clock, by others or at another time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from weigh_liars import served

from ..reading import ONCE, SMALL, assert_silent, contenders, errors, timed, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh
    from support.once import Once

OPERATION = "by_action"
FLAGS = (*SMALL, *ONCE, "--rounds", "3", "--operations", OPERATION)
OUTSIDE = ("release", "collector", "ahead", "daemon", "prepare-in-child")
FOUND = dict.fromkeys(OUTSIDE, "A11.outside") | {"child": "A11.processes", "burns": "A11.between"}
"""What each liar is found by."""
HONEST = ("helper", "compiler", "none")
SETS = [
    pytest.param(("release", "daemon", "child", "helper", "compiler"), id="few"),
    pytest.param(tuple(FOUND), id="all", marks=pytest.mark.long),
]


def named(*lies: str) -> list[str]:
    """Contenders called by their lie."""
    return contenders("duckdb=fork", *(f"{lie}=liar?lie={lie}" for lie in lies))


@pytest.fixture(scope="module", params=SETS)
def run(request: pytest.FixtureRequest, fresh: Callable[[], Weigh], once: Once) -> Run:
    """When the result is freed, when garbage is collected, ahead of time in a thread, by a process that is nobody's
    child, by a child before the clock, by one while the clock runs; and one that keeps a CPU from its rivals.
    """
    lies = request.param
    return once(f"outside-{len(lies)}", lambda: fresh()("run", *named(*lies), *FLAGS))


@pytest.fixture(scope="module")
def honest(fresh: Callable[[], Weigh], once: Once) -> Run:
    """A helper that does little, and prints; compiling for 15 ms before the clock, and for 40 ms the first time."""
    return once("inside", lambda: fresh()("run", *named(*HONEST), *FLAGS))


@pytest.fixture(scope="module")
def declared(fresh: Callable[[], Weigh], once: Once) -> Run:
    """Tidying up in the background, and a process of its own that executes; both say so."""
    return once("declared", lambda: fresh()("run", *named("compaction", "own-server"), *FLAGS))


def outside(run: Run, contender: str) -> dict[str, Any]:
    (found,) = (one for one in run.json["outside"] if one["contender"] == contender)
    return dict(found)


def liars(run: Run) -> set[str]:
    """Those of the run that lie."""
    return {contender["name"] for contender in run.json["contenders"]} & set(FOUND)


@pytest.mark.promise("more than 10 % of a CPU between turns: it disturbs its rivals")
def test_work_outside_the_clock_is_found(run: Run) -> None:
    assert liars(run)
    for liar in liars(run):
        assert (FOUND[liar], liar) in errors(run)
        found = outside(run, liar)
        assert liar not in OUTSIDE or found["outside_s"] > 0.005
        assert found["exact"] in (True, False)


def test_a_child_that_works_while_the_clock_runs_is_found(run: Run) -> None:
    assert outside(run, "child")["processes_s"] > 0.02


@pytest.mark.promise(
    "more than 5 ms an execution outside, and more than half of what is reported",
    "Undeclared work outside the clock forbids a verdict.",
)
def test_none_of_them_has_a_verdict_or_a_time(run: Run) -> None:
    found = {name: verdict for name, verdict in verdicts(run, OPERATION).items() if name in liars(run)}
    assert {name: verdict["verdict"] for name, verdict in found.items()} == dict.fromkeys(found, "refused")
    accused = {name: verdict["reasons"][0]["code"] for name, verdict in found.items()}
    # A thread that begins while an answer is handed out works after the clock, too.
    assert {code.partition(".")[0] for code in accused.values()} <= {"A5", "A11"}, accused
    assert not {name for name, _ in timed(run)} & liars(run)
    assert set(run.json["tier"]["inadmissible"]) == set(found) == liars(run)
    assert run.code == 1


def test_the_honest_ones_beside_them_are_not_accused(run: Run) -> None:
    assert {contender for _, contender in errors(run)} == liars(run)
    honest = {contender["name"] for contender in run.json["contenders"]} - liars(run)
    assert {name for name, _ in timed(run)} == honest


@pytest.mark.long
def test_honest_twins_are_left_alone(honest: Run) -> None:
    assert_silent(honest)
    assert not {code for code in honest.codes if code.startswith("A11")}
    assert {name for name, _ in timed(honest)} == {"duckdb", *HONEST}


@pytest.mark.long
def test_compiling_before_the_clock_is_said_as_a_cost(honest: Run) -> None:
    (note,) = (one for one in honest.json["findings"] if one["contender"] == "compiler")
    assert (note["code"], note["severity"]) == ("A6.planned", "note")


@pytest.mark.long
def test_what_is_declared_is_a_cost_and_no_accusation(declared: Run) -> None:
    assert not errors(declared)
    (cost,) = (one for one in declared.json["findings"] if one["contender"] == "compaction")
    assert (cost["code"], cost["severity"]) == ("A11.background", "warning")
    assert cost["text"].startswith("compaction: ")
    assert outside(declared, "own-server")["processes_s"] == 0.0
    assert {name for name, _ in timed(declared)} == {"duckdb", "compaction", "own-server"}


@pytest.mark.long
def test_every_form_of_the_report_shows_it(declared: Run) -> None:
    assert "CPU outside the clocks" in (declared.evidence / "report.txt").read_text()
    assert "CPU outside the clocks" in (declared.evidence / "report.html").read_text()


@pytest.mark.promise("its adapter names a [server](../reference/plugins.md#a-server) that cannot be its own")
@pytest.mark.long
def test_a_server_that_cannot_be_one_is_named(weigh: Weigh) -> None:
    run = weigh("run", *named("false-server"), *FLAGS)
    assert errors(run) == {("A11.server", "false-server")}
    (found,) = (one for one in run.json["findings"] if one["code"] == "A11.server")
    assert "process 1 as its server: it is the first process of the machine" in found["text"]
    assert verdicts(run, OPERATION)["false-server"]["verdict"] == "refused"


def test_all_of_it_follows_from_the_journal(weigh: Weigh, run: Run) -> None:
    assert weigh("verify", str(run.evidence)).code == 0


ROOT = pytest.mark.skipif(
    not os.access("/sys/fs/cgroup/cpuacct/cgroup.procs", os.W_OK), reason="needs control groups that can be written"
)


@ROOT
def test_who_is_counted_as_another_is_said_and_its_victim_is_not_accused(weigh: Weigh) -> None:
    """A child in the control group of a rival: that one is not accused of what the child used, nor the other named."""
    run = weigh("run", *named("none", "planted"), *FLAGS)
    found = {one["contender"]: one for one in run.json["findings"] if one["code"].startswith("A11")}
    assert found["planted"]["code"] == "A11.left"
    victims = {name for name, one in found.items() if one["code"] == "A11.strangers"}
    assert victims
    assert victims <= {"duckdb", "none"}
    assert "processes of planted (pid " in next(found[name]["text"] for name in victims)
    assert not errors(run)
    assert run.json["tier"]["inadmissible"] == []


@pytest.mark.long
@ROOT
def test_who_leaves_its_control_group_is_said(weigh: Weigh) -> None:
    run = weigh("run", *named("none", "left"), *FLAGS)
    assert {(one["code"], one["contender"]) for one in run.json["findings"] if one["code"].startswith("A11")} == {
        ("A11.left", "left")
    }
    assert run.json["tier"]["name"] != "conclusive"


@pytest.mark.promise("or used as much CPU as half of what the contender did")
def test_who_executes_at_the_end_of_a_socket_is_named(weigh: Weigh) -> None:
    door = weigh.folder / "door"
    server = served.start(str(door))
    try:
        named = contenders("duckdb=fork", "helper=liar?lie=helper", f"served=liar?lie=served&diary={door}")
        run = weigh("run", *named, *FLAGS)
    finally:
        server.kill()
        server.wait()
    assert errors(run) == {("A11.peer", "served")}
    (found,) = (one for one in run.json["findings"] if one["code"] == "A11.peer")
    assert f"(pid {server.pid}, user {os.getuid()})" in found["text"]

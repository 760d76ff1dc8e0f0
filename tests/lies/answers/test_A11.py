"""A11: work is done outside the clock, by others or at another time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ..reading import ONCE, SMALL, assert_silent, contenders, errors, timed, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

    from ..conftest import Once

OPERATION = "by_action"
FLAGS = (*SMALL, *ONCE, "--operations", OPERATION)
OUTSIDE = ("release", "collector", "ahead", "daemon", "prepare-in-child")
HONEST = ("helper", "compiler", "none")


def named(*lies: str) -> list[str]:
    """Contenders called by their lie."""
    return contenders("duckdb", *(f"{lie}=liar?lie={lie}" for lie in lies))


@pytest.fixture(scope="module")
def liars(fresh: Callable[[], Weigh], once: Once) -> Run:
    """When the result is freed, when garbage is collected, ahead of time in a thread, by a process that is nobody's
    child, by a child before the clock, by one while the clock runs; and one that keeps a CPU from its rivals.
    """
    return once("outside", lambda: fresh()("run", *named(*OUTSIDE, "child", "burns"), *FLAGS))


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


@pytest.mark.parametrize("lie", OUTSIDE)
def test_work_outside_the_clock_is_found(liars: Run, lie: str) -> None:
    assert ("A11.outside", lie) in errors(liars)
    found = outside(liars, lie)
    assert found["outside_s"] > 0.005
    assert found["exact"] in (True, False)


def test_a_child_that_works_while_the_clock_runs_is_found(liars: Run) -> None:
    assert ("A11.processes", "child") in errors(liars)
    assert outside(liars, "child")["processes_s"] > 0.02


def test_who_keeps_a_cpu_from_its_rivals_is_found(liars: Run) -> None:
    assert ("A11.between", "burns") in errors(liars)


def test_none_of_them_has_a_verdict_or_a_time(liars: Run) -> None:
    found = verdicts(liars, OPERATION)
    assert {name: verdict["verdict"] for name, verdict in found.items()} == dict.fromkeys(found, "refused")
    accused = {name: verdict["reasons"][0]["code"] for name, verdict in found.items()}
    # A thread that begins while an answer is handed out works after the clock, too.
    assert {code.partition(".")[0] for code in accused.values()} <= {"A5", "A11"}, accused
    assert {name for name, _ in timed(liars)} == {"duckdb"}
    assert set(liars.json["tier"]["inadmissible"]) == set(found)
    assert liars.code == 1


def test_the_honest_one_beside_them_is_not_accused(liars: Run) -> None:
    assert "duckdb" not in {contender for _, contender in errors(liars)}


def test_honest_twins_are_left_alone(honest: Run) -> None:
    assert_silent(honest)
    assert not {code for code in honest.codes if code.startswith("A11")}
    assert {name for name, _ in timed(honest)} == {"duckdb", *HONEST}


def test_compiling_before_the_clock_is_said_as_a_cost(honest: Run) -> None:
    (note,) = (one for one in honest.json["findings"] if one["contender"] == "compiler")
    assert (note["code"], note["severity"]) == ("A6.planned", "note")


def test_what_is_declared_is_a_cost_and_no_accusation(declared: Run) -> None:
    assert not errors(declared)
    (cost,) = (one for one in declared.json["findings"] if one["contender"] == "compaction")
    assert (cost["code"], cost["severity"]) == ("A11.background", "warning")
    assert cost["text"].startswith("compaction: ")
    assert outside(declared, "own-server")["processes_s"] == 0.0
    assert {name for name, _ in timed(declared)} == {"duckdb", "compaction", "own-server"}


def test_every_form_of_the_report_shows_it(declared: Run) -> None:
    assert "CPU outside the clocks" in (declared.evidence / "report.txt").read_text()
    assert "CPU outside the clocks" in (declared.evidence / "report.html").read_text()


def test_a_server_that_cannot_be_one_is_named(weigh: Weigh) -> None:
    run = weigh("run", *named("false-server"), *FLAGS)
    assert errors(run) == {("A11.server", "false-server")}
    (found,) = (one for one in run.json["findings"] if one["code"] == "A11.server")
    assert "process 1 as its server: it is the first process of the machine" in found["text"]
    assert verdicts(run, OPERATION)["false-server"]["verdict"] == "refused"


def test_all_of_it_follows_from_the_journal(weigh: Weigh, liars: Run) -> None:
    assert weigh("verify", str(liars.evidence)).code == 0

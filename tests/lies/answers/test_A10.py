"""A10: a contender meddles with its own clock, or with what it reports."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import pytest

from support import evidence_files

from ..reading import assert_silent, contenders, errors, reasons, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

PACE = "ms=40&burn=20"
BASE, REWRITTEN = f"base=liar?lie=pace&{PACE}", f"rewritten=liar?lie=rewritten-clock&{PACE}"
TENTH, LONGER = f"tenth=liar?lie=wire&edit=tenth&{PACE}", f"longer=liar?lie=wire&edit=longer&{PACE}"
RELEASE, COLLECTOR = f"release=liar?lie=in-release&{PACE}", f"collector=liar?lie=in-collector&{PACE}"
NAN = "nan=liar?lie=wire&edit=nan&ms=2"
FLAGS = ("--workload", "two", "--operations", "unordered", "--scale", "20K", "--quiet", "--json")
TEN = ("--starts", "2", "--rounds", "1", "--runs", "5")
MALFORMED = ("nan", "fast", "huge", "zero", "deep")


FOUND = {
    "rewritten": {"A10.clock"},
    "tenth": {"A10.clock", "A10.cpu"},
    "longer": {"A10.clock"},
    "release": {"A6.release"},
    "collector": {"A6.release"},
}
"""What each liar is found by."""
SETS = [
    pytest.param((REWRITTEN, TENTH, NAN), id="few"),
    pytest.param((REWRITTEN, TENTH, LONGER, RELEASE, COLLECTOR, NAN), id="all", marks=pytest.mark.long),
]


@pytest.fixture(scope="module", params=SETS)
def run(request: pytest.FixtureRequest, fresh: Callable[[], Weigh]) -> Run:
    """An honest engine, one that replaces clocks by name, and liars whose executions take as long."""
    return fresh()("run", *contenders(BASE, f"slowed=liar?lie=slow-clock&{PACE}", *request.param), *FLAGS, *TEN)


def liars(run: Run) -> set[str]:
    """Those of the run that meddle."""
    return {contender["name"] for contender in run.json["contenders"]} & set(FOUND)


def test_weigh_s_own_clock_finds_it(run: Run) -> None:
    assert liars(run)
    for liar in liars(run):
        assert {(code, liar) for code in FOUND[liar]} <= errors(run)
        verdict = verdicts(run, "unordered")[liar]
        assert (verdict["verdict"], verdict["ratio"]) == ("refused", None)
        assert liar in run.json["tier"]["inadmissible"]
    assert run.code == 1


@pytest.mark.promise(
    "The clock is bound before the adapter is imported, so that replacing `time.perf_counter_ns` or "
    "`resource.getrusage` changes no figure."
)
def test_a_clock_that_is_replaced_by_name_changes_no_figure(run: Run) -> None:
    # What sends no number is an error of its own.
    assert {name for _, name in errors(run)} - {"nan"} == liars(run)
    times = {name: [] for name in ("base", "slowed")}
    for one in evidence_files.read_samples(run.evidence):
        if one.timed and one.contender in times:
            times[one.contender].append(one.wall_s)
    # It would be a tenth.
    assert median(times["slowed"]) > 0.5 * median(times["base"])


def test_the_evidence_can_be_read_and_verified(run: Run, fresh: Callable[[], Weigh]) -> None:
    done = fresh()("verify", str(run.evidence))
    assert done.code == 0, done.out


def test_who_sends_no_number_has_an_error_of_its_own(run: Run) -> None:
    assert verdicts(run, "unordered")["nan"]["verdict"] == "error"


@pytest.mark.promise("of 20 executions or more half of the time and 0.75 ms are enough")
def test_a_short_time_that_is_halved_is_found(weigh: Weigh) -> None:
    """What is hidden is a millisecond and a half: less than one reply may wait, and all of them do."""
    named = contenders("base=liar?lie=pace&ms=3", "twin=liar?lie=pace&ms=3", "half=liar?lie=wire&edit=half&ms=3")
    flags = ("--starts", "2", "--rounds", "2", "--runs", "6")
    run = weigh("run", *named, *FLAGS, *flags)
    assert ("A10.clock", "half") in errors(run)
    assert {who for _, who in errors(run)} == {"half"}
    assert verdicts(run, "unordered")["half"]["verdict"] == "refused"


@pytest.mark.promise(
    "A reply that cannot be (a time of 0, a negative one, NaN, text, more rows than a table can have)"
    " is an `error` of that contender, and no sample."
)
@pytest.mark.long
def test_what_is_no_reply_is_an_error_of_that_contender(weigh: Weigh) -> None:
    named = [f"{edit}=liar?lie=wire&edit={edit}&ms=2" for edit in MALFORMED]
    run = weigh("run", *contenders("duckdb=fork", "twin=fork", *named), *FLAGS, *TEN)
    for name in MALFORMED:
        verdict = verdicts(run, "unordered")[name]
        assert (verdict["verdict"], verdict["ratio"]) == ("error", None)
        assert set(reasons(verdict)) == {"X.error"}
    gate = next(row for row in run.json["gate"] if row["status"] == "error")
    assert set(gate["contenders"]) == set(MALFORMED)
    assert "the worker's reply to 'run' is malformed: " in gate["detail"]
    assert "internal error" not in run.out + run.err
    assert weigh("verify", "latest").code == 0


@pytest.mark.promise(
    "The first execution may take as long as it likes: what compiles inside `run()` is inside the clock."
)
@pytest.mark.long
def test_honest_engines_are_left_alone(fresh: Callable[[], Weigh]) -> None:
    """One that prints, one with a helper process, one that compiles first, one whose conversion is slow."""
    honest = ("chatty", "helped", "compiles-first", "slow-conversion")
    named = contenders("duckdb=fork", *(f"{name}=liar?lie={name}" for name in honest))
    run = fresh()("run", *named, *FLAGS, *TEN)
    assert_silent(run)
    codes = {reason["code"] for verdict in run.json["verdicts"] for reason in verdict["reasons"]}
    assert not {code for code in codes if code.startswith(("A10", "A6"))}

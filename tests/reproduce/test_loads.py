"""What becomes of the figures of a load that was offered again, and which loads are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from support import load_records, sessions
from support.command import Weigh
from support.evidence_folders import written_load, written_servers
from support.streams_made import written_streams
from weigh.evidence import bundle
from weigh.load.budgets import budgets
from weigh.load.results import load_results
from weigh.load.spec import Crashes, Script
from weigh.model.errors import EnvironmentFault, UsageError
from weigh.reproduce.loads.outcome import outcomes
from weigh.reproduce.loads.plan import planned, why_not
from weigh.reproduce.outcome import OutcomeName

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weigh.load.record import LoadRecord
    from weigh.load.runs import LoadRun

CONFIRMED, CONTRADICTED = OutcomeName.CONFIRMED, OutcomeName.CONTRADICTED
NOT_DECIDED, OTHER_MACHINE = OutcomeName.NOT_DECIDED, OutcomeName.OTHER_MACHINE
LENGTH = 100


def one_run(seed: int, times: float, number: int = 1) -> LoadRun:
    """A run in a life of its own."""
    steady = load_records.steady_times(LENGTH, seed=seed)
    made = load_records.run([load_records.interval(at, times * own) for at, own in enumerate(steady)], number=number)
    return msgspec.structs.replace(made, life=number, repeat=number)


def load(seed: int = 1, times: float = 1.0, lives: int = 1, require: str = "", **changed: object) -> LoadRecord:
    """A steady load; of several lives each run has its own times."""
    runs = [one_run(seed + 10 * at, times * (1 + 0.01 * at), at + 1) for at in range(lives)]
    spec = load_records.spec(LENGTH, repeats=lives, **({"require": budgets([require])} if require else {}), **changed)
    return load_records.record(runs, spec)


def became(there: LoadRecord, here: LoadRecord, *, same_machine: bool = True) -> dict[str, OutcomeName]:
    """The outcome of each figure."""
    found = outcomes(load_results(there), load_results(here), same_machine=same_machine)
    return {one.metric: one.outcome for one in found}


def test_the_same_again_is_confirmed() -> None:
    found = became(load(1), load(2))
    assert (found["rate"], found["p50"], found["p99"]) == (CONFIRMED, CONFIRMED, CONFIRMED)


def test_one_run_that_is_somewhat_slower_contradicts_nothing() -> None:
    """How much runs of a server differ is not known of one of them."""
    assert became(load(1), load(2, times=1.4))["p50"] is NOT_DECIDED


def test_what_is_far_apart_contradicts_on_the_same_machine_alone() -> None:
    there, here = load(1), load(2, times=3.0)
    assert became(there, here)["p50"] is CONTRADICTED
    assert became(there, here, same_machine=False)["p50"] is OTHER_MACHINE


def test_of_several_lives_the_next_run_decides() -> None:
    there = load(1, lives=5)
    assert became(there, load(2, lives=5))["p50"] is CONFIRMED
    assert became(there, load(2, times=1.4, lives=5))["p50"] is CONTRADICTED


def test_what_is_required_holds_on_both_sides_or_is_broken() -> None:
    there = load(1, require="p99<=2ms")
    assert became(there, load(2, require="p99<=2ms"))["p99<=2ms"] is CONFIRMED
    assert became(there, load(2, times=9.0, require="p99<=2ms"))["p99<=2ms"] is CONTRADICTED
    assert became(there, load(2, times=1.6, require="p99<=2ms"))["p99<=2ms"] is NOT_DECIDED


def test_a_run_that_does_not_count_decides_nothing() -> None:
    broken = load(2, times=3.0)
    (run,) = broken.runs
    assert run.summary
    late = msgspec.structs.replace(run, summary=msgspec.structs.replace(run.summary, unsent=run.summary.scheduled))
    assert became(load(1), msgspec.structs.replace(broken, runs=(late,)))["p50"] is NOT_DECIDED
    assert set(became(load(1), msgspec.structs.replace(broken, runs=())).values()) == {NOT_DECIDED}


def test_a_server_by_its_address_is_named_by_who_has_it() -> None:
    spec = load_records.spec(LENGTH, target="postgres://there/db")
    with pytest.raises(EnvironmentFault, match="a bundle holds no server"):
        planned(spec, ())
    with pytest.raises(EnvironmentFault, match="a bundle holds no server"):
        planned(load_records.spec(LENGTH, target="postgres:embedded@/opt/theirs"), ())
    assert planned(spec, ("postgres://here/db",)).target == "postgres://here/db"
    assert planned(load_records.spec(LENGTH), ()).target == "valkey:embedded"
    with pytest.raises(UsageError, match="several are named"):
        planned(spec, ("a", "b"))


def test_what_a_bundle_does_not_hold_is_not_executed() -> None:
    spec = load_records.spec(LENGTH)
    assert why_not(spec) == ""
    assert "commands of its own" in why_not(sessions.changed(spec, crash=Crashes(number=1, kill="rm -rf /")))
    own = Script(name="x", text="\\shell rm -rf /\nSELECT 1;")
    assert "scripts of whoever made it" in why_not(sessions.changed(spec, workload="script", scripts=(own,)))
    built_in = Script(name="select-only", text="")
    assert why_not(sessions.changed(spec, workload="script", scripts=(built_in,))) == ""


def crashed(root: Path) -> Path:
    return written_load(root, load_records.spec(60, crash=Crashes(number=1)))


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(crashed, marks=pytest.mark.long),
        written_streams,
        pytest.param(written_servers, marks=pytest.mark.long),
    ],
)
def test_a_bundle_says_where_it_cannot_be_measured_again(tmp_path: Path, written: Callable[[Path], Path]) -> None:
    """When it is exported, in the bundle, and before anything is spent."""
    weigh = Weigh(tmp_path)
    evidence = written(tmp_path / "others")
    run = weigh("export", str(evidence), "--bundle", "--out", "x.weigh")
    assert run.code == 0
    assert "weigh reproduce refuses it" in run.err
    head = bundle.unpacked(tmp_path / "x.weigh", tmp_path / "into").head
    assert head.again == ""
    assert head.not_again
    again = weigh("reproduce", "x.weigh")
    assert again.code == 2
    assert "it is not measured again" in again.err
    assert not list(tmp_path.glob("runs/reproduction-*"))


def test_flags_of_a_run_say_nothing_of_a_load(tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    evidence = written_load(tmp_path / "others")
    assert "refuses" not in weigh("export", str(evidence), "--bundle", "--out", "x.weigh").err
    run = weigh("reproduce", "x.weigh", "--quick")
    assert run.code == 2
    assert "--quick is of a run, and the bundle is of a load" in run.err


@pytest.mark.long
def test_a_load_is_offered_again(tmp_path: Path) -> None:
    """A server that weigh makes; another in its place; and what verify says of both."""
    weigh = Weigh(tmp_path)
    of = ("--rate", "300", "--duration", "6s", "--records", "1000", "--contention", "10000%")
    run = weigh("load", "ycsb-b", "--target", "valkey:embedded", *of, "--require", "p99<=500ms")
    assert run.code in (0, 3), run.err
    assert weigh("export", "latest", "--bundle", "--out", "x.weigh").code == 0
    for instead in ((), ("--contender", "postgres:embedded")):
        again = weigh("reproduce", "x.weigh", *instead, "--json")
        assert again.code in (0, 3), again.err
        kinds = {one["outcome"] for one in again.json["outcomes"]}
        assert kinds <= {"confirmed", "not decided", *(("contradicted",) if instead else ())}
    folders = sorted((tmp_path / "runs").glob("reproduction-*"))
    assert len(folders) == 2
    for folder in folders:
        assert weigh("verify", str(folder)).code == 0
    assert "PostgreSQL here" in weigh("report", str(folders[1])).out

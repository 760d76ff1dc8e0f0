"""A9: a result cache answers, not the engine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support import evidence_files

from ..reading import ONCE, SMALL, assert_silent, contenders, errors, statuses, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh


ASKED = ("--operations", "by_action,distinct")


@pytest.mark.long
def test_a_cache_that_nobody_disclosed_is_found(weigh: Weigh) -> None:
    # The gate finds it, so it is not measured at all.
    flags = ("--scale", "100K", "--quiet", "--json", *ONCE, *ASKED)
    run = weigh("run", *contenders("duckdb=fork", "liar?lie=cache"), *flags)
    assert errors(run) == {("A9.detected", "liar?lie=cache"), ("A12.stale", "liar?lie=cache")}
    for operation in ("distinct", "by_action"):
        assert verdicts(run, operation).get("liar?lie=cache", {"verdict": "refused"})["verdict"] == "refused"
    assert {timing["contender"] for timing in run.json["timings"]} == {"duckdb"}
    assert run.code == 1


SETS = [
    pytest.param(("cache-fetched",), id="few"),
    pytest.param(
        ("cache-groups", "cache-folded", "cache-waits", "cache-fetched", "cache-on-disk"),
        id="all",
        marks=pytest.mark.long,
    ),
]


@pytest.fixture(scope="module", params=SETS)
def caches(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Ways to remember."""
    return tuple(request.param)


@pytest.fixture(scope="module")
def gate(caches: tuple[str, ...], fresh: Callable[[], Weigh]) -> Run:
    """Ways to remember, alongside an engine that compiles each text once a life."""
    weigh = fresh()
    named = [f"{lie}=liar?lie={lie}&diary={weigh.folder / 'kept'}" for lie in caches]
    honest = ("duckdb=fork", "none=liar?lie=none", "compiles=liar?lie=compiles&ms=120")
    return weigh("gate", *contenders(*honest, *named), *SMALL, *ASKED)


def test_each_kind_of_cache_is_found(gate: Run, caches: tuple[str, ...]) -> None:
    for cache in caches:
        # What other lives find is found by other rows too (A12): this one gives the answers to those of before.
        assert ("A12.answers" if cache == "cache-on-disk" else "A9.detected", cache) in errors(gate)
    assert gate.code == 1


def test_nobody_else_is_accused(gate: Run, caches: tuple[str, ...]) -> None:
    assert {who for _, who in errors(gate)} == set(caches)


@pytest.mark.promise("An engine that compiles each text once is not one that remembers answers.")
def test_a_compiled_plan_is_told_from_a_cache(gate: Run) -> None:
    said = {(f["code"], f["severity"]) for f in gate.json["findings"] if f["contender"] == "compiles"}
    assert said == {("A9.plan", "note")}


@pytest.mark.long
def test_a_cache_that_begins_after_the_gate_is_found_in_the_blocks(weigh: Weigh) -> None:
    """It executes as often as the gate asks; and an engine that compiles has its times shown."""
    named = contenders("duckdb=fork", "compiles=liar?lie=compiles&ms=120", "later=liar?lie=cache-later&from=5")
    flags = (
        "--scale",
        "100K",
        "--quiet",
        "--json",
        *ASKED[:1],
        "by_action",
        "--starts",
        "1",
        "--rounds",
        "4",
        "--runs",
        "2",
    )
    run = weigh("run", *named, *flags)
    # And over other rows it goes on with what it remembers.
    assert errors(run) == {("A9.detected", "later"), ("A12.stale", "later")}
    assert {f["operation"] for f in run.json["findings"] if f["code"] == "A9.detected"} == {"by_action"}
    assert {timing["contender"] for timing in run.json["timings"]} == {"duckdb", "compiles"}
    samples = evidence_files.read_samples(run.evidence)
    assert {bool(one.salt) for one in samples if one.run == 0 and one.round > 0} == {True}
    assert {one.salt for one in samples if one.run > 0 or one.round == 0} == {0}
    asked = {(one.block, one.round, one.operation): one.salt for one in samples if one.salt}
    assert len(set(asked.values())) == len(asked), "every round has a question of its own"
    assert weigh("verify", str(run.evidence)).code == 0


def test_the_honest_twins_are_left_alone(twins: Run) -> None:
    assert_silent(twins)


def test_an_honest_engine_on_a_crowded_machine_is_left_alone(weigh: Weigh) -> None:
    """Its law has a seed by which the five repetitions of the probe happen to be much faster than unseen queries."""
    noisy = f"noisy=liar?lie=pace&ms=40&jitter=1.5&seed=41&diary={weigh.folder / 'lives'}"
    run = weigh("gate", *contenders("duckdb=fork", noisy), "--workload", "two", "--scale", "20K", "--quiet", "--json")
    assert_silent(run)


@pytest.mark.promise(
    "Caches that the adapter declares are switched off, and the setting is read back from the running"
    " engine (`A9.enabled` if it is on, for instance because it was asked for)."
)
@pytest.mark.parametrize("spec", ["chdb", pytest.param("chdb@4.1.8+chdb-core==26.3.0", marks=pytest.mark.long)])
def test_a_real_cache_is_off_unless_it_is_switched_on_and_both_is_read_back(weigh: Weigh, spec: str) -> None:
    on = f"{spec}?use_query_cache=1"
    run = weigh("gate", *contenders("duckdb=fork", spec, on), *SMALL, "--operations", "by_action")
    assert errors(run) == {("A9.enabled", on)}
    assert "use_query_cache = 1, read back" in run.out
    assert run.code == 1
    assert statuses(run) == {"by_action": "agreed"}
    described = json.loads((run.evidence / "environment.json").read_text())["contenders"]
    read = {one["name"]: one["in_force"].get("use_query_cache", {}).get("value") for one in described}
    assert (read[spec], read[on]) == ("0", "1")

"""A1: wrong answers, fast, and with no error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ..reading import (
    ONCE,
    SHORT,
    SMALL,
    assert_silent,
    contenders,
    detail,
    diverged,
    errors,
    statuses,
    timed,
    verdicts,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

WRONG = "chdb@4.1.8+chdb-core==26.3.0"
"""Loses rows in equality filters over Parquet files with bloom filters, says nothing, and is fast."""
TWIN = "chdb@4.1.8+chdb-core==26.9.0"
RIGHT = ("duckdb@1.5.5", "datafusion")
EQUALITY = ("eq_user", "in_users")
ENOUGH = ("--scale", "100K", "--quiet", "--json")


@pytest.fixture(scope="module")
def real(fresh: Callable[[], Weigh]) -> Run:
    """The release with the bug alongside the one in which it was repaired, and an engine of another lineage."""
    flags = ("--operations", ",".join((*EQUALITY, "by_action")))
    return fresh()("run", *contenders(RIGHT[0], WRONG, TWIN), *SMALL, *SHORT, *flags)


@pytest.mark.parametrize("operation", EQUALITY)
def test_the_wrong_release_is_named_and_contradicted_by_the_truth(real: Run, operation: str) -> None:
    assert {name for name, where in diverged(real) if where == operation} == {WRONG}
    assert "contradicted by ground truth" in detail(real, operation)
    assert "events: " in detail(real, operation)
    assert real.code == 1
    versions = {contender["name"]: contender["version"] for contender in real.json["contenders"]}
    assert versions[WRONG] == "26.3.9.1"


@pytest.mark.promise(
    "An operation on which one contender is wrong is not timed for any.",
    "An operation on which one contender is wrong is not timed.",
)
def test_nobody_is_timed_where_one_is_wrong_and_all_are_where_all_are_right(real: Run) -> None:
    for operation in EQUALITY:
        assert {one["verdict"] for one in verdicts(real, operation).values()} == {"diverged"}
    assert timed(real) == {(name, "by_action") for name in (WRONG, TWIN, RIGHT[0])}
    marked = verdicts(real, "by_action")
    assert all(one["ratio"] > 0 for one in marked.values())
    assert {reason["code"] for reason in marked[WRONG]["reasons"]} >= {"A1"}
    assert "A1" not in {reason["code"] for reason in marked[TWIN]["reasons"]}


def test_the_report_says_it_in_words(real: Run, fresh: Callable[[], Weigh]) -> None:
    text = fresh()("report", str(real.evidence)).out
    words = " ".join(text.split())
    assert f"{WRONG} gives WRONG answers on 2 of 3" in words
    assert f"{TWIN} gives WRONG" not in words
    verbose = fresh()("report", str(real.evidence), "--verbose").out
    assert "CONTRADICTED" in verbose
    assert f"{WRONG} (engine 26.3.9.1) gives wrong answers on 2 of 3 operations" in " ".join(verbose.split())


def test_the_repaired_release_is_not_accused_beside_it(real: Run) -> None:
    assert {name for name, _ in diverged(real)} == {WRONG}
    assert TWIN not in {name for _, name in errors(real)}


@pytest.mark.long
def test_the_repaired_release_agrees(weigh: Weigh) -> None:
    flags = ("--operations", ",".join((*EQUALITY, "by_action")))
    assert_silent(weigh("gate", *contenders(RIGHT[0], TWIN, RIGHT[1]), *ENOUGH, *flags))


@pytest.mark.long
@pytest.mark.parametrize(("engine", "wrong"), [(WRONG, {*EQUALITY, "eq_dst_port"}), (TWIN, set())])
def test_over_the_whole_workload(weigh: Weigh, engine: str, wrong: set[str]) -> None:
    """A million rows have the row group in which a number is lost."""
    million = ("--scale", "1M", "--quiet", "--json")
    run = weigh("run", *contenders(RIGHT[0], engine, RIGHT[1]), *million, *SHORT, timeout=900)
    assert diverged(run) == {(engine, operation) for operation in wrong}
    assert run.code == (1 if wrong else 0)


@pytest.mark.long
def test_alone_and_without_truth_it_contradicts_itself(weigh: Weigh) -> None:
    # This release now and then never ends a union of its parts, which is another of its questions.
    flags = ("--no-truth", "--operations", "in_users", "--timeout", "20s")
    run = weigh("gate", *contenders(WRONG), *ENOUGH, *flags)
    assert diverged(run) == {(WRONG, "in_users")}
    assert "its own count: p + not p + p is null = all" in detail(run, "in_users")
    assert "itself with bloom filter push-down off" in detail(run, "in_users")
    assert run.code == 1


@pytest.mark.long
def test_alone_and_without_truth_the_repaired_one_is_not_accused(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("chdb@4.4.0"), *ENOUGH, "--no-truth", "--operations", "in_users")
    assert_silent(run, "unverified")


LIARS = {
    "liar?lie=forty-two": {"eq_action", "by_action", "distinct", "top_talkers"},
    "liar?lie=absent": {"eq_action"},
    "liar?lie=group": {"by_action", "top_talkers"},
    "liar?lie=last-row": {"top_talkers"},
    "liar?lie=nearly": {"by_action", "distinct"},
}


SETS = [
    pytest.param(("liar?lie=forty-two", "liar?lie=absent", "liar?lie=group"), id="few"),
    pytest.param(tuple(LIARS), id="all", marks=pytest.mark.long),
]


@pytest.fixture(scope="module", params=SETS)
def liars(request: pytest.FixtureRequest, fresh: Callable[[], Weigh]) -> Run:
    """Liars and an honest twin in one gate."""
    operations = "eq_action,by_action,distinct,top_talkers"
    return fresh()(
        "gate", *contenders("duckdb=fork", *request.param, "liar?lie=none"), *SMALL, "--operations", operations
    )


def test_each_liar_is_named_where_it_lied_and_nowhere_else(liars: Run) -> None:
    asked = {one["name"] for one in liars.json["contenders"]} & set(LIARS)
    assert asked
    assert diverged(liars) == {(liar, operation) for liar in asked for operation in LIARS[liar]}
    assert not errors(liars)
    assert liars.code == 1


@pytest.mark.parametrize(
    ("operation", "shown"),
    [
        ("eq_action", "liar?lie=absent is wrong on "),
        ("eq_action", "events: 1, not 0"),
        ("by_action", "row 'allow', events: "),
        ("distinct", "liar?lie=forty-two is wrong, contradicted by"),
    ],
)
def test_the_differing_cell_is_shown(liars: Run, operation: str, shown: str) -> None:
    assert shown in detail(liars, operation)


def test_the_honest_twins_are_left_alone(twins: Run) -> None:
    assert_silent(twins)


@pytest.mark.promise(
    'With `on_divergence = "stop"` in [weigh.toml](../reference/weigh-toml.md) the whole run ends there.'
)
def test_the_first_divergence_ends_the_run_if_told_to(weigh: Weigh) -> None:
    (weigh.folder / "weigh.toml").write_text('[experiment]\non_divergence = "stop"\n')
    flags = (*SMALL, *ONCE, "--operations", "by_action,eq_action")
    run = weigh("run", *contenders("duckdb=fork", "liar?lie=group"), *flags)
    assert run.code == 1
    assert statuses(run) == {"by_action": "diverged", "eq_action": "agreed"}
    assert not run.json["timings"]
    assert '"event":"block"' not in (run.evidence / "journal.jsonl").read_text()
    assert "Not complete: an answer diverged" in " ".join((run.evidence / "report.txt").read_text().split())


# Without truth, the lineages vote. Two versions of one engine are one vote; the liar claims a lineage of its own.

VOTE = (*SMALL, "--no-truth", "--operations", "by_action,eq_action")


@pytest.mark.promise("The largest group of at least two lineages that agree outvotes the rest.")
def test_one_against_two_lineages_is_outvoted(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("duckdb=fork", "datafusion", "liar?lie=group"), *VOTE)
    assert diverged(run) == {("liar?lie=group", "by_action")}
    assert "contradicted by duckdb, datafusion" in detail(run, "by_action")
    assert "outvoted" in detail(run, "by_action")
    assert run.code == 1


@pytest.mark.promise("Engines that share code are one lineage: two versions of DuckDB have one vote.")
@pytest.mark.long
def test_two_versions_of_one_engine_do_not_outvote_another(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("duckdb@1.5.5", "duckdb@2.0.0", "liar?lie=group"), *VOTE)
    assert {name for name, _ in diverged(run)} == {"duckdb@1.5.5", "duckdb@2.0.0", "liar?lie=group"}
    assert "outvoted" not in detail(run, "by_action")


@pytest.mark.long
def test_three_lineages_that_agree_are_left_alone(weigh: Weigh) -> None:
    assert_silent(weigh("gate", *contenders("duckdb=fork", "chdb", "liar?lie=none"), *VOTE))


@pytest.mark.long
def test_one_against_one_is_undecided(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("duckdb=fork", "liar?lie=group"), *VOTE)
    assert diverged(run) == {("duckdb", "by_action"), ("liar?lie=group", "by_action")}
    assert "nothing here tells who is right" in detail(run, "by_action")
    assert "outvoted" not in detail(run, "by_action")


@pytest.mark.long
def test_alone_a_constant_contradicts_itself_and_the_shape_of_the_answer(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("liar?lie=forty-two"), *VOTE)
    assert diverged(run) == {("liar?lie=forty-two", "by_action"), ("liar?lie=forty-two", "eq_action")}
    assert "(column names): answer, not events" in detail(run, "eq_action")
    assert "contradicted by the operation's result schema" in detail(run, "by_action")
    assert not errors(run)


@pytest.mark.promise("If one of them then contradicts itself, the others are no longer diverged.")
@pytest.mark.long
def test_one_against_one_that_contradicts_itself_is_acquitted(weigh: Weigh) -> None:
    run = weigh("gate", *contenders("duckdb=fork", "liar?lie=absent"), *VOTE)
    assert diverged(run) == {("liar?lie=absent", "eq_action")}
    assert "its own count: p + not p + p is null = all" in detail(run, "eq_action")
    kept = json.loads((run.evidence / "gate.json").read_text())
    (eq_action,) = (one for one in kept["operations"] if one["operation"] == "eq_action")
    assert eq_action["contenders"] == {"duckdb": "unverified", "liar?lie=absent": "diverged"}


# Two of one lineage: they confirm nothing to each other, but where they differ one of them is wrong.

KIN = (*SMALL, "--no-truth", "--no-shrink")
OWN = {
    "by_fleet": "SELECT fleet, count(*) AS n, sum(km) AS km FROM trips GROUP BY fleet",
    "some": "SELECT id FROM trips LIMIT 3",
}


@pytest.mark.promise(
    "Without such a group it cannot be decided who is right, and all that differ are diverged, be "
    "they two versions of one engine: one of them is wrong, the report shows where they differ and "
    "calls nobody wrong."
)
def test_two_of_one_lineage_that_differ_are_diverged_and_nobody_is_called_wrong(weigh: Weigh) -> None:
    liar = "fork?lie=duplicates"
    run = weigh("run", *contenders("duckdb", liar), *KIN, *ONCE, "--operations", "by_action,eq_action")
    assert diverged(run) == {(name, where) for name in ("duckdb", liar) for where in ("by_action", "eq_action")}
    assert f"duckdb against {liar}: (rows): 8 rows, not 9 rows" in detail(run, "by_action")
    assert "nothing here tells who is right" in detail(run, "by_action")
    assert not run.json["timings"]
    assert run.code == 1
    said = words((run.evidence / "report.txt").read_text())
    assert f"duckdb and {liar} give DIFFERENT answers on 2 of" in said
    assert "Who is right is open." in said
    assert "--contender datafusion" in said
    assert "WRONG" not in said


@pytest.mark.promise(
    "Contenders of one lineage that agree confirm nothing: without truth their answers are `unverified`."
)
@pytest.mark.long
def test_two_of_one_lineage_that_agree_confirm_nothing_and_are_left_alone(weigh: Weigh) -> None:
    twins = contenders("duckdb", "fork?lie=none", "single=duckdb?threads=1")
    run = weigh("gate", *twins, *KIN, "--operations", "by_action,duration_by_proto,top_talkers")
    assert_silent(run, "unverified")


@pytest.mark.long
@pytest.mark.parametrize(("lie", "status"), [("duplicates", "diverged"), ("none", "unverified")])
def test_two_of_one_lineage_on_ones_own_data(weigh: Weigh, lie: str, status: str) -> None:
    trips = pa.table({"id": range(60), "fleet": ["a", "b", None] * 20, "km": [n / 7 for n in range(60)]})
    pq.write_table(trips, weigh.folder / "trips.parquet")
    for name, sql in OWN.items():
        (weigh.folder / f"{name}.sql").write_text(sql)
    kin = contenders("duckdb", f"fork?lie={lie}")
    asked = [word for name in OWN for word in ("--sql", f"{name}.sql")]
    assert weigh("init", "--data", "trips.parquet", *asked, *kin).code == 0
    run = weigh("run", *ONCE, "--quiet", "--json", "--no-shrink")
    assert statuses(run) == {"by_fleet": status, "some": status}
    # One start is no comparison, whatever the answers.
    assert run.code == (1 if status == "diverged" else 3)


# Nearly right: wrong only on a border, where a value is missing, or where texts resemble each other.

NEARLY = {
    "nearly": {
        "at_the_ends": "events: ",
        "past_the_ends": "events: 'boolean false', not 0",
        "bytes_range": "events: ",
        "alike": "events: ",
        "user_action_proto": "events: ",
        "eq_user": "events: ",
        "nameless": "events: ",
        "unscored": "total_score: 0.0, not NULL",
        "same_user": "pairs: ",
        "users_of_action": "(rows): ",
        "by_action": "(column names): action, total_bytes, events, not action, events, total_bytes",
        "by_proto": "(column names): packets, not total_packets",
        "distinct": "users: ",
        "duration_by_proto": "total_duration: ",
    },
    "nearly-too": {
        "at_the_ends": "events: ",
        "past_the_ends": "events: ",
        "bytes_range": "events: ",
        "alike": "events: ",
        "unscored": "highest_score: 'NaN', not NULL",
        "same_user": "pairs: ",
        "users_of_action": "user_name: '', not NULL",
        "by_proto": "(column names): ",
    },
}


@pytest.fixture(scope="module")
def nearly(fresh: Callable[[], Weigh]) -> Run:
    """Two that are nearly right alongside an honest engine and the honest twin."""
    named = contenders("duckdb", "twin=liar?lie=none", *(f"{lie}=liar?lie={lie}" for lie in NEARLY))
    return fresh()("gate", *named, *SMALL, "--no-shrink", "--operations", ",".join(NEARLY["nearly"]))


@pytest.mark.long
@pytest.mark.parametrize(("lie", "operation"), [(lie, one) for lie, each in NEARLY.items() for one in each])
def test_what_is_nearly_right_is_wrong_and_shown(nearly: Run, lie: str, operation: str) -> None:
    assert (lie, operation) in diverged(nearly)
    _, accused, shown = detail(nearly, operation).partition(f"{lie} is wrong")
    assert accused
    assert NEARLY[lie][operation] in shown.partition("; nearly-too is wrong")[0]


@pytest.mark.long
def test_nobody_else_is_accused_of_it(nearly: Run) -> None:
    assert diverged(nearly) == {(lie, one) for lie, each in NEARLY.items() for one in each}
    assert not errors(nearly)


@pytest.mark.promise("of which three are drawn for each gate")
def test_who_is_wrong_for_literals_that_no_earlier_gate_asked_is_found(weigh: Weigh) -> None:
    """It writes down what it is asked in one gate, and is right about that in the next one."""
    liar = f"liar=liar?lie=outside-sweep&diary={weigh.folder / 'diary'}"
    flags = ("--scale", "2K", "--operations", "eq_user", "--quiet", "--json", "--no-shrink")
    learning = weigh("gate", *contenders("duckdb=fork", f"{liar}&from=1"), *flags)
    assert statuses(learning) == {"eq_user": "agreed"}
    run = weigh("gate", *contenders("duckdb=fork", "none=liar?lie=none", liar), *flags)
    assert diverged(run) == {("liar", "eq_user")}
    assert "case fresh-" in detail(run, "eq_user")

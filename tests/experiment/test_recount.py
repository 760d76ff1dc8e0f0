"""The second implementation: DuckDB's SQL against the figures of the report."""

from __future__ import annotations

import json
import random
import shutil
from typing import TYPE_CHECKING, Any

import duckdb
import msgspec
import pytest
from scipy import special

from support.experiment_records import gate, record, workload
from support.sessions import written
from weigh.evidence import seal
from weigh.experiment import derived
from weigh.experiment.record import Planned
from weigh.experiment.report import files
from weigh.experiment.report.document import document
from weigh.experiment.verify.recount import recount as sql
from weigh.model.errors import EvidenceFault
from weigh.model.rules import Typical
from weigh.recount import student_t

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from weigh.experiment.record import Record
    from weigh.model.sample import Sample
    from weigh.recount.recount import Recount

TIMINGS = {"starts", "runs", "min", "median", "max", "cv"}
VERDICTS = {"starts", "runs", "ratio", "low", "high", "median_ratio", "noise_floor"}


def run(script: str, queries: Sequence[str]) -> list[list[dict[str, Any]]]:
    """DuckDB in this process."""
    connection = duckdb.connect(":memory:")
    connection.execute(script)
    return [connection.sql(query).to_arrow_table().to_pylist() for query in queries]


def under(whole: Record, typical: Typical) -> Record:
    """The record as if it had been measured under a rule."""
    rules = msgspec.structs.replace(whole.spec.rules, typical=typical)
    return msgspec.structs.replace(whole, spec=msgspec.structs.replace(whole.spec, rules=rules))


def evidence(root: Path, whole: Record, typical: Typical = Typical.CONTRAST) -> Path:
    folder = written(root, under(whole, typical))
    derived.derive(folder)
    seal.write_json(folder, files.VERDICTS, document(files.read(folder), folder.name))
    return folder


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Evidence of a complete session, to be copied."""
    return evidence(tmp_path_factory.mktemp("honest"), record())


@pytest.fixture
def honest(kept: Path, tmp_path: Path) -> Path:
    return shutil.copytree(kept, tmp_path / kept.name)


def recount(root: Path, whole: Record, typical: Typical = Typical.CONTRAST) -> Recount:
    return sql.recount(evidence(root, whole, typical), run)


def changed(whole: Record, change: Callable[[Sample], Sequence[Sample]]) -> Record:
    """The record with every sample put through ``change``."""
    samples = tuple(after for before in whole.samples for after in change(before))
    return msgspec.structs.replace(whole, samples=samples)


def why(found: Recount, words: str) -> str:
    """What was not compared for this reason."""
    return "; ".join(one.what for one in found.skipped if words in one.why)


def test_every_figure_of_a_complete_session_agrees(honest: Path) -> None:
    found = sql.recount(honest, run)
    assert found.problems == ()
    assert 0 < found.difference < 1e-12
    said = json.loads((honest / files.VERDICTS).read_text())
    rows, verdicts = len(said["timings"]), len(said["verdicts"])
    totals = sum(one["total"] is not None for one in said["verdicts"])
    assert (verdicts >= 12, totals) == (True, 4)
    assert found.compared == {
        **dict.fromkeys(TIMINGS, rows),
        **dict.fromkeys(VERDICTS, verdicts),
        "starts": rows + verdicts,
        "runs": rows + verdicts,
        "mean": 2,
        "low": verdicts + totals + 2,
        "high": verdicts + totals + 2,
        "ratio": verdicts + totals,
    }
    assert "low_fcr" in why(found, "whole")


def test_operations_of_several_cases_agree(tmp_path: Path) -> None:
    def twice(one: Sample) -> list[Sample]:
        assert one.wall_s
        slow = msgspec.structs.replace(one, case="other", wall_s=7 * one.wall_s, cpu_s=one.wall_s, turn=one.turn + 100)
        # One start lacks the case, and counts for nothing.
        return [one] if (one.block, one.arm) == (2, "duckdb@1.5.5") else [one, slow]

    found = recount(tmp_path, changed(record(), twice))
    assert found.problems == ()
    assert found.compared["ratio"] >= 12


def test_a_contender_that_is_missing_in_a_block_loses_that_block(tmp_path: Path) -> None:
    missing = (("q1", 3, "chdb@4.4.0"), ("q2", 4, "duckdb@1.5.5"))
    gone = changed(record(), lambda one: [] if (one.operation, one.block, one.arm) in missing else [one])
    folder = evidence(tmp_path, gone)
    found = sql.recount(folder, run)
    assert found.problems == ()
    verdicts = json.loads((folder / files.VERDICTS).read_text())["verdicts"]
    assert {verdict["starts"] for verdict in verdicts} == {9, 10}


def test_where_an_arm_is_missing_the_pairs_that_are_left_count(tmp_path: Path) -> None:
    missing = (("q2", 3, "chdb@4.4.0"), ("q2", 3, "duckdb@2.0.0#2"), ("q2", 5, "duckdb@2.0.0"))
    found = recount(
        tmp_path, changed(record(), lambda one: [] if (one.operation, one.block, one.arm) in missing else [one])
    )
    assert found.problems == ()
    assert found.compared["ratio"] >= 12


@pytest.mark.parametrize("rounds", [2, 3])
def test_medians_over_rounds_agree_and_so_do_totals(tmp_path: Path, rounds: int) -> None:
    found = recount(tmp_path, record(rounds=rounds, runs=2, starts=5))
    assert found.problems == ()
    assert found.compared["ratio"] > found.compared["median_ratio"], "the totals too"


def test_evidence_of_an_earlier_release_agrees_by_its_own_rule(tmp_path: Path) -> None:
    """And by today's it has other figures."""
    ratios = []
    for typical in Typical:
        folder = evidence(tmp_path / typical, record(rounds=4, runs=2, starts=6, noise=0.3), typical)
        assert sql.recount(folder, run).problems == ()
        ratios.append([one["ratio"] for one in json.loads((folder / files.VERDICTS).read_text())["verdicts"]])
    assert ratios[0] != ratios[1]


@pytest.mark.parametrize("seed", range(3))
def test_rounds_that_lack_turns_and_noise_of_one_sign_agree(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)

    def skewed(one: Sample) -> list[Sample]:
        slow = 1.2 if draw.random() < 0.2 else 1.0
        return [] if draw.random() < 0.05 else [msgspec.structs.replace(one, wall_s=(one.wall_s or 1) * slow)]

    found = recount(tmp_path, changed(record(rounds=5, runs=2, starts=8, noise=0.05), skewed))
    assert found.problems == ()
    assert found.difference < 1e-10


def test_what_is_carried_over_is_left_out_by_both(tmp_path: Path) -> None:
    """A turn right after the other contender takes 10 % longer."""
    whole = record(rounds=6, runs=2, starts=30, noise=0.01)
    turns = {(one.block, one.turn): (one.contender, one.operation, one.round) for one in whole.samples}

    def later(one: Sample) -> list[Sample]:
        before = turns.get((one.block, one.turn - 1))
        carried = before is not None and before[0] != one.contender and before[1:] == (one.operation, one.round)
        slow = 1.1 if carried and one.contender == whole.spec.baseline else 1.0
        return [msgspec.structs.replace(one, wall_s=(one.wall_s or 1) * slow)]

    folder = evidence(tmp_path, changed(whole, later))
    verdicts = json.loads((folder / files.VERDICTS).read_text())["verdicts"]
    codes = [{why["code"] for why in one["reasons"]} for one in verdicts if one["metric"] == "wall_s"]
    assert all("T15" in one for one in codes)
    found = sql.recount(folder, run)
    assert found.problems == ()
    assert found.difference < 1e-10


def test_a_block_that_nobody_finished_leaves_the_rest_complete(tmp_path: Path) -> None:
    found = recount(tmp_path, changed(record(), lambda one: [] if one.block == 9 else [one]))
    assert found.problems == ()


def test_of_two_middle_numbers_of_runs_the_lower_one_counts(tmp_path: Path) -> None:
    whole = changed(record(), lambda one: [] if (one.run, one.block % 2) == (3, 0) else [one])
    folder = evidence(tmp_path, whole)
    assert sql.recount(folder, run).problems == ()
    timings = json.loads((folder / files.VERDICTS).read_text())["timings"]
    assert {timing["runs"] for timing in timings} == {2}


def test_a_metric_that_is_missing_here_and_there(tmp_path: Path) -> None:
    def patchy(one: Sample) -> list[Sample]:
        return [msgspec.structs.replace(one, cpu_s=None) if one.block == 1 and one.run == 2 else one]

    found = recount(tmp_path, changed(record(), patchy))
    assert found.problems == ()
    assert "q1 of chdb@4.4.0, cpu_s" in why(found, "no ratio (unresolved)")


def test_what_diverged_is_named_and_not_compared(tmp_path: Path) -> None:
    names = ("q1", "q2")
    contenders = ("duckdb@2.0.0", "duckdb@1.5.5")
    wrong = gate(workload(names), contenders, wrong=[("q1", "duckdb@1.5.5")])
    found = recount(tmp_path, record(operations=names, contenders=contenders, gate=wrong))
    assert found.problems == ()
    assert "q1 of duckdb@1.5.5, wall_s" in why(found, "no ratio (diverged)")
    assert why(found, "the report shows none") == "q1 of duckdb@1.5.5; q1 of duckdb@2.0.0"
    assert why(found, "no mean over the workload") == "duckdb@1.5.5"


@pytest.mark.promise("An attempt that was killed has no `samples.parquet`; its samples are read from its journal.")
def test_killed_attempts_are_read_from_their_journals(tmp_path: Path) -> None:
    whole = under(record(starts=6), Typical.CONTRAST)
    killed = written(tmp_path, whole)
    with (killed / "journal.jsonl").open("a") as journal:
        journal.write('{"event":"turn","body":{"samp')
    second = changed(whole, lambda one: [msgspec.structs.replace(one, wall_s=1.01 * one.wall_s)])  # type: ignore[operator]
    folder = evidence(tmp_path, second)
    found = sql.recount(folder, run)
    assert found.problems == ()
    assert found.compared["ratio"] >= 12
    verdicts = json.loads((folder / files.VERDICTS).read_text())["verdicts"]
    assert {verdict["starts"] for verdict in verdicts} == {12}


@pytest.mark.parametrize("seed", range(6))
def test_sessions_with_holes_of_every_kind_agree(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    whole = record(starts=draw.randint(3, 9), runs=draw.randint(1, 4), noise=draw.choice((0.001, 0.05, 0.3)))
    holes = {(draw.randrange(9), draw.choice(("chdb@4.4.0", "duckdb@2.0.0#2"))) for _ in range(draw.randint(0, 2))}

    def holed(one: Sample) -> list[Sample]:
        if (one.block, one.arm) in holes or (one.run > 1 and draw.random() < 0.1):
            return []
        read = draw.choice((0, 4096, None)) if one.operation == "q1" else 4096 * draw.randint(1, 9)
        other = msgspec.structs.replace(one, case="other", wall_s=(one.wall_s or 1) * 3, turn=one.turn + 100)
        plain = msgspec.structs.replace(one, bytes_read=read, peak_memory=10**8)
        return [plain, other] if one.operation == "q2" else [plain]

    found = recount(tmp_path, changed(whole, holed))
    assert found.problems == ()
    assert found.difference < 1e-10
    assert found.compared["median"] >= 12


def test_names_that_sql_and_patterns_of_files_would_take_for_their_own(tmp_path: Path) -> None:
    whole = record(operations=("it's", 'a "b"'), contenders=("o'base", "new; DROP VIEW sample"))
    found = recount(tmp_path / "runs [1] of *'?", whole)
    assert found.problems == ()
    assert found.compared["ratio"] >= 6


@pytest.mark.parametrize(
    ("part", "figure"),
    [("timings", figure) for figure in sorted(TIMINGS)]
    + [("verdicts", figure) for figure in sorted(VERDICTS)]
    + [("suites", figure) for figure in ("mean", "low", "high")],
)
def test_an_edited_figure_is_named(honest: Path, part: str, figure: str) -> None:
    path = honest / files.VERDICTS
    said = json.loads(path.read_text())
    row = said[part][-1]
    row[figure] *= 2 if isinstance(row[figure], int) else 1 + 1e-7
    path.write_text(json.dumps(said))
    (problem,) = sql.recount(honest, run).problems
    assert problem.code == "R4.sql"
    assert f"{figure} is {row[figure]:.9g} in the report" in problem.text
    assert row["contender"] in problem.text


def test_a_metric_that_the_sql_does_not_read_is_said(honest: Path) -> None:
    path = honest / files.VERDICTS
    path.write_text(path.read_text().replace('"metric": "cpu_s"', '"metric": "instructions"'))
    found = sql.recount(honest, run)
    assert found.problems == ()
    assert "q1 of chdb@4.4.0, instructions" in why(found, "does not read this metric")


def test_edited_samples_disagree_with_the_report(honest: Path) -> None:
    samples = list(record().samples)
    first = next(at for at, one in enumerate(samples) if one.run > 0)
    samples[first] = msgspec.structs.replace(samples[first], wall_s=2.0)
    derived.write_samples(honest, samples)
    texts = [problem.text for problem in sql.recount(honest, run).problems]
    assert any("max is" in text and "2 by SQL" in text for text in texts)


def test_a_row_that_no_sample_supports(honest: Path) -> None:
    derived.write_samples(honest, [one for one in record().samples if one.operation != "q2"])
    found = sql.recount(honest, run)
    assert any("absent by SQL" in problem.text for problem in found.problems)
    assert all("q1" not in problem.text for problem in found.problems)


def test_a_ratio_without_a_baseline_is_no_regression(honest: Path) -> None:
    derived.write_samples(honest, [one for one in record().samples if one.contender != "duckdb@2.0.0"])
    found = sql.recount(honest, run)
    assert any("ratio is 1" in problem.text and "absent by SQL" in problem.text for problem in found.problems)


@pytest.mark.parametrize("name", ["spec.json", "verdicts.json"])
def test_what_cannot_be_read_is_a_problem_and_no_pass(honest: Path, name: str) -> None:
    (honest / name).write_text("{")
    (problem,) = sql.recount(honest, run).problems
    assert (problem.code, name in problem.text) == ("R4.sql", True)
    with pytest.raises(EvidenceFault, match="cannot be read"):
        sql.script(honest)


def test_the_script_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvidenceFault, match="no such directory"):
        sql.script(tmp_path / "nothing")
    with pytest.raises(EvidenceFault, match=r"no verdicts\.json"):
        sql.script(tmp_path)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99, 0.9999])
def test_quantiles_of_the_series_are_those_of_scipy(level: float) -> None:
    for freedom in (*range(1, 40), 99, 300, 1001):
        wanted = float(special.stdtrit(freedom, (1 + level) / 2))
        assert student_t.quantile(level, freedom) == pytest.approx(wanted, rel=1e-10)


def of_templates(root: Path, builds: int = 0) -> Path:
    """A suite of which two operations are one template; one start lacks one of them."""
    whole = record(operations=("q(x=1)", "q(x=2)", "alone"))
    assert whole.workload
    asked = tuple(
        msgspec.structs.replace(one, template="q" if "(" in one.name else msgspec.UNSET)
        for one in whole.workload.operations
    )
    samples = tuple(
        msgspec.structs.replace(one, build=one.block % builds) if builds else one
        for one in whole.samples
        if (one.operation, one.block) != ("q(x=2)", 3)
    )
    grown = msgspec.structs.replace(whole.workload, operations=asked)
    return evidence(root, msgspec.structs.replace(whole, workload=grown, samples=samples))


@pytest.mark.parametrize("builds", [0, 5])
def test_templates_agree(tmp_path: Path, builds: int) -> None:
    folder = of_templates(tmp_path, builds)
    said = json.loads((folder / files.VERDICTS).read_text())["templates"]
    assert {one["verdict"]["starts"] for one in said} == {9}
    assert {one["verdict"].get("rebuilt", {}).get("builds", 0) for one in said} == {builds}
    found = sql.recount(folder, run)
    assert found.problems == ()
    assert found.compared["ratio"] > len(said)


def test_a_template_whose_ratio_was_edited_is_found(tmp_path: Path) -> None:
    folder = of_templates(tmp_path)
    text = json.loads((folder / files.VERDICTS).read_text())
    text["templates"][0]["verdict"]["ratio"] *= 0.9
    seal.write_json(folder, files.VERDICTS, text)
    (problem,) = sql.recount(folder, run).problems
    assert problem.text.startswith("template q of")


def test_overall_ratios_agree(tmp_path: Path) -> None:
    whole = record(contenders=("a", "b", "c"), operations=("q1", "q2", "q3"), starts=6)
    whole = msgspec.structs.replace(whole, plan=Planned(cases=(), starts=6, runs=3, overall=True))
    folder = evidence(tmp_path, whole)
    assert sql.recount(folder, run).problems == ()
    printed = json.loads((folder / files.VERDICTS).read_text())
    assert [(one["verdict"]["contender"], one["verdict"]["baseline"]) for one in printed["overall"]] == [
        ("b", "a"), ("c", "a"), ("c", "b"),
    ]  # fmt: skip
    printed["overall"][2]["verdict"]["ratio"] *= 1.001
    seal.write_json(folder, files.VERDICTS, printed)
    (problem,) = sql.recount(folder, run).problems
    assert "overall of c over b" in str(problem)


def pooled_templates(root: Path) -> Path:
    """A suite of one template of eight equal operations, pooled; one start lacks one of them."""
    names = tuple(f"q(x={number})" for number in range(8))
    whole = record(operations=names)
    assert whole.workload
    asked = tuple(msgspec.structs.replace(one, template="q") for one in whole.workload.operations)
    samples = tuple(one for one in whole.samples if (one.operation, one.block) != ("q(x=2)", 3))
    rules = msgspec.structs.replace(whole.spec.rules, pooled=True)
    spec = msgspec.structs.replace(whole.spec, rules=rules)
    grown = msgspec.structs.replace(whole.workload, operations=asked)
    return evidence(root, msgspec.structs.replace(whole, workload=grown, samples=samples, spec=spec))


def test_pooled_operations_agree_and_an_edited_one_is_found(tmp_path: Path) -> None:
    folder = pooled_templates(tmp_path)
    printed = json.loads((folder / files.VERDICTS).read_text())
    assert [len(one["pooled"]) for one in printed["templates"]] == [8] * len(printed["templates"])
    found = sql.recount(folder, run)
    assert found.problems == ()
    printed["templates"][0]["pooled"][3]["low"] *= 0.99
    seal.write_json(folder, files.VERDICTS, printed)
    edited = sql.recount(folder, run)
    assert found.compared["low"] == edited.compared["low"]
    (problem,) = edited.problems
    assert problem.text.startswith("q(x=3) of ")
    assert "pooled within its template" in problem.text

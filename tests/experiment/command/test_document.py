"""The one JSON document, the report and the exit codes of an experiment."""

from __future__ import annotations

import msgspec
import pytest

from support.command import RAN, Run, Weigh
from weigh.experiment import record as records
from weigh.experiment.results.results import experiment_results
from weigh.model.answer import GateStatus
from weigh.model.gate import Gate, OperationGate
from weigh.model.rules import Rules
from weigh.model.sample import Outcome, Sample

ARGUMENTS = (
    "--contender", "a=duckdb@2.0.0", "--contender", "b=duckdb@1.5.5?threads=1", "--scale", "1K",
    "--operations", "by_action", "--starts", "1", "--rounds", "1", "--runs", "1",
)  # fmt: skip

VERDICT = {
    "operation", "metric", "temperature", "scale", "layout", "contender", "baseline", "verdict", "ratio", "low", "high",
    "confidence", "low_fcr", "high_fcr", "margin", "noise_floor", "detectable", "starts", "runs", "reasons",
}  # fmt: skip
TIMING = {
    "operation", "contender", "temperature", "scale", "layout", "metric", "starts", "runs", "min", "median", "max",
    "cv", "around",
}  # fmt: skip


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """An experiment that is too small for a verdict, asked to be strict about it."""
    return Weigh(tmp_path_factory.mktemp("strict"))("run", *ARGUMENTS, "--json", "--strict")


def test_refused_with_strict_is_exit_3(strict: Run) -> None:
    assert strict.code == 3, strict.err
    assert {verdict["verdict"] for verdict in strict.json["verdicts"]} == {"refused"}


def test_progress_goes_to_stderr(strict: Run) -> None:
    assert "gate: asking a" in strict.err
    assert "\x1b" not in strict.err
    assert "\r" not in strict.err


def test_the_document_has_the_fields_of_its_schema(strict: Run) -> None:
    found = strict.json
    assert found.keys() >= {
        "schema", "experiment", "evidence", "tier", "contenders", "gate", "timings", "verdicts", "metrics", "suites",
        "findings", "machine",
    }  # fmt: skip
    assert found["schema"] == "weigh/1"
    assert found["experiment"].keys() == {
        "id", "name", "workload", "scale", "notice", "seed", "margin", "baseline",
    }  # fmt: skip
    assert found["experiment"]["scale"] == 1000
    assert found["experiment"]["baseline"] == "a"
    contender = {"name", "engine", "version", "settings", "pins", "layout", "catalog", "store"}
    assert [row.keys() for row in found["contenders"]] == [contender] * 2
    assert [row["version"] for row in found["contenders"]] == ["2.0.0", "1.5.5"]
    assert [row["settings"] for row in found["contenders"]] == [{}, {"threads": 1}]
    assert all(row.keys() == {"operation", "status", "contenders", "detail"} for row in found["gate"])
    assert [(row["operation"], row["status"]) for row in found["gate"]] == [("by_action", "agreed")]
    assert found["timings"]
    assert all(row.keys() == TIMING for row in found["timings"])
    # Alongside the fields that are promised there may be more.
    assert all(row.keys() >= VERDICT for row in found["verdicts"])
    assert all(reason.keys() == {"code", "text"} for row in found["verdicts"] for reason in row["reasons"])
    assert found["verdicts"][0]["metric"] == "wall_s"
    assert all(row["sentence"].startswith("No verdict between b and a on by_action") for row in found["verdicts"])
    assert all(row.keys() == {"code", "text", "metrics", "operation", "contender"} for row in found["metrics"])
    for finding in found["findings"]:
        assert finding.keys() == {"code", "severity", "contender", "operation", "text", "remedy"}
        assert finding["severity"] in ("note", "warning", "error")


@pytest.mark.promise("It is complete: every number that was printed can be recomputed from it.")
def test_report_and_verify_say_the_same_again(weigh: Weigh, strict: Run) -> None:
    assert weigh("report", str(strict.evidence), "--json").json == strict.json
    verified = weigh("verify", str(strict.evidence), "--json")
    assert (verified.code, verified.json["passed"]) == (0, True)


@pytest.mark.parametrize("rows", ["0", pytest.param("1", marks=pytest.mark.long)])
def test_hardly_any_rows(weigh: Weigh, rows: str) -> None:
    run = weigh(
        "gate", "--contender", "duckdb", "--contender", "chdb", "--scale", rows, "--quiet", "--json",
        "--operations", "eq_action,by_action,distinct,top_talkers",
    )  # fmt: skip
    assert run.code in RAN, run.err
    assert run.err == ""
    assert {row["status"] for row in run.json["gate"]} == {"agreed"}
    assert run.json["verdicts"] == []


@pytest.fixture(scope="module")
def record(strict: Run) -> records.Record:
    """A real record without samples, to which the tests below give some."""
    found = records.read(strict.evidence)
    return msgspec.structs.replace(found, samples=(), blocks=found.blocks[:1])


def timed(slower: float, outcome: Outcome = Outcome.OK) -> tuple[Sample, ...]:
    """Ten starts in which b takes ``slower`` times as long as a, with a little noise that is the same every time."""
    found = []
    for block in range(10):
        for number, arm in enumerate(("a", "a#2", "b")):
            wall = 0.01 * (1 + 0.002 * ((7 * block + 3 * number) % 5)) * (slower if arm == "b" else 1.0)
            found += [
                Sample(
                    block=block, start=3 * block + number, turn=number, run=run, arm=arm, contender=arm[0],
                    operation="by_action", case="only", outcome=outcome if arm == "b" else Outcome.OK, rows=3,
                    wall_s=wall * (1 + 0.001 * run), cpu_s=wall, answer_cpu_s=0.0,
                )
                for run in range(4)
            ]  # fmt: skip
    return tuple(found)


@pytest.mark.promise("1 (different answers, or slower than a declared baseline)")
@pytest.mark.parametrize(
    ("slower", "declared", "code"), [(2.0, True, 1), (2.0, False, 0), (0.5, True, 0), (1.0, True, 0), (1.01, True, 0)]
)
def test_slower_than_a_baseline_that_was_declared(
    record: records.Record, slower: float, declared: bool, code: int
) -> None:
    spec = msgspec.structs.replace(record.spec, baseline_declared=declared, rules=Rules(margin=0.03))
    found = experiment_results([msgspec.structs.replace(record, spec=spec, samples=timed(slower))])
    assert found.exit_code() == code, [verdict.verdict for verdict in found.headline.verdicts]


@pytest.mark.promise("1 (different answers, or slower than a declared baseline)")
def test_a_wrong_answer_in_a_timed_execution_is_exit_1(record: records.Record) -> None:
    found = experiment_results([msgspec.structs.replace(record, samples=timed(1.0, Outcome.WRONG))])
    assert found.exit_code() == 1
    assert "A3.changed" in {finding.code for finding in found.findings}


@pytest.mark.parametrize(
    ("a", "b", "code"),
    [
        (GateStatus.AGREED, GateStatus.AGREED, 0),
        (GateStatus.UNVERIFIED, GateStatus.UNVERIFIED, 0),
        (GateStatus.AGREED, GateStatus.DIVERGED, 1),
        (GateStatus.AGREED, GateStatus.ERROR, 2),
        (GateStatus.AGREED, GateStatus.UNSUPPORTED, 2),
    ],
)
def test_exit_codes_of_the_gate(record: records.Record, a: GateStatus, b: GateStatus, code: int) -> None:
    word = OperationGate(operation="by_action", status=b, contenders={"a": a, "b": b})
    gate = Gate(operations=(word,), checks=(), truth=True)
    assert experiment_results([msgspec.structs.replace(record, gate=gate)]).exit_code() == code

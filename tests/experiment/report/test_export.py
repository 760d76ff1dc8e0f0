"""Exports, each read by the tool that it is for, or by its parser."""

from __future__ import annotations

import csv
import datetime
import io
import json
import math
import re
from statistics import median
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from junitparser import Error, Failure, JUnitXml, Skipped
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from golden.kept import Kept
from support import experiment_records
from support.cold_records import cooled
from support.sessions import changed, written
from weigh.cli.evidence.export import FORMS as OFFERED
from weigh.cli.main import cli
from weigh.evidence.sealing import End
from weigh.experiment.report import export, files
from weigh.experiment.report.export import benchfmt, clickbench, tables
from weigh.experiment.report.export.exported import Exported
from weigh.experiment.results.results import ExperimentResults, experiment_results
from weigh.model.answer import GateStatus
from weigh.model.errors import UsageError
from weigh.model.verdict import Reason, Tier, TierName, VerdictName

if TYPE_CHECKING:
    from pathlib import Path

KEPT = ("run", "diverged", "both")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return Kept(tmp_path_factory.mktemp("export"))


@pytest.fixture(params=KEPT)
def folder(kept: Kept, request: pytest.FixtureRequest) -> Path:
    return kept.folder / kept.path(request.param)


def of(folder: Path, form: str, contender: str | None = None) -> bytes:
    return export.export(folder, form, contender)[0]


def test_the_command_offers_every_form() -> None:
    assert tuple(export.FORMS) == OFFERED


def test_junit_fails_where_weigh_does(folder: Path) -> None:
    results = files.read(folder)
    suites = {suite.name: list(suite) for suite in JUnitXml.fromstring(of(folder, "junit"))}
    kinds = {VerdictName.SLOWER: Failure, VerdictName.ERROR: Error}
    kinds |= dict.fromkeys((VerdictName.UNRESOLVED, VerdictName.REFUSED, VerdictName.DIVERGED), Skipped)
    wall = [one for one in results.verdicts if one.metric == "wall_s"]
    for one in wall:
        name = one.operation if one.temperature == "hot" else f"{one.operation} ({one.temperature})"
        (case,) = (case for case in suites[f"{one.contender} against {one.baseline}"] if case.name == name)
        expected = kinds.get(one.verdict)
        assert [type(result) for result in case.result] == ([expected] if expected else []), one
    wrong = {
        (f"answers.{who}", one.operation)
        for one in results.gate.operations
        for who, status in one.contenders.items()
        if status is GateStatus.DIVERGED
    }  # type: ignore[union-attr]
    assert {(case.classname, case.name) for case in suites["answers"] if case.is_failure} == wrong
    errors = [one for one in results.findings if one.severity == "error"]
    assert sorted(case.name for case in suites.get("findings", [])) == sorted(one.code for one in errors)
    assert {case.name for case in suites["answers"]} == {one.operation for one in results.gate.operations}  # type: ignore[union-attr]


@pytest.mark.promise("`run`: a run that was killed or stopped is an error")
@pytest.mark.parametrize(
    ("end", "said"),
    [(None, "it was killed, or is still running"), (End(how="stopped", reason="interrupted"), "interrupted")],
)
def test_junit_of_a_run_that_is_not_complete_is_not_green(tmp_path: Path, end: End | None, said: str) -> None:
    whole = experiment_records.record(contenders=("old", "new"))
    folder = written(tmp_path, changed(whole, samples=(), blocks=(), end=end))
    (suite,) = (suite for suite in JUnitXml.fromstring(of(folder, "junit")) if suite.name == "run")
    (case,) = suite
    assert [type(one) for one in case.result] == [Error]
    assert case.result[0].message == f"Not complete: {said}."
    complete = written(tmp_path / "complete", changed(whole, end=End(how="complete")))
    assert "run" not in {suite.name for suite in JUnitXml.fromstring(of(complete, "junit"))}


def test_benchfmt_has_one_line_for_each_start(kept: Kept) -> None:
    folder = kept.folder / kept.path("run")
    (record,) = files.attempts(folder)
    found: dict[tuple[str, str], list[float]] = {}
    contender = ""
    for line in of(folder, "benchfmt").decode().splitlines():
        if line.startswith("contender: "):
            contender = line.removeprefix("contender: ")
        elif line.startswith("Benchmark"):
            name, runs, seconds, unit, *_ = line.split()
            assert unit == "sec/op"
            assert int(runs) > 0
            found.setdefault((contender, name.removeprefix("BenchmarkOperation/")), []).append(float(seconds))
    timed = [one for one in record.samples if one.timed]
    starts = {(one.arm, one.operation, one.start) for one in timed}
    assert {key: len(values) for key, values in found.items()} == {
        (arm, name): len({start for a, o, start in starts if (a, o) == (arm, name)}) for arm, name, _ in starts
    }
    arm, name, start = min(starts)
    first = median(one.wall_s or 0 for one in timed if (one.arm, one.operation, one.start) == (arm, name, start))
    assert math.isclose(found[arm, name][0], first, rel_tol=1e-8)


def test_benchfmt_keeps_apart_what_it_cannot_name_apart() -> None:
    """benchstat would take two operations of one name for one."""
    operations = ("less(o=<)", "less(o=>)", "less(o=_)")
    lines = benchfmt.write(made(experiment_results([experiment_records.record(operations=operations)]))).decode()
    names = {line.split()[0] for line in lines.splitlines() if line.startswith("Benchmark")}
    assert names == {f"BenchmarkOperation/less(o=_){end}" for end in ("", ".2", ".3")}


@pytest.mark.promise("`weigh judge` reads what `weigh export --format benchfmt` writes")
def test_weigh_judges_its_own_benchfmt(kept: Kept, tmp_path: Path) -> None:
    folder = kept.folder / kept.path("run")
    names = [one.name for one in files.read(folder).record.spec.contenders][:2]
    for number, name in enumerate(names):
        (tmp_path / f"{number}.txt").write_bytes(of(folder, "benchfmt", name))
    said = CliRunner().invoke(cli, ["judge", "--json", str(tmp_path / "0.txt"), str(tmp_path / "1.txt")])
    assert said.exit_code in (0, 1, 3), said.output
    judged = {one["operation"] for one in json.loads(said.stdout)["verdicts"]}
    assert judged == {f"Operation/{one.operation}" for one in files.read(folder).headline.verdicts}


def test_openmetrics_are_read_by_prometheus(folder: Path) -> None:
    results = files.read(folder)
    families = {one.name: one.samples for one in text_string_to_metric_families(of(folder, "openmetrics").decode())}
    wall = [one for one in results.verdicts if one.metric == "wall_s"]
    true = [one for one in families.get("weigh_verdict", []) if one.value == 1]
    assert [one.labels["weigh_verdict"] for one in true] == [one.verdict.value for one in wall]
    timings = [one.median for one in results.timings if one.metric == "wall_s"]
    assert [one.value for one in families.get("weigh_execution_seconds", [])] == timings


def test_bencher_counts_nanoseconds_within_bounds(folder: Path) -> None:
    measures = json.loads(of(folder, "bencher"))
    timings = [one for one in files.read(folder).timings if one.metric == "wall_s"]
    assert len(measures) == len({(one.contender, one.operation, one.temperature) for one in timings})
    for measure in measures.values():
        latency = measure["latency"]
        assert latency["lower_value"] <= latency["value"] <= latency["upper_value"]
    assert sorted(one["latency"]["value"] for one in measures.values()) == sorted(one.median * 1e9 for one in timings)


def clickbench_problems(document: dict[str, Any]) -> list[str]:
    """In what a document differs from the results files that ClickBench publishes."""
    texts = ("system", "date", "machine", "proprietary", "hardware", "tuned")
    wrong = [f"{name} is no text" for name in texts if not isinstance(document.get(name), str) or not document[name]]
    known = {*texts, "cluster_size", "comment", "tags", "load_time", "data_size", "result"}
    wrong += [f"{name} is not known" for name in set(document) - known - {"concurrent_qps", "concurrent_error_ratio"}]
    wrong += [name for name in ("proprietary", "tuned") if document.get(name) not in ("yes", "no")]
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", str(document.get("date"))):
        wrong.append("date")
    if not isinstance(document.get("cluster_size"), (int, str)):
        wrong.append("cluster_size")
    if not isinstance(document.get("tags"), list) or not all(isinstance(one, str) for one in document["tags"]):
        wrong.append("tags")
    for name in ("load_time", "data_size", "concurrent_qps", "concurrent_error_ratio"):
        if document.get(name) is not None and not isinstance(document[name], (int, float)):
            wrong.append(name)
    rows = document.get("result")
    if not isinstance(rows, list) or not rows:
        return [*wrong, "result"]
    for row in rows:
        if not isinstance(row, list) or len(row) != 3:
            wrong.append(f"{row} is not three tries")
        elif not all(one is None or (isinstance(one, (int, float)) and one >= 0) for one in row):
            wrong.append(f"{row} is not made of seconds")
    return wrong


def test_clickbench_has_the_shape_of_published_files_and_says_that_it_is_none(folder: Path) -> None:
    results = files.read(folder)
    for contender in results.record.spec.contenders:
        document = json.loads(of(folder, "clickbench", contender.name))
        assert clickbench_problems(document) == []
        assert "not ClickBench" in document["system"]
        assert "not comparable with published results" in document["comment"]
        assert len(document["result"]) == len(results.record.workload.operations)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "broken", [{"result": [[1, 2]]}, {"result": [[1, "2", 3]]}, {"tuned": None}, {"date": "today"}, {"extra": 1}]
)
def test_what_has_another_shape_is_found(kept: Kept, broken: dict[str, Any]) -> None:
    folder = kept.folder / kept.path("run")
    document = json.loads(of(folder, "clickbench", files.read(folder).record.spec.contenders[0].name))
    assert clickbench_problems({**document, **broken})


def test_tries_of_clickbench_are_medians_over_the_starts(kept: Kept) -> None:
    folder = kept.folder / kept.path("run")
    (record,) = files.attempts(folder)
    name = record.spec.contenders[0].name
    timed: dict[int, list[float]] = {}
    for one in record.samples:
        if one.timed and one.arm == name:
            timed.setdefault(one.start, []).append(one.wall_s or 0)
    (row,) = json.loads(of(folder, "clickbench", name))["result"]
    assert row[0] is None
    assert row[1:] == [round(median(values[which] for values in timed.values()), 6) for which in (0, 1)]


@pytest.mark.promise("What diverged, failed or may not be compared is null, as is a first try that was not proven cold")
def test_what_diverged_has_no_tries_in_clickbench(kept: Kept) -> None:
    folder = kept.folder / kept.path("diverged")
    results = files.read(folder)
    wrong = {one.operation for one in results.gate.operations if one.status is GateStatus.DIVERGED}  # type: ignore[union-attr]
    rows = json.loads(of(folder, "clickbench", results.record.spec.baseline))["result"]
    named = dict(zip([one.name for one in results.record.workload.operations], rows, strict=True))  # type: ignore[union-attr]
    assert wrong
    assert {name for name, row in named.items() if row == [None, None, None]} == wrong


def made(results: ExperimentResults) -> Exported:
    """What is exported of the baseline of made-up results."""
    return Exported(
        results=results,
        samples=results.record.samples,
        evidence="made",
        contender=results.record.spec.baseline,
        written=datetime.date(2026, 1, 2),
    )


@pytest.mark.parametrize(("resident", "proven"), [(0, True), (25_600, False)])
def test_the_first_try_is_a_cold_one_where_that_is_proven(resident: int, proven: bool) -> None:
    record = cooled(experiment_records.record(operations=("q1",)), lambda _: resident)
    exported = made(experiment_results([record]))
    own = [one for one in record.samples if one.temperature == "cold" and one.arm == record.spec.baseline]
    if not proven:
        with pytest.raises(UsageError):
            clickbench.write(exported)
        return
    document = json.loads(clickbench.write(exported))
    assert document["result"] == [[round(median(one.wall_s or 0 for one in own), 6), None, None]]


@pytest.mark.promise("An INADMISSIBLE run is refused: the form has no place for the reason")
def test_an_inadmissible_run_is_not_written_as_clickbench(kept: Kept) -> None:
    folder = kept.folder / kept.path("run")
    with pytest.raises(UsageError, match="of one system"):
        of(folder, "clickbench")
    results = files.read(folder)
    reasons = (Reason(code="A11", text="it worked outside"),)
    spoilt = msgspec.structs.replace(results, tier=Tier(name=TierName.INADMISSIBLE, reasons=reasons))
    with pytest.raises(UsageError, match=r"INADMISSIBLE \(it worked outside\)"):
        clickbench.write(made(spoilt))


def test_tables_have_everything(folder: Path) -> None:
    results = files.read(folder)
    lines = list(csv.DictReader(io.StringIO(of(folder, "csv").decode())))
    judged = [one for one in lines if one["verdict"]]
    assert sorted((one["operation"], one["contender"], one["metric"], one["verdict"]) for one in judged) == sorted(
        (one.operation, one.contender, one.metric, one.verdict.value) for one in results.verdicts
    )
    assert all(None not in one.values() for one in lines)
    samples = sum(len(record.samples) for record in files.attempts(folder))
    assert pq.read_table(io.BytesIO(of(folder, "parquet"))).num_rows == samples


def test_parquet_has_what_each_execution_cost(kept: Kept) -> None:
    """By the hour: its own seconds. Who has no price has no cost."""
    results = files.read(kept.folder / kept.path("run"))
    record = results.record
    first, *_ = (one.name for one in record.spec.contenders)
    spec = changed(record.spec, price={first: "2USD/h"})
    exported = changed(made(changed(results, record=changed(record, spec=spec))), contender=None)
    table = pq.read_table(io.BytesIO(tables.executions(exported)))
    assert table.schema.field("cost").metadata == {b"currency": b"USD"}
    for row in table.select(["contender", "wall_s", "cost"]).to_pylist():
        if row["contender"] == first and row["wall_s"] is not None:
            assert row["cost"] == pytest.approx(2 * row["wall_s"] / 3600)
        else:
            assert row["cost"] is None
    assert "cost" not in pq.read_schema(io.BytesIO(tables.executions(made(results)))).names


def test_one_contender_alone(kept: Kept) -> None:
    folder = kept.folder / kept.path("run")
    name = files.read(folder).record.spec.contenders[0].name
    lines = csv.DictReader(io.StringIO(of(folder, "csv", name).decode()))
    assert {one["contender"] for one in lines} == {name}
    with pytest.raises(UsageError, match="no contender of this run is called 'nobody'"):
        of(folder, "csv", "nobody")
    with pytest.raises(UsageError, match="all contenders together"):
        of(folder, "markdown", name)


def test_other_evidence_has_no_such_form(kept: Kept) -> None:
    said = CliRunner().invoke(cli, ["export", str(kept.folder / kept.path("load")), "--format", "junit"])
    assert isinstance(said.exception, UsageError)
    assert str(said.exception) == "a load has no form junit"

"""The second implementation of loads: DuckDB's SQL over the histograms against the figures of the report."""

from __future__ import annotations

import functools
import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pytest
from scipy import special

from lies.forging import reseal
from support.command import Weigh
from support.evidence_folders import sealed_servers, written_load
from support.load_comparison_records import comparison, spec, usual
from support.load_comparison_records import written_load as written_record
from support.rate_search_records import bucket, searched
from weigh.evidence import attempts, seal
from weigh.load.comparison import figures, verdicts
from weigh.load.comparison.report import files
from weigh.load.comparison.report.document import document
from weigh.load.recount import comparison as servers
from weigh.load.recount import load
from weigh.load.report import files as load_files
from weigh.recount import noncentral_t
from weigh.statistics import effects, student_t
from weigh.statistics.histogram import Histogram
from weigh.verdict import comparison as compared
from weigh.verdict import decide

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from support.load_comparison_records import Times
    from weigh.recount.recount import Recount


NAMES = {"old": "valkey:embedded", "new": "valkey:embedded?io-threads=2", "third": "valkey:embedded?hz=50"}


def slower(draw: np.random.Generator, count: int) -> Times:
    """Response times of a server that takes a fifth longer."""
    return 1.2 * usual(draw, count)


@functools.cache
def answers(script: str, queries: tuple[str, ...]) -> list[list[dict[str, Any]]]:
    """DuckDB in this process; once for each script, which an edited figure does not change as a rule."""
    connection = duckdb.connect(":memory:")
    connection.execute(script)
    return [connection.sql(query).to_arrow_table().to_pylist() for query in queries]


def run(script: str, queries: Sequence[str]) -> list[list[dict[str, Any]]]:
    return answers(script, tuple(queries))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three servers, one of them slower by a fifth, under a closed loop."""
    asked = spec(5, NAMES, length=3, loops=("closed",))
    return sealed_servers(tmp_path_factory.mktemp("honest"), comparison(asked, laws={"new": slower}))


@pytest.fixture
def honest(kept: Path, tmp_path: Path) -> Path:
    shutil.copytree(kept, tmp_path / kept.name)
    return tmp_path / kept.name


def edited(path: Path, change: Callable[[Any], None]) -> None:
    said = json.loads(path.read_text())
    change(said)
    path.write_text(json.dumps(said))


def texts(found: Recount) -> str:
    return "\n".join(f"{one.file}: {one.text}" for one in found.problems)


def test_every_figure_of_honest_evidence_agrees(kept: Path) -> None:
    found = servers.recount(kept, run)
    assert found.problems == ()
    said = json.loads((kept / files.JSON).read_text())
    verdicts = {(one["contender"], one["metric"]): one["verdict"] for one in said["verdicts"]}
    assert {metric for _, metric in verdicts} == {"p50", "p95", "p99", "p999", "rate", "server_cpu_s", "server_memory"}
    assert (verdicts["new", "p50"], verdicts["third", "p50"]) == ("slower", "unresolved")
    assert (verdicts["new", "server_memory"], verdicts["new", "p999"]) == ("same", "refused")
    assert (found.compared["verdict"], found.compared["detectable"]) == (14, 14)
    assert found.compared["low_fcr"] == sum(one["low_fcr"] is not None for one in said["verdicts"]) >= 10
    # Of every run: of the comparison, and of the load of its own by operation and kind of time.
    assert found.compared["p99"] >= 2 * 20


def test_a_load_of_one_server_agrees(tmp_path: Path) -> None:
    folder = written_load(tmp_path)
    found = load.recount(folder, run)
    assert found.problems == ()
    assert found.compared["p50"] >= 5
    assert found.compared["L2.rate"] == 1


def test_edited_figures_are_named(honest: Path) -> None:
    def change(said: Any) -> None:
        one = {(row["contender"], row["metric"]): row for row in said["verdicts"]}
        one["new", "p50"]["high"] *= 1.0001
        one["third", "p50"]["verdict"] = "slower"
        one["new", "rate"]["low_fcr"] = None
        said["runs"][0]["p99"] *= 1.01
        said["floors"][0]["low"] *= 0.999
        said["verdicts"].remove(one["new", "server_memory"])

    edited(honest / files.JSON, change)
    name = f"contenders/2-new/{load_files.JSON}"
    edited(honest / name, lambda said: said["runs"][0]["operations"][0]["response"]["max"].update(seen=1.0))
    found = servers.recount(honest, run)
    assert len(found.problems) == 7
    for words in (
        "p50 of all of new, closed loop, 16 connections: high is ",
        "p50 of all of third, closed loop, 16 connections: verdict is slower in the report, unresolved by SQL",
        "rate of all of new, closed loop, 16 connections: low_fcr is absent in the report",
        "run 1 of old in block 1 of attempt 1: p99 is ",
        "p50 of all of the two arms, closed loop, 16 connections: low is ",
        "server_memory of all of new, closed loop, 16 connections: the report has no verdict, and SQL has one",
        f"{name}: run 1, read, response: max is 1 in the report",
    ):
        assert words in texts(found)


def test_a_search_agrees_and_a_rate_that_broke_its_budget_is_not_kept(tmp_path: Path) -> None:
    record = searched(bucket(700.0), most=5)
    folder, _ = attempts.begin(tmp_path, record.spec.id)
    written_record(folder, record)
    load_files.write(folder)
    found = load.recount(folder, run)
    assert found.problems == ()
    assert (found.compared["kept"], found.compared["broken"]) == (1, 1)

    def change(said: Any) -> None:
        one = said["rate_search"]
        broken = next(probe for probe in one["probes"] if probe["verdict"] == "broken")
        broken["verdict"] = "kept"
        one["kept"] = broken["rate"]

    edited(folder / load_files.JSON, change)
    found = load.recount(folder, run)
    assert "verdict is kept in the report, broken by SQL from the histograms" in texts(found)
    assert "the search: kept is " in texts(found)


@pytest.mark.promise("Of a load and of several servers it computes from the histograms of the journals:")
def test_the_command_names_an_edited_figure_that_was_sealed_again(honest: Path) -> None:
    edited(honest / files.JSON, lambda said: said["verdicts"][0].update(ratio=2.0))
    reseal(honest)
    found = Weigh(honest.parent)("verify", "--sql", "--json", honest.name)
    assert (found.code, found.json["passed"]) == (1, False)
    assert [one["code"] for one in found.json["verification"]["problems"]] == ["R4.figures"]
    (problem,) = found.json["sql"]["problems"]
    assert problem["code"] == "R4.sql"
    assert "p50 of all of new, closed loop, 16 connections: ratio is 2 in the report" in problem["text"]


def test_the_printed_sql_is_all_that_duckdb_needs(tmp_path: Path) -> None:
    folder = written_load(tmp_path)
    printed = Weigh(tmp_path)("verify", "--print-sql", folder.name)
    assert (printed.code, printed.err) == (0, "")
    connection = duckdb.connect(":memory:")
    connection.execute(printed.out)
    (seen,) = connection.execute(
        "SELECT seen FROM quantile WHERE (operation, kind, name) = ('', 'response', 'p50')"
    ).fetchall()
    said = json.loads((folder / load_files.JSON).read_text())
    assert seen[0] == pytest.approx(said["operations"][0]["response"]["p50"]["seen"], rel=1e-12)


def test_damaged_histograms_fail_and_are_no_pass(honest: Path) -> None:
    path = honest / "contenders" / "1-old" / "journal.jsonl"
    path.write_text(path.read_text().replace('"response":"', '"response":"AAAA', 1))
    assert "a histogram is damaged" in texts(servers.recount(honest, run))


def _wrong_freedom(monkeypatch: pytest.MonkeyPatch) -> None:
    own = effects.over_blocks
    monkeypatch.setattr(compared, "over_blocks", lambda some: replace(own(some), freedom=own(some).freedom + 1))


def _swapped_arms(monkeypatch: pytest.MonkeyPatch) -> None:
    own = compared._differences
    monkeypatch.setattr(compared, "_differences", lambda table, turns, one, two: own(table, turns, two, one))


def _no_step_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "step_up", lambda p_values, rate, ceiling=1.0: np.zeros(len(p_values), dtype=np.bool_))


def _one_family(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "rules_of", lambda metric, asked, families: asked.rules)


def _one_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(student_t, "quantile", lambda level, freedom: special.stdtrit(freedom, level))


def _rank_below(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Histogram.quantile
    monkeypatch.setattr(Histogram, "quantile", lambda self, q: own(self, q * 0.995))


def _other_percentile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(figures.PERCENTILES, "p95", 0.9)


@pytest.mark.promise("Here an error of the judgement itself is found too, such as a wrong number of degrees of freedom")
@pytest.mark.parametrize(
    "mistake",
    [_wrong_freedom, _swapped_arms, _no_step_up, _one_family, _one_side, _rank_below, _other_percentile],
    ids=lambda one: one.__name__.strip("_"),
)
def test_a_mistake_of_the_judgement_is_found(
    honest: Path, monkeypatch: pytest.MonkeyPatch, mistake: Callable[[pytest.MonkeyPatch], None]
) -> None:
    assert servers.recount(honest, run).problems == ()
    mistake(monkeypatch)
    # Recomputing with the same code finds nothing: the document is as that code has it.
    seal.write_json(honest, files.JSON, document(files.read(honest), honest.name))
    assert servers.recount(honest, run).problems


@pytest.mark.parametrize("freedom", [4, 9, 19])
def test_the_second_way_to_the_smallest_detectable_effect(freedom: int) -> None:
    wanted = float(student_t.detectable(0.99, 0.8, np.array([float(freedom)]))[0])
    assert noncentral_t.detectable(0.99, 0.8, freedom) == pytest.approx(wanted, rel=1e-6)

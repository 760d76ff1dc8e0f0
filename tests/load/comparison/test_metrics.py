"""A metric of a load reaches every form of the report from its one declaration, and the recount agrees."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import duckdb
import msgspec
import pytest

from support.evidence_folders import sealed_servers
from support.load_comparison_records import comparison, spec
from weigh.load.comparison.figures import questions
from weigh.load.comparison.metrics import LOAD_METRICS
from weigh.load.comparison.report import files
from weigh.load.comparison.report.document import document
from weigh.load.comparison.report.report import html, plain, to_markdown
from weigh.load.comparison.results import LoadComparisonResults, load_comparison_results
from weigh.load.comparison.verdicts import verdicts
from weigh.load.recount import comparison as recount

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weigh.load.comparison.record import LoadComparisonRecord
    from weigh.load.comparison.spec import LoadArm
    from weigh.load.runs import LoadRun


def record(*, writes: bool = True) -> LoadComparisonRecord:
    """Two servers in five blocks, of which the new one writes about twice as much for each request."""

    def wrote(run: LoadRun, arm: LoadArm) -> LoadRun:
        assert run.server is not None
        factor = (2 if arm.contender == "new" else 1) * (1 + run.repeat / 500)
        used = msgspec.structs.replace(run.server, written_bytes=round(1_000_000 * factor))
        return msgspec.structs.replace(run, server=used) if writes else run

    return comparison(spec(5, length=3, loops=("closed",)), change=wrote)


@pytest.fixture(scope="module")
def results() -> LoadComparisonResults:
    return load_comparison_results([record()])


def test_bytes_written_reach_verdict_terminal_page_markdown_and_json(results: LoadComparisonResults) -> None:
    (verdict,) = (one for one in results.verdicts if one.metric == "server_written")
    assert (verdict.verdict, verdict.ratio) == ("slower", pytest.approx(2, rel=1e-3))
    title = LOAD_METRICS["server_written"].title
    made = document(results, "x")
    assert {one["metric"]: one["verdict"] for one in made["verdicts"]}["server_written"] == "slower"
    assert made["runs"][0]["server_written"] == pytest.approx(verdict.baseline_value, rel=0.02)
    for text in (plain(results, "x"), html(results).decode(), to_markdown(results, "x")):
        assert title in text
        assert "MORE" in text


def test_evidence_that_has_none_keeps_its_rates_and_its_document(results: LoadComparisonResults) -> None:
    """Only a metric that was recorded takes a share of the false discoveries."""
    made = load_comparison_results([record(writes=False)])
    assert "server_written" not in {one.metric for one in made.verdicts}
    assert "server_written" not in document(made, "x")["runs"][0]
    widths = [
        next(math.log(one.high_fcr / one.low_fcr) for one in found.verdicts if one.metric == "rate" and one.low_fcr)
        for found in (made, results)
    ]
    assert widths[0] <= widths[1]


def run(script: str, queries: Sequence[str]) -> list[list[dict[str, Any]]]:
    connection = duckdb.connect(":memory:")
    connection.execute(script)
    return [connection.sql(query).to_arrow_table().to_pylist() for query in queries]


def test_the_recount_agrees_on_what_was_written(tmp_path: Path) -> None:
    evidence = sealed_servers(tmp_path, record())
    found = recount.recount(evidence, run)
    assert (found.problems, found.compared["server_written"]) == ((), 15)
    path = evidence / files.JSON
    made = msgspec.json.decode(path.read_bytes())
    made["runs"][0]["server_written"] *= 1.5
    path.write_bytes(msgspec.json.encode(made))
    found = recount.recount(evidence, run)
    assert "server_written" in found.problems[0].text


def test_a_run_that_answered_nothing_is_named_as_such(results: LoadComparisonResults) -> None:
    """The reason names requests, and no field of an execution."""
    first = next(one for one in results.runs if one.contender == "new" and one.run.rate_achieved)
    idle = msgspec.structs.replace(first.run, rate_achieved=msgspec.structs.replace(first.run.rate_achieved, mean=0.0))
    runs = [msgspec.structs.replace(one, run=idle) if one is first else one for one in results.runs]
    found, _ = verdicts(results.record.spec, runs, questions(runs))
    (rate,) = (one for one in found if one.metric == "rate")
    assert rate.reasons[0].text == "no request was answered in 1 of 15 runs: no ratio"

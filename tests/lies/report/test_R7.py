"""R7: a TPC name or metric on a run that is not a TPC result."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.command import RAN
from weigh.experiment.results import results
from weigh.workloads.tpch import NOTICE
from weigh.workloads.trademarks import notice

from ..forging import problems, reseal
from ..reading import ONCE, contenders, missing, suites, words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.command import Run, Weigh

METRICS = re.compile(
    r"qph\w?h?\b|qpp\w?h\b|qthh?\b|tpmc|\btps[ce]\b|power@|throughput@|tpc-?h (result|score|bench)", re.I
)
"""Names that belong to the TPC's audited results, and forms of words that claim one."""
DOCUMENTS = ("report.txt", "report.html", "verdicts.json")


@pytest.fixture(scope="module")
def derived(fresh: Callable[[], Weigh]) -> Run:
    """Some of the queries of TPC-H, measured: what others print a metric of the TPC for."""
    flags = ("--workload", "tpch", "--scale", "0.01", "--operations", "q1,q6", *ONCE, "--quiet", "--json")
    return fresh()("run", *contenders("duckdb=fork", "single=fork?threads=1"), *flags)


def reports(run: Run, weigh: Weigh) -> dict[str, str]:
    """Everything that is printed or kept for people and programs."""
    texts = {name: words((run.evidence / name).read_text()) for name in DOCUMENTS}
    again = weigh("report", str(run.evidence))
    return {**texts, "stdout": run.out, "weigh report": words(again.out)}


def test_every_report_says_what_it_is_not(derived: Run, weigh: Weigh) -> None:
    assert derived.code in RAN, derived.err
    assert derived.json["timings"]
    assert derived.json["experiment"]["notice"] == NOTICE
    for name, text in reports(derived, weigh).items():
        assert NOTICE in text, name


def test_no_figure_has_a_name_of_the_tpc(derived: Run, weigh: Weigh) -> None:
    for name, text in reports(derived, weigh).items():
        assert not METRICS.search(text), name
    metrics = {row["metric"] for row in [*derived.json["timings"], *derived.json["verdicts"]]}
    # Hot data is not read: bytes_read has no rows.
    assert {"wall_s", "cpu_s", "peak_memory"} <= metrics <= set(results.METRICS)
    assert not any("tpc" in metric or "qph" in metric for metric in results.METRICS)


def test_the_expression_finds_what_it_looks_for() -> None:
    for claim in ("QphH@1: 3,000", "QppH", "tpmC", "Power@Size", "a TPC-H result", "TPCH score"):
        assert METRICS.search(claim), claim


def test_before_any_figure_it_is_said_too(weigh: Weigh) -> None:
    flags = ("--workload", "tpch", "--scale", "0.01", "--operations", "q6", "--quiet")
    only = weigh("gate", *contenders("duckdb=fork"), *flags)
    assert NOTICE in words(only.out)
    failed = weigh("gate", *contenders("duckdb?thraeds=1"), *flags, "--out", "failed")
    assert failed.code == 2
    (evidence,) = (weigh.folder / "failed").iterdir()
    assert NOTICE in words((evidence / "report.txt").read_text())


def test_other_workloads_say_nothing_of_it(twins: Run, weigh: Weigh) -> None:
    assert twins.code in RAN, twins.err
    assert twins.json["experiment"]["notice"] is None
    for name, text in reports(twins, weigh).items():
        assert "tpc" not in text.lower(), name


@pytest.mark.parametrize(
    ("name", "benchmark"),
    [
        ("tpch", "TPC-H"), ("my-TPC-DS-queries", "TPC-DS"), ("tpc_c", "TPC-C"), ("QphH", "TPC-H"),
        ("tpcds_q3", "TPC-DS"), ("tpcx", ""), ("httpchecks", ""), ("sales", ""), ("tpchunks", ""),
    ],
)  # fmt: skip
def test_a_name_of_the_tpc_is_recognised_and_others_are_not(name: str, benchmark: str) -> None:
    assert notice([name]) == (f"derived from {benchmark}, not comparable to published results" if benchmark else "")


@pytest.mark.parametrize("called", ["tpch", "sales"])
def test_queries_of_a_user_that_are_called_so_get_the_notice_and_others_do_not(weigh: Weigh, called: str) -> None:
    """The liar publishes his own query under a name of the TPC; the twin calls the same query otherwise."""
    (weigh.folder / called).mkdir()
    (weigh.folder / called / "queries.sql").write_text("SELECT count(*) AS n FROM t;\n")
    pq.write_table(pa.table({"a": [1, 2, 3]}), weigh.folder / "t.parquet")
    run = weigh("gate", "--workload", f"./{called}", "--data", "t.parquet", "--contender", "duckdb", "--quiet")
    assert run.code in RAN, run.err
    assert (NOTICE in words(run.out)) == (called == "tpch")
    (page,) = weigh.folder.glob("runs/*/report.html")
    assert (NOTICE in words(page.read_text())) == (called == "tpch")


def test_the_untouched_evidence_passes(derived: Run, weigh: Weigh) -> None:
    assert problems(weigh, derived.evidence) == set()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_report_without_the_notice_does_not_verify(derived: Run, weigh: Weigh, tmp_path: Path, name: str) -> None:
    evidence = shutil.copytree(derived.evidence, tmp_path / "evidence" / derived.evidence.name)
    path = evidence / name
    path.write_text(path.read_text().replace(NOTICE, "QphH@0.01"))
    reseal(evidence)
    assert ("R4.figures", name) in problems(weigh, evidence)


@pytest.mark.long
def test_tpc_ds_says_it_too_and_one_query_left_out_has_no_mean(weigh: Weigh) -> None:
    """The liar leaves one of 99 out and prints a mean; the twin says which is missing (R1)."""
    chosen = ("--operations", "q3,q96", *ONCE, "--quiet", "--json")
    run = weigh(
        "run", *contenders("duckdb=fork", "single=fork?threads=1"), "--workload", "tpcds", "--scale", "0.01", *chosen
    )
    assert run.code in RAN, run.err
    for name, text in reports(run, weigh).items():
        assert "derived from TPC-DS, not comparable to published results" in text, name
        assert not METRICS.search(text), name
    assert suites(run)["single"]["mean"] is None
    assert len(missing(run, "single")) >= 97
    assert missing(run, "single")["q72"] == "not chosen"


@pytest.mark.long
def test_a_wrong_answer_to_tpc_ds_is_found_with_nobody_to_compare_with(weigh: Weigh) -> None:
    """By what lineages agreed on (A1); the twin is confirmed by it."""
    flags = ("--workload", "tpcds", "--scale", "0.01", "--operations", "q96", "--quiet", "--json")
    found = {lie: weigh("gate", *contenders(f"liar?lie={lie}"), *flags) for lie in ("counts", "none")}
    assert {lie: run.json["gate"][0]["status"] for lie, run in found.items()} == {
        "counts": "diverged",
        "none": "agreed",
    }
    assert "contradicted by pinned agreement (" in found["counts"].json["gate"][0]["detail"]
    unknown = weigh("gate", *contenders("liar?lie=counts"), *flags, "--no-truth")
    assert unknown.json["gate"][0]["status"] == "unverified"

"""``weigh verify --sql``: the second implementation, as a sceptic meets it."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import duckdb
import pytest

from lies.forging import reseal
from weigh.experiment.report import files

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run, Weigh


@pytest.fixture
def evidence(small: Run, tmp_path: Path) -> Path:
    """A copy of honest evidence under the same name."""
    return shutil.copytree(small.evidence, tmp_path / "evidence" / small.evidence.name)


def test_honest_evidence_passes_and_says_what_was_compared(weigh: Weigh, small: Run) -> None:
    run = weigh("verify", "--sql", str(small.evidence))
    assert run.code == 0, run.out
    lines = run.out.splitlines()
    assert any(line.startswith("SQL in DuckDB 2.0.0 agrees: ") for line in lines)
    assert any(line.startswith("not compared: ") and "low_fcr" in line for line in lines)


def test_the_document_counts_the_figures(weigh: Weigh, small: Run) -> None:
    document = weigh("verify", "--sql", "--json", str(small.evidence)).json
    assert document["passed"]
    assert document["sql"]["problems"] == []
    assert document["sql"]["difference"] < 1e-10
    assert document["sql"]["compared"]["ratio"] >= 2
    assert document["sql"]["compared"]["cv"] >= 4


@pytest.mark.promise("A figure that differs is a problem, and the exit code 1:")
def test_an_edited_figure_that_was_sealed_again_is_named_by_sql_too(weigh: Weigh, evidence: Path) -> None:
    path = evidence / files.VERDICTS
    said = json.loads(path.read_text())
    row = next(one for one in said["verdicts"] if one["ratio"] is not None)
    row["high"] *= 1.001
    path.write_text(json.dumps(said, indent=2))
    reseal(evidence)
    run = weigh("verify", "--sql", str(evidence))
    assert run.code == 1
    place = f"{row['operation']} of two, {row['metric']}"
    assert f"R4.sql verdicts.json: {place}: high is {row['high']:.9g} in the report" in run.out
    assert "SQL in DuckDB 2.0.0 DISAGREES: 1 problem in " in run.out


def test_damaged_samples_fail_and_are_no_pass(weigh: Weigh, evidence: Path) -> None:
    (evidence / "samples.parquet").write_bytes(b"PAR1 and nothing")
    reseal(evidence)
    run = weigh("verify", "--sql", str(evidence))
    assert run.code == 1
    assert "R4.sql verdicts.json: DuckDB 2.0.0 cannot compute it: " in run.out


@pytest.mark.promise("`weigh verify --print-sql EVIDENCE` prints the SQL, with the paths in it, for any DuckDB")
def test_the_printed_sql_is_all_that_duckdb_needs(weigh: Weigh, small: Run) -> None:
    evidence = small.evidence
    printed = weigh("verify", "--print-sql", str(evidence))
    assert (printed.code, printed.err) == (0, "")
    connection = duckdb.connect(":memory:")
    connection.execute(printed.out)
    said = json.loads((evidence / files.VERDICTS).read_text())
    for row in said["verdicts"]:
        found = connection.execute(
            "SELECT ratio, low, high, median_ratio FROM verdict WHERE (operation, contender, metric) = (?, ?, ?)",
            [row["operation"], row["contender"], row["metric"]],
        ).fetchone()
        if row["ratio"] is not None:
            assert found == pytest.approx([row[name] for name in ("ratio", "low", "high", "median_ratio")], rel=1e-9)


@pytest.mark.promise(
    "It needs no engine and no data.",
    "where it is neither cached nor to be had, that is exit 2. Without `--sql` no DuckDB is needed.",
)
def test_duckdb_that_cannot_be_had(weigh: Weigh, small: Run, tmp_path: Path) -> None:
    nowhere = str(tmp_path / "empty")
    without = {"WEIGH_CACHE": nowhere, "UV_CACHE_DIR": nowhere, "UV_OFFLINE": "1"}
    run = weigh("verify", "--sql", str(small.evidence), **without)
    assert (run.code, run.out) == (2, "")
    assert "no environment with duckdb==2.0.0" in run.err
    assert "connect once" in run.err
    document = weigh("verify", "--json", str(small.evidence), **without).json
    assert (document["passed"], document["sql"]) == (True, None)


def test_what_does_not_go_together(weigh: Weigh) -> None:
    run = weigh("verify", "--print-sql", "--sql", "nothing")
    assert run.code == 2
    assert "ask for it alone" in run.err
    assert "no such directory" in weigh("verify", "--print-sql", "nothing").err

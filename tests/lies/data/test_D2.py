"""D2: table formats are compared on different bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from weigh.engines.prepared import cache_folder
from weigh.experiment import record as records
from weigh.experiment.verify.findings import departures

from ..reading import ONCE, contenders, errors, timed

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh
    from support.once import Once

NAMED = {name: f"{name}=liar?lie={lie}&catalog=delta" for name, lie in
         (("honest", "none"), ("compacts", "compacts"), ("commits", "commits"))}  # fmt: skip


@pytest.fixture(scope="module")
def run(fresh: Callable[[], Weigh], once: Once) -> Run:
    """The files themselves, the same through Delta, and two whose tables are maintained on the way."""
    flags = ("--scale", "1K", *ONCE, "--operations", "by_action", "--quiet", "--json")
    return once("formats", lambda: fresh()("run", *contenders("files=liar?lie=none", *NAMED.values()), *flags))


def said(run: Run, contender: str) -> dict[str, str]:
    return {f["code"]: f["text"] for f in run.json["findings"] if f["contender"] == contender and f["code"][:2] == "D2"}


@pytest.mark.promise("A contender whose catalog lists other bytes, or other files, is not compared.")
def test_other_bytes_behind_a_catalog_are_found(run: Run) -> None:
    assert errors(run) == {("D2.bytes", "compacts"), ("D2.files", "commits")}
    assert (
        "events/0000.parquet, which it reads through Delta, is not events-0000.parquet"
        in said(run, "compacts")["D2.bytes"]
    )
    assert "0000-compacted.parquet is no file of table events" in said(run, "commits")["D2.files"]
    assert timed(run) == {("files", "by_action"), ("honest", "by_action")}
    assert run.code == 1


def test_the_honest_twin_reads_the_bytes_of_the_layout(weigh: Weigh, run: Run) -> None:
    assert set(said(run, "honest")) == {"D2.same", "D2.format"}
    made = weigh("data", "make", "--scale", "1K", "--quiet", "--json").json["manifest"]
    assert made["files"][0]["blake3"][:12] in said(run, "honest")["D2.same"]
    (difference,) = (one for one in run.json["differences"] if one["contender"] == "honest")
    assert (difference["what"], difference["value"], difference["baseline"]) == ("catalog", "delta", "parquet")
    assert not said(run, "files")
    report = " ".join((run.evidence / "report.txt").read_text().split())
    assert "honest reads the same bytes (hashed before and after) as files through another table format" in report


def test_its_evidence_passes_and_says_what_was_listed(weigh: Weigh, run: Run) -> None:
    assert weigh("verify", str(run.evidence)).code == 0
    listed = json.loads((run.evidence / "catalogs.json").read_text())
    assert sorted((one["contender"], one["when"]) for one in listed) == sorted(
        (name, when) for name in NAMED for when in ("before", "after")
    )


@pytest.mark.parametrize("contender", ["compacts", "commits", "honest"])
def test_who_takes_the_finding_away_is_found(run: Run, contender: str) -> None:
    record = records.read(run.evidence)
    assert not list(departures(record))
    kept = tuple(one for one in record.findings if not (one.contender == contender and one.code.startswith("D2")))
    assert [one for one in departures(msgspec.structs.replace(record, findings=kept)) if contender in one]
    gone = tuple(one for one in record.catalogs if one.contender != contender)
    assert [one for one in departures(msgspec.structs.replace(record, catalogs=gone)) if contender in one]


@pytest.mark.promise("What is registered are links of weigh's own: the files of the layout stay as they are.")
def test_the_layout_is_not_touched(weigh: Weigh, run: Run) -> None:
    made = weigh("data", "make", "--scale", "1K", "--quiet", "--json").json
    assert weigh("data", "check", made["folder"]).code == 0
    assert Path(made["folder"]).is_relative_to(cache_folder())


@pytest.mark.long
@pytest.mark.promise(
    "DuckDB 1.5.5 through Delta answers NULL for every column, with the right count and no error, where the Parquet"
    " files carry field ids."
)
def test_a_reader_that_answers_null_is_named_with_its_format(weigh: Weigh) -> None:
    """TPC-H as its generator writes it, with field ids: one reader is wrong, and no other is accused."""
    (weigh.folder / "weigh.toml").write_text('[layout]\nwriter = "tpchgen"\ncodec = "snappy"\n')
    wrong = "duckdb@1.5.5?catalog=delta"
    right = ("iceberg", "ducklake"), ("iceberg", "delta"), ("delta",)
    named = [
        f"{engine}?catalog={kind}"
        for engine, kinds in zip(("duckdb@1.5.5", "polars", "datafusion"), right, strict=True)
        for kind in kinds
    ]
    flags = ("--workload", "tpch", "--scale", "0.01", "--operations", "q1,q6,q12", "--quiet", "--json")
    run = weigh("gate", *contenders("duckdb@1.5.5", wrong, *named), *flags)
    assert errors(run) == {("A4.rows", wrong)}
    assert "read through Delta, with other rows than it was given" in run.out
    assert {row["status"] for row in run.json["gate"]} == {"agreed"}
    assert {one["contender"] for one in run.json["findings"] if one["code"] == "D2.same"} == {wrong, *named}
    assert run.code == 1

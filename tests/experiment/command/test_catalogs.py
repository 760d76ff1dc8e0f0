"""What cannot be read through a table format is refused before anything is made."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from support.command import Run, Weigh

ICEBERG = "duckdb@1.5.5?catalog=iceberg"
TOML = """\
[experiment]
workload = "sql"
[[contender]]
name = "through"
engine = "duckdb"
version = "1.5.5"
catalog = "{catalog}"
[sql]
folder = "queries"
tables = {{ t = {files} }}
"""


def assert_refused(run: Run, *said: str) -> None:
    assert run.code == 2, run.err
    assert not (run.folder / "runs").exists()
    assert all(words in " ".join(run.err.split()) for words in said), run.err


@pytest.mark.promise("A contender that cannot read a format is refused before anything is made, with the reason.")
@pytest.mark.parametrize(
    ("contender", "said"),
    [
        ("duckdb@1.5.5?catalog=iceburg", "there is no catalog 'iceburg' did you mean 'iceberg'?"),
        ("duckdb?catalog=iceberg", f"on PyPI for 1.5.5 and not for other versions that weigh has tried say {ICEBERG}"),
        ("datafusion@50.1.0?catalog=delta", "say datafusion@55.0.0?catalog=delta"),
        ("sqlite?catalog=ducklake", "no reader of DuckLake contenders that do: duckdb@1.5.5?catalog=ducklake"),
        ("datafusion?catalog=iceberg", "DataFusion 55 refuses PyIceberg's tables"),
        ("chdb?catalog=ducklake", "ClickHouse has no function for it"),
    ],
)  # fmt: skip
def test_a_contender_that_cannot(weigh: Weigh, contender: str, said: str) -> None:
    assert_refused(weigh("gate", "--contender", "duckdb", "--contender", contender, "--scale", "1K", "--quiet"), said)


def written(path: Path, ids: Sequence[int | None]) -> None:
    """A table of three columns with these field ids."""
    metadata = [None if one is None else {"PARQUET:field_id": str(one)} for one in ids]
    schema = pa.schema([pa.field(name, pa.int64(), metadata=one) for name, one in zip("abc", metadata, strict=True)])
    pq.write_table(pa.table([pa.array([1, 2]), pa.array([10, 20]), pa.array([100, 200])], schema=schema), path)


def own(weigh: Weigh, catalog: str, *files: str) -> Run:
    """A gate over the user's own files."""
    (weigh.folder / "queries").mkdir()
    (weigh.folder / "queries" / "sums.sql").write_text("SELECT sum(a) AS a, sum(b) AS b FROM t")
    (weigh.folder / "weigh.toml").write_text(TOML.format(catalog=catalog, files=list(files)))
    return weigh("gate", "weigh.toml", "--quiet")


@pytest.mark.promise("Field ids that are not those of the table are refused for Iceberg, with the column.")
@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ((2, 3, 1), "column a has field id 2, and that of a table is 1"),
        ((0, 1, 2), "column a has field id 0, and that of a table is 1"),
        ((1, 2, 12), "column c has field id 12, and that of a table is 3"),
        ((1, None, 3), "column b has no field id, and that of a table is 2"),
    ],
)
def test_permuted_field_ids(weigh: Weigh, ids: Sequence[int | None], said: str) -> None:
    written(weigh.folder / "t.parquet", ids)
    assert_refused(own(weigh, "iceberg", "t.parquet"), said, "t.parquet", "write the file without field ids")


def test_field_ids_inside_a_column(weigh: Weigh) -> None:
    inner = pa.struct([pa.field("x", pa.int64(), metadata={"PARQUET:field_id": "7"})])
    pq.write_table(pa.table({"s": pa.array([{"x": 1}], inner)}), weigh.folder / "t.parquet")
    assert_refused(own(weigh, "iceberg", "t.parquet"), "columns inside nested ones have field ids")


@pytest.mark.promise("A file that would be registered twice is refused: its rows would count twice.")
def test_a_file_that_is_given_twice(weigh: Weigh) -> None:
    written(weigh.folder / "one.parquet", (None, None, None))
    (weigh.folder / "two.parquet").hardlink_to(weigh.folder / "one.parquet")
    run = own(weigh, "ducklake", "one.parquet", "two.parquet")
    assert_refused(run, "two.parquet: this file of table t is", "one.parquet as well", "name it once")


def test_init_keeps_the_catalog(weigh: Weigh) -> None:
    written(weigh.folder / "t.parquet", (None, None, None))
    (weigh.folder / "q.sql").write_text("SELECT sum(a) AS s FROM t")
    named = ("--contender", "duckdb", "--contender", "duckdb@1.5.5?catalog=delta")
    assert weigh("init", "--data", "t.parquet", "--sql", "q.sql", *named).code == 0
    asked = tomllib.loads((weigh.folder / "weigh.toml").read_text())["contender"]
    assert [one.get("catalog") for one in asked] == [None, "delta"]

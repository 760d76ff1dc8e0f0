"""Folders that are a table of Delta or Iceberg: what its log names now is read, and no file that lies there besides."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.data import user_files
from weigh.data.catalog.registrar import REQUIREMENTS
from weigh.engines import environment
from weigh.engines.prepared import cache_folder

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh

PROTOCOL: dict[str, Any] = {"minReaderVersion": 1, "minWriterVersion": 2}
WITH_VECTORS = {
    "minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["deletionVectors"],
    "writerFeatures": ["deletionVectors"],
}  # fmt: skip


def delta(folder: Path, protocol: dict[str, Any] = PROTOCOL, partitioned: tuple[str, ...] = ()) -> None:
    """A table of Delta of the rows 1 and 2, whose row 9 was removed; its file lies there still."""
    log = folder / "_delta_log"
    log.mkdir(parents=True)
    for name, rows in (("a", [1]), ("b", [2]), ("removed", [9])):
        pq.write_table(pa.table({"id": pa.array(rows, pa.int64())}), folder / f"part-{name}.parquet")
    fields = [{"name": name, "type": "long", "nullable": True, "metadata": {}} for name in ("id", *partitioned)]
    metadata = {
        "id": "x", "format": {"provider": "parquet", "options": {}}, "configuration": {},
        "partitionColumns": partitioned, "schemaString": json.dumps({"type": "struct", "fields": fields}),
    }  # fmt: skip
    common = {"partitionValues": dict.fromkeys(partitioned, "1"), "modificationTime": 0, "dataChange": True}

    def add(name: str) -> dict[str, Any]:
        file = f"part-{name}.parquet"
        return {"add": {"path": file, "size": (folder / file).stat().st_size, **common}}

    first = [{"protocol": protocol}, {"metaData": metadata}, add("a"), add("removed")]
    second = [add("b"), {"remove": {"path": "part-removed.parquet", "deletionTimestamp": 1, "dataChange": True}}]
    for number, entries in enumerate((first, second)):
        (log / f"{number:020}.json").write_text("".join(json.dumps(one) + "\n" for one in entries))


def test_a_table_is_one_of_the_files_of_a_folder(tmp_path: Path) -> None:
    delta(tmp_path / "lake" / "orders")
    (tmp_path / "lake" / "other").mkdir()
    (found,) = user_files.matches("lake", tmp_path)
    assert (user_files.form(found), user_files.by_name([found])) == ("Delta", {"orders": [found]})
    assert user_files.matches("lake/orders", tmp_path) == [found]


def test_rows_that_were_removed_are_not_read(weigh: Weigh) -> None:
    delta(weigh.folder / "orders")
    (weigh.folder / "q.sql").write_text("SELECT count(*) AS n, sum(id) AS s FROM orders;")
    made = weigh("init", "--data", "orders", "--sql", "q.sql", "--quiet")
    assert made.code == 0, made.err
    assert "tables:  orders (2 files)\n" in made.out
    assert "orders (Delta): its files of Parquet, as deltalake" in made.out
    assert "version 1 of its log: 2 files\n" in made.out
    # What the queries are asked about: neither row 9 nor its file.
    gate = weigh("gate", "--contender", "duckdb", "--contender", "polars", "--quiet", "--json")
    assert gate.code == 0, gate.err
    manifest = json.loads(next((weigh.folder / "runs").rglob("manifest.json")).read_text())
    assert sum(one["rows"] for one in manifest["files"]) == 2


@pytest.mark.parametrize(
    ("protocol", "partitioned", "why"),
    [(WITH_VECTORS, (), "deletion vectors"), (PROTOCOL, ("day",), "its columns day are in names of folders alone")],
)
def test_what_files_alone_do_not_say_is_refused_with_a_remedy(
    weigh: Weigh, protocol: dict[str, Any], partitioned: tuple[str, ...], why: str
) -> None:
    delta(weigh.folder / "orders", protocol, partitioned)
    done = weigh("init", "--data", "orders", "--quiet")
    assert done.code == 2
    assert why in done.err
    assert "write its rows as Parquet: duckdb -c" in done.err


def test_a_file_that_was_deleted_is_named(weigh: Weigh) -> None:
    delta(weigh.folder / "orders")
    (weigh.folder / "orders" / "part-b.parquet").unlink()
    done = weigh("init", "--data", "orders", "--quiet")
    assert done.code == 2
    assert "part-b.parquet" in done.err


ICEBERG = """
import sys, pyarrow as pa
from pyiceberg.catalog.memory import InMemoryCatalog
root = sys.argv[1]
catalog = InMemoryCatalog("x", warehouse=f"file://{root}")
catalog.create_namespace("lake")
rows = pa.table({"id": pa.array([1, 2, 9], pa.int64())})
made = catalog.create_table("lake.orders", schema=rows.schema)
made.append(rows)
made.append(rows)
made.delete("id = 9")
"""


@pytest.mark.long
def test_a_table_of_iceberg_is_its_newest_snapshot(weigh: Weigh) -> None:
    python = environment.ensure(list(REQUIREMENTS["iceberg"]), cache_folder()).python
    subprocess.run([str(python), "-c", ICEBERG, str(weigh.folder)], check=True, capture_output=True)
    (folder,) = weigh.folder.rglob("orders")
    assert len([*folder.rglob("*.parquet")]) > 2
    (weigh.folder / "q.sql").write_text("SELECT count(*) AS n FROM orders;")
    made = weigh("init", "--data", str(folder), "--sql", "q.sql", "--quiet")
    assert made.code == 0, made.err
    assert "tables:  orders (2 files)\n" in made.out
    assert "orders (Iceberg): its files of Parquet, as pyiceberg" in made.out

"""D3: a hash that says "changed" though only the order moved, or one that protects nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.command import Weigh


class Original(NamedTuple):
    """A small table of netflow."""

    folder: Path
    table: pa.Table
    digest: str


def digest(weigh: Weigh, folder: Path) -> str:
    run = weigh("data", "digest", *map(str, sorted(folder.glob("*.parquet"))), "--json")
    assert run.code == 0, run.err
    return str(run.json["digest"])


@pytest.fixture(scope="module")
def original(fresh: Callable[[], Weigh]) -> Original:
    weigh = fresh()
    folder = weigh.folder / "original"
    folder.mkdir()
    made = weigh("data", "make", "--scale", "5K", "--quiet", "--json").json["folder"]
    table = pq.read_table(f"{made}/events-0000.parquet")
    pq.write_table(table, folder / "events.parquet")
    return Original(folder, table, digest(weigh, folder))


def changed_cell(table: pa.Table) -> pa.Table:
    sizes = table["bytes"].to_pylist()
    sizes[1234] += 1
    return table.set_column(table.column_names.index("bytes"), "bytes", pa.array(sizes, table["bytes"].type))


def null_for_empty(table: pa.Table) -> pa.Table:
    users = table["user_name"].to_pylist()
    users[users.index(None)] = ""
    return table.set_column(table.column_names.index("user_name"), "user_name", pa.array(users, pa.string()))


def dropped_row(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table.slice(0, 77), table.slice(78)])


def duplicated_row(table: pa.Table) -> pa.Table:
    return pa.concat_tables([table, table.slice(77, 1)])


def replaced_row(table: pa.Table) -> pa.Table:
    return pa.concat_tables([dropped_row(table), table.slice(99, 1)])


def swapped_columns(table: pa.Table) -> pa.Table:
    names = ["dst_ip" if name == "src_ip" else "src_ip" if name == "dst_ip" else name for name in table.column_names]
    return table.select(names)


def swapped_contents(table: pa.Table) -> pa.Table:
    return swapped_columns(table).rename_columns(table.column_names)


@pytest.mark.parametrize(
    "edit",
    [changed_cell, null_for_empty, dropped_row, duplicated_row, replaced_row, swapped_columns, swapped_contents],
)
def test_an_edit_changes_the_digest(weigh: Weigh, original: Original, edit: Callable[[pa.Table], pa.Table]) -> None:
    edited = weigh.folder / "edited"
    edited.mkdir()
    pq.write_table(edit(original.table), edited / "events.parquet")
    assert digest(weigh, edited) != original.digest
    diff = weigh("data", "diff", str(original.folder), str(edited), "--json")
    assert diff.code == 1
    assert not diff.json["same"]


def test_the_one_row_that_differs_is_shown(weigh: Weigh, original: Original) -> None:
    edited = weigh.folder / "edited"
    edited.mkdir()
    pq.write_table(duplicated_row(original.table), edited / "events.parquet")
    run = weigh("data", "diff", str(original.folder), str(edited))
    assert run.code == 1
    assert "only in" in run.out
    assert f"event_id={original.table['event_id'][77].as_py()!r}" in run.out


def reordered(table: pa.Table, folder: Path) -> None:
    pq.write_table(table.sort_by([("src_ip", "descending"), ("event_id", "ascending")]), folder / "a.parquet")


def reencoded(table: pa.Table, folder: Path) -> None:
    pq.write_table(table, folder / "a.parquet", use_dictionary=False, data_page_version="2.0", row_group_size=321)


def repartitioned(table: pa.Table, folder: Path) -> None:
    for number, at in enumerate((0, 2000, 2001)):
        part = table.slice(at, (2000, 1, None)[number])
        pq.write_table(part, folder / f"{3 - number}.parquet")


def recompressed(table: pa.Table, folder: Path) -> None:
    pq.write_table(table, folder / "a.parquet", compression="gzip")


def rewritten(table: pa.Table, folder: Path) -> None:
    duckdb.from_arrow(table).write_parquet(str(folder / "a.parquet"))


@pytest.mark.parametrize("rewrite", [reordered, reencoded, repartitioned, recompressed, rewritten])
def test_another_form_of_the_same_rows_does_not(
    weigh: Weigh, original: Original, rewrite: Callable[[pa.Table, Path], None]
) -> None:
    other = weigh.folder / "other"
    other.mkdir()
    rewrite(original.table, other)
    assert digest(weigh, other) == original.digest
    diff = weigh("data", "diff", str(original.folder), str(other), "--json")
    assert diff.code == 0
    assert diff.json["same"]


def test_weighs_own_writers_write_the_same_rows(weigh: Weigh) -> None:
    made = {
        writer: weigh("data", "make", "--scale", "5K", "--writer", writer, "--quiet", "--json").json["manifest"]
        for writer in ("duckdb", "pyarrow")
    }
    assert made["duckdb"]["digests"] == made["pyarrow"]["digests"]
    assert made["duckdb"]["files"][0]["blake3"] != made["pyarrow"]["files"][0]["blake3"]

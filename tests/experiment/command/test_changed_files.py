"""A file whose manifest was forged with it: hashes tell nothing, and the digest of the rows does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from weigh._native import hash_file
from weigh.data.layout import file_facts
from weigh.engines.prepared import cache_folder

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh


def test_rows_of_changed_parquet_are_not_those_that_were_given(weigh: Weigh, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    for folder in ("envs", "locks"):
        (cache / folder).symlink_to(cache_folder() / folder)
    made = weigh("data", "make", "--scale", "1K", "--json", WEIGH_CACHE=str(cache))
    folder = tmp_path / made.json["folder"]
    manifest = file_facts.load(folder)
    path = folder / manifest.files[0].path
    rows = pq.read_table(path)
    at = rows.column_names.index("packets")
    packets = [rows["packets"][0].as_py() + 1, *rows["packets"].to_pylist()[1:]]
    pq.write_table(rows.set_column(at, rows.schema.field(at), pa.array(packets, rows.schema.field(at).type)), path)
    forged = msgspec.structs.replace(manifest.files[0], bytes=path.stat().st_size, blake3=hash_file(path))
    file_facts.save(msgspec.structs.replace(manifest, files=(forged, *manifest.files[1:])), folder)
    flags = ("--contender", "duckdb", "--contender", "polars", "--scale", "1K", "--operations", "by_action")
    run = weigh("gate", *flags, "--quiet", "--json", WEIGH_CACHE=str(cache))
    found = [one for one in run.json["findings"] if one["severity"] == "error"]
    # The engines read what lies there: the files are named, and nobody's reader.
    assert {(one["code"], one["contender"]) for one in found} == {("D8.changed", "duckdb"), ("D8.changed", "polars")}
    assert all("hold other rows than when they were made" in one["text"] for one in found)
    assert run.code == 1

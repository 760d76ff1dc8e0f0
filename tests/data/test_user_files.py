"""A user's own files: their facts are read once, by the build of weigh that compares answers with them."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh._native import digest_parquet, hash_file
from weigh.data import user_files


def test_facts_are_of_the_build_that_read_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that reads other values of a type would accuse everybody, given the facts of another one."""
    file, cache = tmp_path / "t.parquet", tmp_path / "cache"
    pq.write_table(pa.table({"a": [1, 2]}), file)

    def digest() -> str:
        return user_files.facts(file, "t", "t/0000.parquet", hash_file(file), cache).digest

    assert digest() == digest_parquet([file])
    (stored,) = cache.rglob("*.json")
    wrong = json.loads(stored.read_bytes()) | {"digest": digest_parquet([file], [])}
    stored.write_bytes(msgspec.json.encode(wrong))
    assert digest() == wrong["digest"]
    monkeypatch.setattr(user_files, "_reader", lambda: "another")
    assert digest() == digest_parquet([file])


@pytest.mark.parametrize(
    ("names", "tables"),
    [
        (["part-0.parquet", "part-00001.parquet"], {"tpch"}),
        (["0.parquet", "1.parquet"], {"tpch"}),
        (["part-0.parquet", "part_1.parquet", "partsupp-0.parquet"], {"part", "partsupp"}),
        (["events-part-1.parquet", "events-part-2.parquet"], {"events"}),
    ],
)
def test_a_part_is_of_its_folder_and_beside_other_tables_one_itself(names: list[str], tables: set[str]) -> None:
    assert set(user_files.by_name(Path("tpch") / name for name in names)) == tables

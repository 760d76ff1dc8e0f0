"""A user's own files: their facts are read once, by the build of weigh that compares answers with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from weigh._native import digest_parquet, hash_file
from weigh.data import user_files

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


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

"""Registered data: read once, used where it lies, and found out when it is other data."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh import _native
from weigh.data import registered
from weigh.model.errors import DataFault, UsageError
from weigh.model.progress import Silence

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A small table."""
    path = tmp_path / "events.parquet"
    write(path, range(100))
    return path


def write(path: Path, values: range) -> None:
    pq.write_table(pa.table({"n": list(values), "text": [str(value) for value in values]}), path)


@pytest.fixture
def cache(tmp_path: Path, file: Path) -> Path:
    """A cache in which it is registered."""
    folder = tmp_path / "cache"
    registered.register("events", {"events": [file]}, folder, Silence())
    return folder


@pytest.mark.promise(
    "A run with registered data reads no file again whose size, times of change, inode and device are those of before."
)
def test_a_file_that_nobody_touched_is_not_read_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_path: Path) -> str:
        raise AssertionError("it was read")

    monkeypatch.setattr(_native, "hash_file", read)
    assert registered.confirmed("events", cache).files[0].rows == 100


def test_a_file_that_was_only_touched_is_read_once_more(cache: Path, file: Path) -> None:
    before = registered.load("events", cache)
    os.utime(file)
    now = registered.confirmed("events", cache)
    assert now != before
    assert now.files[0].blake3 == before.files[0].blake3
    assert registered.load("events", cache) == now


@pytest.mark.promise("with the same bytes the run goes on, with other bytes it ends with exit 2")
def test_other_bytes_behind_the_same_size_and_time_are_found(cache: Path, file: Path) -> None:
    """The time of the last change of anything about a file cannot be set back."""
    time = file.stat().st_mtime_ns
    damaged = bytearray(file.read_bytes())
    damaged[100] ^= 1
    file.write_bytes(damaged)
    os.utime(file, ns=(time, time))
    with pytest.raises(DataFault, match=r"D8\."):
        registered.confirmed("events", cache)
    assert [one.severity for one in registered.changed("events", cache)] == ["error"]


def test_another_size_is_said(cache: Path, file: Path) -> None:
    write(file, range(90))
    with pytest.raises(DataFault, match=r"D8\.size"):
        registered.confirmed("events", cache)


def test_a_file_that_is_gone_is_said(cache: Path, file: Path) -> None:
    file.unlink()
    with pytest.raises(DataFault, match=r"D8\.missing"):
        registered.confirmed("events", cache)


def test_digests_of_another_scheme_are_not_compared(cache: Path, file: Path) -> None:
    digest = registered.load("events", cache).files[0].digest
    kept = [path for path in (cache / "data").rglob("*.json") if digest in path.read_text()]
    assert len(kept) == 2, "the registration, and the facts of the file"
    for path in kept:
        path.write_text(path.read_text().replace("x3s2:", "x3s0:"))
    with pytest.raises(DataFault, match="another version of weigh") as raised:
        registered.confirmed("events", cache)
    (cache / "data" / "registered" / "events.json").unlink()
    assert "remove it" in raised.value.remedy
    again = registered.register("events", {"events": [file]}, cache, Silence())
    assert again.files[0].digest == digest


def test_a_name_is_not_taken_from_other_files_unless_that_is_meant(cache: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.parquet"
    write(other, range(5))
    with pytest.raises(UsageError, match="registered already"):
        registered.register("events", {"events": [other]}, cache, Silence())
    assert registered.register("events", {"events": [other]}, cache, Silence(), force=True).files[0].rows == 5


@pytest.mark.parametrize("name", ["", "a/b", "..", "-x", "a b", "x" * 65])
def test_a_name_that_could_be_a_path_is_refused(name: str, file: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be a name"):
        registered.register(name, {"events": [file]}, tmp_path / "cache", Silence())


def test_the_commands(weigh: Weigh, tmp_path: Path) -> None:
    weigh.folder.mkdir(exist_ok=True)
    write(weigh.folder / "flows.parquet", range(50))
    write(weigh.folder / "days.parquet", range(5))
    # The caches of environments are the user's; what is registered lies in one of this test's own.
    from weigh.engines.prepared import cache_folder

    own = tmp_path / "cache"
    own.mkdir()
    for folder in ("envs", "locks"):
        (own / folder).symlink_to(cache_folder() / folder)
    there = {"WEIGH_CACHE": str(own)}
    assert weigh("data", "register", "flows.parquet", "days.parquet", **there).code == 2
    made = weigh("data", "register", "flows.parquet", "days.parquet", "--name", "both", "--quiet", "--json", **there)
    assert [table["table"] for table in made.json["registered"][0]["tables"]] == ["flows", "days"]
    assert weigh("data", "list", "--json", **there).json == made.json
    flags = ("--contender", "duckdb", "--contender", "sqlite", "--quiet", "--json")
    run = weigh("gate", "--ingest", "--data", "both", *flags, **there)
    assert {row["operation"]: row["status"] for row in run.json["gate"]} == {
        "ingest_flows": "agreed", "ingest_days": "agreed"
    }  # fmt: skip
    write(weigh.folder / "days.parquet", range(6))
    changed = weigh("gate", "--ingest", "--data", "both", *flags, **there)
    assert changed.code == 2
    assert "since it was registered as 'both'" in changed.err
    assert weigh("data", "unregister", "both", **there).code == 0
    assert (weigh.folder / "flows.parquet").exists()
    assert weigh("data", "unregister", "both", **there).code == 2
    refused = weigh("data", "register", "t=https://me:secret@example.org/x.parquet?signature=secret", **there)
    assert refused.code == 2
    assert "'https://example.org/x.parquet' is an address" in refused.err
    assert "secret" not in refused.err

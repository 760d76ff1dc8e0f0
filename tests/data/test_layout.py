"""Layouts: the same rows in any physical form, whole or not at all, and never silently changed."""

from __future__ import annotations

import stat
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.data import cache as store
from weigh.data.generator import dataset_name
from weigh.data.layout import file_facts, parquet
from weigh.model.dataset import DatasetName
from weigh.model.errors import DataFault, EnvironmentFault, UsageError
from weigh.model.spec import LayoutSpec

NAME = dataset_name("netflow", 10_000, 42)
PYARROW = LayoutSpec(writer="pyarrow", row_group_rows=4_096)


def writer_that(folder: Path, body: str) -> Path:
    """A stand-in for the interpreter of the writer's environment."""
    script = folder / "python"
    script.write_text(f"#!/bin/sh\n{body}\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return script


def test_a_dataset_is_made_once(tmp_path: Path) -> None:
    first = store.ensure(NAME, PYARROW, tmp_path)
    inode = (first.folder / "manifest.json").stat().st_ino
    second = store.ensure(NAME, PYARROW, tmp_path)
    assert second.folder == first.folder
    assert second.manifest == first.manifest
    assert (second.folder / "manifest.json").stat().st_ino == inode
    assert first.manifest.rows("events") == 10_000
    assert first.truth["totals"]["events"][0] == 10_000


@pytest.mark.parametrize(
    "spec",
    [
        LayoutSpec(writer="pyarrow", codec="snappy", files=3),
        LayoutSpec(writer="pyarrow", codec="none", row_group_rows=1_000),
        LayoutSpec(writer="pyarrow", codec="lz4"),
        LayoutSpec(writer="pyarrow", codec="gzip", files=3, row_group_rows=2_000),
    ],
)
def test_every_layout_holds_the_same_rows(tmp_path: Path, spec: LayoutSpec) -> None:
    usual, other = (store.ensure(NAME, form, tmp_path) for form in (PYARROW, spec))
    assert other.manifest.digests == usual.manifest.digests
    assert len(other.manifest.files) == spec.files
    assert max(file.rows for file in other.manifest.files) - min(file.rows for file in other.manifest.files) <= 1
    sizes = [file.parquet["row_groups"]["max_rows"] for file in other.manifest.files]
    assert max(sizes) == min(
        spec.row_group_rows or parquet.ROW_GROUP_ROWS, max(file.rows for file in other.manifest.files)
    )


def test_types_in_the_file_are_plain(tmp_path: Path) -> None:
    stored = store.ensure(NAME, PYARROW, tmp_path)
    schema = pq.read_schema(stored.folder / stored.manifest.files[0].path)
    assert schema.field("user_name").type == pa.string()
    assert schema.field("ts").type == pa.timestamp("us")
    assert schema.field("packets").type == pa.int32()


def test_what_is_left_open_is_the_writers_own_choice(tmp_path: Path) -> None:
    """Byte for byte what PyArrow makes of these rows by itself, whatever form the generator hands them over in."""
    stored = store.ensure(NAME, LayoutSpec(writer="pyarrow"), tmp_path / "cache")
    (made,) = (stored.folder / path for path in stored.manifest.paths("events"))
    own = tmp_path / "own.parquet"
    rows, codec = parquet.ROW_GROUP_ROWS, "zstd"
    pq.write_table(pq.read_table(made), own, row_group_size=rows, compression=codec, store_schema=False)
    assert made.read_bytes() == own.read_bytes()


@pytest.mark.parametrize("scale", [0, 1])
def test_tiny_datasets_are_valid(tmp_path: Path, scale: int) -> None:
    stored = store.ensure(dataset_name("netflow", scale, 1), LayoutSpec(writer="pyarrow", files=2), tmp_path)
    assert stored.manifest.rows("events") == scale
    assert [pq.read_table(stored.folder / path).num_rows for path in stored.manifest.paths("events")] == [
        scale,
        0,
    ]


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda path: path.unlink(), "D8.missing"),
        (lambda path: path.write_bytes(path.read_bytes()[:-10]), "D8.size"),
        (lambda path: path.write_bytes(b"PAR0" + path.read_bytes()[4:]), "D8.bytes"),
        (lambda path: rewrite(path, 1), "D8"),
    ],
)
def test_damage_is_named(tmp_path: Path, damage, code: str) -> None:
    stored = store.ensure(NAME, PYARROW, tmp_path)
    assert file_facts.verify(stored.folder, stored.manifest, "digest") == []
    damage(stored.folder / stored.manifest.files[0].path)
    found = file_facts.verify(stored.folder, stored.manifest)
    assert [finding.code.startswith(code) for finding in found] == [True]
    with pytest.raises(DataFault) as raised:
        store.ensure(NAME, PYARROW, tmp_path)
    assert "remove" in raised.value.remedy


def rewrite(path: Path, dropped: int) -> None:
    table = pq.read_table(path)
    pq.write_table(table.slice(dropped), path)


def test_an_edited_manifest_is_noticed_by_the_digest(tmp_path: Path) -> None:
    stored = store.ensure(NAME, PYARROW, tmp_path)
    path = stored.folder / stored.manifest.files[0].path
    rewrite(path, 1)
    now = file_facts.file_facts(path, "events", path.name)
    edited = msgspec_replace(stored.manifest, now)
    assert [finding.code for finding in file_facts.verify(stored.folder, edited, "digest")] == ["D8.rows"]


def test_data_with_digests_of_another_scheme_is_made_beside_it(tmp_path: Path) -> None:
    stored = store.ensure(NAME, PYARROW, tmp_path)
    manifest = stored.folder / "manifest.json"
    current = manifest.read_text()
    manifest.write_text(current.replace('"x3s2:', '"x3s0:'))
    with pytest.raises(file_facts.OtherSchemeError, match="another version of weigh"):
        store.open_stored(stored.folder)
    theirs = {path: path.read_bytes() for path in stored.folder.rglob("*") if path.is_file()}
    store.check(NAME, [PYARROW], tmp_path)
    again = store.ensure(NAME, PYARROW, tmp_path)
    assert again.manifest.digests == stored.manifest.digests
    # The other version may be reading them.
    assert all(path.read_bytes() == content for path, content in theirs.items())
    assert store.ensure(NAME, PYARROW, tmp_path).folder == again.folder != stored.folder


def msgspec_replace(manifest, now):
    import msgspec

    old = manifest.files[0]
    file = msgspec.structs.replace(old, bytes=now.bytes, blake3=now.blake3)
    return msgspec.structs.replace(manifest, files=(file,))


def test_concurrent_makers_do_not_clash(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: store.ensure(NAME, PYARROW, tmp_path).manifest, range(4)))
    assert all(manifest == made[0] for manifest in made)
    assert leftovers(tmp_path) == []


def test_what_a_killed_maker_left_is_cleared(tmp_path: Path) -> None:
    parent = tmp_path / "data" / str(NAME)
    left = parent / f"making-{store.layout_key(PYARROW)}-abc"
    left.mkdir(parents=True)
    (left / "events-0000.parquet").write_bytes(b"half")
    store.ensure(NAME, PYARROW, tmp_path)
    assert leftovers(tmp_path) == []


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    def stop(made: int, rows: int, what: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.ensure(NAME, PYARROW, tmp_path, progress=stop)
    assert leftovers(tmp_path) == []
    assert threading.active_count() < 20


def leftovers(cache: Path) -> list[Path]:
    return list(cache.glob("data/*/making-*"))


def test_an_unwritable_cache_is_an_environment_fault(tmp_path: Path) -> None:
    blocked = tmp_path / "cache"
    blocked.write_text("a file, where a folder should be")
    with pytest.raises(EnvironmentFault) as raised:
        store.ensure(NAME, PYARROW, blocked)
    assert "WEIGH_CACHE" in raised.value.remedy


def test_another_version_of_a_generator_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="netflow/1, not netflow/0"):
        store.ensure(DatasetName(generator="netflow/0", scale=1, seed=1), PYARROW, tmp_path)


@pytest.mark.parametrize("spec", [LayoutSpec(files=0), LayoutSpec(row_group_rows=100_000)])
def test_impossible_layouts_are_refused(tmp_path: Path, spec: LayoutSpec) -> None:
    with pytest.raises(UsageError):
        store.ensure(NAME, spec, tmp_path)


def test_the_duckdb_writer_needs_an_environment(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="environment of its own"):
        store.ensure(NAME, LayoutSpec(), tmp_path)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("echo 'IO Error: No space left on device' >&2; exit 1", EnvironmentFault),
        ("cat >/dev/null; echo 'segmentation' >&2; exit 139", DataFault),
        ('cat >/dev/null; echo \'{"duckdb": "1.0.0"}\'', EnvironmentFault),
    ],
)
def test_a_failing_writer_is_reported(tmp_path: Path, body: str, fault: type[Exception]) -> None:
    python = writer_that(tmp_path, body)
    with pytest.raises(fault):
        store.ensure(dataset_name("netflow", 300_000, 1), LayoutSpec(), tmp_path, environment=lambda _: python)
    assert leftovers(tmp_path) == []


def test_duckdb_writes_the_same_rows(tmp_path: Path) -> None:
    pytest.importorskip("nanoarrow")
    python = lambda _: Path(sys.executable)  # noqa: E731
    usual = store.ensure(NAME, PYARROW, tmp_path)
    for spec in (
        LayoutSpec(),
        LayoutSpec(files=3, codec="snappy"),
        LayoutSpec(codec="none", row_group_rows=2_048),
    ):
        other = store.ensure(NAME, spec, tmp_path, environment=python)
        assert other.manifest.digests == usual.manifest.digests
        assert other.manifest.writer == "duckdb 2.0.0"
    columns = store.ensure(NAME, LayoutSpec(), tmp_path, environment=python).manifest.files[0].parquet["columns"]
    assert columns["user_name"]["bloom_filter_bytes"] >= 272


def test_facts_of_the_users_own_files(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2, 3]}), tmp_path / "one.parquet")
    pq.write_table(pa.table({"a": [4]}), tmp_path / "two.parquet")
    found = [file_facts.file_facts(tmp_path / name, "t") for name in ("one.parquet", "two.parquet")]
    assert [file.rows for file in found] == [3, 1]
    assert file_facts.merged(found)["t"].startswith("x3s2:4:")
    (tmp_path / "bad.parquet").write_bytes(b"not parquet")
    for missing in ("bad.parquet", "none.parquet"):
        with pytest.raises(DataFault):
            file_facts.file_facts(tmp_path / missing, "t")


def test_parts_divide_the_rows_in_order() -> None:
    batches = [pa.record_batch({"a": list(range(first, first + 5))}) for first in range(0, 20, 5)]
    parts = [
        [value for batch in part for value in batch["a"].to_pylist()] for part in parquet.divided(batches, [7, 7, 6])
    ]
    assert parts == [list(range(7)), list(range(7, 14)), list(range(14, 20))]
    groups = [table["a"].to_pylist() for table in parquet.grouped(batches, 8)]
    assert groups == [list(range(8)), list(range(8, 16)), list(range(16, 20))]

"""A user's own files in another layout: the same rows, proven; the files themselves stay as they are."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.user_data import make_data
from weigh.data import cache as store
from weigh.data import unseen, user_files
from weigh.data.layout import file_facts
from weigh.data.rewritten import rewritten
from weigh.engines import environment
from weigh.engines.prepared import cache_folder
from weigh.experiment.data import ingest
from weigh.experiment.data.data_link import tables_of
from weigh.model.errors import DataFault, EnvironmentFault, UsageError
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from pathlib import Path


class Own(NamedTuple):
    data: store.CachedData
    cache: Path

    def written(self, **keys: object) -> store.CachedData:
        return rewritten(
            self.data, LayoutSpec(**keys), self.cache, lambda names: environment.ensure(names, cache_folder()).python
        )


@pytest.fixture
def own(tmp_path: Path) -> Own:
    make_data(tmp_path)
    files = sorted((tmp_path / "my 'data'").glob("*.parquet"))
    cache = tmp_path / "cache"
    return Own(user_files.open_files(user_files.by_name(files), cache, seed=7), cache)


def test_files_of_one_table_may_differ_in_what_may_be_null(tmp_path: Path) -> None:
    paths = [tmp_path / f"t-{number}.parquet" for number in range(2)]
    kinds = (pa.string(), pa.large_string())
    for path, kind, values, nullable in zip(paths, kinds, (["a", "b"], ["a", None]), (False, True), strict=True):
        schema = pa.schema([pa.field("name", kind, nullable=nullable)])
        pq.write_table(pa.table([pa.array(values, kind)], schema=schema), path)
    own = Own(user_files.open_files({"t": paths}, tmp_path / "cache", seed=7), tmp_path / "cache")
    made = own.written(writer="pyarrow")
    assert made.manifest.digests == own.data.manifest.digests
    # Of Parquet nobody is asked for.
    other = unseen.laid_out(own.data, made, tmp_path / "unseen", lambda needed: pytest.fail(str(needed)))
    assert other.manifest.digests == own.data.manifest.digests
    assert ingest.rows(tables_of(own.data.folder, own.data.manifest), "t")["name"].to_pylist() == ["a", "b", "a", None]


def test_what_differs_between_files_of_one_table_is_said(tmp_path: Path) -> None:
    one, other = tmp_path / "1.parquet", tmp_path / "2.parquet"
    pq.write_table(pa.table({"a": [1], "b": [1]}), one)
    for given, said in (({"a": [1], "b": ["x"]}, "b is int64 and string"), ({"a": [1]}, "b is int64 and missing")):
        pq.write_table(pa.table(given), other)
        with pytest.raises(UsageError, match=said):
            user_files.same_columns("t", [one, other])
    pq.write_table(pa.table({"b": [1], "a": [1]}), other)
    with pytest.raises(UsageError, match="in another order"):
        user_files.same_columns("t", [one, other])


@pytest.mark.promise("They are copies in weigh's cache: no file of yours is written.")
def test_the_rows_are_the_same_in_other_files(own: Own) -> None:
    before = [(path.stat().st_mtime_ns, path.read_bytes()) for path in sorted(own.data.folder.rglob("*.parquet"))]
    made = own.written(writer="pyarrow", codec="none", files=3, sort=("day",))
    assert made.manifest.digests == own.data.manifest.digests
    assert file_facts.verify(made.folder, made.manifest, "digest") == []
    assert [len(made.manifest.paths(table)) for table in ("events", "users")] == [3, 3]
    assert made.manifest.dataset == own.data.manifest.dataset
    days = [
        day for path in made.manifest.paths("events") for day in pq.read_table(made.folder / path)["day"].to_pylist()
    ]
    assert days == sorted(days)
    assert before == [
        (path.stat().st_mtime_ns, path.read_bytes()) for path in sorted(own.data.folder.rglob("*.parquet"))
    ]


def test_they_are_written_once_whatever_the_seed(own: Own) -> None:
    first = own.written(writer="pyarrow")
    manifest = msgspec.structs.replace(
        own.data.manifest, dataset=msgspec.structs.replace(own.data.manifest.dataset, seed=8)
    )
    again = own._replace(data=own.data._replace(manifest=manifest)).written(writer="pyarrow")
    assert again.folder == first.folder
    assert again.manifest.dataset.seed == 8


def test_notes_of_the_writer_are_no_rows(tmp_path: Path) -> None:
    """Ids of fields, dictionaries and nested types: other bytes, and the same rows by their digest."""
    nested = pa.struct([pa.field("a", pa.int32(), metadata={"PARQUET:field_id": "9"})])
    table = pa.table(
        [pa.array(["x", "y", "x"]).dictionary_encode(), pa.array([{"a": 1}, None, {"a": None}], nested)],
        schema=pa.schema(
            [
                pa.field("d", pa.dictionary(pa.int32(), pa.string()), metadata={"PARQUET:field_id": "7"}),
                pa.field("s", nested),
            ]
        ),
    )
    pq.write_table(table, tmp_path / "t.parquet")
    own = Own(user_files.open_files({"t": [tmp_path / "t.parquet"]}, tmp_path / "cache", 1), tmp_path / "cache")
    made = own.written(writer="pyarrow")
    schema = pq.ParquetFile(made.folder / made.manifest.files[0].path).schema
    assert made.manifest.digests == own.data.manifest.digests
    assert all(f"field_id={number}" not in str(schema) for number in (7, 9))


@pytest.mark.promise("A writer that cannot keep the rows is refused, by the digest of what it wrote")
def test_a_writer_that_changes_rows_is_found(tmp_path: Path) -> None:
    """DuckDB makes intervals of durations, and says nothing; PyArrow keeps them."""
    pq.write_table(pa.table({"took": pa.array([1, 2, None], pa.duration("us"))}), tmp_path / "t.parquet")
    own = Own(user_files.open_files({"t": [tmp_path / "t.parquet"]}, tmp_path / "cache", 1), tmp_path / "cache")
    with pytest.raises(DataFault, match="wrote other rows of t than the files hold") as refused:
        own.written(writer="duckdb")
    assert "another writer" in str(refused.value.remedy)
    assert not list(own.cache.rglob("manifest.json")), "nothing stays of it"
    assert own.written(writer="pyarrow").manifest.digests == own.data.manifest.digests


def test_a_copy_that_was_changed_is_not_read(own: Own) -> None:
    made = own.written(writer="pyarrow")
    file = made.folder / made.manifest.files[0].path
    file.write_bytes(file.read_bytes()[:-9] + b"changed!!")
    with pytest.raises(DataFault, match="D8"):
        own.written(writer="pyarrow")


def test_a_disk_too_small_for_all_of_them_is_said_before(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    layouts = [LayoutSpec(codec="none", files=number) for number in (1, 2)]
    name = own.data.manifest.dataset
    size = own.data.manifest.bytes
    whole = shutil.disk_usage(own.cache)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: whole._replace(free=5 * size))
    store.check(name, layouts[:1], own.cache, size)
    with pytest.raises(EnvironmentFault, match="your own files in 2 layouts need about"):
        store.check(name, layouts, own.cache, size)
    assert not (own.cache / "data" / str(name)).exists()

"""PyArrow as a second reader of Parquet: where it and weigh's own reader agree, and where they do not."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh import _native
from weigh.data.layout import second_reader

if TYPE_CHECKING:
    from pathlib import Path

FAR = [datetime.datetime(9999, 12, 31, 3), datetime.datetime(1500, 1, 1), None]


def written(folder: Path, array: pa.Array, **options: Any) -> list[str]:
    """A file with one column of these values."""
    path = folder / "t.parquet"
    pq.write_table(pa.table({"v": array}), path, **options)
    return [str(path)]


def test_instants_beyond_nanoseconds_do_not_wrap(tmp_path: Path) -> None:
    paths = written(tmp_path, pa.array(FAR, pa.timestamp("us")), use_deprecated_int96_timestamps=True)
    assert pq.read_table(paths[0])["v"].cast(pa.int64())[0].as_py() < 0
    assert second_reader.table(paths)["v"].to_pylist() == FAR


def test_nanoseconds_are_read_where_they_fit(tmp_path: Path) -> None:
    fine = pa.array([1_700_000_000_123_456_789, None, -1]).cast(pa.timestamp("ns"))
    paths = written(tmp_path, fine, use_deprecated_int96_timestamps=True)
    assert second_reader.table(paths)["v"].combine_chunks().equals(fine)
    assert second_reader.unlike(paths, second_reader.table(paths)) == {}


@pytest.mark.parametrize("array", [
    pa.array([1, -1, None], pa.duration("us")),
    pa.array([b"x" * 12, None], pa.binary(12)),
    pa.array(["a", None]).dictionary_encode(),
    pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"x" * 16, None], pa.binary(16))),
])  # fmt: skip
def test_what_the_schema_of_a_writer_adds_is_no_other_value(array: pa.Array, tmp_path: Path) -> None:
    paths = written(tmp_path, array)
    assert second_reader.unlike(paths, second_reader.table(paths)) == {}
    assert second_reader.unlike_in_files(paths, ["v"]) == {}


def test_intervals_are_read_alike(tmp_path: Path) -> None:
    path = str(tmp_path / "t.parquet")
    with duckdb.connect() as connection:
        days = "(VALUES (INTERVAL '3 days 04:05:06.789'), (INTERVAL '14 months'), (NULL)) AS t (v)"
        connection.execute(f"COPY (SELECT v FROM {days}) TO '{path}' (FORMAT parquet)")
    assert second_reader.unlike([path], second_reader.table([path])) == {}


@pytest.mark.promise("A column that they read otherwise is named (`A14.readers`), and nobody is accused by it")
def test_a_column_that_they_read_otherwise_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [1, 2], "b": [3, 4]}), path)
    true = _native.digest_parquet

    def wrong(paths: list[str], columns: list[str] | None = None) -> str:
        return true(paths, ["a" if columns == ["b"] else one for one in columns or ()])

    monkeypatch.setattr(_native, "digest_parquet", wrong)
    rows = second_reader.table([str(path)])
    assert second_reader.unlike([str(path)], rows) == {1: second_reader.DISAGREE}
    assert second_reader.unlike_in_files([str(path)], rows.column_names) == {1: second_reader.DISAGREE}


def test_a_column_that_one_cannot_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = written(tmp_path, pa.array([1]))

    def broken(paths: list[str], columns: list[str] | None = None) -> str:
        raise _native.DigestError("column v has no encoding")

    monkeypatch.setattr(_native, "digest_parquet", broken)
    (why,) = second_reader.unlike(paths, second_reader.table(paths)).values()
    assert why == "one of weigh's two readers of Parquet cannot read it: column v has no encoding"

"""The digest shows every change of the rows, and nothing else.

Tables are drawn by hypothesis (derandomized: the same ones every time) and written in as many physical
forms as pyarrow and DuckDB offer. Corrupt files must end in `DigestError`.
"""

from __future__ import annotations

import datetime as dt
import decimal
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from support.random_tables import one, realistic, write
from weigh._native import (
    DigestError,
    diff_parquet,
    digest_arrow,
    digest_parquet,
    merge_digests,
)

if TYPE_CHECKING:
    import random
    from pathlib import Path

DETERMINISTIC = settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=settings.default.max_examples // 4,
    suppress_health_check=list(HealthCheck),
)

SCHEMA = pa.schema(
    {
        "i": pa.int32(),
        "j": pa.int64(),
        "d": pa.decimal128(12, 2),
        "w": pa.decimal128(38, 10),
        "f": pa.float64(),
        "s": pa.string(),
        "t": pa.timestamp("us"),
        "day": pa.date32(),
        "b": pa.bool_(),
        "l": pa.list_(pa.int32()),
    }
)
WIDE = decimal.Context(prec=38)


def scaled(digits: int, scale: int) -> st.SearchStrategy[decimal.Decimal]:
    bound = 10**digits - 1
    return st.integers(-bound, bound).map(lambda n: decimal.Decimal(n).scaleb(-scale, WIDE))


# Half the range: DuckDB 2.0 packs larger differences of 32-bit integers so that only DuckDB can read them:
# neither the parquet crate nor pyarrow does.
int32s = st.integers(-(2**30), 2**30 - 1)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "i": int32s,
    "j": st.integers(-(2**63), 2**63 - 1),
    "d": scaled(12, 2),
    "w": scaled(38, 10),
    "f": st.floats(),
    "s": st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
    "t": st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)),
    "day": st.dates(dt.date(1, 1, 1), dt.date(9999, 1, 1)),
    "b": st.booleans(),
    "l": st.lists(st.none() | int32s, max_size=3),
}
tables = st.lists(st.fixed_dictionaries({k: st.none() | v for k, v in VALUES.items()}), min_size=1, max_size=30).map(
    lambda rows: pa.Table.from_pylist(rows, schema=SCHEMA)
)


# What does not show


@DETERMINISTIC
@given(tables, st.randoms(use_true_random=False))
def test_order_of_rows_does_not_show(table: pa.Table, rng: random.Random) -> None:
    order = list(range(table.num_rows))
    rng.shuffle(order)
    assert digest_arrow(table.take(order)) == digest_arrow(table)


@DETERMINISTIC
@given(tables, st.integers(0, 30))
def test_parts_merge_to_the_whole(table: pa.Table, cut: int) -> None:
    parts = [digest_arrow(table[:cut]), digest_arrow(table[cut:])]
    assert merge_digests(parts) == merge_digests(parts[::-1]) == digest_arrow(table)


@DETERMINISTIC
@given(tables)
def test_forms_of_a_file_do_not_show(tmp_path_factory: pytest.TempPathFactory, table: pa.Table) -> None:
    where = tmp_path_factory.mktemp("forms")
    forms: list[dict[str, Any]] = [
        {},
        {"use_dictionary": False, "compression": "none"},
        {"data_page_version": "2.0", "compression": "zstd", "row_group_size": 7},
        {"use_dictionary": False, "column_encoding": {"j": "DELTA_BINARY_PACKED", "s": "DELTA_BYTE_ARRAY"}},
        {
            "use_dictionary": False,
            "column_encoding": {"f": "BYTE_STREAM_SPLIT", "s": "DELTA_LENGTH_BYTE_ARRAY"},
        },
        {"compression": "gzip", "store_decimal_as_integer": True, "write_page_checksum": True},
        {"compression": "brotli", "store_schema": False, "use_compliant_nested_type": False},
        {"compression": "lz4", "version": "1.0", "use_deprecated_int96_timestamps": True},
    ]
    digests = {digest_parquet([write(table, where / f"{n}.parquet", **form)]) for n, form in enumerate(forms)}
    assert digests == {digest_arrow(table)}


@DETERMINISTIC
@given(tables)
def test_writers_do_not_show(tmp_path_factory: pytest.TempPathFactory, table: pa.Table) -> None:
    where = tmp_path_factory.mktemp("writers")
    expected = digest_arrow(table)
    with duckdb.connect() as connection:
        connection.register("drawn", table)
        for codec in ("snappy", "zstd"):
            for version in ("V1", "V2"):
                file = str(where / f"{codec}{version}.parquet")
                connection.execute(f"copy (from drawn) to '{file}' (codec {codec}, parquet_version {version})")
                assert digest_parquet([file]) == expected
        assert digest_arrow(connection.sql("from drawn").to_arrow_table()) == expected


@pytest.mark.parametrize("threads", [0, 1, 2, 7])
def test_files_row_groups_and_threads_do_not_show(tmp_path: Path, threads: int) -> None:
    table = realistic()
    paths = [write(table[i::3], tmp_path / f"{i}.parquet", row_group_size=500 * (i + 1)) for i in range(3)]
    assert digest_parquet(paths, threads=threads) == digest_arrow(table)
    assert merge_digests([digest_parquet([path]) for path in paths]) == digest_arrow(table)


def test_layouts_in_memory_do_not_show() -> None:
    strings = pa.array(["a", None, "", "a string too long for a view", "a", "a"])
    forms = [
        strings.cast(pa.large_string()),
        strings.cast(pa.string_view()),
        strings.cast(pa.binary()),
        strings.dictionary_encode(),
        pc.run_end_encode(strings),
        pa.concat_arrays([pa.array(["junk"]), strings])[1:],
    ]
    assert {one(form) for form in forms} == {one(strings)}


def test_equal_values_of_other_types() -> None:
    number = one(pa.array([5, None], pa.int32()))
    assert one(pa.array([5, None], pa.int64())) == number
    assert one(pa.array([5, None], pa.uint8())) == number
    assert one(pa.array([decimal.Decimal("5.00"), None])) == number
    assert one(pa.array([decimal.Decimal("1.10")])) == one(pa.array([decimal.Decimal("1.1000")]))
    assert one(pa.array([0.0, float("nan")])) == one(pa.array([-0.0, -float("nan")]))
    assert one(pa.array([0.5], pa.float32())) == one(pa.array([0.5], pa.float64()))
    date = one(pa.array([dt.date(1969, 7, 20)]))
    assert one(pa.array([dt.date(1969, 7, 20)], pa.date64())) == date
    for unit in ("s", "ms", "us", "ns"):
        instant = pa.array([dt.datetime(1969, 7, 20)], pa.timestamp(unit))
        assert one(instant) == one(instant.cast(pa.timestamp(unit, tz="UTC"))) == date


# What shows


@DETERMINISTIC
@given(tables, st.data())
def test_a_changed_cell_shows(table: pa.Table, data: st.DataObject) -> None:
    rows = table.to_pylist()
    row = data.draw(st.sampled_from(rows))
    name = data.draw(st.sampled_from(SCHEMA.names))
    old = pa.array([row[name]], SCHEMA.field(name).type)
    row[name] = data.draw(st.none() | VALUES[name])
    new = pa.array([row[name]], SCHEMA.field(name).type)
    same = repr(old.to_pylist()) == repr(new.to_pylist()) or (old[0].as_py() == 0 and new[0].as_py() == 0)
    assume(not same)
    assert digest_arrow(pa.Table.from_pylist(rows, schema=SCHEMA)) != digest_arrow(table)


@DETERMINISTIC
@given(tables, st.data())
def test_a_dropped_and_a_repeated_row_show(table: pa.Table, data: st.DataObject) -> None:
    row = data.draw(st.integers(0, table.num_rows - 1))
    dropped = pa.concat_tables([table[:row], table[row + 1 :]])
    repeated = pa.concat_tables([table, table[row : row + 1]])
    assert len({digest_arrow(t) for t in (table, dropped, repeated)}) == 3


@DETERMINISTIC
@given(tables)
def test_swapped_columns_show(table: pa.Table) -> None:
    assume(table["i"].to_pylist() != table["j"].to_pylist())
    order = [1, 0, *range(2, len(SCHEMA))]
    assert digest_arrow(table, columns=order) == digest_arrow(table.select(order)) != digest_arrow(table)


def test_swapped_values_show() -> None:
    """What a digest of columns by themselves cannot see: two rows exchange one value."""
    left = pa.table({"a": [1, 2], "b": ["x", "y"]})
    right = pa.table({"a": [1, 2], "b": ["y", "x"]})
    assert digest_arrow(left) != digest_arrow(right)


def test_kinds_and_boundaries_show() -> None:
    different = [
        pa.array([None], pa.string()),
        pa.array([""]),
        pa.array([0]),
        pa.array([0.0]),
        pa.array([False]),
        pa.array([[]], pa.list_(pa.int8())),
        pa.array([[None]], pa.list_(pa.int8())),
        pa.array([0], pa.duration("s")),
        pa.array([0], pa.time32("s")),
        pa.array([0], pa.timestamp("s")),
        pa.array([b"\0"]),
        pa.array(["0"]),
    ]
    assert len({one(array) for array in different}) == len(different)
    assert digest_arrow(pa.table({"a": ["ab"], "b": ["c"]})) != digest_arrow(pa.table({"a": ["a"], "b": ["bc"]}))


# Columns


def test_columns_by_name_and_number(tmp_path: Path) -> None:
    table = realistic(100)
    path = write(table, tmp_path / "t.parquet")
    assert digest_parquet([path], ["flag", "key"]) == digest_arrow(table, [2, 0])
    assert digest_parquet([path], ["key", "key"]) == digest_arrow(table, [0, 0])
    assert digest_parquet([path], []) == digest_arrow(table, [])
    with pytest.raises(DigestError, match="no_such"):
        digest_parquet([path], ["no_such"])
    with pytest.raises(DigestError):
        digest_arrow(table, [6])


def test_columns_of_other_files_follow_the_first(tmp_path: Path) -> None:
    table = realistic(100)
    first = write(table, tmp_path / "1.parquet")
    shuffled = write(table.select([3, 1, 0, 2, 5, 4]), tmp_path / "2.parquet")
    narrow = write(table.select([0, 1]), tmp_path / "3.parquet")
    assert digest_parquet([first, shuffled]) == digest_arrow(pa.concat_tables([table, table]))
    with pytest.raises(DigestError, match=r"3\.parquet"):
        digest_parquet([first, narrow])


# Differences


def test_diff_names_the_rows(tmp_path: Path) -> None:
    table = realistic()
    left = write(table, tmp_path / "left.parquet", row_group_size=1000)
    assert diff_parquet([left], [left]) == {
        "only_left": 0,
        "only_right": 0,
        "left_rows": [],
        "right_rows": [],
    }
    changed = pa.concat_tables([table[:10], table[11:5000], table[5001:], table[20:21]])
    right = write(changed, tmp_path / "right.parquet", compression="zstd")
    diff = diff_parquet([left], [right])
    assert (diff["only_left"], diff["only_right"]) == (2, 1)
    assert diff["left_rows"] == [(left, 10), (left, 5000)]
    assert diff["right_rows"] == [(right, 19)]  # one of the two equal rows
    assert diff_parquet([left], [right], limit=1)["only_left"] == 2
    assert len(diff_parquet([left], [right], limit=1)["left_rows"]) == 1
    assert diff_parquet([left], [right], limit=0)["left_rows"] == []

"""One Parquet file for each type of Parquet and of Arrow: a column ``id`` and a column ``v`` of that type."""

from __future__ import annotations

import base64
import datetime
import decimal
import uuid
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Written = dict[str, "Callable[[Path], None]"]
"""What writes the file of each type, by its name."""

_MOMENTS = [datetime.datetime(2024, 2, 29, 12, 34, 56, 789000), datetime.datetime(1969, 12, 31, 23, 59, 59), None]
_FAR = [datetime.datetime(9999, 12, 31, 3), datetime.datetime(1500, 1, 1), None]
_UUIDS = [uuid.UUID(int=0x1F07BAF91122334455667788990011AA).bytes, uuid.UUID(int=0xABCDEF << 64).bytes, None]
_D = decimal.Decimal
_BYTE_ARRAY_DECIMAL = """\
UEFSMRUAFeADFeADLBVQFQAVBhUGAAACAAAAAGQCAAAAAMgCAAAAASwCAAAAAZACAAAAAfQCAAAAAlgCAAAAArwCAAAAAyACAAAAA4QCAAAAA+gCAAAA
BEwCAAAABLACAAAABRQCAAAABXgCAAAABdwCAAAABkACAAAABqQCAAAABwgCAAAAB2wCAAAAB9ACAAAACDQCAAAACJgCAAAACPwCAAAACWACAAAACcQC
AAAACigCAAAACowCAAAACvACAAAAC1QCAAAAC7gCAAAADBwCAAAADIACAAAADOQCAAAADUgCAAAADawCAAAADhACAAAADnQCAAAADtgCAAAADzwCAAAA
D6AVAhksSARyb290FQIAFQwlABgFcHJpY2UlChUEFQgAFlAZHBkcJggcFQwZJQAGGRgFcHJpY2UVABZQFoYEFoYEJggAABaOBBZQACgSaGFuZG1hZGUg
dmVyc2lvbiAxAF8AAABQQVIx
"""
"""A file by hand: 40 rows of DECIMAL(4, 2) in BYTE_ARRAY, which no writer here makes."""


def _of(array: pa.Array, patch: tuple[bytes, bytes] | None = None, **options: Any) -> Callable[[Path], None]:
    """Writes an array as PyArrow does.

    Args:
        array: the column ``v``.
        patch: bytes of the footer, and what is put in their place: a logical type that PyArrow does not write.
        options: of PyArrow's writer.
    """

    def write(path: Path) -> None:
        ids = pa.array(range(1, len(array) + 1), pa.int32())
        pq.write_table(pa.table([ids, array], names=["id", "v"]), path, **options)
        if patch:
            content = path.read_bytes()
            assert content.count(patch[0]) == 1, path
            path.write_bytes(content.replace(*patch))

    return write


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _by_duckdb(*values: str) -> Callable[[Path], None]:
    """Writes what DuckDB makes of literals."""

    def write(path: Path) -> None:
        import duckdb

        rows = ", ".join(f"({number}::INTEGER, {value})" for number, value in enumerate(values, start=1))
        with duckdb.connect() as connection:
            made = f"SELECT id, v FROM (VALUES {rows}) AS t (id, v) ORDER BY id"
            connection.execute(f"COPY ({made}) TO '{path}' (FORMAT parquet)")

    return write


def _integers() -> Written:
    found = {}
    for width in (8, 16, 32, 64):
        most = 2 ** (width - 1)
        found[f"int{width}"] = _of(pa.array([most - 1, -most, 0, None], getattr(pa, f"int{width}")()))
        found[f"uint{width}"] = _of(pa.array([2 * most - 1, 1, 0, None], getattr(pa, f"uint{width}")()))
    return found


def _instants() -> Written:
    found: Written = {}
    for unit in ("ms", "us", "ns"):
        found[f"timestamp_{unit}"] = _of(pa.array(_MOMENTS, pa.timestamp(unit)))
        found[f"timestamptz_{unit}"] = _of(pa.array(_MOMENTS, pa.timestamp(unit, "UTC")))
    fine = pa.array([1, -1, 1_700_000_000_123_456_789, None]).cast(pa.timestamp("ns"))
    times = [datetime.time(1, 2, 3, 4000), datetime.time(23, 59, 59, 999000), datetime.time(0), None]
    spans = pa.array([1, -1, 86_400_000_000 * 40, None], pa.duration("us"))
    return found | {
        "timestamp_nanoseconds": _of(fine),
        "timestamptz_new_york": _of(pa.array(_MOMENTS, pa.timestamp("us", "America/New_York"))),
        "timestamp_far": _of(pa.array(_FAR, pa.timestamp("us"))),
        "int96": _of(pa.array(_MOMENTS, pa.timestamp("us")), use_deprecated_int96_timestamps=True),
        "int96_far": _of(pa.array(_FAR, pa.timestamp("us")), use_deprecated_int96_timestamps=True),
        "int96_nanoseconds": _of(fine, use_deprecated_int96_timestamps=True),
        "date": _of(pa.array([datetime.date(2024, 2, 29), datetime.date(9999, 12, 31), None])),
        "date64": _of(pa.array([datetime.date(2024, 2, 29), datetime.date(1969, 12, 31), None], pa.date64())),
        "time_ms": _of(pa.array(times, pa.time32("ms"))),
        "time_us": _of(pa.array(times, pa.time64("us"))),
        "time_ns": _of(pa.array(times, pa.time64("ns"))),
        "time_nanoseconds": _of(pa.array([1, 86_399_999_999_999, None], pa.int64()).cast(pa.time64("ns"))),
        "time_utc": _of(pa.array(times, pa.time64("us")), write_time_adjusted_to_utc=True),
        "duration": _of(spans),
        "interval_days": _by_duckdb("INTERVAL '3 days 04:05:06.789'", "INTERVAL '0 days'", "NULL"),
        "interval_months": _by_duckdb("INTERVAL '1 year 2 months 3 days 04:05:06'", "INTERVAL '30 days'", "NULL"),
        "timetz": _by_duckdb("'01:02:03+02'::TIMETZ", "'23:59:59+00'", "NULL"),
    }


def _numbers() -> Written:
    cents = [_D("1.10"), _D("-99.99"), _D("0.00"), None]
    floats = [0.1, -0.0, float("nan"), float("-inf"), None]
    return {
        "boolean": _of(pa.array([True, False, None])),
        "float16": _of(pa.array([1.5, -0.0, float("nan"), None], pa.float16())),
        "float": _of(pa.array(floats, pa.float32())),
        "double": _of(pa.array(floats)),
        "decimal_int32": _of(pa.array(cents, pa.decimal128(4, 2)), store_decimal_as_integer=True),
        "decimal_int64": _of(pa.array(cents, pa.decimal128(15, 2)), store_decimal_as_integer=True),
        "decimal_byte_array": lambda path: _write(path, base64.b64decode(_BYTE_ARRAY_DECIMAL)),
        "decimal_fixed": _of(pa.array([*cents, _D("-99999999999999999999.99")], pa.decimal128(38, 2))),
        "decimal256": _of(pa.array([*cents, _D("-" + 60 * "9")], pa.decimal256(76, 2))),
        "hugeint": _by_duckdb("170141183460469231731687303715884105727::HUGEINT", "-1", "NULL"),
        "bignum": _by_duckdb("123::BIGNUM", "-1", "NULL"),
    }


def _texts() -> Written:
    texts = ["a", "", "\u00e9\n", None]
    raw = [b"a", b"", b"\xff\x00\x5c", None]
    json = ['{"a": 1, "b": [1, 2]}', '{"b": null}', None]
    return {
        "string": _of(pa.array(texts)),
        "large_string": _of(pa.array(texts, pa.large_string())),
        "string_view": _of(pa.array(texts, pa.string_view())),
        "dictionary": _of(pa.array(texts).dictionary_encode()),
        "enum": _of(pa.array(["a", "b", None]), (b"\x00\x4c\x1c\x00\x00", b"\x08\x4c\x4c\x00\x00")),
        "enum_duckdb": _by_duckdb("'a'::ENUM('a', 'b')", "'b'", "NULL"),
        "json": _of(pa.array(json, pa.json_())),
        "bson": _of(pa.array(json, pa.json_()), (b"\x26\x4c\xcc\x00\x00", b"\x28\x4c\xdc\x00\x00")),
        "binary": _of(pa.array(raw)),
        "binary_view": _of(pa.array(raw, pa.binary_view())),
        "fixed_3": _of(pa.array([b"abc", b"\x00\x01\xff", None], pa.binary(3))),
        "fixed_16": _of(pa.array(_UUIDS, pa.binary(16))),
        "uuid": _of(pa.ExtensionArray.from_storage(pa.uuid(), pa.array(_UUIDS, pa.binary(16)))),
        "bit": _by_duckdb("'101'::BIT", "'0'", "NULL"),
        "null": _of(pa.nulls(3)),
    }


def _nested() -> Written:
    moments = [_MOMENTS[:1], [], [None], None]
    points = [{"a": 1, "b": "x"}, {"a": None, "b": ""}, None]
    identifiers = pa.array([_UUIDS[:1], [], None], pa.list_(pa.binary(16)))
    return {
        "list": _of(pa.array([[1, 2], [], [None], None], pa.list_(pa.int32()))),
        "list_full": _of(pa.array([[1, 2], [], [None]], pa.list_(pa.int32()))),
        "large_list": _of(pa.array([[1, 2], [], None], pa.large_list(pa.int32()))),
        "fixed_list": _of(pa.array([[1, 2], [3, None], None], pa.list_(pa.int32(), 2))),
        "list_of_lists": _of(pa.array([[[1], []], [], [None], None], pa.list_(pa.list_(pa.int32())))),
        "list_of_text": _of(pa.array([["a", ""], [], [None], None])),
        "list_of_bytes": _of(pa.array([[b"\xff\x00"], [], None], pa.list_(pa.binary()))),
        "list_of_decimals": _of(pa.array([[_D("1.10")], [], [None], None], pa.list_(pa.decimal128(10, 2)))),
        "list_of_doubles": _of(pa.array([[0.1, float("nan"), -0.0], [], None])),
        "list_of_booleans": _of(pa.array([[True], [], [None], None])),
        "list_of_uuids": _of(identifiers.cast(pa.list_(pa.uuid()))),
        "list_of_timestamps": _of(pa.array(moments, pa.list_(pa.timestamp("us")))),
        "list_of_timestamptz": _of(pa.array(moments, pa.list_(pa.timestamp("us", "UTC")))),
        "list_of_structs": _of(pa.array([[{"a": 1}], [], [None], None])),
        "struct": _of(pa.array(points)),
        "struct_full": _of(pa.array(points[:2])),
        "map": _of(pa.array([[("k", 1), ("j", 2)], [], [("z", None)], None], pa.map_(pa.string(), pa.int32()))),
        "map_full": _of(pa.array([[("k", 1), ("j", 2)], []], pa.map_(pa.string(), pa.int32()))),
        "union": _by_duckdb("union_value(n := 1)", "NULL"),
        "variant": _by_duckdb("1::VARIANT", "'a'::VARIANT", "NULL"),
        "geometry": _by_duckdb("'POINT (1 2)'::GEOMETRY", "'POINT (0 0)'", "NULL"),
    }


_ALL = {
    "Numbers": _numbers() | _integers(),
    "Moments and spans": _instants(),
    "Text and bytes": _texts(),
    "Nested and others": _nested(),
}
GROUPS = {title: tuple(written) for title, written in _ALL.items()}
"""Names of the types under the headings of the page."""
TYPES: Written = {name: write for written in _ALL.values() for name, write in written.items()}
"""What writes the file of each."""

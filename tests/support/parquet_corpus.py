"""Files in the manner of public test suites of Parquet readers: every type, encoding, codec, nesting and oddity.

Each is made here, by PyArrow, DuckDB, Polars, or byte by byte where no library writes such a form.
"""

from __future__ import annotations

import datetime
import decimal
import struct
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import polars
import pyarrow as pa
import pyarrow.parquet as pq

from support import parquet_bytes as raw
from support.parquet_bytes import Column, Page, byte_arrays, element, root

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROWS = 300


def numbers() -> pa.Table:
    """Every plain type, with NULLs."""
    every = list(range(ROWS))
    some = [None if n % 7 == 3 else n for n in every]
    columns: dict[str, pa.Array] = {
        str(kind): pa.array([None if n is None else n % 120 for n in some], kind)
        for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
    }
    columns["u64 high"] = pa.array([2**64 - 1 - n for n in every], pa.uint64())
    columns["u32 high"] = pa.array([2**32 - 1 - n for n in every], pa.uint32())
    columns["float"] = pa.array([n / 3 for n in every], pa.float32())
    columns["double"] = pa.array([float("nan") if n == 5 else -0.0 if n == 6 else n / 7 for n in every])
    columns["bool"] = pa.array([None if n % 5 == 0 else n % 3 == 0 for n in every])
    columns["text"] = pa.array([None if n % 4 == 0 else f"text é {n % 9}" * (n % 5) for n in every])
    columns["bytes"] = pa.array([bytes([n % 256, 0, 255]) * (n % 3) for n in every])
    columns["fixed"] = pa.array([struct.pack(">I", n) for n in every], pa.binary(4))
    return pa.table(columns)


def times() -> pa.Table:
    """Dates, instants and times of day in every unit."""
    base = 1_700_000_000
    columns: dict[str, pa.Array] = {"day": pa.array([n * 400 - 60_000 for n in range(ROWS)], pa.date32())}
    for unit, factor in (("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)):
        for zone in (None, "UTC", "Asia/Kathmandu"):
            column = pa.array([base * factor + n for n in range(ROWS)], pa.timestamp(unit, zone))
            columns[f"at {unit} {zone}"] = column
    columns["time s"] = pa.array(range(ROWS), pa.time32("s"))
    columns["time ms"] = pa.array(range(ROWS), pa.time32("ms"))
    columns["time us"] = pa.array(range(ROWS), pa.time64("us"))
    columns["time ns"] = pa.array(range(ROWS), pa.time64("ns"))
    return pa.table(columns)


def decimals() -> pa.Table:
    """Of every width."""
    columns = {}
    for precision, scale in ((1, 0), (4, 2), (9, 9), (10, 0), (18, 3), (19, 4), (38, 10), (50, 0), (76, 30)):
        kind = pa.decimal128(precision, scale) if precision <= 38 else pa.decimal256(precision, scale)
        digits = [(n * 7_919 * 10 ** max(0, precision - 6) + n) % 10**precision for n in range(ROWS)]
        with decimal.localcontext(prec=80):
            values = [None if n % 11 == 0 else decimal.Decimal((-1) ** n * n).scaleb(-scale) for n in digits]
        columns[f"d{precision}"] = pa.array(values, kind)
    return pa.table(columns)


def nested() -> pa.Table:
    """Lists, maps and structs, empty and NULL at every depth."""
    deep: Any = pa.int32()
    for level in range(12):
        deep = pa.struct([(f"level{level}", deep)])

    def inside(value: int, level: int = 11) -> Any:
        return value if level < 0 else None if value % 13 == level else {f"level{level}": inside(value, level - 1)}

    lists = [None, [], [[]], [[None]], [[[1, None], None, []], []], [None]]
    maps = [None, [], [("a", 1), ("b", None)], [("c", 3)]]
    return pa.table(
        {
            "list": pa.array([[n, None][: n % 3] if n % 5 else None for n in range(ROWS)], pa.list_(pa.int64())),
            "lists": pa.array([lists[n % 6] if n % 6 != 3 else [[[]]] for n in range(ROWS)],
                              pa.list_(pa.list_(pa.list_(pa.int32())))),
            "map": pa.array([maps[n % 4] for n in range(ROWS)], pa.map_(pa.string(), pa.int32())),
            "maps": pa.array([[(n, [("k", [n])])] if n % 3 else None for n in range(ROWS)],
                             pa.map_(pa.int32(), pa.map_(pa.string(), pa.list_(pa.int32())))),
            "structs": pa.array([[{"a": n, "b": None if n % 2 else str(n)}] * (n % 3) for n in range(ROWS)]),
            "deep": pa.array([inside(n) for n in range(ROWS)], deep),
            "fixed list": pa.array([[n, n + 1] for n in range(ROWS)], pa.list_(pa.int16(), 2)),
            "texts": pa.array([[f"x{n % 5}", None] for n in range(ROWS)], pa.list_(pa.large_string())),
        }
    )  # fmt: skip


def _table(table: pa.Table, **options: Any) -> Callable[[Path], object]:
    return lambda path: pq.write_table(table, path, **{"store_schema": False, **options})


def _encoded(names: str, encoding: str, **options: Any) -> Callable[[Path], object]:
    table = numbers().select(names.split(","))
    encodings = dict.fromkeys(table.column_names, encoding)
    return _table(table, use_dictionary=False, column_encoding=encodings, **options)


def _duckdb(query: str, options: str = "") -> Callable[[Path], object]:
    def made(path: Path) -> None:
        with duckdb.connect() as base:
            base.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet{options})")

    return made


def _polars(**options: Any) -> Callable[[Path], object]:
    def made(path: Path) -> None:
        frame = polars.DataFrame(
            {
                "n": range(ROWS),
                "kind": [f"kind {n % 4}" for n in range(ROWS)],
                "list": [[n, None] for n in range(ROWS)],
                "pair": [{"a": n, "b": str(n)} for n in range(ROWS)],
                "money": [decimal.Decimal(n).scaleb(-2) for n in range(ROWS)],
                "at": [datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=n) for n in range(ROWS)],
                "time": [datetime.time(n % 24, n % 60) for n in range(ROWS)],
                "small": polars.Series([n % 100 for n in range(ROWS)], dtype=polars.Int8),
            }
        )
        frame.with_columns(polars.col("kind").cast(polars.Categorical).alias("category")).write_parquet(path, **options)

    return made


def _no_groups(path: Path) -> None:
    pq.ParquetWriter(path, numbers().schema, store_schema=False).close()


def _wide(path: Path) -> None:
    pq.write_table(pa.table({f"column {n}": [n, None] for n in range(1000)}), path, store_schema=False)


def _row_groups(path: Path) -> None:
    pq.write_table(pa.table({"n": range(500)}), path, row_group_size=1, store_schema=False)


def _huge_page(path: Path) -> None:
    table = pa.table({"n": np.arange(400_000), "text": [f"{n:020}" for n in range(400_000)]})
    pq.write_table(table, path, data_page_size=1 << 30, use_dictionary=False, compression="none", store_schema=False,
                   max_rows_per_page=1 << 30)  # fmt: skip


def _tiny_pages(path: Path) -> None:
    pq.write_table(numbers(), path, data_page_size=1, write_batch_size=1, max_rows_per_page=1, store_schema=False)


# Byte by byte


def _one(
    schema: dict[int, Any], physical: int, pages: list[Page], rows: int, **options: Any
) -> Callable[[Path], object]:
    """A file of one flat column."""
    column = {name: options.pop(name) for name in ("codec", "dictionary_offset", "first", "encodings", "values")
              if name in options}  # fmt: skip
    name = schema[4]
    path_of = options.pop("path", [name])
    return lambda path: raw.write(
        path, [root(1), schema], [(rows, [Column(path_of, physical, pages, **column)])], **options
    )


def _integers(count: int = 40) -> bytes:
    return struct.pack(f"<{count}i", *range(count))


def _keys(count: int, distinct: int) -> bytes:
    width = max(1, (distinct - 1).bit_length())
    return bytes([width]) + raw.levels([n % distinct for n in range(count)], (1 << width) - 1, sized=False)


def _with_dictionary(**options: Any) -> Callable[[Path], object]:
    texts = [b"alpha", b"beta", b"gamma"]
    pages = [
        Page(byte_arrays(texts), 3, raw.PLAIN, dictionary=True),
        Page(_keys(40, 3), 40, options.pop("encoding", raw.RLE_DICTIONARY)),
    ]
    encodings = [raw.PLAIN, raw.RLE, raw.RLE_DICTIONARY]
    return _one(element("word", raw.REQUIRED, raw.BYTE_ARRAY, converted=0), raw.BYTE_ARRAY, pages, 40,
                encodings=encodings, **options)  # fmt: skip


def _decimal_bytes(precision: int, scale: int, width: int | None, values: list[int]) -> Callable[[Path], object]:
    def bytes_of(value: int) -> bytes:
        return value.to_bytes(width or max(1, (value.bit_length() + 8) // 8), "big", signed=True)

    body = byte_arrays([bytes_of(value) for value in values])
    schema = element("price", 0, raw.BYTE_ARRAY, converted=5, scale=scale, precision=precision)
    return _one(schema, raw.BYTE_ARRAY, [Page(body, len(values))], len(values))


def _decimal_dictionary(path: Path) -> None:
    values = [n * 101 for n in (-3, 0, 7)]
    pages = [
        Page(byte_arrays([one.to_bytes(3, "big", signed=True) for one in values]), 3, dictionary=True),
        Page(raw.levels([n % 2 for n in range(40)], 1) + _keys(20, 3), 40, raw.RLE_DICTIONARY),
    ]
    schema = element("price", 1, raw.BYTE_ARRAY, converted=5, scale=2, precision=6)
    raw.write(path, [root(1), schema], [(40, [Column(["price"], raw.BYTE_ARRAY, pages)])])


def _int96(values: list[int]) -> Callable[[Path], object]:
    page = Page(b"".join(map(raw.int96, values)), len(values))
    return _one(element("at", 0, raw.INT96), raw.INT96, [page], len(values))


_SECOND = 10**9
NOON_2024 = 1_704_110_400 * _SECOND
END = 253_402_225_200 * _SECOND
"""9999-12-31 03:00."""
FIRST = -62_135_596_800 * _SECOND
"""0001-01-01."""
INT96 = {
    "int96 of our days": [NOON_2024 + n * 1_000_003 for n in range(40)],
    "int96 year 9999": [NOON_2024, END, FIRST],
    "int96 nanoseconds and year 9999": [NOON_2024 + 1, END, NOON_2024 + 2, FIRST],
    "int96 edges of 64 bits": [2**63 - 1, -(2**63), 2**63 - 808, 2**63 // 1000 * 1000],
}
"""Instants, nanoseconds since 1970."""


def _int96_list(path: Path) -> None:
    schema = [root(1), element("at", 1, children=1, converted=3), element("list", 2, children=1),
              element("element", 1, raw.INT96)]  # fmt: skip
    values = [NOON_2024 + 1, END, FIRST]
    body = raw.levels([0, 1, 0, 0], 1) + raw.levels([3, 3, 3, 0], 3) + b"".join(map(raw.int96, values))
    raw.write(path, schema, [(3, [Column(["at", "list", "element"], raw.INT96, [Page(body, 4)])])])


def _repeated(schema: list[dict[int, Any]], path_of: list[str], definition: int) -> Callable[[Path], object]:
    """Lists [0, 1], [], [2], of a leaf of whole numbers, in forms before the standard one."""

    def made(path: Path) -> None:
        empty = definition - 1
        body = (
            raw.levels([0, 1, 0, 0], 1)
            + raw.levels([definition, definition, empty, definition], definition)
            + struct.pack("<3i", 0, 1, 2)
        )
        raw.write(path, [root(1), *schema], [(3, [Column(path_of, raw.INT32, [Page(body, 4)])])])

    return made


def _old_map(converted: int, entry: int | None) -> Callable[[Path], object]:
    def made(path: Path) -> None:
        schema = [root(1), element("m", 1, children=1, converted=converted),
                  element("map", 2, children=2, converted=entry),
                  element("key", 0, raw.BYTE_ARRAY, converted=0), element("value", 1, raw.INT32)]  # fmt: skip
        keys = raw.levels([0, 1, 0, 0], 1) + raw.levels([2, 2, 1, 0], 2) + byte_arrays([b"a", b"b"])
        values = raw.levels([0, 1, 0, 0], 1) + raw.levels([3, 2, 1, 0], 3) + struct.pack("<i", 7)
        columns = [Column(["m", "map", "key"], raw.BYTE_ARRAY, [Page(keys, 4)]),
                   Column(["m", "map", "value"], raw.INT32, [Page(values, 4)])]  # fmt: skip
        raw.write(path, schema, [(3, columns)])

    return made


def _annotated(physical: int, body: bytes, rows: int, **options: Any) -> Callable[[Path], object]:
    return _one(element("x", 0, physical, **options), physical, [Page(body, rows)], rows)


def _version_2(path: Path) -> None:
    """Values that are not compressed in a column that is, levels, and a page of NULLs alone."""
    pages = [
        Page(struct.pack("<20i", *range(20)), 30, definition=raw.levels([1, 1, 0] * 10, 1, sized=False), rows=30,
             nulls=10, compressed=False),
        Page(b"", 10, definition=raw.run(0, 10, 1, sized=False), rows=10, nulls=10, compressed=False),
        Page(struct.pack("<2i", 5, 6), 2, definition=raw.run(1, 2, 1, sized=False), rows=2, checksum=True),
    ]  # fmt: skip
    raw.write(path, [root(1), element("n", 1, raw.INT32)], [(42, [Column(["n"], raw.INT32, pages, raw.SNAPPY)])])


def _empty_pages(path: Path) -> None:
    pages = [Page(_integers(), 40), Page(b"", 0)]
    raw.write(path, [root(1), element("n", 0, raw.INT32)], [(40, [Column(["n"], raw.INT32, pages)]),
                                                            (0, [Column(["n"], raw.INT32, [])])])  # fmt: skip


def _fallback(path: Path) -> None:
    pages = [
        Page(byte_arrays([b"alpha", b"beta"]), 2, dictionary=True),
        Page(_keys(20, 2), 20, raw.RLE_DICTIONARY),
        Page(byte_arrays([b"gamma%d" % n for n in range(20)]), 20),
    ]
    column = Column(["w"], raw.BYTE_ARRAY, pages, encodings=[raw.PLAIN, raw.RLE, raw.RLE_DICTIONARY])
    raw.write(path, [root(1), element("w", 0, raw.BYTE_ARRAY, converted=0)], [(40, [column])])


def _split(path: Path) -> None:
    values = struct.pack("<40f", *(n / 3 for n in range(40)))
    body = b"".join(values[place::4] for place in range(4))
    raw.write(path, [root(1), element("x", 0, raw.FLOAT)],
              [(40, [Column(["x"], raw.FLOAT, [Page(body, 40, raw.SPLIT)], raw.ZSTD)])])  # fmt: skip


CORPUS: dict[str, Callable[[Path], object]] = {
    # Types
    "plain types": _table(numbers(), use_dictionary=False, compression="none"),
    "plain types in dictionaries": _table(numbers()),
    "times": _table(times()),
    "times in version 1.0": _table(times().drop([name for name in times().column_names if " ns" in name]),
                                   version="1.0"),
    "decimals": _table(decimals()),
    "decimals as integers": _table(decimals(), store_decimal_as_integer=True),
    "float16": _table(pa.table({"x": pa.array(np.arange(ROWS, dtype=np.float16))})),
    "uuid": _table(pa.table({"x": pa.array([bytes([n % 256]) * 16 for n in range(ROWS)], pa.uuid())})),
    "json": _table(pa.table({"x": pa.array(['{"a": 1}'] * ROWS, pa.json_())})),
    "null type": _table(pa.table({"x": pa.nulls(ROWS), "n": range(ROWS)})),
    "durations": _table(pa.table({"x": pa.array(range(ROWS), pa.duration("us"))}), store_schema=True),
    "dates of milliseconds": _table(pa.table({"x": pa.array([n * 86_400_000 for n in range(ROWS)], pa.date64())})),
    "interval": _duckdb("SELECT to_days(n::INT) + to_months(n::INT) + to_seconds(n) AS x FROM range(300) t(n)"),
    "enum": _duckdb("SELECT ('b' || n % 3)::ENUM('b0', 'b1', 'b2') AS x FROM range(300) t(n)"),
    "types of duckdb": _duckdb(
        "SELECT n::HUGEINT AS h, uuid() AS u, n::VARCHAR::BLOB AS b, ('12:00:00'::TIME + to_seconds(n)) AS t, "
        "TIMESTAMPTZ '2024-01-01 00:00:00+00' + to_hours(n) AS z, '101'::BIT AS bits, {'a': n, 'b': [n]} AS s, "
        "MAP {'k': n} AS m, n::DECIMAL(30, 5) AS d, (n % 200)::UTINYINT AS small FROM range(300) t(n)"
    ),
    "bson": _annotated(raw.BYTE_ARRAY, byte_arrays([b"\x05\0\0\0\0"] * 40), 40, converted=20),
    "enum of bytes": _annotated(raw.BYTE_ARRAY, byte_arrays([b"red"] * 40), 40, converted=4),
    "unknown logical type": _annotated(raw.BYTE_ARRAY, byte_arrays([b"x%d" % n for n in range(40)]), 40,
                                       logical={90: {}}),
    "unknown logical type of numbers": _annotated(raw.INT32, _integers(), 40, logical={90: {}}),
    "decimals in bytes": _decimal_bytes(4, 2, 2, [100 * n for n in range(-20, 21)]),
    "decimals in bytes of any length": _decimal_bytes(18, 3, None, [(-7) ** n for n in range(20)]),
    "decimals in bytes that are long": _decimal_bytes(38, 0, 16, [(-11) ** n for n in range(35)]),
    "decimals in 20 bytes": _decimal_bytes(38, 2, 20, [(-11) ** n for n in range(35)]),
    "decimals in bytes of 60 digits": _decimal_bytes(60, 2, None, [(-11) ** n for n in range(55)]),
    "decimals in bytes in a dictionary": _decimal_dictionary,
    "decimals in fixed bytes": _annotated(
        raw.FIXED, b"".join((n * 7 - 100).to_bytes(16, "big", signed=True) for n in range(40)), 40, length=16,
        converted=5, scale=2, precision=5),
    "decimals in 20 fixed bytes": _annotated(
        raw.FIXED, b"".join((n * 7 - 100).to_bytes(20, "big", signed=True) for n in range(40)), 40, length=20,
        converted=5, scale=2, precision=9),
    "fixed bytes of length 1": _annotated(raw.FIXED, bytes(range(40)), 40, length=1),
    "fixed bytes that are a text": _annotated(raw.FIXED, b"ab" * 40, 40, length=2, converted=0),
    **{name: _int96(values) for name, values in INT96.items()},
    "int96 in a list": _int96_list,
    # Encodings
    "delta of integers": _encoded("int32,int64,uint32,uint64,int8,u64 high,u32 high", "DELTA_BINARY_PACKED"),
    "delta of lengths": _encoded("text,bytes", "DELTA_LENGTH_BYTE_ARRAY"),
    "delta of bytes": _encoded("text,bytes,fixed", "DELTA_BYTE_ARRAY"),
    "byte stream split": _encoded("float,double,int32,int64,fixed,uint32", "BYTE_STREAM_SPLIT"),
    "byte stream split of decimals": _table(decimals(), use_dictionary=False,
                                            column_encoding=dict.fromkeys(decimals().column_names,
                                                                          "BYTE_STREAM_SPLIT")),
    "byte stream split of float16": _table(pa.table({"x": pa.array(np.arange(ROWS, dtype=np.float16))}),
                                           use_dictionary=False, column_encoding="BYTE_STREAM_SPLIT"),
    "byte stream split by hand": _split,
    "runs of booleans": _encoded("bool", "RLE", data_page_version="2.0"),
    "runs of booleans in pages of version 1": _encoded("bool", "RLE"),
    "dictionary of PLAIN_DICTIONARY": _with_dictionary(encoding=raw.PLAIN_DICTIONARY),
    "dictionary, then plain": _fallback,
    "dictionary of one value": _one(
        element("w", 0, raw.BYTE_ARRAY, converted=0), raw.BYTE_ARRAY,
        [Page(byte_arrays([b"alpha"]), 1, dictionary=True), Page(b"\0" + raw._varint(40 << 1), 40, raw.RLE_DICTIONARY)],
        40, encodings=[raw.PLAIN, raw.RLE, raw.RLE_DICTIONARY]),
    "levels in the deprecated form": _one(
        element("n", 1, raw.INT32), raw.INT32,
        [Page(raw.bit_packed([1, 0] * 20, 1) + _integers(20), 40, level_encoding=raw.BIT_PACKED)], 40),
    # Codecs
    **{f"codec {codec}": _table(numbers(), compression=codec)
       for codec in ("none", "snappy", "gzip", "brotli", "zstd", "lz4")},
    "gzip of several members": _one(element("n", 0, raw.INT32), raw.INT32, [Page(_integers(), 40)], 40,
                                    codec=raw.GZIP),
    "lz4 in the frames of Hadoop": _one(element("n", 0, raw.INT32), raw.INT32, [Page(_integers(), 40)], 40,
                                        codec=raw.LZ4),
    "lz4 without a frame": _one(element("n", 0, raw.INT32), raw.INT32, [Page(_integers(), 40)], 40,
                                codec=raw.LZ4_RAW),
    # Nesting
    "nested": _table(nested()),
    "nested in pages of version 2": _table(nested(), data_page_version="2.0", compression="zstd"),
    "nested with other names": _table(nested(), use_compliant_nested_type=False),
    "repeated without a list": _repeated([element("n", 2, raw.INT32)], ["n"], 1),
    "list of two levels": _repeated([element("n", 1, children=1, converted=3), element("element", 2, raw.INT32)],
                                    ["n", "element"], 2),
    "list of an array": _repeated(
        [element("n", 1, children=1, converted=3), element("array", 2, children=1), element("x", 0, raw.INT32)],
        ["n", "array", "x"], 2),
    "list of a tuple": _repeated(
        [element("n", 1, children=1, converted=3), element("n_tuple", 2, children=1), element("x", 0, raw.INT32)],
        ["n", "n_tuple", "x"], 2),
    "map by its old name": _old_map(2, None),
    "map of entries": _old_map(1, 2),
    # Sizes
    "no rows": _table(numbers()[:0]),
    "no row groups": _no_groups,
    "no columns": _table(pa.table({})),
    "one row": _table(numbers()[:1]),
    "all NULL": _table(pa.table({"n": pa.array([None] * ROWS, pa.int32()), "t": pa.array([None] * ROWS, pa.string())})),
    "many row groups": _row_groups,
    "many columns": _wide,
    "one huge page": _huge_page,
    "pages of one row": _tiny_pages,
    "empty pages and groups": _empty_pages,
    "pages of version 2": _table(numbers(), data_page_version="2.0"),
    "pages of version 2 by hand": _version_2,
    # What a footer says, or does not
    "no statistics": _table(numbers(), write_statistics=False),
    "page index": _table(numbers(), write_page_index=True),
    "page checksums": _table(numbers(), write_page_checksum=True),
    "sorted": _table(numbers(), sorting_columns=[pq.SortingColumn(3)]),
    "bloom filters": _duckdb("SELECT n % 50 AS k, 'text ' || n % 50 AS t FROM range(5000) t(n)"),
    "offset of a dictionary 0": _with_dictionary(dictionary_offset=0, first=True),
    "offset of a dictionary 0 and data behind it": _with_dictionary(dictionary_offset=0),
    "no offset of a dictionary": _with_dictionary(dictionary_offset=None, first=True),
    "offset 0 without a dictionary": _one(element("n", 0, raw.INT32), raw.INT32, [Page(_integers(), 40)], 40,
                                          dictionary_offset=0),
    "no writer": _one(element("n", 0, raw.INT32), raw.INT32, [Page(_integers(), 40)], 40, created_by=None),
    "odd keys": _one(element("n", 0, raw.INT32), raw.INT32, [Page(_integers(), 40)], 40,
                     keys=[(b"", None), (b"pandas", b"{"), (b"x" * 300, b"y" * 70_000)]),
    "a damaged ARROW:schema": _one(element("n", 0, raw.INT32), raw.INT32, [Page(_integers(), 40)], 40,
                                   keys=[(b"ARROW:schema", b"AAAA")]),
    "version 2": _one(element("n", 0, raw.INT32), raw.INT32, [Page(_integers(), 40)], 40, version=2),
    "names": _table(pa.table({"a.b": [1], "": [2], "ü \n": [3], "A.B": [4], "select": [5], '"': [6]})),
    "writer polars": _polars(),
    "writer polars, uncompressed": _polars(compression="uncompressed", statistics=False),
    "writer duckdb, version 2": _duckdb("SELECT n, 'text ' || n % 9 AS t, n / 7 AS x FROM range(300) t(n)",
                                        ", PARQUET_VERSION V2, COMPRESSION zstd"),
}  # fmt: skip
"""Maker of each file, by what is odd about it."""

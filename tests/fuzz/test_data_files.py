"""Parquet files that nobody wrote so, at every command that reads them."""

from __future__ import annotations

import functools
import io
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fuzz.frame import HOSTILE, Door, command, fuzz, mutated
from weigh.cli.data.diff import refuse_bombs
from weigh.data import user_files
from weigh.data.layout.match import match
from weigh.data.layout.physical import table_form
from weigh.model.errors import WeighError
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    import random
    from pathlib import Path

_ZSTD_BOMB_ROWS = 4_000_000
_TIMES = (-(2**63), 2**63 - 1, 0, -1, 253_402_300_800_000_000, -62_135_596_800_000_001, 10**18)


@functools.cache
def whole() -> tuple[bytes, ...]:
    """Files as writers write them: plain columns, nested ones, instants, decimals, several row groups."""
    rows = 300
    plain = pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "name": pa.array([f"name {n % 7}" if n % 5 else None for n in range(rows)]).dictionary_encode(),
            "at": pa.array([1_700_000_000_000_000_000 + n for n in range(rows)], pa.timestamp("ns", "UTC")),
            "day": pa.array(range(rows), pa.date32()),
            "price": pa.array([n / 7 for n in range(rows)], pa.float64()),
        }
    )
    nested = pa.table(
        {
            "list": pa.array([[n, None] if n % 3 else None for n in range(rows)], pa.list_(pa.int32())),
            "struct": pa.array([{"a": n, "b": str(n)} for n in range(rows)]),
            "money": pa.array(list(range(rows)), pa.decimal128(38, 0)),
            "bytes": pa.array([bytes([n % 256]) * 3 for n in range(rows)], pa.binary()),
        }
    )
    made = []
    for table, options in (
        (plain, {"compression": "zstd", "row_group_size": 100, "write_page_checksum": True}),
        (plain, {"compression": "snappy", "use_dictionary": False}),
        (nested, {"compression": "gzip"}),
        (nested, {"compression": "none", "data_page_version": "2.0"}),
    ):
        made.append(_written(table, **options))
    return tuple(made)


def _written(table: pa.Table, **options: object) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def make(chance: random.Random) -> bytes:
    match chance.randrange(8):
        case 0:
            # Whole files whose values or names are the hostile part.
            kind = chance.choice(
                (pa.timestamp("ns"), pa.timestamp("us"), pa.timestamp("us", "UTC"), pa.timestamp("ms"))
            )
            times = pa.array([chance.choice(_TIMES) for _ in range(5)], pa.int64()).cast(kind, safe=False)
            days = pa.array([chance.choice((-(2**31), 2**31 - 1, 3_000_000)) for _ in range(5)], pa.int32())
            texts = [chance.choice(HOSTILE) for _ in range(5)]
            columns = [pa.array(range(5)), times, days.cast(pa.date32()), pa.array(texts)]
            names = ["id", "at", "day", chance.choice(HOSTILE) or "x"]
            return _written(pa.table(columns, names=names))
        case 1:
            # The smallest file that unpacks to the most rows.
            rows = pa.array([chance.randrange(9)] * chance.choice((1000, _ZSTD_BOMB_ROWS)))
            return _written(pa.table({"x": rows}), compression="zstd", use_dictionary=chance.random() < 0.5)
        case 2 | 3 | 4:
            # The footer is where a parser can be led astray; the pages are most of the bytes.
            file = chance.choice(whole())
            length = int.from_bytes(file[-8:-4], "little") + 8
            footer = mutated(file[-length:-8], chance)
            size = chance.choice((len(footer), int.from_bytes(file[-8:-4], "little")))
            return file[:-length] + footer + size.to_bytes(4, "little") + file[-4:]
        case _:
            return mutated(chance.choice(whole()), chance)


def use(content: bytes, folder: Path) -> None:
    path, other = folder / "x.parquet", folder / "whole.parquet"
    path.write_bytes(content)
    other.write_bytes(whole()[0])
    assert command(("data", "describe", str(path)), folder).code in (0, 2)
    assert command(("data", "digest", str(path)), folder).code in (0, 2)
    assert command(("data", "diff", str(path), str(other)), folder).code in (0, 1, 2)
    command(("data", "diff", str(other), str(path), "--limit", "3"), folder)
    try:
        refuse_bombs([path])
        match(table_form([path]), LayoutSpec(writer="pyarrow"))
    except WeighError as error:
        assert error.remedy
    try:
        user_files.open_files({"t": [path]}, folder / "cache", 1)
    except WeighError as error:
        assert error.remedy


PARQUET = Door("parquet", make, use, few=25)


def test_parquet() -> None:
    fuzz(PARQUET)


@pytest.mark.parametrize("number", range(len(whole())))
def test_the_files_themselves_are_read(number: int, tmp_path: Path) -> None:
    """Else the door would be tried with what it refuses at a glance."""
    path = tmp_path / "x.parquet"
    path.write_bytes(whole()[number])
    assert command(("data", "describe", str(path)), tmp_path).code == 0

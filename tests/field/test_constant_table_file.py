"""A file of few values and many rows is read; one that unpacks to what fills the memory is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from golden.in_process import weigh
from support import parquet_bytes as raw
from support.parquet_bytes import Column, Page, element, root

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh

ROWS = 12_000_000


def few_values(path: Path, rows: int = ROWS) -> Path:
    """Two columns of one value in a file of some hundred bytes."""
    keys = Page(b"\1" + raw.run(0, rows, 1, sized=False), rows, raw.RLE_DICTIONARY)
    encodings = [raw.PLAIN, raw.RLE, raw.RLE_DICTIONARY]
    columns = [
        Column([name], kind, [Page(value, 1, dictionary=True), keys], encodings=encodings)
        for name, kind, value in (
            ("n", raw.INT32, (7).to_bytes(4, "little")),
            ("word", raw.BYTE_ARRAY, raw.byte_arrays([b"one"])),
        )
    ]  # fmt: skip
    schema = [root(2), element("n", 0, raw.INT32), element("word", 0, raw.BYTE_ARRAY, converted=0)]
    return raw.write(path, schema, [(rows, columns)])


def bomb(path: Path) -> Path:
    """40 GiB of zeros in a few MiB: pages of 64 MiB."""
    page = Page(bytes(64 << 20), 8 << 20)
    packed = raw.packed(page.body, raw.ZSTD)
    return _repeated(path, page, packed, 640)


def _repeated(path: Path, page: Page, packed: bytes, times: int) -> Path:
    head = raw.thrift(
        {1: 0, 2: len(page.body), 3: len(packed), 5: {1: page.values, 2: raw.PLAIN, 3: raw.RLE, 4: raw.RLE}}
    )
    chunk = (head + packed) * times
    meta = {
        1: raw.INT64, 2: [raw.PLAIN, raw.RLE], 3: ["n"], 4: raw.ZSTD, 5: ("i64", page.values * times),
        6: ("i64", len(chunk)), 7: ("i64", len(chunk)), 9: ("i64", 4),
    }  # fmt: skip
    group = {1: [{2: ("i64", 4), 3: meta}], 2: ("i64", len(chunk)), 3: ("i64", page.values * times)}
    footer = raw.thrift({1: 1, 2: [root(1), element("n", 0, raw.INT64)], 3: ("i64", page.values * times), 4: [group]})
    path.write_bytes(b"PAR1" + chunk + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    return path


def test_few_values_are_described(tmp_path: Path) -> None:
    path = few_values(tmp_path / "few.parquet")
    assert path.stat().st_size < 1000
    (found,) = json.loads(weigh(["data", "describe", "--json", str(path)], tmp_path).out)["files"]
    assert found["rows"] == ROWS
    assert found["digest"].startswith(f"x3s2:{ROWS}:")


def test_few_values_are_taken_by_init(weigh: Weigh, tmp_path: Path) -> None:
    few_values(tmp_path / "few.parquet")
    done = weigh("init", "--data", "few.parquet", "--contender", "duckdb", "--quiet")
    assert done.code == 0, done.err
    assert "few (1 file)" in done.out


@pytest.mark.parametrize("command", [["describe"], ["digest"], ["diff"]])
def test_a_bomb_is_refused_by_what_its_pages_say(command: list[str], tmp_path: Path) -> None:
    """The footer of this one does not say it."""
    path = bomb(tmp_path / "bomb.parquet")
    assert path.stat().st_size < 16 << 20
    given = [str(path)] * (2 if command == ["diff"] else 1)
    shown = weigh(["data", *command, *given], tmp_path)
    assert shown.code == 2
    assert "bomb.parquet" in shown.err
    assert "unpack to 40" in shown.err


def test_a_page_larger_than_readers_hold_is_refused(tmp_path: Path) -> None:
    page = Page(bytes(1 << 20), 1 << 17)
    packed = raw.packed(page.body, raw.ZSTD)
    page.body = range(1 << 30)  # type: ignore[assignment]
    path = _repeated(tmp_path / "page.parquet", page, packed, 1)
    shown = weigh(["data", "describe", str(path)], tmp_path)
    assert shown.code == 2
    assert "a page of column n has" in shown.err
    assert "1.00 GiB" in shown.err

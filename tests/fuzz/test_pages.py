"""Parquet files whose page headers and footers lie about lengths, at what walks through pages without decoding them."""

from __future__ import annotations

import functools
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from fuzz.frame import Door, command, fuzz, mutated
from fuzz.test_data_files import whole
from weigh._native import DigestError, check_pages, column_pages, pages_between, parquet_footer

if TYPE_CHECKING:
    import random

_HEADER = 24
"""Bytes of a page header that are mutated: type, sizes, checksum, and the beginning of what follows them."""
_LENGTHS = (
    b"\x15\xfe\xff\xff\xff\x0f",
    b"\x15\xff\xff\xff\xff\x0f",
    b"\x15\x00",
    b"\x15\x02",
    b"\x18\xff\xff\xff\x7f",
    b"\x19\xf1",
)
"""Fields of Thrift: the largest integer, the smallest, 0 and 1; a text and a list of any length."""


@functools.cache
def headers(number: int) -> list[int]:
    """Where the page headers of a whole file are."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "whole.parquet")
        path.write_bytes(whole()[number])
        metadata = pq.ParquetFile(path).metadata
        return [
            page.header
            for group in range(metadata.num_row_groups)
            for column in range(metadata.num_columns)
            for page in column_pages(path, group, metadata.row_group(group).column(column).path_in_schema)
        ]


def make(chance: random.Random) -> bytes:
    number = chance.randrange(len(whole()))
    content = whole()[number]
    match chance.randrange(4):
        case 0:
            length = int.from_bytes(content[-8:-4], "little") + 8
            return content[:-length] + mutated(content[-length:-8], chance) + content[-8:]
        case 1:
            return mutated(content, chance)
        case _:
            at = chance.choice(headers(number))
            head = mutated(content[at : at + _HEADER], chance, 2)
            if chance.random() < 0.5:
                field, value = chance.randrange(len(head) + 1), chance.choice(_LENGTHS)
                head = head[:field] + value + head[field:]
            # Whatever its length has become, the footer stays where it says that it is.
            return content[:at] + head[:_HEADER].ljust(_HEADER, b"\0") + content[at + _HEADER :]


def use(content: bytes, folder: Path) -> None:
    path = folder / "x.parquet"
    path.write_bytes(content)
    assert command(("data", "check", str(path)), folder).code in (0, 1, 2)
    try:
        found = check_pages(path, threads=2)
    except DigestError:
        return
    assert found["with_checksum"] <= found["pages"]
    assert found["bytes"] <= len(content)
    assert len(found["bad"]) <= found["bad_pages"]
    for bad in found["bad"][:5]:
        try:
            column_pages(path, bad["row_group"], bad["column"])
        except DigestError as error:
            assert "corrupt" in str(error)
    for chunk in (chunk for group in parquet_footer(path)["groups"] for chunk in group["chunks"]):
        with suppress(DigestError):
            listed = pages_between(path, chunk["begin"], chunk["begin"] + chunk["bytes"])
            assert sum(page.compressed for page in listed) <= chunk["bytes"]


PAGES = Door("pages", make, use, few=25)


def test_pages() -> None:
    fuzz(PAGES)

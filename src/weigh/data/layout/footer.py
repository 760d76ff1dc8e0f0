"""The footer of a Parquet file: where the pages of each column are, and what the file says besides."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from weigh.data.layout import thrift
from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.model.units import Bytes, Rows

_REMEDY = "name readable, undamaged Parquet files"
_REQUIRED = 0
"""Of a schema's element: there is no NULL."""


class Chunk(NamedTuple):
    """A column in a row group.

    Attributes:
        begin: of its first page in the file.
        bytes: of all its pages, with their headers.
        statistics: whether it has the smallest and the largest value, or the number of NULLs.
        page_index: whether it has a column index and an offset index.
    """

    begin: int
    bytes: Bytes
    statistics: bool
    page_index: bool


class Group(NamedTuple):
    """A row group.

    Attributes:
        rows: how many.
        order: by which columns the file says that it is sorted: their numbers, and whether descending.
        chunks: one for each column.
    """

    rows: Rows
    order: tuple[tuple[int, bool], ...]
    chunks: tuple[Chunk, ...]


class Column(NamedTuple):
    """A column of the schema that has values.

    Attributes:
        name: dotted where it is nested.
        required: whether neither it nor what it lies in may be NULL.
        field_id: its number; None without one.
    """

    name: str
    required: bool
    field_id: int | None


class Footer(NamedTuple):
    """What a footer says.

    Attributes:
        version: of the format, 1 or 2.
        columns: those with values.
        groups: all row groups.
        keys: names of what the writer keeps in the file besides.
    """

    version: int
    columns: tuple[Column, ...]
    groups: tuple[Group, ...]
    keys: tuple[str, ...]


def footer(path: Path) -> Footer:
    """The footer of a file.

    Raises:
        DataFault: it is missing, is not Parquet, is damaged or encrypted.
    """
    try:
        content = _content(path)
        fields, _ = thrift.structure(content)
        if 8 in fields:
            raise _fault(path, "its columns are encrypted")
        columns = tuple(_columns(iter(fields[2])))
        return Footer(
            version=fields[1],
            columns=columns,
            groups=tuple(_group(group, len(columns)) for group in fields[4]),
            keys=tuple(pair[1].decode(errors="replace") for pair in fields.get(5, ())),
        )
    # A schema that ends too soon, or is too deep, is a RuntimeError.
    except OSError as error:
        raise _fault(path, error.strerror or str(error)) from None
    except (IndexError, ValueError, KeyError, TypeError, AttributeError, RuntimeError):
        raise _fault(path, "its footer is damaged") from None


def _content(path: Path) -> bytes:
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        end = os.pread(file.fileno(), 8, max(size - 8, 0))
        length = int.from_bytes(end[:4], "little")
        if end[4:] == b"PARE":
            raise _fault(path, "it is encrypted")
        if end[4:] != b"PAR1" or length + 12 > size:
            raise _fault(path, "it is not a Parquet file, or not the whole of one")
        return os.pread(file.fileno(), length, size - 8 - length)


def _fault(path: Path, what: str) -> DataFault:
    return DataFault(what, where=str(path), remedy=_REMEDY)


def _columns(elements: Iterator[dict[int, Any]]) -> Iterator[Column]:
    """The leaves of a schema, which is a tree in depth-first order."""

    def below(count: int, path: tuple[str, ...], required: bool) -> Iterator[Column]:
        for _ in range(count):
            element = next(elements)
            name = (*path, element[4].decode(errors="replace"))
            never_null = required and element.get(3, _REQUIRED) == _REQUIRED
            if element.get(5):
                yield from below(element[5], name, never_null)
            else:
                yield Column(".".join(name), never_null, element.get(9))

    yield from list(below(next(elements)[5], (), True))


def _group(fields: dict[int, Any], columns: int) -> Group:
    chunks = tuple(_chunk(one) for one in fields[1])
    if len(chunks) != columns:
        raise ValueError("columns are missing")
    order = tuple((one[1], bool(one[2])) for one in fields.get(4, ()))
    return Group(fields[3], order, chunks)


def _chunk(fields: dict[int, Any]) -> Chunk:
    metadata = fields[3]
    # Writers say 0 of a dictionary that is not there, and of pages of a chunk without rows; or leave it out.
    begin = min(
        (at for at in (metadata[9], metadata.get(11)) if at), default=4 if not metadata[5] and not metadata[7] else 0
    )
    if begin < 4 or metadata[7] < 0:
        raise ValueError("no place in the file")
    statistics = bool({1, 2, 3, 5, 6} & set(metadata.get(12) or {}))
    return Chunk(begin, metadata[7], statistics, 4 in fields and 6 in fields)

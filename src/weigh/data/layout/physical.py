"""How a table is written: files, row groups, and each column's encodings, codec, pages, statistics and filters.

All of it is read back from the files. What a footer does not say is taken from the headers of the pages, the level of a
codec by compressing pages again, and the order of rows from the rows.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec
import pyarrow as pa

from weigh.data.layout import codec_level, knobs, row_order
from weigh.model.errors import DataFault
from weigh.model.units import Bytes, Rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from weigh._native import Chunk, Footer, Page

CODECS = {
    "ZSTD": "zstd", "SNAPPY": "snappy", "LZ4": "lz4", "LZ4_RAW": "lz4", "GZIP": "gzip", "UNCOMPRESSED": "none",
    "BROTLI": "brotli",
}  # fmt: skip
"""As layouts name what files name so."""
_REMEDY = "name readable, undamaged Parquet files"
_DICTIONARY = ("PLAIN_DICTIONARY", "RLE_DICTIONARY")


class ColumnForm(msgspec.Struct, frozen=True, kw_only=True):
    """How one column is written, over all files of its table.

    Attributes:
        type: physical type and, after a blank, logical type.
        required: whether the files declare that it has no NULL.
        field_id: number that the files give it; null without one.
        codec: ``zstd``, ``snappy``, ``lz4``, ``gzip``, ``brotli`` or ``none``; several where chunks differ.
        level: lowest and highest level at which Arrow's codec makes the same bytes; null where it is not known.
        encodings: of the pages of data.
        dictionary: whether ``all``, ``some`` or ``none`` of the pages of data refer to a dictionary.
        dictionary_bytes: of the dictionaries, uncompressed.
        pages: how many pages of data.
        page_bytes: their median size, uncompressed.
        largest_page_bytes: the largest, uncompressed.
        largest_page_values: most values in a page, NULLs counted.
        page_versions: of their headers, 1 or 2.
        checksums: whether every page has one.
        statistics: whether every row group has smallest and largest value, or the number of NULLs.
        page_index: whether every row group has a column index and an offset index.
        bloom_filter_bytes: 0 without one.
        compressed_bytes: of all pages in the files.
        uncompressed_bytes: of all pages before compression.
    """

    type: str
    required: bool
    field_id: int | None
    codec: str
    level: tuple[int, int] | None
    encodings: tuple[str, ...]
    dictionary: str
    dictionary_bytes: Bytes
    pages: int
    page_bytes: Bytes
    largest_page_bytes: Bytes
    largest_page_values: int
    page_versions: tuple[int, ...]
    checksums: bool
    statistics: bool
    page_index: bool
    bloom_filter_bytes: Bytes
    compressed_bytes: Bytes
    uncompressed_bytes: Bytes


class TableForm(msgspec.Struct, frozen=True, kw_only=True):
    """How a table is written.

    Attributes:
        files: how many.
        bytes: of all files.
        rows: in all files.
        writers: who wrote them, in their own words.
        parquet_versions: of the format, as the files say.
        row_groups: how many in all files.
        least_rows: of a row group.
        most_rows: of a row group.
        sorted_by: columns by which the rows are in ascending order, over all files, one after another.
        declared_order: columns by which the files say that they are sorted.
        metadata: names of what the writers keep in the files besides.
        columns: by name, dotted where it is nested.
    """

    files: int
    bytes: Bytes
    rows: Rows
    writers: tuple[str, ...]
    parquet_versions: tuple[int, ...]
    row_groups: int
    least_rows: Rows
    most_rows: Rows
    sorted_by: tuple[str, ...]
    declared_order: tuple[str, ...]
    metadata: tuple[str, ...]
    columns: dict[str, ColumnForm]


class _File(NamedTuple):
    path: Path
    footer: Footer
    facts: dict[str, Any]


def table_form(paths: Sequence[Path], *, levels: bool = True, order: bool = True) -> TableForm:
    """How the files of one table are written.

    Args:
        paths: at least one, in order.
        levels: whether to look for the levels of codecs, which compresses pages again.
        order: whether to look for the order of the rows, which reads some of them.

    Raises:
        DataFault: a file is missing, is not Parquet, is encrypted or damaged; their columns differ.
    """
    files = [_opened(path) for path in paths]
    names = list(files[0].facts["columns"])
    for file in files:
        if list(file.facts["columns"]) != names:
            raise DataFault(
                f"it has other columns than {files[0].path.name}",
                where=str(file.path),
                remedy="name files of one table",
            )
    rows = [group["rows"] for file in files for group in file.footer["groups"]]
    columns: dict[str, ColumnForm] = {}
    # The largest first: where no level makes its bytes, another library did, and the others are worth less of a trial.
    known = True
    for number in sorted(range(len(names)), key=lambda one: -_size(files, names[one])):
        columns[names[number]] = form = _column(files, number, names[number], levels=levels, cheap=not known)
        known &= form.level is not None or form.codec not in knobs.LEVELS
    columns = _one_level(columns)
    return TableForm(
        files=len(files),
        bytes=sum(file.path.stat().st_size for file in files),
        rows=sum(rows),
        writers=_distinct(str(file.facts["created_by"] or "unknown") for file in files),
        parquet_versions=tuple(sorted({file.footer["version"] for file in files})),
        row_groups=len(rows),
        least_rows=min(rows, default=0),
        most_rows=max(rows, default=0),
        sorted_by=_order(paths) if order else (),
        declared_order=_declared(files, names),
        metadata=_distinct(key for file in files for key in file.footer["keys"]),
        columns={name: columns[name] for name in names},
    )


def _order(paths: Sequence[Path]) -> tuple[str, ...]:
    try:
        return row_order.ascending(paths)
    except (OSError, pa.ArrowException) as error:
        where = str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        raise DataFault(f"its rows cannot be read: {error}", where=where, remedy=_REMEDY) from None


def _opened(path: Path) -> _File:
    from weigh._native import DigestError, parquet_facts, parquet_footer
    from weigh.data.layout import parquet_reading

    try:
        facts, footer = cast("dict[str, Any]", parquet_facts(path)), parquet_footer(path)
    except (OSError, DigestError) as error:
        raise parquet_reading.fault(path, error) from None
    if [column["name"] for column in footer["columns"]] != list(facts["columns"]):
        raise DataFault(
            "two of its columns have one name, by which how they are written is told",
            where=str(path),
            remedy="give each a name of its own; --rows compares the rows alone",
        )
    return _File(path, footer, facts)


def _one_level(columns: dict[str, ColumnForm]) -> dict[str, ColumnForm]:
    """With the level that fits all columns of a codec, if there is one: few writers take another for each."""
    found = dict(columns)
    for codec in {form.codec for form in columns.values()}:
        those = {name: form for name, form in columns.items() if form.codec == codec and form.level}
        one = codec_level.common(form.level for form in those.values())
        if one is not None:
            found |= {name: msgspec.structs.replace(form, level=one) for name, form in those.items()}
    return found


def _column(files: Sequence[_File], number: int, name: str, *, levels: bool, cheap: bool) -> ColumnForm:
    facts = [file.facts["columns"][name] for file in files]
    found: list[Page] = []
    tried: list[tuple[Path, list[Page]]] = []
    statistics_everywhere = index_everywhere = True
    for file in files:
        for group in file.footer["groups"]:
            chunk = group["chunks"][number]
            of_chunk = _pages(file.path, chunk)
            found += of_chunk
            fit = codec_level.suitable(of_chunk, cheap=cheap)
            if fit:
                # The first and the last row group stand for all.
                tried = [*tried[:1], (file.path, fit)]
            statistics_everywhere &= chunk["statistics"]
            index_everywhere &= chunk["page_index"]
    codec = ", ".join(
        _distinct(CODECS.get(one, one.lower()) for fact in facts for one in fact["codec"].split(",") if one)
    )
    data = [page for page in found if page.kind == "data"]
    coded = sum(page.encoding in _DICTIONARY for page in data)
    found_levels = [codec_level.level(path, fit, codec) for path, fit in tried] if levels else []
    return ColumnForm(
        type=_type(facts[0]["physical_type"], facts[0]["logical_type"]),
        required=files[0].footer["columns"][number]["required"],
        field_id=files[0].footer["columns"][number]["field_id"],
        codec=codec,
        level=None if None in found_levels else codec_level.common(found_levels),
        encodings=tuple(sorted({page.encoding for page in data})),
        dictionary="none" if not coded else "all" if coded == len(data) else "some",
        dictionary_bytes=sum(page.uncompressed for page in found if page.kind == "dictionary"),
        pages=len(data),
        page_bytes=int(statistics.median(page.uncompressed for page in data)) if data else 0,
        largest_page_bytes=max((page.uncompressed for page in data), default=0),
        largest_page_values=max((page.values for page in data), default=0),
        page_versions=tuple(sorted({page.version for page in data})),
        checksums=bool(found) and all(page.checksum is not None for page in found),
        statistics=statistics_everywhere,
        page_index=index_everywhere,
        bloom_filter_bytes=sum(fact["bloom_filter_bytes"] for fact in facts),
        compressed_bytes=sum(fact["compressed_bytes"] for fact in facts),
        uncompressed_bytes=sum(fact["uncompressed_bytes"] for fact in facts),
    )


def _type(physical: str, logical: str | None) -> str:
    """Both types; where only the old annotation stands, by the name of the new one."""
    meant = {"UTF8": "STRING", "INT_32": None, "INT_64": None}
    logical = meant.get(logical, logical) if logical else None
    return f"{physical} {logical}" if logical else physical


def _pages(path: Path, chunk: Chunk) -> list[Page]:
    from weigh._native import DigestError, pages_between
    from weigh.data.layout import parquet_reading

    try:
        return pages_between(path, chunk["begin"], chunk["begin"] + chunk["bytes"])
    except (OSError, DigestError) as error:
        raise parquet_reading.fault(path, error) from None


def _declared(files: Sequence[_File], names: Sequence[str]) -> tuple[str, ...]:
    orders = {tuple(group["order"]) for file in files for group in file.footer["groups"]}
    if len(orders) != 1:
        return ()
    return tuple(
        names[column] + (" descending" if descending else "")
        for column, descending in orders.pop()
        if column < len(names)
    )


def _size(files: Sequence[_File], name: str) -> Bytes:
    return sum(file.facts["columns"][name]["compressed_bytes"] for file in files)


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))

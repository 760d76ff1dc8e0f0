"""Parquet files through PyArrow, weigh's second reader: what it reads is not damaged, whatever the first one says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from weigh._native import DigestError, NotReadError, check_pages, parquet_facts
from weigh.model import units
from weigh.model.errors import DataFault
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from weigh._native import PageChecks, ParquetFacts

_ROWS = 1_000_000_000
_UNPACKED = 8 << 30
_PAGE = 512 << 20
"""Rows, bytes, and bytes of one page that any file may have, however small it is."""
_ROWS_A_BYTE, _BYTES_A_BYTE = 100, 1000
"""Rows and bytes that a byte of a larger file may stand for: a column of one value alone is packed tighter."""
_BATCH = 1 << 14
REMEDY = "give readable, undamaged Parquet files"


def opened(path: Path) -> pq.ParquetFile:
    """The file, whose INT96 instants come in a unit that holds them: in nanoseconds where all fit.

    Raises:
        pyarrow.ArrowException, OSError: it cannot be read.
    """
    file = pq.ParquetFile(path)
    leaves = [file.schema.column(place) for place in range(len(file.schema.names))]
    roots = {leaf.path.split(".")[0] for leaf in leaves if leaf.physical_type == "INT96"}
    if not roots:
        return file
    wide = pq.ParquetFile(path, coerce_int96_timestamp_unit="us")
    narrow = pa.schema([field for field in file.schema_arrow if field.name in roots]).remove_metadata()
    try:
        for batch in wide.iter_batches(_BATCH, columns=sorted(roots)):
            batch.select(narrow.names).cast(narrow)
    except pa.ArrowInvalid:
        return wide
    return file


def schema(path: Path) -> pa.Schema:
    """Of the file; without what its writer noted of Arrow where that is damaged.

    Raises:
        pyarrow.ArrowException, OSError, UnicodeDecodeError: it cannot be read.
    """
    return pq.read_schema(path)


def guarded(path: Path, threads: int = 0) -> tuple[ParquetFacts, PageChecks]:
    """Facts and pages of a file that unpacks to what can be gone through: every command that decodes begins here.

    Args:
        path: the file.
        threads: that read its pages; 0 for one on each processor.

    Raises:
        DigestError: it cannot be read.
        DataFault: it is small, and says that it unpacks to what no machine of this size can hold or go through.
    """
    facts = parquet_facts(path)
    size = max(path.stat().st_size, 1)
    _refuse(path, size, sum(column["uncompressed_bytes"] for column in facts["columns"].values()))
    # The headers of the pages are what a reader takes memory by.
    pages = check_pages(path, threads)
    _refuse(path, size, pages["unpacked"])
    if pages["largest"]:
        column, packed, unpacked = pages["largest"]
        if unpacked > max(_PAGE, _BYTES_A_BYTE * packed):
            raise DataFault(
                f"a page of column {column} has {units.size(packed)} that say that they unpack to "
                f"{units.size(unpacked)}",
                where=str(path),
                remedy="one page must fit the memory of every reader: write it again in smaller pages",
            )
    if facts["rows"] > max(_ROWS, _ROWS_A_BYTE * size):
        raise DataFault(
            f"{units.size(size)} that say that they are {facts['rows']:,} rows",
            where=str(path),
            remedy="it would take for ever to go through them; data that is meant so has a byte for every hundred rows",
        )
    return facts, pages


def _refuse(path: Path, size: int, unpacked: int) -> None:
    if unpacked > max(_UNPACKED, _BYTES_A_BYTE * size):
        raise DataFault(
            f"{units.size(size)} that say that they unpack to {units.size(unpacked)}",
            where=str(path),
            remedy="it would fill the memory or take for ever; data that is meant so has a byte for every thousand",
        )


def fault(path: Path, error: Exception) -> DataFault:
    """What a file is that weigh's reader refused: one that it does not read, or no sound one.

    Only what PyArrow cannot read either, or what does not fit its checksum, is called damaged.

    Args:
        path: the file.
        error: of the reader, weigh's or PyArrow's.
    """
    reason, where = str(error).removeprefix(f"{path}: "), str(path)
    if not isinstance(error, DigestError) and getattr(error, "errno", None) is None:
        reason = f"not a readable Parquet file: {one_line(reason, 200)}"
    if isinstance(error, NotReadError):
        return DataFault(reason, where=where, remedy="leave that column out of the file, or write it in another form")
    if isinstance(error, DigestError) and not reason.startswith(("corrupt", "not a readable", "cannot read")):
        return DataFault(
            reason, where=where, remedy="name columns that are in every file, or files of the same columns"
        )
    if _is_another(path):
        remedy = (
            "for CSV, JSON, Arrow and DuckDB files: weigh data register FILES --name NAME converts and describes them"
        )
        return DataFault("it is no Parquet file, by its name and by its first bytes", where=where, remedy=remedy)
    if isinstance(error, DigestError) and reads(path):
        remedy = "write it again with another writer, for instance with PyArrow or DuckDB, and report this"
        return DataFault(f"weigh does not read it, and PyArrow does ({reason})", where=where, remedy=remedy)
    return DataFault(reason, where=where, remedy=REMEDY)


def fault_of(files: Sequence[Path], error: Exception) -> DataFault:
    """The same where several were read: the error names the one."""
    named = [file for file in files if str(error).startswith(f"{file}: ")]
    return fault(max(named, key=lambda file: len(str(file))), error) if named else DataFault(str(error), remedy=REMEDY)


def _is_another(path: Path) -> bool:
    """Whether a file is of another form: neither its name nor its beginning is that of Parquet."""
    try:
        with path.open("rb") as file:
            return path.suffix.lower() not in (".parquet", ".pq") and file.read(4) not in (b"PAR1", b"PARE")
    except OSError:
        return False


def reads(path: Path) -> bool:
    """Whether PyArrow reads the file: all that it says to have, every value sound, no page against its checksum."""
    try:
        if any(page["stored"] is not None for page in check_pages(path)["bad"]):
            return False
    except (OSError, DigestError):
        # The pages are not where the footer says, for weigh; PyArrow may know better.
        pass
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            rows = sum(batch.num_rows for batch in _sound(file))
            return bool(rows == file.metadata.num_rows)
    except (pa.ArrowException, OSError, ValueError):
        return False


def _sound(file: pq.ParquetFile) -> Iterator[pa.RecordBatch]:
    for batch in file.iter_batches(_BATCH):
        batch.validate(full=True)
        yield batch

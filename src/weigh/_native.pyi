"""The native half of weigh (Rust): digests of rows, hashes of files, facts of Parquet files, ladders of batch means.

Paths are read as they are given, relative ones from the working directory. All functions let go of the
interpreter while they work. The digest and its encoding are specified in ``crates/weigh-digest/src/lib.rs``.
"""

from collections.abc import Sequence
from os import PathLike
from typing import Protocol, TypedDict

class DigestError(ValueError):
    """A file, a column or a stream cannot be digested. The message names it and says what is wrong."""

class ArrowStream(Protocol):
    """What offers the Arrow PyCapsule stream interface: pyarrow's Table and RecordBatchReader, and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None, /) -> object: ...

class RowGroups(TypedDict):
    """Row groups of a file: how many, and the rows of the smallest and the largest."""

    count: int
    min_rows: int
    max_rows: int

class ColumnFacts(TypedDict):
    """One leaf column over all row groups of a file.

    ``codec`` joins several by commas; ``encodings`` is sorted and includes those of levels and dictionary
    pages. Sizes are bytes. The flags hold if they hold in every row group; ``page_checksums`` looks at the
    first page of each.
    """

    physical_type: str
    logical_type: str | None
    codec: str
    encodings: list[str]
    compressed_bytes: int
    uncompressed_bytes: int
    bloom_filter_bytes: int
    statistics: bool
    column_index: bool
    offset_index: bool
    page_checksums: bool

class ParquetFacts(TypedDict):
    """What a Parquet file says of itself.

    ``page_checksums`` and ``page_index`` hold if they do in every column.
    """

    rows: int
    row_groups: RowGroups
    created_by: str | None
    page_checksums: bool
    page_index: bool
    columns: dict[str, ColumnFacts]

class Diff(TypedDict):
    """Rows (duplicates counted) that only one of two tables has, and where some of them are.

    Places are pairs of the path and the number of the row in that file, counted from 0.
    """

    only_left: int
    only_right: int
    left_rows: list[tuple[str, int]]
    right_rows: list[tuple[str, int]]

def digest_parquet(paths: Sequence[str | PathLike[str]], columns: Sequence[str] | None = None, threads: int = 0) -> str:
    """Return the digest of the rows of all files together: ``x3s1:<rows>:<32 hex digits>``.

    Independent of the order of rows and of how the files encode them. Pages with checksums are checked.

    Args:
        paths: Parquet files of one table; none give the digest of no rows.
        columns: names of top-level columns in the order that they take in the digest; by default those of
            the first file, in its order, which every other file must have.
        threads: how many read row groups in parallel; 0 for one on each processor.

    Raises:
        DigestError: a file is missing, not Parquet or corrupt, lacks a column or has one without encoding.
    """

def digest_arrow(stream: ArrowStream, columns: Sequence[int] | None = None) -> str:
    """Return the digest of the rows of a stream of record batches, which it consumes.

    Args:
        stream: anything with ``__arrow_c_stream__``.
        columns: numbers of columns from 0, in the order that they take in the digest; by default all.

    Raises:
        DigestError: the producer failed, a column is out of range, or its type has no encoding.
        AttributeError: the object has no ``__arrow_c_stream__``.
    """

def merge_digests(digests: Sequence[str]) -> str:
    """Return the digest of the rows of all parts together, given that of each; none give that of no rows.

    Raises:
        DigestError: one of them is not a digest of this scheme.
    """

def diff_parquet(
    left: Sequence[str | PathLike[str]],
    right: Sequence[str | PathLike[str]],
    columns: Sequence[str] | None = None,
    limit: int = 20,
) -> Diff:
    """Compare two tables as multisets of rows.

    Memory stays below 512 MB; the files are read once for every 3.6 million rows.

    Args:
        left: Parquet files of one table.
        right: Parquet files of the other.
        columns: names of the columns to compare, by default those of the first file of each side.
        limit: how many surplus rows of each side to locate.

    Raises:
        DigestError: as :func:`digest_parquet`.
    """

def parquet_facts(path: str | PathLike[str]) -> ParquetFacts:
    """Return what the footer of a Parquet file says, and whether its pages have checksums.

    Raises:
        DigestError: the file is missing, or not a readable Parquet file.
    """

def hash_file(path: str | PathLike[str]) -> str:
    """Return the BLAKE3 hash of a file's contents, 64 hex digits.

    Raises:
        DigestError: the file cannot be read.
    """

def hash_bytes(data: bytes) -> str:
    """Return the BLAKE3 hash of ``data``, 64 hex digits."""

class BatchLadder:
    """Means of consecutive batches of 1, 2, 4, 8, ... samples of one series (``crates/weigh-stats/src/lib.rs``).

    Memory grows with the logarithm of the number of samples.
    """

    def __init__(self) -> None: ...
    @property
    def count(self) -> int:
        """Number of samples."""

    def push(self, stream: ArrowStream) -> None:
        """Add samples at the end: one column of 64-bit floats, read where they are.

        Raises:
            ValueError: another type, a null, a number that is not finite. Nothing is added.
        """

    def merge(self, later: BatchLadder) -> None:
        """Add a later part of the same series."""

    def rungs(self) -> list[tuple[int, int, float, float | None, float | None, float | None]]:
        """For each size: samples a batch, batches, their mean, variance, skewness, correlation of neighbours.

        The first, with batches of one sample, describes the samples themselves.
        """

    def batches(self, most: int) -> tuple[int, list[float]]:
        """Samples a batch, a power of two, and the means of no more than ``most`` (and 1,024) batches."""

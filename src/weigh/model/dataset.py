"""Datasets and layouts: what the contenders read, named by its content."""

from __future__ import annotations

from typing import Any

import msgspec

from weigh.model import units
from weigh.model.spec import LayoutSpec
from weigh.model.units import Bytes, Rows, Scale

USER_FILES = "files"
"""Name of the generator of data that nobody generated: a user's own files."""


class DatasetName(msgspec.Struct, frozen=True, kw_only=True):
    """Logical tables at a scale from a named generator.

    Attributes:
        generator: name and version, e.g. ``netflow/1`` or ``tpchgen/4.0.0``.
        scale: rows, or a scale factor; None for a user's own files.
        seed: of the generator; None without one.
    """

    generator: str
    scale: Scale | None
    seed: int | None = None

    def __str__(self) -> str:
        scale = f"sf{units.factor(self.scale)}" if isinstance(self.scale, float) else self.scale
        parts = (self.generator.replace("/", "-"), scale, self.seed)
        return "-".join(str(part) for part in parts if part is not None)

    @property
    def from_user(self) -> bool:
        """Whether the rows are those of a user's own files."""
        return self.generator.partition("/")[0] == USER_FILES


class FileFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a layout.

    Attributes:
        path: relative to the manifest.
        table: logical table whose rows it holds.
        bytes: its size.
        blake3: hash of its bytes, hex.
        rows: number of rows.
        digest: typed row digest, independent of row order and encoding.
        parquet: writer, row groups, codecs and encodings of each column, as read from the footer; empty of Vortex.
        checksum: the store's own of an object, as it said after the object was read back; left out of files.
    """

    path: str
    table: str
    bytes: Bytes
    blake3: str
    rows: Rows
    digest: str
    parquet: dict[str, Any] = {}
    checksum: str | msgspec.UnsetType = msgspec.UNSET


class Conversion(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the user's that was made into Parquet before anybody read it, or a folder that is a table.

    Attributes:
        table: that it belongs to.
        source: its name, and of a database the table inside it.
        form: what it was: ``CSV``, ``JSON``, ``Arrow``, ``DuckDB``, ``Iceberg`` or ``Delta``.
        blake3: hash of its bytes, hex; of a table in a folder, of the names of its files.
        by: library that converted it, or listed the table's files, with its version.
        notes: what was guessed or lost, one sentence each; left out where there is nothing to say.
    """

    table: str
    source: str
    form: str
    blake3: str
    by: str
    notes: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET

    def __str__(self) -> str:
        if self.form in ("Iceberg", "Delta"):
            return (
                f"{self.source} ({self.form}): its files of Parquet, as {self.by} lists them, are read where they lie"
            )
        return f"{self.source} ({self.form}, blake3 {self.blake3[:12]}) was converted to Parquet by {self.by}"

    @property
    def lines(self) -> tuple[str, ...]:
        """For people: what it was, and what was guessed or lost."""
        return (str(self), *(f"  {self.source}: {note}" for note in self.notes or ()))


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The files of a layout.

    Attributes:
        dataset: what the rows are.
        layout: the physical form that was asked for; None for files that are read as they are.
        writer: the writer that made it with its version, read back.
        files: every file.
        digests: row digest of each logical table.
        converted: files that were not Parquet; left out where there was none.
        read_back: who read the rows for their digests, with its version; left out of Parquet, which weigh reads itself.
        truth: SHA-256 of the list of hashes of what is known about the rows; left out where one machine made them.
    """

    dataset: DatasetName
    layout: LayoutSpec | None
    writer: str
    files: tuple[FileFacts, ...]
    digests: dict[str, str]
    converted: tuple[Conversion, ...] | msgspec.UnsetType = msgspec.UNSET
    read_back: str | msgspec.UnsetType = msgspec.UNSET
    truth: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def vortex(self) -> bool:
        """Whether its files are no Parquet."""
        return self.layout is not None and self.layout.vortex

    def paths(self, table: str) -> list[str]:
        """Relative paths of a table's files."""
        return [file.path for file in self.files if file.table == table]

    def rows(self, table: str) -> Rows:
        """Rows of a table."""
        return sum(file.rows for file in self.files if file.table == table)

    @property
    def tables(self) -> list[str]:
        """Logical tables in the order of their first file."""
        return list(dict.fromkeys(file.table for file in self.files))

    @property
    def bytes(self) -> Bytes:
        """Size of all files."""
        return sum(file.bytes for file in self.files)

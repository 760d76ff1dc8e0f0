"""Catalogs: table formats through which contenders find and read the files of a layout."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from weigh.model.units import Bytes

PARQUET = "parquet"
"""No catalog: the files by their paths."""
FORMATS = ("iceberg", "ducklake", "delta")
"""Table formats in which the files of a layout can be registered."""
CATALOGS = (PARQUET, *FORMATS)
"""What ``?catalog=`` takes."""
TITLES = {"iceberg": "Iceberg", "ducklake": "DuckLake", "delta": "Delta"}


class CatalogFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a catalog lists.

    Attributes:
        table: that it belongs to.
        path: beneath the catalog's folder.
        bytes: its size.
        blake3: hash of its bytes, hex.
    """

    table: str
    path: str
    bytes: Bytes
    blake3: str


class CatalogRead(msgspec.Struct, frozen=True, kw_only=True):
    """A contender's catalog, read back by weigh, and the files that it lists, hashed.

    Attributes:
        contender: who reads through it, and nobody else.
        layout: name of the layout whose files it describes; empty for the default one.
        format: of the tables.
        when: ``before`` the first life of the contender, or ``after`` its last.
        by: what registered the files, with its version.
        how: whether the registered files are hard links to those of the layout, or copies.
        files: what it lists, in the order of the layout's files.
        wrong: what it lists that it should not, or lacks; empty where all is well.
        unread: why it could not be read back although nothing is wrong with it; empty where it was.
        lacking: tables that the format cannot hold, and why: they are not in it.
    """

    contender: str
    layout: str = ""
    format: str
    when: Literal["before", "after"]
    by: str
    how: Literal["hard links", "copies"]
    files: tuple[CatalogFile, ...] = ()
    wrong: str = ""
    unread: str = ""
    lacking: dict[str, str] | UnsetType = UNSET

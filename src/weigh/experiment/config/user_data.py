"""A user's own data and queries, as an experiment needs them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from weigh.data import user_files
from weigh.model.errors import UsageError
from weigh.model.spec import Own
from weigh.workloads.user_sql import Folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.data.cache import CachedData


class OwnFiles(NamedTuple):
    """Where a user's own data and queries lie.

    Attributes:
        tables: files by table.
        folder: of the queries.
    """

    tables: user_files.Tables
    folder: Path

    @classmethod
    def found(cls, patterns: Mapping[str, Sequence[str]], folder: str, root: Path) -> OwnFiles:
        """The files that ``[sql]`` of weigh.toml names.

        Raises:
            UsageError: they are not there.
        """
        place = root / Path(folder).expanduser()
        if not place.is_dir():
            raise UsageError("there is no folder of queries", where=str(place), remedy="weigh init makes it")
        return cls(user_files.find(patterns, root), place)

    def content(self) -> Own:
        """Everything that defines the experiment, as hashes."""
        from weigh._native import hash_bytes

        files = sorted(path for kind in ("*.sql", "*.toml") for path in self.folder.glob(kind))
        queries = b"\0".join(part for path in files for part in (path.name.encode(), path.read_bytes()))
        return Own(tables=user_files.hashes(self.tables), queries=hash_bytes(queries))

    def source(self) -> Folder:
        """The workload."""
        return Folder(self.folder)

    def data(self, cache: Path, seed: int) -> CachedData:
        """The files with their manifest; raises as ``own.open_files``."""
        return user_files.open_files(self.tables, cache, seed)

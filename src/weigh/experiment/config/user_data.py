"""A user's own data and queries, as an experiment needs them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.data import user_files
from weigh.experiment.config.conversion import converted
from weigh.model.errors import UsageError
from weigh.model.spec import Own
from weigh.workloads.user_sql import Folder

if TYPE_CHECKING:
    from weigh.data.cache import CachedData
    from weigh.experiment.config.file import SqlTable
    from weigh.model.dataset import Conversion
    from weigh.model.progress import Progress
    from weigh.workloads.parameters import Parameters


class OwnFiles(NamedTuple):
    """Where a user's own data and queries lie.

    Attributes:
        tables: files by table.
        folder: of the queries.
        conversions: where those files come from that were no Parquet.
        parameters: values by parameter, for all queries or for one.
    """

    tables: user_files.Tables
    folder: Path
    conversions: tuple[Conversion, ...] = ()
    parameters: Parameters | None = None

    @classmethod
    def found(cls, table: SqlTable, root: Path, cache: Path, progress: Progress) -> OwnFiles:
        """The files that ``[sql]`` of weigh.toml names, those that are no Parquet converted.

        Raises:
            UsageError: they are not there, or are nothing that is taken.
            DataFault: one of them is damaged.
        """
        folder = table.folder
        patterns = {name: [given] if isinstance(given, str) else given for name, given in table.tables.items()}
        place = root / Path(folder).expanduser()
        if not place.is_dir():
            raise UsageError("there is no folder of queries", where=str(place), remedy="weigh init makes it")
        made = converted(user_files.find(patterns, root), cache, progress)
        return cls(made.tables, place, made.conversions, table.parameters)

    def content(self) -> Own:
        """Everything that defines the experiment, as hashes."""
        from weigh._native import hash_bytes

        files = sorted(path for kind in ("*.sql", "*.toml") for path in self.folder.glob(kind))
        parts = [part for path in files for part in (path.name.encode(), path.read_bytes())]
        if self.parameters:
            parts.append(msgspec.json.encode(self.parameters, order="deterministic"))
        queries = b"\0".join(parts)
        return Own(tables=user_files.hashes(self.tables), queries=hash_bytes(queries))

    def source(self) -> Folder:
        """The workload."""
        return Folder(self.folder, self.parameters)

    def data(self, cache: Path, seed: int) -> CachedData:
        """The files with their manifest; raises as ``own.open_files``."""
        return user_files.open_files(self.tables, cache, seed, self.conversions)

"""A user's own data and queries, as an experiment needs them."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh.data import registered, user_files
from weigh.experiment.config.conversion import converted
from weigh.experiment.config.csv_options import FOUND, CsvTable, parsed
from weigh.model.errors import UsageError
from weigh.model.spec import UserData
from weigh.workloads.frames import FrameFiles
from weigh.workloads.ingest import TablesAlone
from weigh.workloads.user_sql import Folder, Questions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.data.cache import CachedData
    from weigh.experiment.config.file import SqlTable
    from weigh.model.dataset import Conversion
    from weigh.model.finding import Finding
    from weigh.model.operation import Literal, Operation
    from weigh.model.progress import Progress
    from weigh.workloads import WorkloadSource
    from weigh.workloads.parameters import Parameters
    from weigh.workloads.suites.question import LeftOut, Unread


class UserFiles(NamedTuple):
    """Where a user's own data and queries lie.

    Attributes:
        tables: files by table.
        folder: of the queries; None where only tables are loaded.
        conversions: where those files come from that were no Parquet.
        parameters: values by parameter, for all queries or for one.
        known: hashes of files that need not be read again.
        registered: the name that they are registered under; empty for none.
        operations: of a suite, in the place of a folder with result schemas.
        left_out: questions of the suite that are not asked.
        unread: keys of its files that have no effect.
        findings: what the suite says of itself.
        written: the suite's folder as the user wrote it; empty where there is no suite.
        frames: file of functions for data frames, or a folder of them.
        literals: of a suite, values that were filled into a text, by name of the question.
    """

    tables: user_files.Tables
    folder: Path | None
    conversions: tuple[Conversion, ...] = ()
    parameters: Parameters | None = None
    known: Mapping[Path, str] = MappingProxyType({})
    registered: str = ""
    operations: tuple[Operation, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    unread: tuple[Unread, ...] = ()
    findings: tuple[Finding, ...] = ()
    written: str = ""
    frames: Path | None = None
    literals: Mapping[str, Mapping[str, Literal]] = MappingProxyType({})

    def readable(self) -> tuple[Path, ...] | None:
        """The files that a suite's questions may reach; None where the questions are the user's own."""
        return tuple(file for files in self.tables.values() for file in files) if self.operations else None

    @classmethod
    def found(cls, table: SqlTable, root: Path, cache: Path, progress: Progress, csv: CsvTable) -> UserFiles:
        """The files that ``[sql]`` of weigh.toml names, those that are no Parquet converted.

        Raises:
            UsageError: they are not there, or are nothing that is taken.
            DataFault: one of them is damaged.
        """
        place = queries_folder(table, root)
        patterns = {name: [given] if isinstance(given, str) else given for name, given in table.tables.items()}
        made = converted(user_files.find(patterns, root), cache, progress, csv)
        return cls(made.tables, place, made.conversions, table.parameters)

    @classmethod
    def of(cls, name: str, cache: Path, table: SqlTable | None, root: Path) -> UserFiles:
        """Registered files, with the queries of ``[sql]`` where there is one.

        Args:
            name: that they are registered under.
            cache: weigh's cache directory.
            table: ``[sql]`` of weigh.toml.
            root: folder of weigh.toml.

        Raises:
            UsageError: nothing is registered so, or there is no folder of queries.
            DataFault: a file was changed since (D8).
        """
        place = queries_folder(table, root) if table else None
        found = registered.confirmed(name, cache)
        return cls(
            {key: [Path(file.path) for file in files] for key, files in found.tables.items()},
            place,
            parameters=table.parameters if table else None,
            known={Path(file.path): file.blake3 for file in found.files},
            registered=name,
        )

    def content(self) -> UserData:
        """Everything that defines the experiment, as hashes."""
        from weigh._native import hash_bytes

        kinds = ("*.sql", "*.toml") if self.folder else ()
        files = sorted(path for kind in kinds for path in (self.folder or Path()).glob(kind))
        parts = [part for path in files for part in (path.name.encode(), path.read_bytes())]
        functions = {file.name: file.read_bytes() for file in FrameFiles(self.frames).files()}
        parts += [part for name, text in functions.items() for part in (name.encode(), text)]
        if self.operations:
            parts.append(msgspec.json.encode(self.operations, order="deterministic"))
        if self.parameters:
            parts.append(msgspec.json.encode(self.parameters, order="deterministic"))
        queries = b"\0".join(parts)
        return UserData(
            tables=user_files.hashes(self.tables, self.known),
            queries=hash_bytes(queries),
            frames={name: hash_bytes(text) for name, text in functions.items()} or msgspec.UNSET,
        )

    def source(self) -> WorkloadSource:
        """The workload; one without queries where only tables are loaded."""
        if self.operations:
            left_out = [one.name for one in self.left_out]
            return Questions(self.operations, left_out, self.frames, self.literals, self.written)
        return Folder(self.folder, self.parameters, self.frames) if self.folder else TablesAlone()

    def data(self, cache: Path, seed: int) -> CachedData:
        """The files with their manifest; raises as ``own.open_files``."""
        return user_files.open_files(
            self.tables, cache, seed, self.conversions, known=self.known, registered=self.registered
        )


def chosen_csv(table: SqlTable | None, flags: Mapping[str, Any]) -> CsvTable:
    """How files of CSV are read: as ``--csv`` says, else as weigh.toml does.

    Raises:
        UsageError: ``--csv`` says nothing that can be done.
    """
    return parsed(flags["csv"]) if flags.get("csv") else (table.csv if table else FOUND)


def queries_folder(table: SqlTable, root: Path) -> Path:
    """Where the queries lie.

    Raises:
        UsageError: they do not.
    """
    place = root / Path(table.folder).expanduser()
    if not place.is_dir():
        raise UsageError("there is no folder of queries", where=str(place), remedy="weigh init makes it")
    return place

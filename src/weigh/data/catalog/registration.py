"""Catalogs: the files of a layout as tables of Iceberg, DuckLake or Delta, without a byte of them changed.

What is registered are hard links to the files, or copies where another file system allows none, in a folder of weigh's
that lasts as long as the experiment: the maintenance of some formats deletes files that were added to them.
"""

from __future__ import annotations

import errno
import shutil
from collections import Counter
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import UNSET

from weigh.data.catalog import field_ids, runner, unsigned
from weigh.data.catalog.registrar import UnsupportedTable
from weigh.data.layout.program import fault
from weigh.model import units
from weigh.model.data.catalog import TITLES, CatalogFile, CatalogRead
from weigh.model.errors import DataFault, EnvironmentFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.data.catalog.registrar import Registrar

How = Literal["hard links", "copies"]
"""What is registered."""

_LOCATIONS = {"iceberg": f"{{table}}/{runner.ICEBERG_METADATA}", "ducklake": runner.DUCKLAKE, "delta": "{table}"}
"""What a reader is given of a table, beneath the catalog's folder."""
_APART = (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP, errno.ENOTSUP)
"""Why a file may not be linked there."""


class Catalog(NamedTuple):
    """A catalog that was made and read back.

    Attributes:
        kind: of format.
        root: its place.
        paths: the registered files by table.
        locations: what a reader is given by table.
        by: what registered them, with its version.
        how: hard links or copies.
        lacking: tables that the format cannot hold, and why.
    """

    kind: str
    root: Path
    paths: dict[str, list[str]]
    locations: dict[str, str]
    by: str
    how: How
    lacking: Mapping[str, str] = MappingProxyType({})


def refuse(kind: str, tables: Mapping[str, Iterable[Path]]) -> None:
    """Refuse files that may not be registered, before anything is made.

    Args:
        kind: of format.
        tables: Parquet files by table.

    Raises:
        UsageError: a file is given twice, and would count twice; or field ids would lead readers of Iceberg astray.
        NotHeld: the format lacks a type of a column, and would take another.
    """
    for table, paths in tables.items():
        claimed: dict[tuple[int, int], Path] = {}
        for path in paths:
            try:
                status = path.stat()
            except OSError as error:
                raise DataFault(
                    f"a file of table {table} cannot be read ({error.strerror})",
                    where=str(path),
                    remedy="give files that are there",
                ) from error
            first = claimed.get((status.st_dev, status.st_ino))
            if first is not None:
                raise UsageError(
                    f"this file of table {table} is {first} as well: registered twice, its rows would count twice",
                    where=str(path),
                    remedy="name it once",
                )
            claimed[status.st_dev, status.st_ino] = path
            if kind == "iceberg":
                field_ids.refuse(path, table)
            unsigned.refuse(kind, path, table)


def make(kind: str, files: Mapping[str, Sequence[Path]], root: Path, registrar: Registrar) -> Catalog:
    """Register files, and read back what was registered.

    Args:
        kind: of format.
        files: Parquet files by table.
        root: a folder that does not exist; its path becomes part of the catalog.
        registrar: who does it.

    Raises:
        UsageError: a file is given twice, or has field ids that are not those of the table.
        DataFault: the format says that it holds other files.
        EnvironmentFault: no environment, or no space for copies.
    """
    lacking: dict[str, str] = {}
    for table, given in files.items():
        try:
            refuse(kind, {table: given})
        except UnsupportedTable as error:
            lacking[table] = error.what
    while True:
        paths, how = _laid({table: given for table, given in files.items() if table not in lacking}, root)
        if not paths:
            return Catalog(kind, root, {}, {}, "", how, lacking)
        try:
            registered = registrar.register(kind, root, paths)
            break
        except UnsupportedTable as error:
            if error.table not in paths:
                raise
            lacking[error.table] = error.what
            shutil.rmtree(root)
    if wrong := contradiction(paths, registered.files):
        raise DataFault(
            f"{TITLES[kind]}, as {registered.by} made it, lists other files than were registered: {wrong}",
            where=str(root),
            remedy=f"leave out ?catalog={kind}, and report this",
        )
    locations = {table: str(root / _LOCATIONS[kind].format(table=table)) for table in paths}
    return Catalog(kind, root, paths, locations, registered.by, how, lacking)


def contradiction(paths: Mapping[str, list[str]], listed: Mapping[str, list[str]]) -> str:
    """What a catalog lists that it should not, or lacks; a file that is there twice; empty where all is well."""
    for table, expected in paths.items():
        given, found = Counter(_real(expected)), Counter(_real(listed.get(table, [])))
        for path in found:
            if path not in given:
                return f"{path} is no file of table {table}"
            if found[path] > 1:
                return f"{path} is registered {found[path]} times"
            if not Path(path).is_file():
                return f"{path} is missing"
        # DuckLake takes no file without a row.
        if lost := next((path for path in given - found if _has_rows(path)), None):
            return f"{lost} of table {table} is not in it"
    return ""


def _has_rows(path: str) -> bool:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return bool(pq.read_metadata(path).num_rows)
    except (OSError, pa.ArrowException):
        # It is gone, or it is no longer what was registered: it may have had some.
        return True


def _real(paths: Iterable[str]) -> list[str]:
    # Some resolve links in the names of folders, and some do not.
    return [str(Path(path).parent.resolve() / Path(path).name) for path in paths]


def read(
    catalog: Catalog, contender: str, layout: str, when: Literal["before", "after"], registrar: Registrar
) -> CatalogRead:
    """What the catalog lists now, and what those files are now: read back, and hashed.

    Args:
        catalog: which.
        contender: who reads through it.
        layout: name of the layout.
        when: as the evidence calls it.
        registrar: who reads it.
    """
    from weigh._native import hash_file

    files: list[CatalogFile] = []
    wrong = unread = ""
    try:
        if catalog.paths:
            wrong = contradiction(catalog.paths, registrar.files(catalog.kind, catalog.root, catalog.paths).files)
        for table, paths in catalog.paths.items():
            for path in () if wrong else map(Path, paths):
                name = str(path.relative_to(catalog.root))
                files.append(CatalogFile(table=table, path=name, bytes=path.stat().st_size, blake3=hash_file(path)))
    except DataFault as error:
        wrong = error.what
    except (EnvironmentFault, OSError) as error:
        unread = str(error)
    return CatalogRead(
        contender=contender,
        layout=layout,
        format=catalog.kind,
        when=when,
        by=catalog.by,
        how=catalog.how,
        files=tuple(files),
        wrong=wrong,
        unread=unread,
        lacking=dict(catalog.lacking) or UNSET,
    )


def _laid(files: Mapping[str, Sequence[Path]], root: Path) -> tuple[dict[str, list[str]], How]:
    """Links to the files, or copies, as ``<root>/<table>/<number>.parquet``."""
    linked = True
    paths: dict[str, list[str]] = {}
    try:
        root.mkdir(parents=True)
        for table, given in files.items():
            place = root / table
            place.mkdir()
            for number, name in enumerate(given):
                # A hard link to a symbolic link would be another symbolic link.
                real, path = name.resolve(), place / f"{number:04}.parquet"
                if linked:
                    try:
                        path.hardlink_to(real)
                    except OSError as error:
                        if error.errno not in _APART:
                            raise
                        linked = False
                        _space(files, root)
                if not linked:
                    shutil.copyfile(real, path)
                paths.setdefault(table, []).append(str(path))
    except OSError as error:
        raise fault(error, root) from error
    return paths, "hard links" if linked else "copies"


def _space(files: Mapping[str, Sequence[Path]], root: Path) -> None:
    needed = sum(path.stat().st_size for given in files.values() for path in given)
    free = shutil.disk_usage(root).free
    if needed > free:
        raise EnvironmentFault(
            f"the files cannot be linked there, a copy of them needs {units.size(needed)}, and {units.size(free)} are "
            "free",
            where=str(root),
            remedy="free space, or set WEIGH_CACHE to the disk with the data",
        )

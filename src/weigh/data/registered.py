"""Registered files: a user's own Parquet files under a name, hashed once and read where they lie."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.data.layout.file_facts import comparable
from weigh.data.layout.program import fault
from weigh.data.user_files import PARQUET, facts, form, keep_facts, same_columns
from weigh.evidence import whole
from weigh.model import codes
from weigh.model.errors import DataFault, UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from weigh.data.parts.reading import FileRead
    from weigh.data.user_files import Tables
    from weigh.model.finding import Code, Finding
    from weigh.model.progress import Progress

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What the file system says of a file: as long as none of it changes, its bytes are taken to be those of before.

    Attributes:
        bytes: its size.
        modified_ns: when its content was last changed, nanoseconds.
        changed_ns: when anything about it was last changed; a program cannot set this back.
        inode, device: which file it is.
    """

    bytes: int
    modified_ns: int
    changed_ns: int
    inode: int
    device: int

    @classmethod
    def of(cls, path: Path) -> Standing:
        """Of a file as it is now; raises OSError where there is none."""
        found = path.stat()
        return cls(
            bytes=found.st_size,
            modified_ns=found.st_mtime_ns,
            changed_ns=found.st_ctime_ns,
            inode=found.st_ino,
            device=found.st_dev,
        )


class RegisteredFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file.

    Attributes:
        path: absolute.
        blake3: hash of its bytes.
        digest: of its rows.
        rows: how many.
        standing: when it was hashed.
    """

    path: str
    blake3: str
    digest: str
    rows: int
    standing: Standing


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """Files under a name.

    Attributes:
        name: as the user says it.
        tables: files by table.
        at: when they were registered, seconds since 1970.
    """

    name: str
    tables: dict[str, tuple[RegisteredFile, ...]]
    at: float

    @property
    def files(self) -> tuple[RegisteredFile, ...]:
        """Files of every table, in their order."""
        return tuple(file for files in self.tables.values() for file in files)

    @property
    def bytes(self) -> int:
        """Bytes of all files as they were registered."""
        return sum(file.standing.bytes for file in self.files)

    def digests(self) -> dict[str, str]:
        """Row digest of each table."""
        from weigh._native import merge_digests

        return {table: merge_digests([file.digest for file in files]) for table, files in self.tables.items()}


def register(
    name: str,
    tables: Tables,
    cache: Path,
    progress: Progress,
    *,
    force: bool = False,
    read: Callable[[Tables], Mapping[Path, FileRead]] | None = None,
) -> Registration:
    """Read files once, completely, and keep what they are.

    Args:
        name: letters, digits, ``_``, ``.`` and ``-``.
        tables: files by table.
        cache: weigh's cache directory.
        progress: receives messages.
        force: whether another registration of that name is replaced.
        read: reads all files elsewhere, where they are the same ones; None for here.

    Raises:
        UsageError: no such name can be, it is taken by other files, or a file is not Parquet.
        DataFault: a file is damaged.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"'{name}' cannot be a name", remedy="use letters, digits, _, . and -, at most 64 of them: --name NAME"
        )
    for files in tables.values():
        for file in files:
            if form(file) != PARQUET:
                raise UsageError(
                    "only Parquet is read where it lies",
                    where=str(file),
                    remedy="let weigh init convert it: weigh init --data FILES",
                )
    before = _read(_file(name, cache)) if _file(name, cache).exists() else None
    paths = {str(file) for files in tables.values() for file in files}
    if before is not None and not force and {one.path for one in before.files} != paths:
        raise UsageError(
            f"'{name}' is registered already, for other files",
            remedy="give another --name, or replace it with --force",
        )
    for table, files in tables.items():
        same_columns(table, files)
    by_others = read(tables) if read else {}
    found: dict[str, tuple[RegisteredFile, ...]] = {}
    for table, files in tables.items():
        made: list[RegisteredFile] = []
        for number, file in enumerate(files):
            progress.step(number, len(files), f"reading {table}")
            other = by_others.get(file)
            made.append(_read_elsewhere(file, other, cache) if other else _registered(file, table, cache))
        found[table] = tuple(made)
    registration = Registration(name=name, tables=found, at=time.time())
    _write(registration, cache)
    return registration


def names(cache: Path) -> list[str]:
    """Names under which data is registered in a cache, sorted."""
    return sorted(path.stem for path in _folder(cache).glob("*.json"))


def _remedy(name: str, known: list[str]) -> str:
    """What may have been meant: a name that is registered, or what lies in this folder."""
    here = [path.name for path in Path.cwd().iterdir() if not path.name.startswith(".")]
    hint = nearest(name, [*known, *here])
    if hint.startswith("did you mean"):
        return hint
    return nearest(name, known) if known else "name files, or register some: weigh data register FILES --name NAME"


def load(name: str, cache: Path) -> Registration:
    """The registration of that name.

    Raises:
        UsageError: there is none.
        DataFault: what is kept of it cannot be read.
    """
    if not _NAME.fullmatch(name) or not _file(name, cache).exists():
        known = names(cache)
        raise UsageError(
            f"there is no file or folder '{name}', and no data is registered under that name",
            remedy=_remedy(name, known),
        )
    return _read(_file(name, cache))


def forget(name: str, cache: Path) -> Registration:
    """Remove a registration, and no file of the user's; raises as ``load``."""
    found = load(name, cache)
    _file(name, cache).unlink()
    return found


def confirmed(name: str, cache: Path) -> Registration:
    """The registration of that name, its files being what they were.

    A file about which the file system says something else than before is hashed again.

    Raises:
        UsageError: there is none.
        DataFault: a file is gone, or holds other bytes (D8).
    """
    found = load(name, cache)
    tables = {table: tuple(_confirmed(file, found.name) for file in files) for table, files in found.tables.items()}
    now = msgspec.structs.replace(found, tables=tables)
    if now != found:
        _write(now, cache)
    return now


def _confirmed(file: RegisteredFile, name: str) -> RegisteredFile:
    from weigh._native import hash_file

    path = Path(file.path)
    again = f"register it again if that is meant: weigh data register --name {name} --force FILES"
    try:
        standing = Standing.of(path)
        if standing == file.standing:
            return file
        if hash_file(path) == file.blake3:
            return msgspec.structs.replace(file, standing=standing)
    except OSError as error:
        raise DataFault(
            f"{codes.D8_MISSING.code} a registered file cannot be read: {error.strerror or error}",
            where=file.path,
            remedy=again,
        ) from None
    code, what = _difference(file, standing)
    raise DataFault(f"{code} {what} since it was registered as '{name}'", where=file.path, remedy=again)


def _difference(file: RegisteredFile, standing: Standing) -> tuple[Code, str]:
    """What kind of change it is."""
    from weigh._native import DigestError, digest_parquet

    if standing.bytes != file.standing.bytes:
        return codes.D8_SIZE.code, f"it went from {file.standing.bytes:,} to {standing.bytes:,} bytes"
    try:
        same = digest_parquet([Path(file.path)]) == file.digest
    except (OSError, DigestError):
        return codes.D8_DAMAGED.code, "it was changed, and cannot be read any more,"
    return (
        (codes.D8_BYTES.code, "it was written anew, with the same rows,")
        if same
        else (codes.D8_ROWS.code, "its rows were changed")
    )


def changed(name: str, cache: Path) -> list[Finding]:
    """What is no longer as it was registered (D8); nothing if all is well."""
    try:
        confirmed(name, cache)
    except DataFault as found:
        kinds = (codes.D8_MISSING, codes.D8_SIZE, codes.D8_DAMAGED, codes.D8_BYTES)
        code, _, text = found.what.partition(" ")
        kind = next((one for one in kinds if one.code == code), codes.D8_ROWS)
        return [kind.finding(text=f"{found.where}: {text}", remedy=found.remedy)]
    return []


def _registered(file: Path, table: str, cache: Path) -> RegisteredFile:
    from weigh._native import hash_file

    try:
        before = Standing.of(file)
        blake3 = hash_file(file)
        read = facts(file, table, str(file), blake3, cache)
        if Standing.of(file) != before:
            raise DataFault("it changed while it was read", where=str(file), remedy="register it when nobody writes it")
    except OSError as error:
        raise DataFault(
            f"it cannot be read: {error.strerror or error}", where=str(file), remedy="give readable Parquet files"
        ) from None
    return RegisteredFile(path=str(file), blake3=blake3, digest=read.digest, rows=read.rows, standing=before)


def _read_elsewhere(file: Path, other: FileRead, cache: Path) -> RegisteredFile:
    """A file as a worker read it, where what this machine finds there is the same one."""
    standing = Standing.of(file)
    if (standing.bytes, standing.modified_ns) != (other.facts.bytes, other.modified_ns):
        raise DataFault(
            "another file is there than the worker read, or it was written meanwhile",
            where=str(file),
            remedy="name files on a file system that all machines share, and register them when nobody writes them",
        )
    keep_facts(other.facts, cache)
    facts = other.facts
    return RegisteredFile(path=str(file), blake3=facts.blake3, digest=facts.digest, rows=facts.rows, standing=standing)


def _folder(cache: Path) -> Path:
    return cache / "data" / "registered"


def _file(name: str, cache: Path) -> Path:
    return _folder(cache) / f"{name}.json"


def _read(path: Path) -> Registration:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Registration)
    except (OSError, msgspec.DecodeError) as error:
        raise DataFault(
            f"the registration cannot be read ({error})",
            where=str(path),
            remedy="remove it, and register the files again",
        ) from None
    if not all(comparable(file.digest) for file in found.files):
        raise DataFault(
            "another version of weigh registered the files, whose digests of rows this one cannot compare",
            where=str(path),
            remedy="remove it, and register the files again",
        )
    return found


def _write(made: Registration, cache: Path) -> None:
    path = _file(made.name, cache)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        whole.write(path, msgspec.json.format(msgspec.json.encode(made)))
    except OSError as error:
        raise fault(error, path.parent) from error

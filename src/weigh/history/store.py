"""The store: a folder with one small file an entry, or a table of PostgreSQL; several jobs can add at the same time."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import files
from weigh.history.entry import SCHEMA, Damaged, Entry, digest
from weigh.model.errors import EnvironmentFault, EvidenceFault, UsageError
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.history.postgres import PostgresHistory

SUFFIX = ".history.json"
_REMEDIES = {
    "s3": "mount the bucket, or sync the folder: entries are never changed, so `aws s3 sync` both ways is enough",
    "clickhouse": "keep a folder or PostgreSQL, and load `weigh history show --json` into ClickHouse",
}
_SHORT = 12
"""Characters of an id that name a row."""


def place(text: str) -> Path | PostgresHistory:
    """Where a history is: a folder, or a table of PostgreSQL by URL.

    Raises:
        UsageError: another URL, or none that can be read. The text of the error has no password.
    """
    scheme, found, _ = text.partition("://")
    if not found:
        return Path(text)
    if scheme.lower() in ("postgres", "postgresql"):
        from weigh.history.postgres import history

        return history(text)
    raise UsageError(
        f"a history lies in a folder or in PostgreSQL, and {one_line(scheme, 40)}:// is neither",
        remedy=_REMEDIES.get(scheme.lower(), "name a folder, or postgres://USER@HOST/DATABASE"),
    )


def add_all(where: Path | PostgresHistory, entries: Sequence[Entry]) -> dict[str, bool]:
    """Keep entries; by id whether each was not there before.

    Raises:
        EnvironmentFault: they cannot be written.
    """
    if isinstance(where, Path):
        return {entry.id: add(where, entry) for entry in entries}
    added = where.add([(entry.id, msgspec.json.encode(entry).decode()) for entry in entries])
    return {entry.id: entry.id in added for entry in entries}


def read_all(where: Path | PostgresHistory) -> tuple[list[Entry], list[Damaged]]:
    """All entries by time, and those that cannot be believed.

    Raises:
        EvidenceFault: there is no history.
        EnvironmentFault: the server cannot be reached.
    """
    if isinstance(where, Path):
        return read(where)
    return _checked((f"row {own[:_SHORT]}", text.encode()) for own, text in where.read())


def add(folder: Path, entry: Entry) -> bool:
    """Keep an entry; False where it is there already.

    Raises:
        EnvironmentFault: it cannot be written.
    """
    target = folder / f"{entry.id[:32]}{SUFFIX}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if target.exists():
            return False
        # Whole or not at all, and never over what another job wrote.
        handle, name = tempfile.mkstemp(prefix=".adding-", dir=folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(entry), indent=1) + b"\n")
            Path(name).chmod(0o644)
            _named(Path(name), target)
        finally:
            with suppress(FileNotFoundError):
                Path(name).unlink()
    except FileExistsError:
        return False
    except OSError as error:
        raise EnvironmentFault(
            f"the history cannot be written: {error.strerror}", where=str(folder), remedy="name a folder with --to"
        ) from error
    return True


def _named(written: Path, target: Path) -> None:
    try:
        os.link(written, target)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV):
            raise
        # A file system without links. Whoever wrote the same entry meanwhile wrote the same bytes.
        written.replace(target)


def read(folder: Path) -> tuple[list[Entry], list[Damaged]]:
    """All entries by time, and those that cannot be believed.

    Raises:
        EvidenceFault: there is no such folder.
    """
    if not folder.is_dir():
        raise EvidenceFault(
            "there is no history", where=str(folder), remedy="weigh history add EVIDENCE --to FOLDER makes one"
        )
    return _checked((path.name, path) for path in sorted(folder.glob(f"*{SUFFIX}")))


def _checked(kept: Iterable[tuple[str, Path | bytes]]) -> tuple[list[Entry], list[Damaged]]:
    found: dict[str, Entry] = {}
    damaged = []
    for name, content in kept:
        try:
            entry = files.decoded(files.content(content) if isinstance(content, Path) else content, Entry)
        except (OSError, EvidenceFault) as error:
            damaged.append(Damaged(name, f"it cannot be read: {error}"))
            continue
        if entry.schema != SCHEMA:
            damaged.append(Damaged(name, f"it is a {entry.schema}, and this version reads {SCHEMA}"))
        elif digest(entry) != entry.digest:
            damaged.append(Damaged(name, "it was edited after it was added"))
        else:
            found.setdefault(entry.id, entry)
    return sorted(found.values(), key=lambda one: (one.at, one.id)), damaged

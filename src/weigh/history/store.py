"""The store: a folder or bucket with a small file an entry, or a table of a database; several jobs can add at once."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from weigh.evidence import files, whole
from weigh.history.entry import SCHEMA, SUFFIX, Damaged, Entry, digest, file_name
from weigh.model.errors import EnvironmentFault, EvidenceFault, UsageError
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Remote(Protocol):
    """A history that is no folder."""

    def add(self, entries: Sequence[tuple[str, str]]) -> list[str]:
        """Keep entries, each an id and its JSON; the ids of those that were not there."""
        ...

    def read(self) -> list[tuple[str, str]]:
        """All entries, each a name and its JSON."""
        ...


def place(text: str) -> Path | Remote:
    """Where a history is: a folder, a bucket, or a table of PostgreSQL or ClickHouse by URL.

    Raises:
        UsageError: another URL, or none that can be read. The text of the error has no password.
    """
    scheme, found, _ = text.partition("://")
    if not found:
        return Path(text)
    if scheme.lower() in ("postgres", "postgresql"):
        from weigh.history.remote import postgres

        return postgres.history(text)
    if scheme.lower() == "s3":
        from weigh.history.remote import s3

        return s3.history(text)
    if scheme.lower() == "clickhouse":
        from weigh.history.remote import clickhouse

        return clickhouse.history(text)
    raise UsageError(
        f"a history lies in a folder, in S3, PostgreSQL or ClickHouse, and {one_line(scheme, 40)}:// is none of them",
        remedy="name a folder, s3://BUCKET/PREFIX, postgres://USER@HOST/DATABASE or clickhouse://USER@HOST/DATABASE",
    )


def add_all(where: Path | Remote, entries: Sequence[Entry]) -> dict[str, bool]:
    """Keep entries; by id whether each was not there before.

    Raises:
        UsageError, EnvironmentFault: they cannot be written.
    """
    if isinstance(where, Path):
        return {entry.id: add(where, entry) for entry in entries}
    added = where.add([(entry.id, _encoded(entry).decode()) for entry in entries])
    return {entry.id: entry.id in added for entry in entries}


def read_all(where: Path | Remote) -> tuple[list[Entry], list[Damaged]]:
    """All entries by time, and those that cannot be believed.

    Raises:
        EvidenceFault: there is no history.
        UsageError, EnvironmentFault: the server cannot be reached, or does not let one read.
    """
    if isinstance(where, Path):
        return read(where)
    return _checked((name, text.encode()) for name, text in where.read())


def _encoded(entry: Entry) -> bytes:
    return msgspec.json.format(msgspec.json.encode(entry), indent=1) + b"\n"


def add(folder: Path, entry: Entry) -> bool:
    """Keep an entry; False where it is there already.

    Raises:
        UsageError: a file is in the place of the folder.
        EnvironmentFault: it cannot be written.
    """
    target = folder / file_name(entry.id)
    _refuse_file(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Never over what another job wrote.
        return not target.exists() and whole.add(target, _encoded(entry))
    except OSError as error:
        raise EnvironmentFault(
            f"the history cannot be written: {error.strerror}",
            where=str(folder),
            remedy="free space there, or name another folder with --to"
            if error.errno == errno.ENOSPC
            else "name a folder with --to",
        ) from error


def _refuse_file(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError("a history is a folder, and this is a file", where=str(folder), remedy="name a folder")


def read(folder: Path) -> tuple[list[Entry], list[Damaged]]:
    """All entries by time, and those that cannot be believed.

    Raises:
        UsageError: a file is in its place.
        EvidenceFault: there is no such folder.
    """
    _refuse_file(folder)
    if not folder.is_dir():
        raise EvidenceFault(
            "there is no history", where=str(folder), remedy="weigh history add EVIDENCE --to FOLDER makes one"
        )
    return _checked((path.name, path) for path in sorted(folder.glob(f"*{SUFFIX}")))


def _checked(contents: Iterable[tuple[str, Path | bytes]]) -> tuple[list[Entry], list[Damaged]]:
    found: dict[str, Entry] = {}
    damaged = []
    for name, content in contents:
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

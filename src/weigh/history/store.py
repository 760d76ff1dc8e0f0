"""The store: a folder with one small file an entry, so that several jobs can add at the same time."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from weigh.evidence import files
from weigh.history.entry import SCHEMA, Entry, digest
from weigh.model.errors import EnvironmentFault, EvidenceFault, UsageError

SUFFIX = ".history.json"
_REMEDIES = {
    "s3": "mount the bucket, or sync the folder: entries are never changed, so `aws s3 sync` both ways is enough",
    "clickhouse": "keep the folder on a shared disk, and load `weigh history show --json` into ClickHouse",
    "postgres": "keep the folder on a shared disk, and load `weigh history show --json` into PostgreSQL",
}


class Damaged(NamedTuple):
    """An entry that is not what was added."""

    file: str
    why: str


def place(text: str) -> Path:
    """The folder of a history.

    Raises:
        UsageError: a URL: only folders can hold one.
    """
    scheme, found, _ = text.partition("://")
    if found:
        kind = scheme.lower().replace("postgresql", "postgres").partition("+")[0]
        raise UsageError(
            f"a history lies in a folder, and {scheme}:// is none",
            remedy=_REMEDIES.get(kind, "name a folder; its files can be copied between machines, and never change"),
        )
    return Path(text)


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
    found: dict[str, Entry] = {}
    damaged = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            entry = files.decoded(files.content(path), Entry)
        except (OSError, EvidenceFault) as error:
            damaged.append(Damaged(path.name, f"it cannot be read: {error}"))
            continue
        if entry.schema != SCHEMA:
            damaged.append(Damaged(path.name, f"it is a {entry.schema}, and this version reads {SCHEMA}"))
        elif digest(entry) != entry.digest:
            damaged.append(Damaged(path.name, "it was edited after it was added"))
        else:
            found.setdefault(entry.id, entry)
    return sorted(found.values(), key=lambda one: (one.at, one.id)), damaged

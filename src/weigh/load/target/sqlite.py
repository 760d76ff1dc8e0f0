"""SQLite as a target: in the generator's own process, on a throw-away file or on one of the user's."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

import msgspec

from weigh.load.activity.sampler import ActivityProcess
from weigh.load.runs import Ready, TableRows, TargetRead
from weigh.load.target import server_folder
from weigh.load.target.target import Reached
from weigh.model.errors import EngineFault, UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SCHEME = "sqlite:"
_EMBEDDED = "embedded"
_FILE = "tables.sqlite"
_DURABLE = {"journal_mode": "WAL", "synchronous": "FULL"}
"""Readers and one writer at once, and a commit on the disk before it is acknowledged."""
_DEFAULTS = {
    "auto_vacuum": "0",
    "busy_timeout": "0",
    "cache_size": "-2000",
    "foreign_keys": "0",
    "journal_mode": "delete",
    "journal_size_limit": "-1",
    "locking_mode": "normal",
    "max_page_count": "4294967294",
    "mmap_size": "0",
    "page_size": "4096",
    "secure_delete": "0",
    "synchronous": "FULL",
    "temp_store": "0",
    "wal_autocheckpoint": "1000",
}
"""What can be set, and what SQLite does by default (https://sqlite.org/pragma.html)."""
_READER = "weigh.load.target.sqlite_rows"
_READ = 600.0
"""Seconds for it."""
_LEVELS = {"0": "OFF", "1": "NORMAL", "2": "FULL", "3": "EXTRA"}
"""Of ``synchronous``, which reads as a number."""
_WORDS = {
    "auto_vacuum": {"none": "0", "full": "1", "incremental": "2"},
    "secure_delete": {"fast": "2"},
    "temp_store": {"default": "0", "file": "1", "memory": "2"},
}
_TRUTHS = {"true": "1", "on": "1", "yes": "1", "false": "0", "off": "0", "no": "0"}
_COMPILED = ("THREADSAFE", "DEFAULT_FOREIGN_KEYS")
"""Options of the library that decide how its threads meet, and what a write has to look up."""


T = TypeVar("T")


class _Described(msgspec.Struct):
    """What a database says of itself (``weigh._native.describe_sqlite``)."""

    version: str
    compiled: list[str]
    settings: dict[str, str | None]
    empty: bool


class Sqlite:
    """A database in this process: the engine's CPU time is the generator's.

    Args:
        text: ``sqlite:embedded``, ``sqlite:PATH`` or ``sqlite:///PATH``, with pragmas behind a question mark.

    Raises:
        UsageError: there is no path, or no setting of a name.
    """

    kind = "sqlite"

    def __init__(self, text: str) -> None:
        self.text = text
        name, _, query = text.removeprefix(SCHEME).partition("?")
        self.settings = _settings(query)
        self.path: Path | None = None
        if name != _EMBEDDED:
            if not name.strip("/"):
                raise UsageError("the target names no file", remedy="write sqlite:embedded, or sqlite:PATH")
            if name.startswith("//") and not name.startswith("///"):
                raise UsageError(
                    "the target's URL names a host, and SQLite has none", remedy="write sqlite:///PATH, or sqlite:PATH"
                )
            path = Path(unquote(name.removeprefix("//")))
            if not {"/", "."} & set(name) and not path.exists():
                # A word that was meant to be another must not become a file.
                raise UsageError(
                    f"there is no '{text}', and no file of that name",
                    remedy=f"write {SCHEME}{_EMBEDDED}, or {SCHEME}./{name} for a new file",
                )
            self.path = path.absolute()
        # A file of the user's is not put back to what it was.
        self.restarts = self.path is None

    @contextmanager
    def reach(self, cache: Path, connections: int, data: Path | None = None) -> Iterator[Reached]:
        """As of :class:`weigh.load.target.target.Target`.

        Raises:
            EngineFault: the file cannot be opened, is no database, or does not take a setting.
            EnvironmentFault: there is no room for a throw-away file.
        """
        settings = self.settings
        if settings.get("locking_mode", "").lower() == "exclusive" and connections > 1:
            raise UsageError(
                f"locking_mode=EXCLUSIVE lets one connection in, and {connections} are asked for",
                remedy="add --connections 1",
            )
        folder = server_folder.folder() if self.path is None else None
        path = self.path or (folder or Path()) / _FILE
        if data is not None:
            server_folder.copy(data, path)
        settings = {**_DURABLE, **settings} if folder else settings
        new = not path.exists()
        connect = {"kind": self.kind, "path": str(path), "settings": settings}
        activity = ActivityProcess({"path": str(path)})
        try:
            description = _described(connect, self.text)
            yield Reached(
                connect=connect,
                activity=activity,
                read=_read(description, embedded=folder is not None, in_memory=server_folder.in_memory(path.resolve())),
                servers=(),
                fresh=description.empty,
                data=path,
                tables=(path,),
                ready=lambda *, loaded: Ready(data_bytes=_size(path)),
                # Closed, and its log emptied, with the last connection of the loading.
                keep=(lambda to: server_folder.copy(path, to)) if folder else None,
                rows=lambda wanted: _rows(path, wanted),
            )
        finally:
            activity.close()
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
            elif new and _is_nothing(connect):
                # Nothing came of it.
                path.unlink(missing_ok=True)


def _size(path: Path) -> int:
    """Bytes of the file and of its log, which SQLite empties when the last connection is closed: after the loading."""
    return sum(one.stat().st_size for one in (path, Path(f"{path}-wal")) if one.exists())


def _rows(path: Path, wanted: Callable[[str], bool]) -> dict[str, TableRows]:
    """The rows of some tables.

    Raises:
        EngineFault: they cannot be read.
    """
    names = [name for name in _answer(path, (), list[str]) if wanted(name)]
    return _answer(path, names, dict[str, TableRows]) if names else {}


def _answer(path: Path, names: Sequence[str], kind: type[T]) -> T:
    done = subprocess.run(
        [sys.executable, "-P", "-m", _READER, str(path), *names], capture_output=True, timeout=_READ, check=False
    )
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise EngineFault(f"its rows cannot be read: {' '.join(lines)}", where=str(path), remedy="see what SQLite says")
    return msgspec.json.decode(done.stdout, type=kind)


def _settings(query: str) -> dict[str, str]:
    """Pragmas by their names, in lower case."""
    found = {}
    for part in filter(None, query.split("&")):
        name, _, value = part.partition("=")
        name = name.lower()
        if name not in _DEFAULTS:
            raise UsageError(f"SQLite's settings here have no '{name}'", remedy=nearest(name, _DEFAULTS))
        if not value:
            raise UsageError(f"{name} has no value", remedy=f"write {name}={_DEFAULTS[name]}")
        found[name] = unquote(value)
    return found


def _described(connect: dict[str, Any], text: str) -> _Described:
    """What the database says, and whether it took the settings.

    Never by Python's own SQLite, nor by reading the file: closing it would take away the locks that this process has on
    it (https://sqlite.org/howtocorrupt.html, 2.2).
    """
    from weigh._native import LoadError, describe_sqlite

    try:
        description = msgspec.json.decode(describe_sqlite(msgspec.json.encode(connect).decode()), type=_Described)
    except LoadError as error:
        raise EngineFault(str(error), where=text, remedy=_remedy(error.code)) from None
    for name, wanted in connect["settings"].items():
        reads = description.settings[name]
        if reads is None or _plain(name, reads) != _plain(name, wanted):
            raise EngineFault(
                f"{name}={wanted} does not hold: it reads {_printed(name, reads or 'nothing')}",
                where=text,
                remedy="see https://sqlite.org/pragma.html for its values; page_size and auto_vacuum are those of a "
                "database that has tables",
            )
    return description


def _is_nothing(connect: dict[str, Any]) -> bool:
    """Whether a new file is there, has no tables, and nobody works on it."""
    from weigh._native import LoadError, describe_sqlite

    path = Path(connect["path"])
    if not path.exists():
        return False
    if path.stat().st_size:
        plain = {**connect, "settings": {}}
        try:
            # Also takes away the log that nobody uses any more.
            description = msgspec.json.decode(describe_sqlite(msgspec.json.encode(plain).decode()), type=_Described)
        except LoadError:
            return False
        if not description.empty:
            return False
    return not any(Path(f"{path}{end}").exists() for end in ("-wal", "-journal"))


def _remedy(code: str) -> str:
    if code == "SQLITE_NOTADB":
        return "name a database of SQLite, or a file that is not there yet"
    if code == "SQLITE_CANTOPEN":
        return "the folder must be there, and the file one that this user may write"
    return "see what SQLite says"


def _plain(name: str, value: str) -> str:
    """A value as the pragma reads back."""
    word = value.strip().lower()
    if name == "synchronous":
        return next((number for number, level in _LEVELS.items() if level.lower() == word), word)
    return _WORDS.get(name, {}).get(word) or _TRUTHS.get(word, word)


def _printed(name: str, value: str) -> str:
    return _LEVELS.get(value, value) if name == "synchronous" else value


def _read(description: _Described, *, embedded: bool, in_memory: bool) -> TargetRead:
    values = {name: _printed(name, value) for name, value in description.settings.items() if value is not None}
    in_force: dict[str, dict[str, Any]] = {
        name: {"value": value, "default": _DEFAULTS[name]} for name, value in values.items()
    }
    in_force |= {
        name: {"value": value or "on", "default": None}
        for name, _, value in (one.partition("=") for one in description.compiled)
        if name in _COMPILED
    }
    undurable = _undurable(
        values["journal_mode"], values["synchronous"], exclusive=values["locking_mode"] == "exclusive"
    )
    if in_memory:
        undurable.append("its data lies in memory (tmpfs): a loss of power empties it")
    return TargetRead(
        kind="sqlite",
        product="SQLite",
        version=description.version,
        embedded=embedded,
        same_host=True,
        in_force=in_force,
        undurable=tuple(undurable),
        durable=not undurable,
    )


def _undurable(journal: str, level: str, *, exclusive: bool) -> list[str]:
    """What may be lost, after https://sqlite.org/pragma.html#pragma_synchronous and #pragma_journal_mode.

    Under an exclusive lock the journal is not removed: its header is overwritten, and that is forced to the disk
    (``zeroJournalHdr`` of SQLite 3.54).
    """
    found = []
    if journal in ("off", "memory"):
        found.append(f"journal_mode is {journal.upper()}: a crash inside a transaction leaves a damaged database")
    if level == "OFF":
        found.append("synchronous is OFF: nothing is forced to the disk")
    elif level == "NORMAL" and journal == "wal":
        found.append("synchronous is NORMAL with journal_mode=WAL: a commit is acknowledged before it is on the disk")
    elif level == "NORMAL":
        found.append(
            "synchronous is NORMAL: a loss of power can take back the last commit, or on some file systems damage the "
            "database"
        )
    elif level == "FULL" and journal == "delete" and not exclusive:
        found.append(
            "synchronous is FULL with journal_mode=DELETE: the removal of the journal is not forced to the disk, so a "
            "loss of power can take back the last commit (EXTRA forces it)"
        )
    return found

"""Copies: what engines that cannot query Parquet where it lies have loaded from it, kept with the other caches.

A copy belongs to the bytes it was loaded from, to the environment that loaded it and to the settings in force then. It
is made aside and moved into place, so that a kill leaves no half of one.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.engines.process import WorkerProcess
from weigh.host import processes, scratch
from weigh.model.clock_coverage import StartCost
from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.engines.engine import Engine
    from weigh.engines.environment import Environment
    from weigh.model.contender import Setting
    from weigh.model.data.store import StoreAccess
    from weigh.model.dataset import Manifest

LOAD_TIMEOUT = 4 * 3600.0
"""Seconds. Loading is not measured; somebody who asks for a terabyte in SQLite may have it."""
NOTE = "tables.json"
"""In a copy, what it has in a server: schema, address, and the statement that drops it."""
_LOADING = "loading-"
_ENDING = 10.0
"""Seconds for what a killed loader had begun to put things in order."""


class TableFormat(NamedTuple):
    """Descriptions of tables in a table format.

    Attributes:
        kind: ``iceberg``, ``ducklake`` or ``delta``.
        locations: where the description of each table is.
    """

    kind: str
    locations: dict[str, str]


class Tables(NamedTuple):
    """Tables as a contender finds them.

    Attributes:
        paths: Parquet files by table.
        key: hash of the bytes of the files; what was loaded from equal bytes can be used again.
        catalog: through which a contender reads these files; None for their paths.
        store: how the paths are reached where they are ``s3://``; None for files.
        folder: where relative paths of their manifest begin; empty where there is none.
    """

    paths: dict[str, list[str]]
    key: str
    catalog: TableFormat | None = None
    store: StoreAccess | None = None
    folder: str = ""


def tables_key(manifest: Manifest) -> str:
    """The key of the tables of a manifest."""
    from weigh._native import hash_bytes

    return hash_bytes(" ".join(f"{file.table}:{file.blake3}" for file in manifest.files).encode())


def ensure(
    engine: Engine,
    environment: Environment,
    settings: dict[str, Setting],
    tables: Tables,
    cache: Path,
    hidden: Sequence[Path] = (),
) -> Path:
    """The folder of the copy, from the cache or loaded now by a process that finds the hidden folders empty.

    Raises:
        WorkerEnded: the engine could not load the tables.
        EnvironmentFault: the cache cannot be written.
    """
    named = [engine.name, _code(engine.adapter), environment.key, settings, tables.key, sorted(tables.paths)]
    key = hashlib.sha256(msgspec.json.encode(named, order="deterministic")).hexdigest()[:16]
    folder = copies_folder(cache) / f"{engine.name}-{key}"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with (folder.parent / f".{folder.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                _load(engine, environment, settings, tables, folder, hidden)
    except OSError as error:
        raise EnvironmentFault(
            f"what {engine.name} loads cannot be stored: {error.strerror or error}",
            where=str(folder.parent),
            remedy="free space or set WEIGH_CACHE",
        ) from error
    return folder


def cost(folder: Path) -> StartCost | None:
    """What loading a copy cost, whoever did it; None where nobody wrote it down."""
    with suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(_cost_file(folder).read_bytes(), type=StartCost)
    return None


class InServer(msgspec.Struct, frozen=True, kw_only=True):
    """A schema that weigh made in somebody's server.

    Attributes:
        schema: its name.
        address: of the server, as the contender named it, without a password.
        drop: the statement that drops it.
        killed: whether who loaded it was killed meanwhile: nobody will use it.
        folder: of what weigh knows of it; without it the tables are loaded again.
    """

    schema: str
    address: str
    drop: str
    killed: bool
    folder: str


def in_servers(cache: Path) -> list[InServer]:
    """What was loaded into servers and is there still, as far as weigh knows."""
    found = []
    for path in sorted(copies_folder(cache).glob(f"*/{NOTE}")):
        with suppress(OSError, msgspec.MsgspecError, KeyError, TypeError):
            note = msgspec.json.decode(path.read_bytes())
            if note["schema"]:
                found.append(
                    InServer(
                        schema=note["schema"],
                        address=note["address"],
                        drop=note["drop"],
                        killed=path.parent.name.startswith(_LOADING),
                        folder=str(path.parent),
                    )
                )
    return found


def _cost_file(folder: Path) -> Path:
    return folder.parent / f".{folder.name}.cost.json"


def copies_folder(cache: Path) -> Path:
    """Where all copies lie."""
    return cache / "copies"


def _code(adapter: Path) -> list[str]:
    """The adapter's source: what another version of it loaded may be another form."""
    modules = sorted(adapter.parent.glob("*.py")) if adapter.name == "__init__.py" else [adapter]
    return [module.read_text() for module in modules]


def _load(
    engine: Engine,
    environment: Environment,
    settings: dict[str, Setting],
    tables: Tables,
    folder: Path,
    hidden: Sequence[Path],
) -> None:
    prefix = f"{_LOADING}{folder.name}-"
    # Under the lock nobody else is loading it: what lies here was left by a loader that was killed.
    # What one had begun in a server is noted in it, and dropped there by the next one.
    lefts = list(folder.parent.glob(f"{prefix}*"))
    for left in lefts:
        if not (left / NOTE).exists():
            scratch.remove(left, _ENDING)
    aside = Path(tempfile.mkdtemp(prefix=prefix, dir=folder.parent))
    aside.chmod(0o755)
    try:
        with WorkerProcess(engine, environment, settings, hidden=hidden) as worker:
            worker.load(tables.paths, aside, LOAD_TIMEOUT)
            made = worker.start_cost("")
            cost = msgspec.structs.replace(made, disk=max(made.disk, processes.disk_bytes(aside)))
        _cost_file(folder).write_bytes(msgspec.json.encode(cost))
        aside.rename(folder)
        for left in lefts:
            if left.exists() and not (left / NOTE).exists():
                scratch.remove(left, _ENDING)
    finally:
        # Of a loader that ended on its own the note is gone where nothing is left.
        if not (aside / NOTE).exists():
            shutil.rmtree(aside, ignore_errors=True)

"""The registrar: processes in environments of their own, which register files and read catalogs back."""

from __future__ import annotations

import os
import selectors
import subprocess
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh.data.catalog import runner
from weigh.model.data.catalog import TITLES
from weigh.model.errors import DataFault, EnvironmentFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

REQUIREMENTS = {
    "iceberg": ("pyiceberg[sql-sqlite,pyarrow]==0.12.0", "pyarrow==26.0.1"),
    "ducklake": ("duckdb==1.5.5", "duckdb-extension-ducklake==1.5.5"),
    "delta": ("deltalake==1.6.6",),
}
"""What registers each format."""
TIMEOUT = 600.0
"""Seconds for one request: footers are read, and no rows."""


class UnsupportedTable(DataFault):
    """A format cannot hold a table: the others, and other contenders, have nothing to do with it.

    Args:
        table: its name.
        what: why not.
        where: the files.
        remedy: what to do.
    """

    def __init__(self, table: str, what: str, where: str = "", remedy: str = "") -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.table = table


class Registered(NamedTuple):
    """What a catalog says.

    Attributes:
        by: who registered or read it, with its version.
        files: by table, sorted; a file that is registered twice is here twice.
    """

    by: str
    files: dict[str, list[str]]


class Current(NamedTuple):
    """A table as it is now.

    Attributes:
        by: who read it, with its version.
        files: its files.
        snapshot: which version of it, for people.
        columns: their names.
    """

    by: str
    files: tuple[Path, ...]
    snapshot: str
    columns: tuple[str, ...]


def copied(kind: str, folder: Path) -> str:
    """The remedy where files of Parquet alone are not the rows of a table."""
    return f"write its rows as Parquet: duckdb -c \"COPY (FROM {kind}_scan('{folder}')) TO 'rows.parquet'\""


class Registrar:
    """Registers and reads back; a process for each format begins with the first request and ends with ``rest``.

    Args:
        environment: gives the interpreter of an environment with these exact requirements.
    """

    def __init__(self, environment: Callable[[list[str]], Path]) -> None:
        self._environment = environment
        self._processes: dict[str, tuple[subprocess.Popen[bytes], IO[bytes]]] = {}

    def register(self, kind: str, root: Path, tables: Mapping[str, Sequence[str]]) -> Registered:
        """Make a catalog of files that lie in ``root``, and read it back.

        Raises:
            DataFault: the format cannot hold these tables.
            EnvironmentFault: there is no environment, or its process ended.
        """
        return self._request("register", kind, root, tables)

    def files(self, kind: str, root: Path, tables: Mapping[str, Sequence[str]]) -> Registered:
        """What a catalog lists now; raises as ``register``."""
        return self._request("list", kind, root, tables)

    def current(self, kind: str, folder: Path) -> Current:
        """What a table that somebody else made holds now.

        Raises:
            UsageError: its files alone are not its rows, or it cannot be read.
            EnvironmentFault: there is no environment, or its process ended.
        """
        reply = self._reply("current", kind, folder.parent, {folder.name: ()})
        if "error" in reply:
            why = reply["error"].removeprefix("ValueError: ")
            raise UsageError(
                f"this table of {TITLES[kind]} is not read as its files: {why}",
                where=str(folder),
                remedy=copied(kind, folder),
            )
        files = tuple(Path(path) for path in reply["files"][folder.name])
        return Current(reply["by"], files, reply["snapshot"], tuple(reply["columns"]))

    def rest(self) -> None:
        """End the processes: nothing of weigh's waits alongside a measurement."""
        for process, complaints in self._processes.values():
            # It ends when nobody asks any more.
            process.communicate()
            complaints.close()
        self._processes.clear()

    def _request(self, do: str, kind: str, root: Path, tables: Mapping[str, Sequence[str]]) -> Registered:
        reply = self._reply(do, kind, root, tables)
        if "error" in reply:
            raise UnsupportedTable(
                reply["table"],
                f"table {reply['table']} as {TITLES[kind]}: {reply['error']}",
                where=str(root),
                remedy=f"leave out ?catalog={kind}, or write the table in types that {TITLES[kind]} has",
            )
        return Registered(reply["by"], reply["files"])

    def _reply(self, do: str, kind: str, root: Path, tables: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        if kind not in self._processes:
            self._processes[kind] = self._started(kind)
        process, complaints = self._processes[kind]
        assert process.stdin is not None
        assert process.stdout is not None
        request = {"do": do, "kind": kind, "root": str(root), "tables": tables}
        try:
            process.stdin.write(msgspec.json.encode(request) + b"\n")
            process.stdin.flush()
            reply: dict[str, Any] = msgspec.json.decode(_line(process.stdout))
        except (OSError, msgspec.DecodeError, TimeoutError) as error:
            process.kill()
            process.wait()
            complaints.seek(0)
            lines = complaints.read().decode(errors="replace").strip().splitlines()
            del self._processes[kind]
            raise EnvironmentFault(
                f"{TITLES[kind]} cannot be made or read: {lines[-1] if lines else error}",
                where=str(root),
                remedy="remove weigh's cached environments and try again",
            ) from error
        return reply

    def _started(self, kind: str) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
        python = self._environment(list(REQUIREMENTS[kind]))
        complaints = tempfile.TemporaryFile()  # noqa: SIM115
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYICEBERG"))
        }
        process = subprocess.Popen(
            [str(python), "-I", str(runner.__file__)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=environment,
        )
        return process, complaints


def _line(pipe: IO[bytes]) -> bytes:
    """The next line; raises TimeoutError, or OSError at the end."""
    found = b""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while not found.endswith(b"\n"):
            if not selector.select(TIMEOUT):
                raise TimeoutError(f"no answer within {TIMEOUT:.0f} s")
            piece = os.read(pipe.fileno(), 1 << 16)
            if not piece:
                raise OSError("it ended")
            found += piece
    return found

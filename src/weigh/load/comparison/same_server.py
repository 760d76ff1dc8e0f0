"""One server under two names (R10): contenders that name two and are the same program with the same settings."""

from __future__ import annotations

import socket
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from weigh.model import codes
from weigh.model.build import SHORT
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.runs import TargetRead
    from weigh.load.target.target import Reached
    from weigh.model.finding import Finding

_PLACES = frozenset(
    ("bind", "cluster_name", "config_file", "data_directory", "dir", "external_pid_file", "hba_file", "ident_file",
     "listen_addresses", "logfile", "pidfile", "port", "tls-port", "unix_socket_directories", "unixsocket")
)  # fmt: skip
"""Settings that say where a server is, and not how it works."""

_DATABASE = ("path_and_query", "database", "db", "dbname")
"""What a connection calls the part of a server that it uses."""


class RunningServer(NamedTuple):
    """A contender whose server answers.

    Attributes:
        name: of the contender.
        text: its target.
        read: as the server described itself.
        program: digest of the file that its first process executes; empty where it is not known.
        address: host, port and database where it was reached; None where weigh has started it, or it is a file.
    """

    name: str
    text: str
    read: TargetRead
    program: str
    address: tuple[str, int, str] | None


def running(name: str, text: str, reached: Reached) -> RunningServer:
    """What a contender's server is, while it answers."""
    from weigh._native import hash_file

    program = ""
    if reached.process is not None:
        # Of another user's process nobody may look at the file.
        with suppress(OSError):
            program = str(hash_file(Path(f"/proc/{reached.process}/exe")))
    known = not reached.read.embedded and (reached.connect.get("host") or reached.connect.get("socket"))
    return RunningServer(name, text, reached.read, program, _address(reached) if known else None)


def _address(reached: Reached) -> tuple[str, int, str]:
    host, port = str(reached.connect.get("host") or ""), int(reached.connect.get("port") or 0)
    database = next((str(reached.connect[name]) for name in _DATABASE if name in reached.connect), "")
    path = reached.connect.get("socket")
    if path:
        return str(path), port, database
    with suppress(OSError, UnicodeError):
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][4]
        host = str(found[0])
    return "loopback" if host in ("127.0.0.1", "::1") else host, port, database


def check(servers: Sequence[RunningServer], *, same_engine: bool) -> list[Finding]:
    """What is to be reported of contenders that are one server.

    Args:
        servers: all of them.
        same_engine: whether the user knows, and wants the A/A.

    Raises:
        UsageError: two of them are one, and no verdict on two can come of it.
    """
    findings = []
    for one, other in combinations(servers, 2):
        for what in _same(one, other):
            # Whoever writes the same target twice asks for an A/A.
            refused = one.text != other.text and not same_engine
            if refused and (one.read.embedded or (one.address and one.address == other.address)):
                raise UsageError(
                    f"{one.name} and {other.name} are one and the same server: {what}; no verdict on two can come "
                    "of it",
                    remedy="name another version or setting, or give --same-engine, and what differs between them is "
                    "called noise (A/A)",
                )
            findings.append(
                codes.R10_SAME.finding(
                    "warning" if refused else "note",
                    contender=other.name,
                    text=f"it is one and the same server as {one.name}: {what}; what differs between them is "
                    f"noise (A/A){', or lies in where they run' if refused else ''}",
                    remedy="nothing is wrong, if that is what you compare",
                )
            )
    return findings


def _same(one: RunningServer, other: RunningServer) -> Iterator[str]:
    """Why they are one, for people."""
    mine, its = one.read, other.read
    version = f"both are {mine.product} {mine.version}"
    if one.address is not None and one.address == other.address:
        if (mine.kind, mine.tls or "", _settings(mine)) == (its.kind, its.tls or "", _settings(its)):
            yield f"{version}, and both targets lead to one address"
        return
    if mine.embedded != its.embedded or (mine.product, mine.version) != (its.product, its.version):
        return
    if _settings(mine) != _settings(its) or (mine.tls or "") != (its.tls or ""):
        return
    if one.program and one.program == other.program:
        yield f"{version}, execute the same file (blake3 {one.program[:SHORT]}), and have the same settings"


def _settings(read: TargetRead) -> dict[str, object]:
    return {name: value.get("value") for name, value in read.in_force.items() if name not in _PLACES}

"""Servers that send what no server should: to the generator, and to what reads a server's settings."""

from __future__ import annotations

import json
import random
import socket
import struct
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fuzz.frame import Door, fuzz
from weigh._native import Load, LoadError
from weigh.load.target.registry import target
from weigh.model.errors import EngineFault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LENGTHS = (0, 1, 3, 4, 5, 0x7F, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_CONNECTIONS = 4


def message(tag: bytes, body: bytes = b"") -> bytes:
    """One message of PostgreSQL's protocol."""
    return tag + struct.pack(">I", len(body) + 4) + body


def row(*values: bytes) -> bytes:
    """One row of an answer."""
    cells = b"".join(struct.pack(">I", len(value)) + value for value in values)
    return message(b"D", struct.pack(">H", len(values)) + cells)


READY = message(b"Z", b"I")
POSTGRES = (
    message(b"R", struct.pack(">I", 0)) + message(b"S", b"server_version\018.6\0") + message(b"K", b"\0" * 8) + READY,
    message(b"1") + message(b"t", b"\0\1\0\0\0\x17") + message(b"T", b"\0\1one\0" + b"\0" * 18) + READY,
    message(b"2") + row(b"1", b"two") + row() + message(b"C", b"SELECT 2\0") + READY,
    message(b"E", b"SERROR\0C42P01\0Mno such table\0\0") + READY,
    message(b"R", b"\0\0\0\x0aSCRAM-SHA-256\0\0"),
    message(b"R", b"\0\0\0\x0br=x,s=eA==,i=4294967295"),
    message(b"N", b"Mhint\0\0") + message(b"n") + message(b"G", b"\0\0\0") + message(b"d", b"x"),
)
RESP = (
    b"%1\r\n+proto\r\n:3\r\n", b"+OK\r\n", b"$3\r\nabc\r\n", b"*2\r\n$1\r\na\r\n$-1\r\n", b"-ERR no\r\n", b":12\r\n",
    b"_\r\n", b"#t\r\n", b",1.5\r\n", b"=7\r\ntxt:abc\r\n", b">2\r\n+a\r\n+b\r\n", b"|1\r\n+a\r\n:1\r\n",
    b"*1\r\n*1\r\n", b"$26\r\nredis_version:7\r\nprocess_id:1\r\n", b"$2147483647\r\n", b"*1000000000\r\n",
    b"+" + b"x" * 70_000,
)  # fmt: skip


def frame(kind: int, body: bytes = b"", flags: int = 0) -> bytes:
    """One frame of CQL's protocol."""
    return struct.pack(">BBhBI", 0x84, flags, 0, kind, len(body)) + body


def columns(*kinds: int) -> bytes:
    """Columns of one table."""
    told = b"".join(b"\0\1c" + struct.pack(">H", kind) for kind in kinds)
    return struct.pack(">II", 1, len(kinds)) + b"\0\1k\0\1t" + told


NO_COLUMNS = struct.pack(">II", 4, 0)
VOID = frame(8, b"\0\0\0\1")
CQL = (
    frame(2) + frame(8, b"\0\0\0\3\0\1k"),
    frame(8, b"\0\0\0\4\0\1i\0\0\0\1\0\0\0\1" + bytes(4) + b"\0\1k\0\1t\0\1c\0\x0d" + columns(13, 9)),
    frame(8, b"\0\0\0\2" + columns(13, 9) + b"\0\0\0\1\0\0\0\1x\0\0\0\4\0\0\0\7"),
    frame(8, b"\0\0\0\2" + columns(0x20) + b"\0\0\0\1\0\0\0\x08\0\0\0\1\xff\xff\xff\xff"),
    frame(8, b"\0\0\0\2" + struct.pack(">II", 6, 2) + b"\0\0\0\1p\0\0\0\0"),
    frame(8, b"\0\0\0\2" + columns(0x30) + b"\0\1k\0\1u\0\2\0\1a\0\x0b\0\1b\0\x06\0\0\0\1\0\0\0\0"),
    frame(3, b"\0\1A") + frame(0x10, b"\xff\xff\xff\xff"),
    frame(0, b"\0\0\x25\0\0\3who\0\1i"), frame(0, b"\0\0\x10\0\0\2no"), frame(0x0C, b"\0\1x"), VOID,
    frame(8, bytes(16) + b"\0\1\0\1w\0\1\0\1a\0\0\0\1b\0\0\0\1", flags=0x0E), NO_COLUMNS,
)  # fmt: skip


def make_cql(chance: random.Random) -> bytes:
    """The same of CQL: all that a session begins with, and then anything."""
    said = b"".join([CQL[0], CQL[1], *chance.choices(CQL, k=chance.randrange(1, 8))])
    return mangled(said, chance, lambda: struct.pack(">I", chance.choice(LENGTHS)))


def make_postgres(chance: random.Random) -> bytes:
    """What a server sends on every connection, of pieces that belong there and were damaged."""
    said = b"".join([POSTGRES[0], POSTGRES[1], *chance.choices(POSTGRES, k=chance.randrange(6))])
    return mangled(said, chance, lambda: struct.pack(">I", chance.choice(LENGTHS)))


def make_resp(chance: random.Random) -> bytes:
    """The same of RESP."""
    said = b"".join([RESP[chance.randrange(2)], *chance.choices(RESP, k=chance.randrange(1, 8))])
    return mangled(said, chance, lambda: b"%c%d\r\n" % (chance.choice(b"$*%>|~!"), chance.choice(LENGTHS)))


def mangled(said: bytes, chance: random.Random, piece: Callable[[], bytes]) -> bytes:
    """Some bytes changed, taken out, repeated, or another length put in."""
    found = bytearray(said)
    for _ in range(chance.randrange(5)):
        at = chance.randrange(len(found) + 1)
        match chance.randrange(5):
            case 0 if found:
                found[at % len(found)] = chance.randrange(256)
            case 1:
                found[at : at + 4] = piece()
            case 2:
                del found[at : at + chance.randrange(12)]
            case 3:
                found[at:at] = found[at : at + 40]
            case _:
                found[at:at] = piece()
    return bytes(found)


class Server:
    """Sends the same bytes on every connection, some at a time, and then hangs up."""

    def __init__(self, said: bytes, folder: Path) -> None:
        self._said = said
        self._chance = random.Random(said)
        self._listener = socket.socket(socket.AF_UNIX)
        self.path = str(folder / ".s.PGSQL.5432")
        self._listener.bind(self.path)
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(0.2)
            connection.recv(1 << 16)
            at = 0
            while at < len(self._said):
                some = self._chance.choice((1, 7, 60, 5_000))
                connection.sendall(self._said[at : at + some])
                at += some
                with suppress(TimeoutError):
                    connection.settimeout(0.005)
                    connection.recv(1 << 16)


def offered(kind: str, said: bytes, folder: Path) -> None:
    """A load against such a server."""
    texts = {
        "postgres": "SELECT 1 AS one \\gset\nSELECT :one;\n",
        "cql": "\\set one 7\nSELECT c, d FROM t WHERE c = :one;\n",
    }
    if kind in texts:
        scripts = [{"name": "fuzz", "text": texts[kind], "weight": 1}]
        workload: dict[str, Any] = {"kind": "script", "seed": 1, "variables": {}, "prepared": True, "scripts": scripts}
    else:
        workload = {"kind": "ycsb", "core": "E", "records": 50, "seed": 1, "ordered_index": True}
    with Server(said, folder) as server:
        connect = {
            "kind": kind, "host": None, "port": 5432, "socket": str(folder) if kind == "postgres" else server.path,
            "user": "u", "password": "p", "database": "0", "tls": "off", "ca": None,
        }  # fmt: skip
        config = {
            "target": connect, "workload": workload, "arrivals": {"kind": "closed"}, "duration_s": 0.05,
            "connections": _CONNECTIONS, "threads": 2, "max_in_flight": _CONNECTIONS, "timeout_s": 0.1,
            "interval_s": 1.0, "spin": False,
        }  # fmt: skip
        try:
            load = Load(json.dumps(config))
            load.start()
            load.finish()
        except LoadError as error:
            assert error.kind in ("protocol", "system", "unreachable", "refused", "setting"), error
            assert "ended early" not in error.message, error
        with suppress(LoadError):
            Load(json.dumps(config)).load()


def use_postgres(said: bytes, folder: Path) -> None:
    """As the target of a load of scripts."""
    offered("postgres", said, folder)


def use_resp(said: bytes, folder: Path) -> None:
    """As the target of YCSB, and where its settings are read."""
    apart = folder / "load"
    apart.mkdir()
    offered("redis", said, apart)
    with Server(said, folder) as server, suppress(EngineFault):
        url = f"redis://localhost?host={server.path}"
        with target(url).reach(folder, 4):
            pass


def use_cql(said: bytes, folder: Path) -> None:
    """As the target of a load of scripts."""
    offered("cql", said, folder)


CQL_DOOR = Door("cql-replies", make_cql, use_cql, few=10)
POSTGRES_DOOR = Door("postgres-replies", make_postgres, use_postgres, few=25)
RESP_DOOR = Door("resp-replies", make_resp, use_resp, few=25)


def test_replies_of_postgres_that_nobody_meant() -> None:
    fuzz(POSTGRES_DOOR)


def test_replies_of_cql_that_nobody_meant() -> None:
    fuzz(CQL_DOOR)


def test_replies_of_resp_that_nobody_meant() -> None:
    fuzz(RESP_DOOR)

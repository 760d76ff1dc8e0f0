"""What clients send to the server of reports."""

from __future__ import annotations

import atexit
import functools
import shutil
import socket
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.frame import Door, fuzz, mutated
from support.evidence_folders import written_run
from weigh.serve.server import Server

if TYPE_CHECKING:
    import random

_SECRET = b"what is outside"
_TARGETS = (
    "/", "/?page=2", "/?name=a&kind=run&verdict=slower", "/evidence/NAME", "/compare?first=NAME&second=NAME", "/why/x",
    "/evidence/..%2fsecret", "/evidence/%00", "/../secret", "/evidence/link", "/?from=2026-01-01&until=x", "*", "//x",
)  # fmt: skip
_HEADS = (
    "Host: localhost",
    "Origin: http://evil.example",
    "Sec-Fetch-Site: cross-site",
    "Content-Length: 99",
    "X: " + "y" * 9000,
)


@functools.cache
def served() -> tuple[Server, str]:
    """A server over one evidence, alongside which something lies that it must not show."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-served-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    evidence = written_run(folder / "runs")
    (folder / "secret").mkdir()
    (folder / "secret" / "journal.jsonl").write_bytes(_SECRET)
    (folder / "runs" / "link").symlink_to(folder / "secret")
    server = Server(folder / "runs", 0)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return server, evidence.name


def make(chance: random.Random) -> bytes:
    lines = [
        f"{chance.choice(('GET', 'HEAD', 'POST', 'TRACE'))} {chance.choice(_TARGETS)} HTTP/1.{chance.randrange(3)}"
    ]
    lines += chance.sample(_HEADS, chance.randrange(1, 4)) if chance.random() < 0.5 else [_HEADS[0]]
    whole = "\r\n".join([*lines, "", ""]).encode()
    return mutated(whole, chance) if chance.random() < 0.7 else whole


def use(content: bytes, _folder: Path) -> None:
    server, name = served()
    said = _asked(server, content.replace(b"NAME", name.encode()))
    assert b"Traceback" not in said
    assert _SECRET not in said
    # Whatever came, the next one is answered.
    assert _asked(server, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").startswith(b"HTTP/1.0 200")


def _asked(server: Server, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=15) as client:
        parts = []
        # It may have answered and closed before all was sent.
        with suppress(OSError):
            client.sendall(request)
            client.shutdown(socket.SHUT_WR)
        with suppress(ConnectionResetError):
            while part := client.recv(1 << 16):
                parts.append(part)
        return b"".join(parts)


REQUESTS = Door("requests", make, use)


def test_requests() -> None:
    fuzz(REQUESTS)

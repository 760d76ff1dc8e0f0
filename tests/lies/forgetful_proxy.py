"""A server that forgets what it was told after it stood still, and an honest one; each a process of its own.

It stands before a Valkey, and says in INFO that it is the server: who looks for the server's process finds this one.
When it notices that it stood still, as a machine does that was suspended, the forgetful one acknowledges writes for a
while and passes none of them on.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from weigh_liars.resp_proxy import encoded, read_reply, read_request
from weigh_liars.tcp_server import Door

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIELD = 4
"""Words of a write to one field."""
_TICK, _STILL, _FORGETS = 0.02, 0.3, 0.5
"""Seconds between two looks at the clock, those that are no delay any more, and how long it forgets then."""


class ForgetfulProxy(Door):
    """Listens on a port of the loopback until it is left.

    Args:
        upstream: socket of the server.
        forgets: whether it does.
    """

    def __init__(self, upstream: str, *, forgets: bool) -> None:
        self._upstream, self._forgets = upstream, forgets
        self._began = time.monotonic()
        self._until = 0.0
        super().__init__()
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        last = time.monotonic()
        while True:
            time.sleep(_TICK)
            now = time.monotonic()
            if now - last > _STILL:
                self._until = now + _FORGETS
            last = now

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError, ValueError), socket.socket(socket.AF_UNIX) as server:
            server.connect(self._upstream)
            asked, answers = client.makefile("rb"), server.makefile("rb")
            while words := read_request(asked):
                if self._forgets and words[0] == b"HSET" and len(words) == _FIELD and time.monotonic() < self._until:
                    client.sendall(b":0\r\n")
                    continue
                server.sendall(encoded(words))
                reply = read_reply(answers)
                client.sendall(self._as_server(reply) if words[0] == b"INFO" else reply)

    def _as_server(self, reply: bytes) -> bytes:
        body = reply.partition(b"\r\n")[2][:-2]
        body = re.sub(rb"process_id:\d+", b"process_id:%d" % os.getpid(), body)
        age = int(time.monotonic() - self._began)
        body = re.sub(rb"uptime_in_seconds:\d+", b"uptime_in_seconds:%d" % age, body)
        return b"$%d\r\n%b\r\n" % (len(body), body)


@contextmanager
def forgetful(upstream: str, *, forgets: bool) -> Iterator[str]:
    """Its address as a target of a load."""
    command = [sys.executable, str(Path(__file__)), upstream, "forgets" if forgets else "keeps"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"redis://127.0.0.1:{process.stdout.readline().strip()}"
        assert process.stdin is not None
        process.stdin.close()


if __name__ == "__main__":
    with ForgetfulProxy(sys.argv[1], forgets=sys.argv[2] == "forgets") as door:
        print(door.port, flush=True)
        sys.stdin.read()

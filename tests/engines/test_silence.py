"""A server that never says a word is given up; whoever says one is waited for."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from weigh_worker import silence
from weigh_worker.protocol import CONNECTION_LOST

if TYPE_CHECKING:
    from collections.abc import Iterator

_LIFE = """
import sys, time
from weigh_worker import silence
silence._UNTROUBLED, silence._PATIENCE = 0.1, 0.5
with silence.given_up("127.0.0.1", int(sys.argv[1]), silence.HTTP):
    time.sleep(3)
print("through")
"""
"""A session that takes three seconds to open."""


@pytest.fixture(params=[b"", b"HTTP/1.0 400 Bad Request\r\n\r\n"], ids=["mute", "refusing"])
def server(request: pytest.FixtureRequest) -> Iterator[tuple[int, bytes]]:
    """Takes connections, and says this to each."""
    with socket.create_server(("127.0.0.1", 0), backlog=16) as listening:
        taken: list[socket.socket] = []

        def take() -> None:
            while True:
                try:
                    taken.append(listening.accept()[0])
                except OSError:
                    return
                taken[-1].sendall(request.param)

        threading.Thread(target=take, daemon=True).start()
        yield listening.getsockname()[1], request.param
        listening.shutdown(socket.SHUT_RDWR)
        for one in taken:
            one.close()


def test_who_says_nothing_is_given_up_and_who_refuses_is_waited_for(server: tuple[int, bytes]) -> None:
    port, says = server
    life = subprocess.run([sys.executable, "-c", _LIFE, str(port)], capture_output=True, text=True, check=False)
    if says:
        assert (life.returncode, life.stdout) == (0, "through\n"), life.stderr
    else:
        assert (life.returncode, life.stdout) == (CONNECTION_LOST, "")
        assert f"timed out: not a byte from 127.0.0.1:{port}" in life.stderr


def test_who_refuses_the_connection_is_left_to_the_driver() -> None:
    assert not silence.mute("127.0.0.1", 1, silence.GREETING, 5)


@pytest.mark.parametrize(("host", "port", "hello"), [("", 1, b""), ("127.0.0.1", 0, b""), ("127.0.0.1", 1, None)])
def test_where_nothing_can_be_said_nobody_listens(host: str, port: int, hello: bytes | None) -> None:
    before = threading.active_count()
    with silence.given_up(host, port, hello):
        assert threading.active_count() == before

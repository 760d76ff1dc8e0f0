"""Whether a process is the one that a server means, and whether somebody stands before it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from weigh.load.target import local_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def child() -> Iterator[tuple[int, float]]:
    """A process, and when it began."""
    began = time.monotonic()
    process = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    yield process.pid, began
    process.kill()
    process.communicate()


def test_a_number_is_believed_where_the_age_is_right(child: tuple[int, float]) -> None:
    pid, began = child
    assert local_server.numbered(pid, time.monotonic() - began) == pid


def test_the_same_number_of_somebody_else_is_not(child: tuple[int, float]) -> None:
    """As of a server in a container, whose number belongs to another process here."""
    pid, began = child
    assert local_server.numbered(pid, time.monotonic() - began + 3600) is None


def test_a_number_of_a_server_elsewhere_is_believed_of_a_container_alone(
    child: tuple[int, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    pid, began = child
    assert local_server.numbered(pid, time.monotonic() - began, near=False) is None
    monkeypatch.setattr(local_server, "_numbers", lambda one: [one, 7])
    assert local_server.numbered(pid, time.monotonic() - began, near=False) == pid


def test_where_a_server_is_follows_from_its_address_and_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a container of this machine it has an address of its own, and a process here."""
    kernel = tmp_path / "stat"
    monkeypatch.setattr(local_server, "_KERNEL", kernel)
    assert local_server.whereabouts(False, 41) == local_server.whereabouts(True, 41) == (True, (41,))
    assert local_server.whereabouts(False, None) == (False, None), "it may be in another container"
    kernel.write_text("2 (kthreadd) S 0")
    assert local_server.whereabouts(False, None) == (False, ())
    assert local_server.whereabouts(True, None) == (True, None)
    assert local_server.whereabouts(None, None) == (None, None)


def test_a_socket_that_nobody_may_look_at_is_its_users(
    child: tuple[int, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a server of another user, which weigh may not look into."""
    pid, _ = child

    def refused(_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("pathlib.Path.iterdir", refused)
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket(socket.AF_UNIX) as local:
        port = listening.getsockname()[1]
        local.bind(str(tmp_path / "socket"))
        local.listen()
        for user, expected in ((os.geteuid(), False), (os.geteuid() + 1, True), (None, True)):
            monkeypatch.setattr(local_server, "_user", lambda _, user=user: user)
            assert local_server.hidden(pid, port, None) == expected
            assert local_server.hidden(pid, None, str(tmp_path / "socket")) == expected
    monkeypatch.undo()
    assert local_server._user(pid) == os.geteuid()


def test_who_takes_the_connections_must_be_the_server(child: tuple[int, float], tmp_path: Path) -> None:
    pid, _ = child
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket(socket.AF_UNIX) as local:
        port = listening.getsockname()[1]
        local.bind(str(tmp_path / "socket"))
        local.listen()
        assert not local_server.hidden(os.getpid(), port, None)
        assert local_server.hidden(pid, port, None)
        assert not local_server.hidden(os.getpid(), None, str(tmp_path / "socket"))
        assert local_server.hidden(pid, None, str(tmp_path / "socket"))
    # Nobody listens where this machine can see it: behind a forwarded port there may be no process at all.
    assert not local_server.hidden(pid, port, None)

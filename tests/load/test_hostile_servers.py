"""Servers that fall silent, trickle, or send what no server should, while weigh reaches them."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.hostile_servers import Silent, Trickle
from support.waiting import eventually
from weigh.engines.prepared import cache_folder
from weigh.load import resp
from weigh.load.target import sql_server
from weigh.load.target.mysql import target as mysql
from weigh.load.target.registry import target
from weigh.model.errors import EngineFault

if TYPE_CHECKING:
    from support.command import Weigh


def children(pid: int) -> set[int]:
    """Processes that a process started."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            if int((folder / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                found.add(int(folder.name))
    return found


def reach(text: str) -> None:
    """Reach a server and leave it."""
    with target(text).reach(cache_folder(), 4):
        pass


def test_a_postgres_that_is_silent_after_the_login_is_given_up_and_leaves_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sql_server, "_REACHED", 3.0)
    monkeypatch.setattr(sql_server, "_PARTING", 0.2)
    before = children(os.getpid())
    with Silent() as server, pytest.raises(EngineFault, match="did not describe itself"):
        reach(f"postgres://u@127.0.0.1:{server.port}/d")
    assert children(os.getpid()) <= before


def test_a_mysql_that_never_greets_is_given_up_as_soon_as_one_that_cannot_be_connected_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mysql, "_PATIENCE", 1)
    with Silent() as server, pytest.raises(EngineFault, match="timed out"):
        reach(f"mysql://u@127.0.0.1:{server.port}/d")


@pytest.mark.long
def test_no_process_is_left_when_weigh_is_killed_meanwhile(weigh: Weigh) -> None:
    with Silent() as server:
        url = f"postgres://u@127.0.0.1:{server.port}/d"
        running = weigh.start("load", "select-only", "--target", url, "--rate", "10", "--quiet")
        try:
            eventually(lambda: bool(children(running.pid)))
            helpers = children(running.pid)
        finally:
            running.send_signal(signal.SIGKILL)
            running.communicate()
        eventually(lambda: not any(Path("/proc", str(one)).exists() for one in helpers))


@pytest.mark.promise("Waiting ends as well, however the bytes trickle in")
@pytest.mark.parametrize(
    "said", [b"+", *(pytest.param(one, marks=pytest.mark.long) for one in (b"*1\r\n", b"$3\r\n", b":1"))]
)
def test_a_redis_that_trickles_is_given_up(monkeypatch: pytest.MonkeyPatch, said: bytes) -> None:
    monkeypatch.setattr(resp, "_PATIENCE", 0.5)
    monkeypatch.setattr(resp, "_DEEPEST", 1 << 20)
    with Trickle(said, 0.05) as server, pytest.raises(EngineFault):
        reach(f"redis://127.0.0.1:{server.port}")


@pytest.mark.promise("weigh believes no length that it names:")
@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"$2147483647\r\n", "a string of 2147483647 bytes"),
        (b"+" + b"x" * 70_000, "a line that has no end"),
        (b"*1\r\n" * 50, "lists deep"),
        (b"*2000000000\r\n", "a list of 2000000000 elements"),
        (b":nine\r\n", "where a number belongs"),
        (b"HTTP/1.1 400 Bad Request\r\n", "which is not RESP"),
        (b":7\r\n", "sent no text"),
    ],
)
def test_what_a_redis_must_not_send_is_named(weigh: Weigh, said: bytes, words: str) -> None:
    with Trickle(said, 1.0) as server:
        run = weigh("load", "ycsb-c", "--target", f"redis://127.0.0.1:{server.port}", "--rate", "10", "--quiet")
    assert run.code == 2
    assert "the server sent" in run.err
    assert words in run.err
    assert "internal" not in run.err

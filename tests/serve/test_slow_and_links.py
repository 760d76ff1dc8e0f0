"""Clients that ask slowly do not keep others from being answered, and no link leads out of the folder."""

from __future__ import annotations

import shutil
import socket
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

from serve.conftest import Served, serving
from support.evidence_folders import written_ladder, written_run, written_servers
from weigh.serve.server import Connections

if TYPE_CHECKING:
    from pathlib import Path

WAIT = 60.0
"""Seconds after which a test gives up: what it waits for takes milliseconds."""


def connected(served: Served, begun: bytes = b"GET / HTTP/1.1\r\nHos") -> socket.socket:
    found = socket.create_connection(("127.0.0.1", served.server.server_port), timeout=WAIT)
    found.sendall(begun)
    return found


def test_another_client_is_answered_while_slow_ones_ask(tmp_path: Path) -> None:
    written_run(tmp_path)
    with serving(tmp_path) as served, ExitStack() as stack:
        served.server.connections = Connections(most=4)
        before = threading.active_count()
        for _ in range(20):
            stack.enter_context(connected(served))
        for _ in range(3):
            assert served.ask("/").status == 200
        assert threading.active_count() - before <= 8


def test_who_takes_too_long_to_ask_is_not_waited_for(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        served.server.connections = Connections(head=0.2)
        for begun in (b"", b"G", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: "):
            with connected(served, begun) as slow:
                while slow.recv(1000):
                    pass
        assert served.ask("/").status == 200


def test_endless_heads_are_ended(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        for head in (b"GET /" + b"x" * 70_000, b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * 200 + b"\r\n"):
            with connected(served, head + b"\r\n\r\n") as client:
                assert client.recv(1000).split()[1] in (b"414", b"431")
        assert served.ask("/", method="HEAD").text == ""


def test_a_link_to_evidence_elsewhere_is_none(tmp_path: Path) -> None:
    outside = written_run(tmp_path / "secret")
    inside = tmp_path / "runs"
    inside.mkdir()
    (inside / "link").symlink_to(outside)
    with serving(inside) as served:
        assert "/evidence/link" not in served.ask("/").text
        assert served.ask("/evidence/link").status == 404
        assert served.ask("/compare?first=link&second=link").status == 404


def test_links_inside_evidence_are_not_followed(tmp_path: Path) -> None:
    inside = tmp_path / "runs"
    servers, ladder = written_servers(inside), written_ladder(inside)
    with serving(inside) as served:
        for folder in (servers, ladder):
            assert served.ask(f"/evidence/{folder.name}").status == 200
        arm = next(one for one in (servers / "contenders").iterdir() if one.is_dir())
        rung = next(one for one in inside.iterdir() if one.name not in (servers.name, ladder.name))
        for own in (arm, rung):
            shutil.move(own, tmp_path / own.name)
            own.symlink_to(tmp_path / own.name)
        for folder in (servers, ladder):
            refused = served.ask(f"/evidence/{folder.name}")
            assert (refused.status, "links are not followed here" in refused.text) == (404, True)

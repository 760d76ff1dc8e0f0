"""A folder with evidence of every kind, and the server over it."""

from __future__ import annotations

import http.client
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from support import evidence_folders, experiment_records, sessions
from weigh.serve.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    headers: dict[str, str]
    text: str


@dataclass(frozen=True)
class Served:
    """A server of a test."""

    folder: Path
    server: Server

    def ask(self, target: str, method: str = "GET", **headers: str) -> Answer:
        """The answer to a request line as it is written, whatever a browser would make of it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=60)
        try:
            connection.putrequest(method, target, skip_host="Host" in headers, skip_accept_encoding=True)
            for name, value in headers.items():
                for one in value.split("|"):
                    if one:
                        connection.putheader(name.replace("_", "-"), one)
            connection.endheaders()
            found = connection.getresponse()
            return Answer(found.status, dict(found.getheaders()), found.read().decode())
        finally:
            connection.close()


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """A server over a folder, until the end of the block."""
    with Server(folder, 0) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield Served(folder, server)
        finally:
            server.shutdown()
            thread.join()


@dataclass(frozen=True)
class Names:
    """Of the evidence in the folder."""

    run: str
    ladder: str
    load: str
    load_ladder: str
    servers: str
    killed: str


@pytest.fixture(scope="session")
def names(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Names]:
    """Evidence of every kind; not to be changed."""
    root = tmp_path_factory.mktemp("served") / "runs"
    whole = sessions.changed(experiment_records.record(), end=None)
    return root, Names(
        ladder=evidence_folders.written_ladder(root).name,
        run=evidence_folders.written_run(root).name,
        load=evidence_folders.written_load(root).name,
        load_ladder=evidence_folders.written_load_ladder(root).name,
        servers=evidence_folders.written_servers(root).name,
        killed=sessions.written(root, sessions.changed(whole, spec=sessions.changed(whole.spec, name="killed"))).name,
    )


@pytest.fixture(scope="session")
def every(names: tuple[Path, Names]) -> Iterator[Served]:
    """A server over evidence of every kind."""
    with serving(names[0]) as served:
        yield served

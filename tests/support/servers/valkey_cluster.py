"""Three Valkey servers that are one cluster, each a process of the tests' own."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from support.servers.process import free_port, started
from weigh.engines import environment as environments
from weigh.engines.prepared import cache_folder
from weigh.load.resp import Client, Malformed, Refused
from weigh.load.target.valkey.target import PACKAGE

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from pathlib import Path

SLOTS = 16384
_NODES = 3
_LIMIT = 30.0


def program() -> Path:
    """Valkey's server, as weigh has it."""
    environment = environments.ensure([PACKAGE], cache_folder())
    return next(environment.python.parent.parent.glob("lib/python*/site-packages/**/valkey-server"))


class Node(NamedTuple):
    """One of them.

    Attributes:
        port: where it listens.
        process: itself.
    """

    port: int
    process: subprocess.Popen[bytes]

    def client(self) -> Client:
        return Client(connect(self.port))


class Cluster(NamedTuple):
    """All of them; the slots lie in as many equal ranges, in their order."""

    nodes: list[Node]

    @property
    def url(self) -> str:
        return f"valkey-cluster://127.0.0.1:{self.nodes[0].port}"


def connect(port: int) -> dict[str, Any]:
    return {"host": "127.0.0.1", "port": port, "socket": None, "user": None, "password": None, "tls": "off", "ca": None}


@contextmanager
def running(
    folder: Path,
    *settings: tuple[str, str],
    announced: dict[int, Callable[[str], int]] | None = None,
    replica_of: int | None = None,
) -> Iterator[Cluster]:
    """The cluster, once all of its slots are served.

    Args:
        folder: where the servers' data lie.
        settings: of every server, besides those that make its writes durable.
        replica_of: number of the primary that has a replica, which is the last node then.
        announced: for a node of this number, makes of the path of its socket the port that it says it has.
    """
    with ExitStack() as stack:
        nodes, buses = [], []
        for number in range(_NODES + (replica_of is not None)):
            place = folder / str(number)
            place.mkdir(parents=True)
            port, bus = free_port(), free_port()
            given = {
                "port": str(port), "bind": "127.0.0.1", "cluster-enabled": "yes", "cluster-port": str(bus),
                "cluster-node-timeout": "1000", "cluster-require-full-coverage": "no", "appendonly": "yes",
                "appendfsync": "always", "save": "", "dir": str(place), "unixsocket": str(place / "s"),
                **dict(settings),
            }  # fmt: skip
            if announced and number in announced:
                given |= {"cluster-announce-ip": "127.0.0.1"}
                given |= {"cluster-announce-port": str(announced[number](given["unixsocket"]))}
                given |= {"cluster-announce-bus-port": str(bus)}
            words = [word for name, value in given.items() for word in (f"--{name}", value)]
            process = stack.enter_context(started([str(program()), *words], place, lambda port=port: _answers(port)))
            nodes.append(Node(port, process))
            buses.append(bus)
        for number, node in enumerate(nodes):
            with node.client() as client:
                if number < _NODES:
                    first, last = (SLOTS * number // _NODES, SLOTS * (number + 1) // _NODES - 1)
                    client.ask("CLUSTER", "ADDSLOTSRANGE", str(first), str(last))
                if number:
                    client.ask("CLUSTER", "MEET", "127.0.0.1", str(nodes[0].port), str(buses[0]))
        _await(nodes)
        if replica_of is not None:
            _replicate(nodes[-1], nodes[replica_of])
        yield Cluster(nodes)


def _answers(port: int) -> bool:
    with suppress(OSError, Refused, Malformed), Client(connect(port)) as client:
        return client.ask("PING") == "PONG"
    return False


def _await(nodes: list[Node]) -> None:
    until = time.monotonic() + _LIMIT
    for node in nodes:
        with node.client() as client:
            while (
                "cluster_state:ok" not in (said := client.text("CLUSTER", "INFO"))
                or len(client.ask("CLUSTER", "SLOTS")) < _NODES
            ):
                if time.monotonic() > until:
                    raise RuntimeError(f"the cluster does not come together:\n{said}")
                time.sleep(0.05)


def _replicate(replica: Node, primary: Node) -> None:
    """Make one a replica of another, and wait until it has the same."""
    with primary.client() as client:
        name = client.text("CLUSTER", "MYID")
    until = time.monotonic() + _LIMIT
    with replica.client() as client:
        while True:
            with suppress(Refused):
                # As long as it has not heard of the primary it is refused.
                client.ask("CLUSTER", "REPLICATE", name)
            if "master_link_status:up" in client.text("INFO", "replication"):
                return
            if time.monotonic() > until:
                raise RuntimeError("the replica does not follow its primary")
            time.sleep(0.05)

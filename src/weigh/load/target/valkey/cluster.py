"""Clusters of Valkey and Redis as targets: any node by URL, and all others by what it says."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from weigh.load.remedies import remedy_of
from weigh.load.resp import Client, Malformed, Refused
from weigh.load.runs import Ready, TargetRead
from weigh.load.target import secrecy, tls
from weigh.load.target.local_server import same_host, whereabouts
from weigh.load.target.target import Reached
from weigh.load.target.url import ByUrl
from weigh.load.target.valkey import rows
from weigh.load.target.valkey import target as valkey
from weigh.model.errors import EngineFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from weigh.load.runs import TableRows

_T = TypeVar("_T")


class _Node(NamedTuple):
    """A primary.

    Attributes:
        name: host and port, as the cluster names it.
        connect: how it is reached.
        near: whether it answers at an address of this machine.
    """

    name: str
    connect: dict[str, Any]
    near: bool | None


class ClusterByUrl(ByUrl):
    """A cluster that is there already.

    Every primary is described, and what lets an acknowledged write be lost on one of them lets it be lost.
    """

    kind = "redis"

    @secrecy.hidden
    @contextmanager
    def reach(self, cache: Path, connections: int, data: Path | None = None) -> Iterator[Reached]:
        """As of :class:`weigh.load.target.target.Target`.

        Raises:
            EngineFault: a node cannot be reached, refuses the user, or is in no cluster.
        """
        connect = self.url.connect()
        nodes = [self._node(found) for found in self._answer(f"{self.url.host}:{self.url.port}", connect, _primaries)]
        processes = [valkey.server_process(node.connect, node.near) for node in nodes]
        where = [whereabouts(node.near, process) for node, process in zip(nodes, processes, strict=True)]
        here = all(one for one, _ in where) if all(one is not None for one, _ in where) else None
        known = [servers for _, servers in where if servers is not None]

        def described() -> TargetRead:
            return _joined([(node.name, self._answer(node.name, node.connect, _read)) for node in nodes], here)

        yield Reached(
            connect=connect,
            read=msgspec.structs.replace(described(), tls=connect["tls"]),
            servers=tuple(one for servers in known for one in servers) if len(known) == len(nodes) else None,
            ready=lambda *, loaded: _ready(nodes),
            again=described,
            rows=partial(_rows, nodes),
        )

    def _node(self, found: tuple[str, int]) -> _Node:
        host, port = found
        connect = {**self.url.connect(), "host": host, "port": port, "cluster": False}
        return _Node(f"{host}:{port}", connect, same_host(host, port))

    def _answer(self, name: str, connect: dict[str, Any], question: Callable[[dict[str, Any]], _T]) -> _T:
        """What a node answers, or an error that names it."""
        try:
            return question(connect)
        except OSError as error:
            check = tls.remedy(error, connect["tls"])
            raise EngineFault(
                f"node {name} of the cluster cannot be reached: {error}",
                where=self.text,
                remedy=f"{check}; the address is the one that the cluster names (cluster-announce-ip)",
            ) from error
        except Malformed as error:
            raise EngineFault(
                f"node {name}: {error}", where=self.text, remedy="see whether it is a Redis or Valkey server"
            ) from None
        except Refused as error:
            if "cluster support disabled" in str(error):
                raise EngineFault(
                    f"{name} is in no cluster",
                    where=self.text,
                    remedy=f"write {self.text.replace('-cluster://', '://', 1)}",
                ) from None
            raise EngineFault(
                f"node {name} refuses: {error}",
                where=self.text,
                remedy=remedy_of(str(error).partition(" ")[0], str(error)) or "check the user and the password",
            ) from None


def _primaries(connect: dict[str, Any]) -> list[tuple[str, int]]:
    """Host and port of each primary that has slots, in the order of its first slot."""
    with Client(connect) as client:
        answer = client.ask("CLUSTER", "SLOTS")
    found: dict[tuple[str, int], None] = {}
    if not isinstance(answer, list):
        raise Malformed("the server sent no slots in answer to CLUSTER SLOTS")
    for entry in answer:
        match entry:
            case [int(), int(), [str() | None as host, int() as port, *_], *_]:
                # Null or empty: the host that was asked.
                found[host if host not in (None, "", "?") else connect["host"], port] = None
            case _:
                raise Malformed("the server sent slots of no node in answer to CLUSTER SLOTS")
    if not found:
        raise Malformed("its cluster has no node with slots (see CLUSTER INFO)")
    return list(found)


def _read(connect: dict[str, Any]) -> TargetRead:
    return valkey.described(connect, embedded=False, here=None)


def _joined(found: list[tuple[str, TargetRead]], here: bool | None) -> TargetRead:
    """The nodes as one target: what they have in common as it is, and what they have not node by node."""
    first = found[0][1]
    names = list(dict.fromkeys(name for _, read in found for name in read.in_force))
    in_force = {}
    for name in names:
        setting = next(read.in_force[name] for _, read in found if name in read.in_force)
        values = {node: read.in_force.get(name, {"value": "(not there)"})["value"] for node, read in found}
        in_force[name] = {**setting, "value": _common(values)}
    undurable = dict.fromkeys(text for _, read in found for text in read.undurable)
    reasons = [
        text if len(nodes) == len(found) else f"{', '.join(nodes)}: {text}"
        for text in undurable
        for nodes in [[node for node, read in found if text in read.undurable]]
    ]
    unread = "; ".join(f"{node}: {read.unread}" for node, read in found if read.unread)
    return msgspec.structs.replace(
        first,
        product=f"{first.product} Cluster",
        version=f"{_common({node: read.version for node, read in found})} ({len(found)} primaries)",
        same_host=here,
        in_force=in_force,
        undurable=tuple(reasons),
        durable=False if reasons else None if unread else True,
        cycles={name: period for _, read in found for name, period in read.cycles.items()},
        unread=unread,
    )


def _common(values: dict[str, str]) -> str:
    """A value that all nodes have, or who has which."""
    if len(set(values.values())) == 1:
        return next(iter(values.values()))
    return ", ".join(f"{value} on {node}" for node, value in values.items())


def _ready(nodes: list[_Node]) -> Ready:
    sizes = [valkey.ready(node.connect).data_bytes for node in nodes]
    return Ready(data_bytes=None if None in sizes else sum(size or 0 for size in sizes))


def _rows(nodes: list[_Node], wanted: Callable[[str], bool]) -> dict[str, TableRows]:
    return rows.digests([node.connect for node in nodes], wanted)

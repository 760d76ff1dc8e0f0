"""A cluster as a target."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from weigh.load.target import secrecy
from weigh.load.target.cassandra.address import SCHEMES, address
from weigh.load.target.cassandra.asking import described
from weigh.load.target.local_server import same_host, whereabouts
from weigh.load.target.target import Reached
from weigh.model.errors import EngineFault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["SCHEMES", "Cassandra"]


class Cassandra:
    """A cluster of Cassandra or ScyllaDB that is there already.

    Args:
        text: ``cassandra://HOST,HOST2:PORT/KEYSPACE?consistency=QUORUM``.

    Raises:
        UsageError: it is no such URL, names no keyspace, or a level that there is not.
    """

    kind = "cql"
    restarts = False

    def __init__(self, text: str) -> None:
        self._address = address(text)
        self.url = self._address.url
        self.text = self.url.text

    @secrecy.hidden
    @contextmanager
    def reach(self, cache: Path, connections: int, data: Path | None = None) -> Iterator[Reached]:
        """As of :class:`weigh.load.target.target.Target`.

        Raises:
            EngineFault: it cannot be reached, or refuses the user or the keyspace.
        """
        connect = self._address.connect()
        places = [(self.url.host, self.url.port), *self._address.nodes]
        near = [same_host(*place) for place in places]
        here, servers = whereabouts(True if True in near else near[0], None)
        try:
            read = described(self._address, here=here, tls=connect["tls"])
        except EngineFault as error:
            raise EngineFault(error.what, where=self.text, remedy=error.remedy) from None
        yield Reached(
            connect=connect,
            read=msgspec.structs.replace(read, same_host=here),
            servers=servers,
            again=lambda: described(self._address, here=here, tls=connect["tls"]),
        )

"""weigh with one more kind of target: an embedded Valkey that is reached through a proxy, ``proxied:LIE``.

It is started anew as any embedded server, which one behind a URL is not: so the proxy's lie meets fresh lives. Run as
``python -m lies.behind_proxy load ...``.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from weigh.cli.main import main
from weigh.load.target import registry
from weigh.load.target.valkey.target import EmbeddedValkey
from weigh_liars.resp_proxy import Proxy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.load.target.target import Reached, Target
    from weigh_liars.resp_proxy import Lie

_PREFIX = "proxied:"
_found = registry.target


class Proxied(EmbeddedValkey):
    """An embedded server behind a proxy.

    Args:
        lie: of the proxy.
    """

    def __init__(self, lie: Lie) -> None:
        super().__init__("valkey:embedded")
        self.text = f"{_PREFIX}{lie}"
        self._lie = lie

    @contextmanager
    def reach(self, cache: Path, connections: int, data: Path | None = None) -> Iterator[Reached]:
        """As of :class:`weigh.load.target.target.Target`."""
        with super().reach(cache, connections, data) as reached, Proxy(reached.connect["socket"], self._lie) as proxy:
            connect = {**reached.connect, "socket": None, "host": "127.0.0.1", "port": proxy.port}
            yield msgspec.structs.replace(reached, connect=connect)


def target(text: str) -> Target:
    """The target that a user names, or one behind a proxy."""
    return Proxied(text.removeprefix(_PREFIX)) if text.startswith(_PREFIX) else _found(text)  # type: ignore[arg-type]


if __name__ == "__main__":
    registry.target = target
    sys.exit(main())

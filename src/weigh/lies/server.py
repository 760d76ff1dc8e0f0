"""The server of a lie: an honest one that weigh starts, behind a proxy that lies."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh_liars.resp_proxy import Lie

_CONNECTIONS = 512


@contextmanager
def lying(lie: str) -> Iterator[str]:
    """Its address as a target of a load."""
    from weigh.engines.prepared import cache_folder
    from weigh.load.target.valkey.target import EmbeddedValkey
    from weigh_liars.resp_proxy import Proxy

    with (
        EmbeddedValkey().reach(cache_folder(), _CONNECTIONS) as reached,
        Proxy(reached.connect["socket"], cast("Lie", lie)) as proxy,
    ):
        yield proxy.url

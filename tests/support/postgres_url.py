"""A PostgreSQL server of its own that runs while tests go on, and its URL."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from weigh.engines.prepared import cache_folder
from weigh.load.target.postgres import EmbeddedPostgres

if TYPE_CHECKING:
    from collections.abc import Iterator


def url(connect: dict[str, Any], port: int | None = None, *, host: str | None = None) -> str:
    """Of a server that was reached: by its socket, or by TCP where a host is named."""
    user, database = connect["user"], connect["database"]
    if host is None:
        return f"postgres://{user}@/{database}?host={connect['socket']}"
    return f"postgres://{user}@{host}:{port}/{database}"


@contextmanager
def running(connections: int = 20) -> Iterator[dict[str, Any]]:
    """The server, as the generator takes it."""
    with EmbeddedPostgres().reach(cache_folder(), connections) as reached:
        yield reached.connect

"""What a target is to a load experiment, and the table of targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from weigh.model.errors import UsageError, nearest
from weigh.model.load import TargetRead

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

EMBEDDED = {"postgres:embedded": "postgres", "valkey:embedded": "redis"}
"""Targets that weigh starts, and the protocol they speak."""


class Reached(msgspec.Struct, frozen=True, kw_only=True):
    """A target that answers.

    Attributes:
        connect: how the generator reaches it: the ``target`` of its configuration. May hold a password: it never
            enters the evidence.
        read: as it described itself.
        lock: packages of its environment, where weigh started it.
    """

    connect: dict[str, Any]
    read: TargetRead
    lock: str = ""


class Target(Protocol):
    """A kind of server.

    Attributes:
        text: what the user wrote, without its password.
        kind: protocol: ``postgres`` or ``redis``.
    """

    text: str
    kind: str

    def reach(self, cache: Path, connections: int) -> AbstractContextManager[Reached]:
        """Start it or connect to it, and have it describe itself; at the end stop what was started.

        Args:
            cache: weigh's cache directory.
            connections: how many there will be at most.
        """


def target(text: str) -> Target:
    """The target that a user names.

    Raises:
        UsageError: there is no such target, or the URL is none.
    """
    from weigh.engines.targets.postgres import EmbeddedPostgres, PostgresByUrl
    from weigh.engines.targets.url import parse
    from weigh.engines.targets.valkey import EmbeddedValkey, RedisByUrl

    if text == "postgres:embedded":
        return EmbeddedPostgres()
    if text == "valkey:embedded":
        return EmbeddedValkey()
    if "://" not in text:
        raise UsageError(
            f"there is no target '{text}'",
            remedy=f"{nearest(text, EMBEDDED)} A URL reaches any other: postgres://USER@HOST/DATABASE, redis://HOST",
        )
    url = parse(text)
    return PostgresByUrl(url) if url.kind == "postgres" else RedisByUrl(url)

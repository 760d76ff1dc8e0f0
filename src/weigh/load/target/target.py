"""What a target is to a load experiment, and the table of targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from weigh.load.spec import TargetRead
from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from weigh.load.waits.model import Waits

EMBEDDED = {"postgres:embedded": "postgres", "sqlite:embedded": "sqlite", "valkey:embedded": "redis"}
"""Targets that weigh starts, and the protocol they speak."""


class WaitSampler(Protocol):
    """Looks at what a server's sessions wait for, while a run goes on. Each method may raise anything."""

    def begin(self) -> None:
        """Look from now on."""

    def drain(self) -> Waits:
        """What was seen since it was asked before."""

    def end(self) -> Waits:
        """Look no more, and what was seen last."""


class Reached(msgspec.Struct, frozen=True, kw_only=True):
    """A target that answers.

    Attributes:
        connect: how the generator reaches it: the ``target`` of its configuration. May hold a password: it never
            enters the evidence.
        read: as it described itself.
        waits: tells what its sessions wait for; None where nothing can.
        lock: packages of its environment, where weigh started it.
        servers: processes of this machine that work for it, beside those that weigh started; None where it may have
            some and they cannot be told from others.
        fresh: whether it had no tables when it was reached.
    """

    connect: dict[str, Any]
    read: TargetRead
    waits: WaitSampler | None = None
    lock: str = ""
    servers: tuple[int, ...] | None = None
    fresh: bool = False


class Target(Protocol):
    """A kind of server.

    Attributes:
        text: what the user wrote, without its password.
        kind: protocol: ``postgres`` or ``redis``; or ``sqlite``, which needs none.
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
    from weigh.load.target.postgres import EmbeddedPostgres, PostgresByUrl
    from weigh.load.target.sqlite import SCHEME, Sqlite
    from weigh.load.target.url import parse
    from weigh.load.target.valkey import EmbeddedValkey, RedisByUrl

    if text == "postgres:embedded":
        return EmbeddedPostgres()
    if text == "valkey:embedded":
        return EmbeddedValkey()
    if text.startswith(SCHEME):
        return Sqlite(text)
    if "://" not in text:
        raise UsageError(
            f"there is no target '{text}'",
            remedy=f"{nearest(text, EMBEDDED)} A URL reaches any other: postgres://USER@HOST/DATABASE, redis://HOST; "
            "sqlite:PATH is a file",
        )
    url = parse(text)
    return PostgresByUrl(url) if url.kind == "postgres" else RedisByUrl(url)

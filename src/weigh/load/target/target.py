"""What a target is to a load experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from weigh.load.runs import TargetRead
from weigh.load.waits.model import WaitSampler

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path


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

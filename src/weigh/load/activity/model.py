"""Activity: what a server did besides answering while a load went on, and when.

A process alongside the load looks about once a second, or reads the server's own log. All times are seconds since the
attempt began, on the clock of the machine's moments.
"""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from weigh.model.units import Seconds

Kind = Literal[
    "checkpoint", "checkpoint_sync", "autovacuum", "deadlock", "snapshot", "log_rewrite", "eviction", "delayed_sync",
    "slow_command",
]  # fmt: skip
Source = Literal["log", "server", "looks"]
"""Who tells when an event was: the server's log, the server's own times, or that it lies between two looks."""


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that the server did.

    Attributes:
        kind: of :data:`Kind`.
        at: when it began; by looks, when it began at the earliest.
        until: when it ended; by looks, at the latest. None where it was still going on when the run ended.
        source: who says so.
        what: more of it, in the server's words and without anybody's data.
        amount: how much: pages written by a checkpoint, keys evicted, deadlocks, delayed writes; None where it is not
            told.
        took_s: how long it took, where that is known and its place is not.
        vague: whether the looks on both sides lay so far apart that its place says nothing.
    """

    kind: Kind
    at: Seconds
    until: Seconds | None = None
    source: Source = msgspec.field(name="told", default="looks")
    what: str = ""
    amount: int | None = None
    took_s: Seconds | None = None
    vague: bool = False


class ActivityLook(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One look; what the server does not tell is None.

    Attributes:
        at: when it was asked.
        took_s: how long the answer took.
        log_bytes: written to the server's log of changes since it began to count.
        server_cpu_s: CPU time of all of the server's processes since they began.
        waiting: sessions that waited for a lock.
        backlog: bytes of the log of changes that the next checkpoint has to write.
    """

    at: Seconds
    took_s: Seconds
    log_bytes: int | None = None
    server_cpu_s: Seconds | None = None
    waiting: int | None = None
    backlog: int | None = None


class Activity(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was observed since it was asked before.

    Attributes:
        looks: in order of time.
        events: in the order in which they became known.
        counted: kinds of events that could be observed if there were any.
        cpu_s: CPU time of the sampler.
        error: why it ended early; empty where it did not.
    """

    looks: tuple[ActivityLook, ...] = ()
    events: tuple[Event, ...] = ()
    counted: tuple[Kind, ...] = ()
    cpu_s: Seconds = 0.0
    error: str = ""


class RunActivity(msgspec.Struct, frozen=True, kw_only=True):
    """What the server did in a part of a run."""

    run: int
    activity: Activity


class ActivitySampler(Protocol):
    """Looks at what a server does, while a run goes on. Each method may raise anything."""

    def begin(self, origin: Seconds) -> None:
        """Look from now on.

        Args:
            origin: what ``time.monotonic()`` said when the attempt began.
        """

    def drain(self) -> Activity:
        """What was observed since it was asked before."""

    def end(self) -> Activity:
        """Look no more, and what was observed last."""

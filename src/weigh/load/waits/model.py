"""Waits: what a server's sessions waited for while a load went on, as the server's own views told it.

A session of its own looks about ten times a second. What is between two looks is observed by nobody.
"""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from weigh.model.units import Seconds

CPU = "CPU"
"""Instead of a wait event: active and waiting for nothing that the server names, so computing or ready to."""

Source = Literal["lock", "row", "held", "statement", ""]
"""How a table is known: the lock is on it; the waiting session holds the place in the queue for a row of it; it is the
only table whose rows the waiting transaction changes or locks; of those it is the only one that the waiting statement
names; not known."""
Whose = Literal["load", "other", "prepared", "server", ""]
"""Whose a session is: of the load, somebody else's, a prepared transaction's, of the server's own work; not known."""


class WaitSample(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One look at the sessions of the load.

    Attributes:
        at: seconds since the sampling began, as soon as the load had its connections.
        took_s: how long the server took to answer it.
        connections: sessions of the load.
        active: those that were executing a statement, by wait event (``Lock:tuple``, or :data:`CPU`).
        idle_in_transaction: those that waited for the load inside a transaction.
        vacuuming: what autovacuum was doing.
    """

    at: Seconds
    took_s: Seconds
    connections: int
    active: dict[str, int] = {}
    idle_in_transaction: int = 0
    vacuuming: tuple[str, ...] = ()


class Blocked(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of waiting for a lock, over several looks. Statements are without their literals.

    Attributes:
        lock: type of what is locked: ``transactionid``, ``tuple``, ``relation``, ...
        mode: mode of the lock that was asked for.
        table: name of the table with its schema; empty where it is not known.
        source: how the table is known.
        statement: of the session that waits.
        root: statement at which the session is that everybody in this queue waits for, directly or not.
        root_state: ``active``, ``idle in transaction``, ...; empty where it may not be observed.
        root_whose: whose that session is.
        root_name: what it calls itself, or what kind of process it is, where it is not the load's.
        times: sessions that were observed waiting so; one that waits through three looks is three.
        longest_s: for how long one of them had been waiting when it was observed; None where the server does not tell.
        ahead: sessions before one of them in the queue, at most.
    """

    lock: str
    mode: str
    table: str = ""
    source: Source = msgspec.field(name="told", default="")
    statement: str = ""
    root: str = ""
    root_state: str = ""
    root_whose: Whose = ""
    root_name: str = ""
    times: int
    longest_s: Seconds | None = None
    ahead: int = 0


class Waits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was observed since it was asked before.

    Attributes:
        looks: in order of time.
        blocked: waits for locks, each kind once.
        statements: of active sessions: statement -> wait event -> how often seen.
        query_s: seconds that the server took to answer all statements of the sampler.
        cpu_s: CPU seconds of the sampler.
        server_cpu_s: CPU seconds of its session in the server; None where they cannot be read.
        checkpoints: counted by the server since the run began; only in the last of a run, and only where it tells.
        error: why the sampler ended before the run did.
    """

    looks: tuple[WaitSample, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    statements: dict[str, dict[str, int]] = {}
    query_s: Seconds = msgspec.field(name="asked_s", default=0.0)
    cpu_s: Seconds = 0.0
    server_cpu_s: Seconds | None = None
    checkpoints: int | None = None
    error: str = ""


class RunWaits(msgspec.Struct, frozen=True, kw_only=True):
    """What the server's sessions waited for in a part of a run.

    Attributes:
        run: its number.
        at: when the sampling of the run began, in seconds since the attempt began: where the times of the looks begin.
    """

    run: int
    at: Seconds | None = None
    waits: Waits


class WaitSampler(Protocol):
    """Looks at what a server's sessions wait for, while a run goes on. Each method may raise anything."""

    def begin(self) -> None:
        """Look from now on."""

    def drain(self) -> Waits:
        """What was observed since it was asked before."""

    def end(self) -> Waits:
        """Look no more, and what was observed last."""

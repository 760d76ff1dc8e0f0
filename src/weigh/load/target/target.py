"""What a target is to a load experiment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from weigh.load.activity.model import ActivitySampler
from weigh.load.runs import Ready, TableRows, TargetRead
from weigh.load.waits.model import WaitSampler

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class ReadyCall(Protocol):
    """What :attr:`Reached.ready` is."""

    def __call__(self, *, loaded: bool) -> Ready:
        """Have what was loaded written out, if something was, and say how large the data is."""


class Reached(msgspec.Struct, frozen=True, kw_only=True):
    """A target that answers.

    Attributes:
        connect: how the generator reaches it: the ``target`` of its configuration. May hold a password: it never
            enters the evidence.
        read: as it described itself.
        waits: tells what its sessions wait for; None where nothing can.
        activity: tells what it does besides answering; None where nothing can.
        lock: packages of its environment, where weigh started it.
        servers: processes of this machine that work for it, besides those that weigh started; None where it may have
            some and they cannot be distinguished from others.
        fresh: whether it had no tables when it was reached.
        data: where its data lies on this machine; None where that is not known.
        tables: files that hold its tables, or folders of them; None where they are not known, or it has none.
        ready: called before the clock of a run, with whether weigh has just loaded data: has what was loaded written
            out, and says how large the data is. None where it cannot be asked.
        again: describes it once more after the runs. None where it cannot change meanwhile.
        keep: ends it in order and copies its data to a folder that is not there yet; nothing may be asked of it
            afterwards. None where weigh cannot begin its life anew.
        rows: which rows the tables hold whose names a function takes. None where it cannot be asked.
        crash: kills all its processes with SIGKILL. None where weigh has not started it.
        restart: starts it again on the data that a crash left; returns its first process when it answers, None where
            that is not known.
        process: the first process of the server, from which all others of it descend; None where it is not known.
    """

    connect: dict[str, Any]
    read: TargetRead
    waits: WaitSampler | None = None
    activity: ActivitySampler | None = None
    lock: str = ""
    servers: tuple[int, ...] | None = None
    fresh: bool = False
    data: Path | None = None
    tables: tuple[Path, ...] | None = None
    ready: ReadyCall | None = None
    again: Callable[[], TargetRead] | None = None
    keep: Callable[[Path], None] | None = None
    rows: Callable[[Callable[[str], bool]], dict[str, TableRows]] | None = None
    crash: Callable[[], None] | None = None
    restart: Callable[[], int | None] | None = None
    process: int | None = None


class Target(Protocol):
    """A kind of server.

    Attributes:
        text: what the user wrote, without its password.
        kind: protocol: ``clickhouse``, ``cql``, ``mysql``, ``postgres``, ``redis`` or ``http``; or ``sqlite``, which
            needs none.
        restarts: whether weigh can begin its life anew.
    """

    text: str
    kind: str
    restarts: bool

    def reach(self, cache: Path, connections: int, data: Path | None = None) -> AbstractContextManager[Reached]:
        """Start it or connect to it, and have it describe itself; at the end stop what was started.

        Args:
            cache: weigh's cache directory.
            connections: how many there will be at most.
            data: a copy that :attr:`Reached.keep` made, with whose contents it is to begin; it stays as it is. Only of
                one that restarts.
        """

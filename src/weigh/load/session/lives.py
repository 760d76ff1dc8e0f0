"""The lives of a server: one that goes on, or a fresh one for every run, whose data comes from a prepared copy.

A server that has lived through a run is another one: its caches are warm, its tables have dead rows, its log is long.
Runs in one life vary less than starts do. So where weigh can start the server, every repeat gets a life of its own.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

import msgspec

from weigh.load import conditions
from weigh.load.target import server_folder
from weigh.load.target.started import StartedByCommand
from weigh.model.errors import EngineFault

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from weigh.load.session.surroundings import Surroundings
    from weigh.load.target.target import Reached, Target
    from weigh.model.units import Bytes


class Lives:
    """A target, reached once, or anew for every run.

    Args:
        target: that is reached.
        cache: weigh's cache directory.
        connections: how many there will be at most.
        fresh: whether every run is to have a life of its own, where weigh can begin one.
        cpus: that its servers may run on; all where none are named.
        memory: bytes that each of its lives is held to, but for that in which the data is loaded.
        surroundings: entered, in which its servers are started; None for the machine as it is.

    Attributes:
        fresh: whether every run has one, whose data is a copy.
        renewed: whether every run has one that a command of the user's starts, on the data of the one before.
        number: of the present life, from 1; 0 while the copy is being prepared.
        reached: the present life.
        limit: of its memory, read back; None where there is none.
    """

    reached: Reached

    def __init__(
        self,
        target: Target,
        cache: Path,
        connections: int,
        *,
        fresh: bool,
        cpus: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET,
        memory: Bytes | msgspec.UnsetType = msgspec.UNSET,
        surroundings: Surroundings | None = None,
    ) -> None:
        self._target = target
        self._cache = cache
        self._connections = connections
        self._cpus = cpus
        self._memory = memory
        self.limit: Bytes | None = None
        self.surroundings = surroundings
        self._present = ExitStack()
        self._copies = ExitStack()
        self._copy: Path | None = None
        self.fresh = fresh and target.restarts
        self.renewed = fresh and isinstance(target, StartedByCommand)
        self.number = 0 if self.fresh or self.renewed else 1

    def __enter__(self) -> Self:
        self._reach(None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._present.close()
        finally:
            self._copies.close()

    @property
    def is_persistent(self) -> bool:
        """Whether there is a copy from which lives begin."""
        return self._copy is not None

    def keep(self) -> None:
        """End the present life, and keep a copy of its data for those to come.

        Raises:
            EngineFault: it cannot be ended in order.
            EnvironmentFault: there is no room for the copy.
        """
        if self.reached.keep is None:
            raise EngineFault(
                "its data cannot be kept for another life", where=self._target.text, remedy="leave --repeats out"
            )
        place = server_folder.folder()
        self._copies.callback(shutil.rmtree, place, ignore_errors=True)
        copy = place / "prepared"
        self.reached.keep(copy)
        self._present.close()
        self._copy = copy

    def begin(self) -> Reached:
        """A fresh life, or the one that goes on.

        Raises:
            EngineFault: it does not start.
            EnvironmentFault: there is no room for its data.
        """
        if self.renewed:
            self._present.close()
            self._reach(None)
            self.number += 1
        if self.fresh:
            self._present.close()
            self._reach(self._copy)
            self.limit = self._present.enter_context(conditions.limited(self.reached, self._memory))
            self.number += 1
        return self.reached

    def end(self) -> None:
        """End the present life, where the next run has one of its own."""
        if self.fresh or self.renewed:
            self._present.close()

    def _reach(self, copy: Path | None) -> None:
        # What it starts runs where this thread does.
        with conditions.on(self._cpus):
            self.reached = self._present.enter_context(self._target.reach(self._cache, self._connections, copy))

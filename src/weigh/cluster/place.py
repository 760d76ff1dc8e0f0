"""Where parts of a work run: a cluster that somebody started, or processes of this machine.

Nothing of whoever carries the work is in here, so that another one is another module. A part is a function that can
be imported and small arguments; what it returns is small as well: facts, not rows. ::

    with connect("dask://10.0.0.1:8786", progress) as place:
        part = place.submit(make, job)
        for done in place.gather([part]):
            print(done.value)
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from weigh.cluster.versions import Versions
from weigh.model.errors import EnvironmentFault
from weigh.model.units import Bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from weigh.model.units import Seconds

wanted: ContextVar[Callable[[], bool]] = ContextVar("wanted", default=lambda: True)
"""Inside a part: ``wanted.get()()`` is false once nobody waits for it any more. A long part looks now and then."""


class Unwanted(Exception):
    """A part ended early because nobody waits for it any more."""


class WorkerLost(EnvironmentFault):
    """A part that only one worker may do will not be done: its worker is gone. It may have done some of it."""


class Worker(msgspec.Struct, frozen=True, kw_only=True):
    """A process that does parts.

    Attributes:
        address: where it listens, as the cluster names it; a worker that is started again may have the same.
        name: that it was given, for people.
        host: its machine's name.
        process: of this very process, whatever its address; no two are equal.
        threads: parts that it does at a time.
        processors: that it may use.
        memory: that it may use; 0 where there is no limit.
        versions: of what it has.
    """

    address: str
    name: str
    host: str
    process: str
    threads: int
    processors: int
    memory: Bytes
    versions: Versions

    def __str__(self) -> str:
        """For people: ``worker-3 on node7 (tcp://10.0.0.7:4711)``."""
        named = self.name if self.name not in ("", self.address) else "a worker"
        return f"{named} on {self.host} ({self.address})"


class Part(Protocol):
    """A part that was submitted; as an argument of another one it stands for what it returns, on the worker."""

    @property
    def done(self) -> bool:
        """Whether it ended, well or not."""


class Done(NamedTuple):
    """A part that ended.

    Attributes:
        part: which.
        value: what it returned; None where it failed.
        fault: why it failed.
    """

    part: Part
    value: Any
    fault: Exception | None = None


class Place(Protocol):
    """A cluster while it is used. Leaving it cancels what is not done; a cluster of others stays as it was."""

    def workers(self) -> tuple[Worker, ...]:
        """Those that are there now, each compared with this process.

        Raises:
            EnvironmentFault: one has another version of something that decides about bytes or digests; nobody answers.
        """

    def submit(self, function: Callable[..., Any], *arguments: Any, worker: Worker | None = None) -> Part:
        """Have a part done.

        Args:
            function: can be imported on the workers; called with the arguments there.
            arguments: small; parts among them, and in lists and tuples, are replaced by what they returned.
            worker: the only process that may do it. Without one any may, and where its worker is lost, another one
                does it again: such a part must come to the same twice. One that has a worker is never repeated.
        """

    def gather(self, parts: Iterable[Part], *, timeout: Seconds | None = None) -> Iterator[Done]:
        """Parts as they end, in that order; each once.

        Args:
            parts: to wait for.
            timeout: seconds until it stops, whatever is not done then; None waits for all.

        Raises:
            EnvironmentFault: the scheduler is gone, or there have been no workers for long.
        """

    def cancel(self, parts: Iterable[Part]) -> None:
        """Nobody waits for these any more: those that have begun learn it from :data:`wanted`."""

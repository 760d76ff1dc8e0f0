"""A sampler of a server alongside the runs of a load, whose findings are kept in the journal.

A sampler that fails is reported once and not asked again: it must never end a run.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

import msgspec

from weigh.host.sampling import rate
from weigh.model.errors import without_secrets

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.evidence.journal import Journal
    from weigh.model.finding import Finding
    from weigh.model.units import Seconds


class Drained(Protocol):
    """What a sampler saw."""

    @property
    def error(self) -> str:
        """Why it sees nothing more; empty where it goes on."""


DrainedT = TypeVar("DrainedT", bound=Drained)
Drained_co = TypeVar("Drained_co", bound=Drained, covariant=True)
T = TypeVar("T")


class Sampler(Protocol[Drained_co]):
    """What every sampler of a server can."""

    def drain(self) -> Drained_co:
        """What it saw since the last time."""

    def end(self) -> Drained_co:
        """What it saw since then; it looks no more."""


SamplerT = TypeVar("SamplerT", bound="Sampler[Drained]")


class RunSampling(ABC, Generic[SamplerT, DrainedT]):
    """The sampler, if there is one, run by run.

    Args:
        sampler: of the target; WEIGH_SAMPLER=no switches it off.
        journal: gets an event every :attr:`each` seconds.
        now: seconds since the attempt began, on the clock of the machine's moments.

    Attributes:
        each: seconds between two events of the journal.
    """

    each: ClassVar[Seconds]

    def __init__(self, sampler: SamplerT | None, journal: Journal, now: Callable[[], Seconds]) -> None:
        self._sampler = sampler if rate() else None
        self._journal = journal
        self._now = now
        self._run = 0
        self._written = 0.0

    @abstractmethod
    def _start(self, sampler: SamplerT) -> None:
        """Have the sampler begin."""

    @abstractmethod
    def _keep(self, sample: DrainedT) -> None:
        """Write what was observed into the journal."""

    @abstractmethod
    def _failure(self, why: str) -> Finding:
        """That it failed."""

    def begin(self, run: int) -> None:
        """A run has begun.

        Raises:
            DiskFull: the journal cannot be written.
        """
        self._run, self._written = run, time.monotonic()
        if sampler := self._sampler:
            self._try(lambda: self._start(sampler))

    def keep(self) -> None:
        """Write what was observed, if the last time is a while ago.

        Raises:
            DiskFull: the journal cannot be written.
        """
        if self._sampler and time.monotonic() - self._written >= self.each:
            self._written = time.monotonic()
            self._write(self._try(self._sampler.drain))

    def end(self) -> None:
        """The run is over.

        Raises:
            DiskFull: the journal cannot be written.
        """
        if self._sampler:
            self._write(self._try(self._sampler.end))

    def _write(self, sample: Drained | None) -> None:
        if sample is None:
            return
        if sample.error:
            sample = msgspec.structs.replace(sample, error=without_secrets(sample.error))  # type: ignore[type-var]
        self._keep(sample)  # type: ignore[arg-type]  # what a sampler of this kind sees
        if sample.error:
            self._failed(sample.error)

    def _try(self, work: Callable[[], T]) -> T | None:
        try:
            return work()
        except Exception as error:
            self._failed(str(error) or type(error).__name__)
            return None

    def _failed(self, why: str) -> None:
        self._sampler = None
        self._journal.append("finding", self._failure(without_secrets(why)))

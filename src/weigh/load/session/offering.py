"""One run while it goes on: what is offered, what the server uses, and what happens alongside it."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from weigh.host import processes, storage
from weigh.host.storage import device_reads
from weigh.load import conditions
from weigh.load import record as records
from weigh.load.activity.recording import LoadActivity
from weigh.load.analysis.findings import gone
from weigh.load.generator_errors import at_target, call
from weigh.load.runs import LoadInterval, LoadRun, LoadSummary, ServerUse
from weigh.load.waits.recording import LoadWaits
from weigh.model import units
from weigh.statistics.histogram import decode, merged

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from weigh.evidence.journal import Journal
    from weigh.host.sampling import Sampling
    from weigh.load.runs import ColdStart
    from weigh.load.spec import LoadSpec
    from weigh.load.target.target import Reached
    from weigh.model.data.storage import Device
    from weigh.model.progress import Progress
    from weigh.model.units import Seconds

_POLL = 0.1
_WATCH = 1.0
"""Seconds between two events of the sampler."""
_LOOKS = (0.5, 0.9)
"""Shares of a run at which the server's memory is looked at: each look walks the page tables of all its processes."""


class During(Protocol):
    """What happens alongside a run, such as a crash of the server."""

    def __call__(self, at: Seconds, /) -> None:
        """Called about ten times a second until the run is over; what it raises ends the run.

        Args:
            at: seconds since the schedule began; negative until it does.
        """

    def end(self) -> None:
        """Called when the run is over, however it went: nothing of it goes on."""


class Run:
    """One run while it goes on.

    Attributes:
        spec: what it is one of.
        generator: that makes it.
        disturbed: whether something happens to the server meanwhile.
    """

    def __init__(
        self,
        spec: LoadSpec,
        reached: Reached,
        begun: records.RunBegun,
        generator: Any,
        journal: Journal,
        progress: Progress,
        watching: Sampling,
        during: During | None,
    ) -> None:
        self.spec = spec
        self._begun = begun
        self.generator = generator
        self._journal = journal
        self._progress = progress
        self._watching = watching
        self._during = during
        self.disturbed = during is not None
        # Their connections would die with the server.
        looks = not spec.crash and not (spec.disturbances and spec.disturbances.nemeses)
        self._waits = LoadWaits(reached.waits if looks else None, journal, watching.now)
        self._activity = LoadActivity(reached.activity if looks else None, journal, watching.now)
        self._server = _Server(reached)
        self._reached = reached
        self.cold: ColdStart | None = None
        self._intervals: list[LoadInterval] = []

    @at_target
    def made(self, meet: Callable[[], object] | None = None) -> LoadRun:
        """Offer the load, and write down what comes of it.

        Args:
            meet: called just before it begins.
        """
        watching, begun = self._watching, self._begun
        # What the loading cost is in an event of its own.
        watching.mark()
        watching.keep(thorough=True)
        begins_in = 0.0
        self._server.begin()
        if meet is not None:
            meet()
        try:
            begins_in = call(self.generator.start)
        finally:
            # One that cannot begin is told of as well.
            begun = msgspec.structs.replace(begun, at=watching.now() + begins_in)
            self._journal.append("run", begun)
        summary = None
        try:
            # Not before the load has its connections: the last one that the server has room for is not the sampler's.
            self._waits.begin(begun.number)
            self._activity.begin(begun.number)
            if self.spec.server_cpus is not msgspec.UNSET or self.spec.client_cpus is not msgspec.UNSET:
                self._journal.append("cpus", conditions.read_back(begun.number, self._reached))
            self._watch(begun.at or 0.0)
        except BaseException:
            # Nothing more is offered, whatever went wrong here.
            self.generator.stop()
            raise
        finally:
            if self._during is not None:
                self._during.end()
            self._waits.end()
            self._activity.end()
            summary = self._last()
            watching.mark()
            watching.keep(thorough=True)
        return LoadRun(
            **{name: getattr(begun, name) for name in begun.__struct_fields__},
            intervals=tuple(self._intervals),
            summary=summary,
            server=self._server.use,
        )

    def stop(self) -> None:
        """Offer nothing more. From any thread."""
        self.generator.stop()

    def _watch(self, begins: Seconds) -> None:
        watching = self._watching
        last = watching.now()
        looks = [begins + share * self.spec.duration_s for share in _LOOKS]
        while not self.generator.is_over():
            time.sleep(_POLL)
            self._take()
            now = watching.now()
            if now - last >= _WATCH:
                last = now
                watching.keep()
            if looks and now >= looks[0]:
                looks.pop(0)
                self._server.look()
            self._waits.keep()
            self._activity.keep()
            if self._during is not None:
                self._during(watching.now() - begins)

    def _take(self) -> None:
        """Write down the intervals that are finished."""
        for interval in msgspec.json.decode(call(self.generator.poll), type=list[LoadInterval]):
            self._intervals.append(interval)
            self._journal.append("interval", records.RunInterval(run=self._begun.number, interval=interval))
            _show(interval, self._progress, self.spec.duration_s)

    def _last(self) -> LoadSummary:
        number = self._begun.number
        # Before its connections are closed.
        self._server.look()
        summary = msgspec.json.decode(call(self.generator.finish), type=LoadSummary)
        self._take()
        self._server.end()
        self._journal.append("summary", records.RunEnded(run=number, summary=summary, server=self._server.use))
        errors = (text for one in self._intervals for operation in one.operations for text in operation.errors)
        for finding in gone(summary, number, errors):
            self._journal.append("finding", finding)
        self._progress.step(1, 1, "")
        return summary


class _Server:
    """What the processes of a server use during a run, where they are on this machine and known."""

    def __init__(self, reached: Reached) -> None:
        self._process = reached.process
        self._devices = flushed_devices(reached.data) if reached.data else ()
        self._flushed: int | None = None
        self._began: Seconds | None = None
        self._memory: int | None = None
        self._wrote: int | None = None
        self.use: ServerUse | None = None

    def begin(self) -> None:
        """The run is about to begin."""
        self._began = processes.cpu_seconds(self._process) if self._process else None
        self._wrote = self._written()
        self._flushed = device_reads.flushes(self._devices)

    def look(self) -> None:
        """See how much memory they have."""
        if self._process and (memory := processes.proportional_bytes(self._process)) is not None:
            self._memory = max(memory, self._memory or 0)

    def end(self) -> None:
        """The run is over."""
        if not self._process or self._began is None:
            return
        ended = processes.cpu_seconds(self._process)
        # Another process, if it died meanwhile.
        if ended is not None and ended >= self._began:
            self.use = ServerUse(
                cpu_s=ended - self._began,
                memory_bytes=self._memory,
                written_bytes=_more(self._wrote, self._written()),
                flushes=_more(self._flushed, device_reads.flushes(self._devices)),
            )

    def _written(self) -> int | None:
        return processes.bytes_written(one.pid for one in processes.family(self._process)) if self._process else None


def flushed_devices(data: Path) -> tuple[Device, ...]:
    """Those below data and below what lies in it; none where they are not all known.

    A log that a link or a mount puts elsewhere is flushed there.
    """
    places: dict[int, Path] = {}
    try:
        for one in (data, *data.iterdir()):
            # What a server removes meanwhile is no place of its log.
            with suppress(FileNotFoundError):
                places.setdefault(one.stat().st_dev, one)
    except OSError:
        return ()
    found = [storage.place(one).devices for one in places.values()]
    return tuple({device.name: device for part in found for device in part}.values()) if all(found) else ()


def _more(before: int | None, after: int | None) -> int | msgspec.UnsetType:
    return msgspec.UNSET if before is None or after is None or after < before else after - before


def _show(interval: LoadInterval, progress: Progress, duration: float) -> None:
    """One line that is drawn over: how it goes."""
    responses = merged(decode(one.response) for one in interval.operations)
    rate = responses.total / max(interval.to_s - interval.from_s, 1e-9)
    failed = sum(sum(one.errors.values()) + one.timeouts for one in interval.operations)
    text = f"{rate:,.0f}/s, p50 {units.seconds(responses.quantile(0.5))}, p99 {units.seconds(responses.quantile(0.99))}"
    text += f", {failed} failed" if failed else ""
    # Below the end: the bar goes away when it is full.
    progress.step(min(round(interval.to_s), round(duration) - 1), round(duration), text)

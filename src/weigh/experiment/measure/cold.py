"""Cold: one life an operation, with nothing of its data in memory when the clock starts, and the proof of it.

The order is what makes it cold (docs/concept/cold.md): the life before is really down; dirty pages are written; the
kernel's caches are dropped; the contender starts, opens its tables and reads its own program back; the query is handed
over; the files of its tables are evicted from the page cache once more, because opening them read a little; what is
left of them in memory is counted; the clock starts. The life after it has its data in memory, and is called first.
"""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from weigh.engines.exchange import WorkerEnded
from weigh.experiment.measure.execution import Execution
from weigh.host import facts, page_cache, processes, storage
from weigh.host.processes import mappings
from weigh.host.storage import device_reads
from weigh.model import codes
from weigh.model.cold import CacheState, Drive
from weigh.model.errors import EnvironmentFault, UsageError
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from weigh.engines.loaded import Tables
    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess
    from weigh.experiment.measure.execution import Position
    from weigh.model.cold import Pages, PutOut
    from weigh.model.contender import Contender
    from weigh.model.sample import Temperature
    from weigh.model.units import Bytes, Seconds

DOWN_TIMEOUT = 30.0
"""Seconds in which everything that a life started must be gone."""
_FILLED = 0.5
"""Share of memory that data may take to be read in as a whole."""
_NOTHING = "SELECT 1 AS one"
"""A query that touches no table. An engine that does not know it just fails it."""


class Alone:
    """A life with nobody alongside it, and what is read about its one execution.

    Args:
        worker: that has opened its tables.
        temperature: ``cold`` or ``first``.
        put_out: how memory was emptied before it began.
    """

    def __init__(self, worker: WorkerProcess, temperature: Temperature, put_out: PutOut) -> None:
        self.worker = worker
        self._temperature = temperature
        self._put_out: PutOut = put_out
        self._files: list[str] = []
        self._devices: tuple[str, ...] = ()

    def warm_up(self, timeout: float) -> None:
        """Have the program in memory, and nothing of the data: its own files read back, and a query without a table.

        Raises:
            WorkerEnded: the life is over.
        """
        self._files = self.worker.files()
        self._devices = devices(self._files)
        files = set(self._files)
        files.update(str(Path(file).resolve()) for file in self._files)
        page_cache.read_in(file for file in processes.mapped(self.worker.pid) if file not in files)
        try:
            self.worker.prepare(_NOTHING, timeout)
            self.worker.run(timeout)
        except WorkerEnded as ended:
            if not ended.alive:
                raise

    def execute(
        self, sql: str, position: Position, run: int, began: Seconds, timeout: Seconds
    ) -> tuple[Execution, CacheState]:
        """Execute the query once, and fetch its answer.

        Args:
            sql: the query.
            position: where in the experiment it is.
            run: its position in the turn.
            began: what ``time.monotonic()`` said when the attempt began.
            timeout: seconds that each step may take.

        Returns:
            What was measured, and what was observed of the data in memory.

        Raises:
            WorkerEnded: the engine refused, timed out, crashed or ran out of memory.
        """
        prepared = self.worker.prepare(sql, timeout)
        # Whatever it touches is evicted from the page cache again.
        released = self.worker.release(timeout)
        before = page_cache.evict(self._files) if self._temperature == "cold" else _filled(self._files)
        mapped: Bytes | None = None
        holders: tuple[str, ...] = ()
        if self._temperature == "cold" and before is not None and before.resident:
            mapped, holders = mappings.of_files(self._files, [one.pid for one in processes.family(self.worker.pid)])
        by_device = device_reads.bytes_read(self._devices)
        read = processes.bytes_read(self.worker.pid)
        at = time.monotonic() - began
        cost = self.worker.run(timeout, released)
        read_after = processes.bytes_read(self.worker.pid)
        by_device_after = device_reads.bytes_read(self._devices)
        state = CacheState(
            temperature=self._temperature,
            place="life",
            block=position.block,
            turn=position.turn,
            arms=(position.arm,),
            contender=position.contender,
            operation=position.operation,
            case=position.case,
            files=len(self._files),
            bytes=page_cache.size(self._files),
            page_bytes=page_cache.PAGE_BYTES,
            before=before,
            after=page_cache.count(self._files),
            put_out=self._put_out,
            bytes_read=None if read is None or read_after is None else read_after - read,
            devices={name: by_device_after[name] - was for name, was in by_device.items() if name in by_device_after},
            seconds=cost.wall_s,
            mapped=mapped,
            holders=holders,
        )
        # Only now: handing out the answer may read, too.
        answer, handing = self.worker.answer(timeout)
        return Execution(run=run, at=at, prepared=prepared, cost=cost, handing=handing, answer=answer), state


@contextmanager
def alone(ready: PreparedContender, tables: Tables, temperature: Temperature, timeout: float) -> Iterator[Alone]:
    """A fresh life that is ready for its one query; afterwards it is really down.

    Raises:
        WorkerEnded: it could not begin, or something that it started does not end.
    """
    put_out: PutOut = ""
    if temperature == "cold":
        put_out = "drop_caches" if page_cache.drop() else "eviction"
    worker = ready.start(tables)
    started = processes.family(worker.pid)
    try:
        one = Alone(worker, temperature, put_out)
        one.warm_up(timeout)
        yield one
        started = processes.family(worker.pid)
    finally:
        worker.close()
        if not processes.gone(started, DOWN_TIMEOUT):
            raise WorkerEnded(
                Outcome.ERROR, f"something that it started is still there after {DOWN_TIMEOUT:g} s", alive=False
            )


def _filled(files: Sequence[str]) -> Pages | None:
    """What is in memory of these files after what is missing was read in, where all of them have a place there.

    What the life before it read is not enough: which row groups an engine skips can depend on which of its threads
    was faster.
    """
    memory = facts.allowed_bytes()
    if memory is not None and page_cache.size(files) <= _FILLED * memory:
        page_cache.read_in(files)
    return page_cache.count(files)


def standing(files: Sequence[str], place: Literal["before", "after"], block: int, arm: str) -> CacheState:
    """How much of a hot life's data is in memory now."""
    return CacheState(
        temperature="hot",
        place=place,
        block=block,
        arms=(arm,),
        files=len(files),
        bytes=page_cache.size(files),
        page_bytes=page_cache.PAGE_BYTES,
        before=page_cache.count(files),
    )


def turned(files: Sequence[str], bytes_read: Bytes, position: Position) -> CacheState:
    """What the processes of a hot life read during the timed executions of a turn, where no sample can tell."""
    return CacheState(
        temperature="hot",
        place="turn",
        block=position.block,
        turn=position.turn,
        arms=(position.arm,),
        contender=position.contender,
        operation=position.operation,
        case=position.case,
        files=len(files),
        bytes=page_cache.size(files),
        bytes_read=bytes_read,
    )


def devices(files: Iterable[str]) -> tuple[str, ...]:
    """Names of the block devices under these files; a hundred files lie on few."""
    folders = {str(Path(file).resolve().parent) for file in files}
    return tuple(sorted({device.name for folder in folders for device in storage.place(folder).devices}))


def refuse_apart(contenders: Iterable[Contender]) -> None:
    """Refuse a server that somebody else runs: where its data lies, and what of it is in memory, nobody can tell.

    Raises:
        UsageError: one of the contenders is reached by URL.
    """
    for one in contenders:
        if one.remote:
            raise UsageError(
                f"{codes.E1}: the contender '{one.name}' is a server by URL: which files hold its data, and what of "
                "them is in memory, cannot be observed from here, so it can never be called cold",
                remedy="measure it hot; or leave weigh.url out, and weigh starts a server of its own",
            )


def refuse_memory(files: Sequence[str]) -> None:
    """Refuse data that lies in memory and nowhere else.

    Raises:
        EnvironmentFault: it does.
    """
    for folder in sorted({str(Path(file).resolve().parent) for file in files}):
        found = storage.place(folder)
        if found.kind == "memory":
            raise EnvironmentFault(
                f"{codes.E1}: the data lies in memory ({found.filesystem or 'a device in memory'}): "
                "it can never be cold",
                where=folder,
                remedy="put it on storage (WEIGH_CACHE names another folder for what weigh makes), or measure hot",
            )


def measured_drive(files: Sequence[str]) -> Drive:
    """What the storage under the data can do."""
    rates, part = device_reads.rates(files)
    largest = max(files, key=_size, default="")
    found = storage.place(Path(largest).resolve().parent)
    return Drive(
        place=found.path,
        kind=f"{found.filesystem}, {found.kind}" if found.filesystem else found.kind,
        devices=tuple(device.name for device in found.devices),
        rates=rates,
        bytes=part,
        how=device_reads.HOW if rates else "",
        virtual=facts.virtual(),
    )


def _size(file: str) -> int:
    with suppress(OSError):
        return Path(file).stat().st_size
    return 0

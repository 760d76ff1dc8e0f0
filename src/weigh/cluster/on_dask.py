"""Parts of a work on Dask distributed."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
import uuid
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

import dask
import distributed
from distributed.client import FutureCancelledError, FuturesCancelledError
from distributed.scheduler import KilledWorker
from distributed.worker import thread_state

from weigh.cluster import scheduler
from weigh.cluster.place import Done, Unwanted, Worker, WorkerLost, wanted
from weigh.cluster.versions import processors, versions
from weigh.host import scratch
from weigh.model import units
from weigh.model.errors import EnvironmentFault, WeighError
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from weigh.cluster.place import Part
    from weigh.cluster.versions import Versions
    from weigh.model.progress import Progress
    from weigh.model.units import Seconds

_PROCESS = uuid.uuid4().hex
"""Of this process: a worker that is started again may have the address of the one before."""
_POLL: Seconds = 1.0
_ANSWER: Seconds = 10.0
"""For a scheduler: one that has not answered by then is not there."""
_AGAIN = 2
"""Times that a part whose workers died is submitted anew; before each, Dask has tried it on several."""
_LOCAL_DEATHS = 10
"""Workers of this machine that a part may outlive: each is started again."""
_CANCELLED = (FutureCancelledError, FuturesCancelledError, asyncio.CancelledError)
_NO_LOG = logging.CRITICAL


class _Submitted:
    """A part, and how to submit it again."""

    def __init__(self, submit: Callable[[], distributed.Future], worker: Worker | None) -> None:
        self.submit: Callable[[], distributed.Future] | None = submit
        self.worker = worker
        self.future = submit()
        self.again = 0 if worker else _AGAIN

    @property
    def done(self) -> bool:
        """Whether it ended, well or not."""
        return bool(self.future.done())


class _Facts(NamedTuple):
    """What a worker says of itself."""

    process: str
    host: str
    processors: int
    versions: Versions


def _facts() -> _Facts:
    return _Facts(_PROCESS, socket.gethostname(), processors(), versions())


def _run(here: Versions, process: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """A part on a worker, which may have joined after the others were compared."""
    if process and process != _PROCESS:
        raise WorkerLost("the worker was started again, and may have done some of it before", where=_whoami())
    if difference := here.difference(versions()):
        raise _unequal(_whoami(), difference)
    worker, key = distributed.get_worker(), thread_state.key

    def still() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled" and "clos" not in worker.status.name

    token = wanted.set(still)
    try:
        return function(*arguments)
    finally:
        wanted.reset(token)


def _whoami() -> str:
    return f"worker on {socket.gethostname()} ({distributed.get_worker().address})"


def _unequal(where: str, difference: str) -> EnvironmentFault:
    return EnvironmentFault(
        f"it has {difference}",
        where=where,
        remedy="install the same weigh there, with the same Python, or leave it out: bytes and digests must not depend "
        "on who made them",
    )


class DaskPlace:
    """A cluster of Dask, or one of this machine's own while this lasts.

    Args:
        address: of the scheduler; or how many processes.
        progress: reports who joined.
        wait: seconds for the scheduler and a first worker.
    """

    def __init__(self, address: str | int, progress: Progress, wait: Seconds) -> None:
        self._address = address
        self._where = f"local:{address}" if isinstance(address, int) else address.replace("tcp://", "dask://", 1)
        self._progress = progress
        self._wait = wait
        self._left = ExitStack()
        self._compared: dict[str, Worker] = {}
        # What nobody holds any more is released on the workers, too.
        self._submitted: WeakSet[_Submitted] = WeakSet()
        self._swept = 0.0

    def __enter__(self) -> DaskPlace:
        with ExitStack() as stack:
            # Its lines about workers that come and go would be between those of weigh, which says it itself.
            stack.enter_context(dask.config.set(_settings()))
            stack.enter_context(_without_log())
            target = stack.enter_context(_local(self._address)) if isinstance(self._address, int) else self._address
            self._cluster: Any = target if isinstance(self._address, int) else None
            try:
                if isinstance(self._address, str):
                    scheduler.check(self._address, min(self._wait, _ANSWER))
                self._client = stack.enter_context(
                    distributed.Client(target, timeout=min(self._wait, _ANSWER), set_as_default=False)
                )
            except (OSError, TimeoutError) as error:
                raise EnvironmentFault(
                    f"no scheduler of Dask answers ({_first_line(error)})",
                    where=self._where,
                    remedy="start it: dask scheduler; of tls://, name its certificates as Dask does: "
                    "DASK_DISTRIBUTED__COMM__TLS__CA_FILE and its neighbours",
                ) from None
            stack.callback(lambda: self.cancel(list(self._submitted)))
            self._first_worker()
            found = self.workers()
            hosts = len({one.host for one in found})
            self._progress.say(f"cluster: {units.count(len(found), 'worker')} on {units.count(hosts, 'host')}")
            self._left = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._left.close()

    def workers(self) -> tuple[Worker, ...]:
        """Those that are there now, each compared with this process; raises as ``Place.workers``."""
        known = self._known()
        unknown = [address for address in known if address not in self._compared]
        if unknown:
            replies = self._client.run(_facts, workers=unknown, on_error="return")
            for address, reply in replies.items():
                self._compared[address] = _joined(address, known.get(address, {}), reply)
        return tuple(self._compared[address] for address in known if address in self._compared)

    def submit(self, function: Callable[..., Any], *arguments: Any, worker: Worker | None = None) -> Part:
        """Have a part done; as ``Place.submit``."""
        here, process = versions(), worker.process if worker else ""
        where = {"workers": [worker.address], "allow_other_workers": False} if worker else {}

        def send() -> distributed.Future:
            # Not pure: Dask would take a part that failed once for one that always does.
            return self._client.submit(_run, here, process, function, _futures(arguments), pure=False, **where)

        part = _Submitted(send, worker)
        self._submitted.add(part)
        return part

    def gather(self, parts: Iterable[Part], *, timeout: Seconds | None = None) -> Iterator[Done]:
        """Parts as they end; as ``Place.gather``."""
        waiting: list[_Submitted] = list(parts)  # type: ignore[arg-type]
        until = None if timeout is None else time.monotonic() + timeout
        deserted: float | None = None
        while waiting:
            self._sweep()
            left = _POLL if until is None else min(_POLL, until - time.monotonic())
            if left <= 0:
                return
            with self._client.as_current(), suppress(TimeoutError, FuturesCancelledError):
                distributed.wait([one.future for one in waiting], left, "FIRST_COMPLETED")
            ended = [one for one in waiting if one.done]
            for one in ended:
                if (done := self._ended(one)) is not None:
                    waiting.remove(one)
                    self._submitted.discard(one)
                    yield done
            if ended:
                deserted = None
                continue
            there = self._known()
            if self._cluster is not None and len(there) < len(self._cluster.worker_spec):
                _started_again(self._cluster)
            for one in [one for one in waiting if one.worker and one.worker.address not in there]:
                waiting.remove(one)
                self._submitted.discard(one)
                self._client.cancel([one.future], force=True)
                yield Done(one, None, _lost(one.worker))
            now = time.monotonic()
            deserted = None if there else (deserted or now)
            if deserted is not None and now - deserted > self._wait:
                raise EnvironmentFault(
                    f"there has been no worker for {units.duration(self._wait)}",
                    where=self._where,
                    remedy="start workers, and begin again; weigh data make goes on with --resume",
                )

    def cancel(self, parts: Iterable[Part]) -> None:
        """Nobody waits for these any more."""
        chosen: list[_Submitted] = list(parts)  # type: ignore[arg-type]
        for one in chosen:
            self._submitted.discard(one)
        with suppress(OSError, TimeoutError):
            self._client.cancel([one.future for one in chosen], force=True)

    def _sweep(self) -> None:
        """Forget what parts that are done were made of: sums of sums would hold every part until the last one."""
        now = time.monotonic()
        if now - self._swept > _POLL:
            self._swept = now
            for one in [one for one in self._submitted if one.done]:
                one.submit = None

    def _ended(self, part: _Submitted) -> Done | None:
        """What came of it; None where it was submitted again."""
        future = part.future
        try:
            if future.status == "finished":
                return Done(part, future.result())
            error: BaseException | None = future.exception()
        except (OSError, TimeoutError):
            raise self._gone() from None
        if error is None or isinstance(error, _CANCELLED):
            # Nobody cancels a part that is waited for: a client that has lost its scheduler does.
            raise self._gone()
        if isinstance(error, KilledWorker) and part.again and part.submit is not None:
            part.again -= 1
            part.future = part.submit()
            return None
        return Done(part, None, self._explained(error, part.worker))

    def _explained(self, error: BaseException | None, worker: Worker | None) -> Exception:
        if isinstance(error, (WeighError, Unwanted)):
            return error
        if isinstance(error, KilledWorker):
            if worker is not None:
                return _lost(worker)
            return EnvironmentFault(
                f"every worker that began a part of it died, {error.allowed_failures + 1} of them",
                where=self._where,
                remedy="see their logs: mostly they have too little memory; then go on with --resume",
            )
        if isinstance(error, Exception):
            return error
        return EnvironmentFault("a part ended without a reason", where=self._where)

    def _known(self) -> dict[str, dict[str, Any]]:
        """Workers by address, as the scheduler has them now."""
        if self._client.status != "running":
            raise self._gone()
        try:
            # Not `scheduler_info`: the client itself replaces that every two seconds by one without any worker.
            return dict(self._client.sync(self._client.scheduler.identity, n_workers=-1)["workers"])
        except (OSError, TimeoutError):
            raise self._gone() from None

    def _gone(self) -> EnvironmentFault:
        return EnvironmentFault(
            "the scheduler is gone",
            where=self._where,
            remedy="start it again, and begin again; weigh data make goes on with --resume",
        )

    def _first_worker(self) -> None:
        until = time.monotonic() + self._wait
        while not self._known():
            if time.monotonic() > until:
                raise EnvironmentFault(
                    f"the scheduler has had no worker for {units.duration(self._wait)}",
                    where=self._where,
                    remedy="start some: dask worker SCHEDULER",
                )
            time.sleep(_POLL / 10)


@contextmanager
def _without_log() -> Iterator[None]:
    logs = [logging.getLogger(name) for name in ("distributed", "distributed.client", "distributed.core")]
    before = [log.level for log in logs]
    for log in logs:
        log.setLevel(_NO_LOG)
    try:
        yield
    finally:
        for log, level in zip(logs, before, strict=True):
            log.setLevel(level)


def _settings() -> dict[str, Any]:
    return {"distributed.scheduler.allowed-failures": _LOCAL_DEATHS, "distributed.admin.tick.limit": "1h"}


@contextmanager
def _local(workers: int) -> Iterator[Any]:
    """Processes of this machine, which end with this one."""
    folder = scratch.folder("cluster")
    try:
        with dask.config.set({"temporary-directory": str(folder)}), _begun(workers, folder) as cluster:
            yield cluster
    finally:
        scratch.remove(folder, _POLL)


def _begun(workers: int, folder: Path) -> Any:
    alone = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "local_directory": str(folder), "processes": True}
    try:
        return distributed.LocalCluster(n_workers=workers, threads_per_worker=1, silence_logs=_NO_LOG, **alone)
    except (RuntimeError, OSError) as error:
        raise EnvironmentFault(
            f"its processes cannot reach one another over 127.0.0.1: {one_line(str(error), 200)}",
            where=f"local:{workers}",
            remedy="see whether the loopback interface is up (ip link show lo), and what a firewall forbids there",
        ) from error


def _started_again(cluster: Any) -> None:
    """Workers of this machine whose keepers gave up: Dask's do where a worker dies before it has joined."""

    def again() -> None:
        for name, keeper in list(cluster.workers.items()):
            if keeper.status in (distributed.Status.closed, distributed.Status.failed):
                del cluster.workers[name]
        cluster.scale(len(cluster.worker_spec))

    cluster.loop.add_callback(again)


def _joined(address: str, known: dict[str, Any], reply: object) -> Worker:
    """A worker by what it says of itself.

    Raises:
        EnvironmentFault: it has no weigh, or another one.
    """
    name = str(known.get("name", ""))
    where = f"worker {name} ({address})"
    if not isinstance(reply, _Facts):
        raise EnvironmentFault(
            f"it has no weigh that this one can work with ({_first_line(reply)})",
            where=where,
            remedy="install the same version there: pip install 'weigh[cluster]'",
        )
    if difference := versions().difference(reply.versions):
        raise _unequal(f"{where} on {reply.host}", difference)
    return Worker(
        address=address,
        name=name,
        host=reply.host,
        process=reply.process,
        threads=int(known.get("nthreads", 1)),
        processors=reply.processors,
        memory=int(known.get("memory_limit", 0) or 0),
        versions=reply.versions,
    )


def _lost(worker: Worker | None) -> WorkerLost:
    return WorkerLost(
        "its worker is gone, and what only it may do is not repeated",
        where=str(worker),
        remedy="see its log, start it again and begin anew",
    )


def _futures(value: Any) -> Any:
    """Arguments with what Dask replaces by results in the place of parts."""
    if isinstance(value, _Submitted):
        return value.future
    if type(value) in (list, tuple):
        return type(value)(_futures(one) for one in value)
    return value


def _first_line(error: object) -> str:
    text = str(error).strip() or type(error).__name__
    return f"{type(error).__name__}: {text.splitlines()[0][:200]}" if isinstance(error, BaseException) else text[:200]

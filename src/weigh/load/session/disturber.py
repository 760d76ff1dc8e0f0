"""Makes what is planned happen while a run goes on, in a thread of its own, and writes down when it did."""

from __future__ import annotations

import queue
import threading
import time
from statistics import fmean
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.disturbances import plan
from weigh.load.disturbances.record import Window
from weigh.load.durability.record import Account
from weigh.load.generator_errors import call
from weigh.load.session.faults import Fault, Link, Victim, fault
from weigh.load.session.queries import Queries
from weigh.model.errors import EngineFault, WeighError

if TYPE_CHECKING:
    from typing import Self

    from weigh.evidence.journal import Journal
    from weigh.load.disturbances.plan import Planned
    from weigh.load.session.surroundings import Surroundings
    from weigh.load.spec import LoadSpec
    from weigh.load.target.target import Reached
    from weigh.model.progress import Progress
    from weigh.model.units import Seconds

_PATIENCE = 60.0
"""Seconds for the first answer after a fault."""
_SOON = 2.0
"""Seconds after which a server that does not answer is looked at: it may have ended itself."""
_RELEASED = 10.0
"""Seconds for the generator to close its connections."""
_JOINED = 150.0
"""Seconds for what goes on to be taken away: a server may have to be started."""
_CONNECTED = 0.5
"""Seconds for it to open them again."""
_POLL = 0.001


class Disturber:
    """What happens in one run.

    Args:
        spec: of the load, with disturbances.
        run: number of the run, from 1.
        reached: the server.
        surroundings: in which it was started.
        journal: gets every window.
        progress: reports what happens.

    Attributes:
        reached: as the generator is to reach it.

    Raises:
        UsageError: something cannot be done to this server.
    """

    def __init__(
        self,
        spec: LoadSpec,
        run: int,
        reached: Reached,
        surroundings: Surroundings | None,
        journal: Journal,
        progress: Progress,
    ) -> None:
        assert spec.disturbances
        self._spec, self._run, self._direct = spec, run, reached.connect
        self._journal, self._progress = journal, progress
        self._windows: queue.SimpleQueue[Window] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()
        self._error: WeighError | None = None
        self._generator: Any = None
        self._begun = 0.0
        self._still = 0.0
        """Seconds that the schedule stood still."""
        self._queries: Queries | None = None
        self._link = Link(reached, spec.disturbances)
        self._victim = Victim(reached, spec.disturbances)
        kinds = spec.disturbances.nemeses
        self._faults: dict[str, Fault] = {
            kind: fault(kind, self._victim, self._link.link, surroundings) for kind in kinds
        }
        self.reached = msgspec.structs.replace(reached, connect=self._link.connect)

    def offered_by(self, generator: Any) -> Self:
        """The same, with the generator of the run; the data is loaded.

        Raises:
            WeighError: there is no data for queries.
        """
        wanted = self._spec.disturbances
        if wanted and wanted.queries:
            self._queries = Queries(wanted, self._spec.seed, self._direct, self._run, self._progress)
            for one in self._queries.checked():
                self._journal.append("query", one)
            if not self._queries.names:
                self._queries.close()
                raise EngineFault(
                    f"no query of {wanted.queries} can be asked of it",
                    where=self._spec.target,
                    remedy="choose others with --operations; weigh gate says why each cannot be answered",
                )
        self._generator = generator
        return self

    def __call__(self, at: Seconds) -> None:
        """As of :class:`weigh.load.session.During`.

        Raises:
            EngineFault: the server did not come back. What happened until then is in the journal.
        """
        if self._thread is None:
            self._begun = time.monotonic() - at
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()
        self._write()
        if self._error is not None:
            raise self._error

    def end(self) -> None:
        """As of :class:`weigh.load.session.During`: everything is taken away."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join(_JOINED)
        self._write()
        if self._queries is not None:
            self._queries.close()
        self._link.close()

    def _write(self) -> None:
        while not self._windows.empty():
            self._journal.append("window", self._windows.get())

    def _work(self) -> None:
        spec = self._spec
        assert spec.disturbances
        try:
            if spec.disturbances.queries:
                self._mixed()
                return
            for one in plan.planned(spec, self._run):
                if self._wait(one.from_s):
                    return
                (self._fault if spec.disturbances.nemeses else self._pair)(one)
            self._wait(spec.duration_s)
        except WeighError as error:
            self._error = error
        finally:
            self._generator.stop()

    def _now(self) -> Seconds:
        return time.monotonic() - self._begun

    def _wait(self, until: Seconds) -> bool:
        """Wait for a moment of the schedule; whether the run was ended before."""
        return self._ended.wait(max(until + self._still - self._now(), 0.0))

    def _fault(self, one: Planned) -> None:
        made = self._faults[one.kind]
        self._progress.say(f"nemesis: {one.kind}")
        window = Window(run=self._run, block=one.block, arm=one.arm, kind=one.kind, from_s=self._now(), until_s=0.0)
        try:
            try:
                made.begin()
                # One that is killed is started at once: how long it is down is its own doing.
                if one.kind != "kill":
                    self._wait(one.ended_s)
            finally:
                window = msgspec.structs.replace(window, ended_s=self._now())
                made.end()
            window = self._back(window)
            self._wait(one.until_s)
            window = msgspec.structs.replace(window, until_s=self._now())
            if not self._ended.is_set():
                window = msgspec.structs.replace(window, account=self._account())
        except WeighError as error:
            window = msgspec.structs.replace(window, until_s=self._now(), failed=error.what)
            raise
        finally:
            self._windows.put(window)

    def _back(self, window: Window) -> Window:
        """With its first answer, for which one that has ended itself is started."""
        try:
            call(self._generator.answered, _SOON)
        except EngineFault:
            if self._victim.can_start and self._victim.has_ended:
                self._victim.kill()
                self._victim.start()
                window = msgspec.structs.replace(window, died=True)
            call(self._generator.answered, _PATIENCE)
        return msgspec.structs.replace(window, answered_s=self._now())

    def _account(self) -> Account | None:
        """What the server has; the schedule stands still until it is read back."""
        self._progress.say("reading back what the server has")
        begun = self._hold()
        found = call(self._generator.examine)
        self._release(begun)
        return None if found is None else msgspec.json.decode(found, type=Account)

    def _hold(self) -> Seconds:
        """Offer nothing; when that began."""
        begun = self._now()
        call(self._generator.hold)
        until = time.monotonic() + _RELEASED
        while not call(self._generator.is_held):
            if time.monotonic() > until or self._generator.is_over():
                raise EngineFault("the run was over before everything was done", remedy="raise --duration")
            time.sleep(_POLL)
        return begun

    def _release(self, begun: Seconds) -> None:
        """Offer on; the schedule stood still."""
        still = self._now() - begun
        call(self._generator.release, still)
        self._still += still

    def _mixed(self) -> None:
        """Windows with load and queries, with load alone, and with queries alone; each until all queries were asked."""
        spec = self._spec
        each = plan.window_s(spec.duration_s, spec.interval_s)
        if self._wait(plan.FIRST * spec.duration_s):
            return
        for block, arm in plan.arms(spec, self._run):
            if self._ended.is_set():
                return
            self._progress.say(f"block {block} of {plan.BLOCKS}, {arm}")
            window = Window(run=self._run, block=block, arm=arm, kind="queries", from_s=self._now(), until_s=0.0)
            until = window.from_s + each
            try:
                if arm == "without":
                    self._ended.wait(each)
                elif arm == "with":
                    # What was due before is no part of it.
                    self._ended.wait(spec.interval_s)
                    window = self._timed(window, until)
                else:
                    begun = self._hold()
                    window = self._timed(msgspec.structs.replace(window, from_s=self._now()), until)
                    over = self._now()
                    window = msgspec.structs.replace(window, ended_s=over, until_s=over)
                    self._release(begun)
                    # The generator must see that it may go on before it is held again, and connect.
                    self._ended.wait(_CONNECTED)
                    continue
                ended = None if arm == "without" else self._now()
                window = msgspec.structs.replace(window, ended_s=ended, until_s=self._now())
            except WeighError as error:
                window = msgspec.structs.replace(window, until_s=self._now(), failed=error.what)
                raise
            finally:
                self._windows.put(window)

    def _timed(self, window: Window, until: Seconds) -> Window:
        """With what each query took on average: all of them, one after another, again until a moment is past."""
        assert self._queries
        took: dict[str, list[Seconds]] = {name: [] for name in self._queries.names}
        changed: dict[str, str] = {}
        while not self._ended.is_set():
            for name, each in took.items():
                found = self._queries.execute(name)
                each.append(found.seconds)
                if found.difference:
                    changed.setdefault(name, found.difference)
                if self._ended.is_set():
                    break
            if self._now() >= until:
                break
        times = {name: fmean(each) for name, each in took.items() if each}
        return msgspec.structs.replace(window, times=times, changed=changed)

    def _pair(self, one: Planned) -> None:
        """A window of a pair: what is to be executed, where it is one with it."""
        window = Window(run=self._run, block=one.block, arm=one.arm, kind=one.kind, from_s=self._now(), until_s=0.0)
        try:
            # The first interval still holds what was due before the window, and is in no figure.
            if one.arm == "with" and not self._wait(one.from_s + self._spec.interval_s):
                self._execute()
                window = msgspec.structs.replace(window, ended_s=self._now())
            self._wait(one.until_s)
            window = msgspec.structs.replace(window, until_s=max(self._now(), window.ended_s or 0.0))
        except WeighError as error:
            window = msgspec.structs.replace(window, until_s=self._now(), failed=error.what)
            raise
        finally:
            self._windows.put(window)

    def _execute(self) -> None:
        from weigh._native import execute

        assert self._spec.disturbances
        target = msgspec.json.encode(self._direct).decode()
        for statement in self._spec.disturbances.during:
            call(execute, target, statement)

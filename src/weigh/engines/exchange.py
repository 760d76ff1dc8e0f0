"""Requests to a worker and their replies: one at a time, each with a limit of time, and what it cost by weigh's clock.

A time-out, a crash and running out of memory are outcomes, not failures of weigh.
"""

from __future__ import annotations

import signal
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from weigh.engines import replies
from weigh.host import scratch
from weigh.host.processes import interference, process_counters
from weigh.model import codes
from weigh.model.sample import Outcome
from weigh.model.units import count
from weigh_worker import protocol

if TYPE_CHECKING:
    from weigh.host.processes.family_cpu import FamilyCpu
    from weigh.model.finding import Finding
    from weigh.model.units import Seconds

_R = TypeVar("_R", bound=protocol.Reply)


class WorkerEnded(Exception):
    """The life is over or the request failed.

    Attributes:
        outcome: what happened.
        detail: what the engine or the kernel said, without scratch folders of weigh.
        alive: whether the life can go on with the next request.
    """

    def __init__(self, outcome: Outcome, detail: str, *, alive: bool) -> None:
        detail = scratch.without_folders(detail)
        super().__init__(f"{outcome}: {detail}")
        self.outcome = outcome
        self.detail = detail
        self.alive = alive


def died(what: str, code: int | None, printed: str, *, out_of_memory: bool) -> WorkerEnded:
    """Why a process is dead.

    Args:
        what: it was to do.
        code: it exited with; below zero it was a signal, None if that is not known.
        printed: the end of its log.
        out_of_memory: whether the kernel ended processes for their memory meanwhile.
    """
    ending = f"; it printed: {printed}" if printed else ""
    if code == -signal.SIGKILL and out_of_memory:
        full = f"the kernel ended it during '{what}', when the memory that it may use was full{ending}"
        return WorkerEnded(Outcome.OUT_OF_MEMORY, full, alive=False)
    if code == protocol.CONNECTION_LOST:
        return WorkerEnded(Outcome.LOST, f"its session ended during '{what}'{ending}", alive=False)
    how = f"signal {signal.Signals(-code).name}" if code and code < 0 else f"exit code {code}"
    return WorkerEnded(Outcome.CRASH, f"the process ended during '{what}' with {how}{ending}", alive=False)


class Connections:
    """Counts sessions of a contender that ended with their connection outside any clock, where no sample says so.

    Attributes:
        lost: sessions that ended with their connection.
        reopened: sessions that began after one was lost.
    """

    def __init__(self) -> None:
        self.lost = self.reopened = 0
        self._open_again = 0

    def lose(self) -> None:
        """A session has ended so."""
        self.lost += 1
        self._open_again += 1

    def begin(self) -> None:
        """A session has begun."""
        if self._open_again:
            self._open_again -= 1
            self.reopened += 1

    def finding(self, contender: str) -> Finding | None:
        """What is to be reported before the clock starts; None where nothing was lost."""
        if not self.lost:
            return None
        return codes.X_RECONNECTS.finding(
            contender=contender,
            text=f"in the gate, before any clock, its connection was lost {count(self.lost, 'time')}, and opened again "
            f"{count(self.reopened, 'time')}: what was asked then has no answer",
            remedy="look into the server's log, and at what is between: proxies, idle time-outs, restarts",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCost:
    """What one request cost, by weigh's own clocks: the worker has no say in it.

    Attributes:
        seconds: from sending it to having the whole reply.
        cpu_s: CPU seconds that the worker's process was charged meanwhile; None where it is gone.
    """

    seconds: Seconds
    cpu_s: Seconds | None


@dataclass(slots=True)
class Pending:
    """A request that is on its way."""

    what: str
    timeout: Seconds
    until: Seconds
    began_ns: int
    cpu_s: Seconds | None
    family_s: Seconds = 0.0


class Life(Protocol):
    """The process behind an exchange."""

    def kill(self) -> None:
        """End it now."""

    def obituary(self, what: str) -> WorkerEnded:
        """Why it is dead, that was to do ``what``."""


class Exchange:
    """The controller's end of the channel to one worker.

    Args:
        channel: to the worker.
        pid: of the worker.
        life: whose it is; killed where a reply is late or out of step.
    """

    def __init__(self, channel: socket.socket, pid: int, life: Life) -> None:
        self.channel = channel
        self.family: FamilyCpu | None = None
        """CPU of the worker and of what it started; None until it is counted."""
        self.inside_cpu_s: Seconds = 0.0
        """CPU seconds of the family while executions were asked for."""
        self.deeds = interference.Deeds(pid)
        """What the life does to others."""
        self.awaited = False
        """Whether a request is on its way: who is at work on it does not hear another one."""
        self._pid = pid
        self._life = life

    def ask(self, what: str, kind: type[_R], timeout: Seconds, **fields: Any) -> tuple[_R, RequestCost]:
        """One request, its reply, and what it cost.

        Raises:
            WorkerEnded: the engine refused, the process timed out, crashed or ran out of memory, or what it replied
                is no such reply.
        """
        exchange = self.send(what, timeout, **fields)
        try:
            body = protocol.receive(self.channel, exchange.until)
        except (TimeoutError, protocol.Disconnected, protocol.Malformed, OSError) as error:
            raise self.ended(exchange, error) from None
        return self.replied(exchange, kind, body, time.perf_counter_ns())

    def decide(self, timeout: Seconds) -> None:
        """Decide from now on what the life does to others, where the kernel lets weigh; raises as ``ask``."""
        listener = self.ask("decide", protocol.DecideReply, timeout)[0].listener
        if listener >= 0:
            interference.INTERFERENCE.watch(self.deeds, listener)

    def close(self) -> None:
        """The life is over."""
        self.channel.close()
        interference.INTERFERENCE.forget(self.deeds)

    def send(self, what: str, timeout: Seconds, **fields: Any) -> Pending:
        """The first half of a request; raises as ``ask``."""
        pending = Pending(what, timeout, time.monotonic() + timeout, 0, None)
        try:
            self.channel.settimeout(0)
            with suppress(BlockingIOError):
                # Whoever replies before being asked did not do then what it replies to.
                if self.channel.recv(1, socket.MSG_PEEK):
                    raise protocol.Malformed("it came before it was asked for")
            pending.family_s = self.family.seconds() if self.family and what == "run" else 0.0
            pending.cpu_s = process_counters.cpu_seconds(self._pid)
            self.deeds.executing = what == "run"
            self.deeds.executed |= self.deeds.executing
            pending.began_ns = time.perf_counter_ns()
            self.awaited = True
            protocol.send(self.channel, {"do": what, **fields}, pending.until)
        except (TimeoutError, protocol.Disconnected, protocol.Malformed, OSError) as error:
            raise self.ended(pending, error) from None
        return pending

    def replied(self, pending: Pending, kind: type[_R], body: bytes, ended_ns: int) -> tuple[_R, RequestCost]:
        """The second half of a request, when its reply is there; raises as ``ask``."""
        self.deeds.executing = self.awaited = False
        cpu_s = process_counters.cpu_seconds(self._pid)
        if pending.what == "run" and self.family:
            self.inside_cpu_s += self.family.seconds() - pending.family_s
        cost = RequestCost(
            seconds=(ended_ns - pending.began_ns) / 1e9,
            cpu_s=None if cpu_s is None or pending.cpu_s is None else cpu_s - pending.cpu_s,
        )
        try:
            return replies.read(body, kind, pending.timeout), cost
        except replies.Refused as refused:
            raise WorkerEnded(Outcome(refused.kind), str(refused), alive=True) from None
        except replies.BadReply as bad:
            if not bad.in_step:
                self._life.kill()
            raise WorkerEnded(Outcome.ERROR, _malformed(pending.what, bad), alive=bad.in_step) from None

    def ended(self, pending: Pending, error: Exception) -> WorkerEnded:
        """Why there is no reply; the life is over."""
        if isinstance(error, TimeoutError):
            self._life.kill()
            return WorkerEnded(
                Outcome.TIMEOUT, f"no whole reply to '{pending.what}' within {pending.timeout:g} s", alive=False
            )
        if isinstance(error, protocol.Malformed):
            self._life.kill()
            return WorkerEnded(Outcome.ERROR, _malformed(pending.what, error), alive=False)
        return self._life.obituary(pending.what)


def _malformed(what: str, problem: Exception) -> str:
    return f"the worker's reply to '{what}' is malformed: {problem}"

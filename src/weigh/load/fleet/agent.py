"""An agent: a generator of load on a worker of a cluster, which does what it is told over its own connection.

It offers its part of the schedule by its own monotonic clock and keeps a journal of its own. When nobody tells it
anything any more, it stops.
"""

from __future__ import annotations

import os
import platform
import shutil
import socket
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

import msgspec

from weigh._version import __version__
from weigh.evidence import files, journal, timeline
from weigh.evidence.journal import Journal
from weigh.evidence.seal import SEAL, Seal, file_names, write_json
from weigh.host import facts, knobs, scratch
from weigh.host.sampling import Sampling
from weigh.host.sysfs import Machine
from weigh.load.agents.model import (
    CHUNK,
    AgentBegun,
    AgentEnded,
    AgentInterval,
    AgentMachine,
    AgentOpened,
    Beat,
    Begin,
    Begun,
    Ended,
    Failed,
    File,
    Greeting,
    Hello,
    Leave,
    Ping,
    Pong,
    Prepare,
    Prepared,
    Stop,
    Tell,
    ToAgent,
    Written,
)
from weigh.load.fleet import machine
from weigh.load.fleet.wire import Channel, Closed
from weigh.load.generator_errors import call
from weigh.load.runs import LoadInterval, LoadSummary
from weigh.model.errors import WeighError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.load.agents.model import Enlist
    from weigh.model.units import Seconds

BEAT: Seconds = 1.0
"""Between two signs of life."""
_POLL: Seconds = 0.1
_CONNECT: Seconds = 30.0
_GLANCE: Seconds = 60.0
"""While it waits for the next thing to do, however long that takes: data is loaded meanwhile, and read back."""


def offer(enlist: Enlist) -> str:
    """What a cluster calls: be an agent until there is nothing more to do.

    Args:
        enlist: who it is, and whom to ask.

    Returns:
        why it ended, for a log.
    """
    connection = socket.create_connection((enlist.host, enlist.port), _CONNECT)
    with ExitStack() as stack:
        greeting = msgspec.msgpack.encode(Greeting(enlist.number))
        connection.sendall(len(greeting).to_bytes(4, "big") + greeting)
        channel = Channel(connection, enlist.key, agent=True)
        stack.callback(channel.close)
        folder = scratch.folder("agent")
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        record = Journal(folder)
        stack.callback(record.close)
        try:
            with Agent(enlist, channel, folder, record) as agent:
                agent.work()
        except Closed as error:
            return f"nobody listens any more: {error}"
    return "told to leave"


class Agent:
    """One agent while it works.

    Args:
        enlist: who it is.
        channel: to whoever asked.
        folder: of its journal.
        own: that journal.
    """

    def __init__(self, enlist: Enlist, channel: Channel, folder: Path, record: Journal) -> None:
        self._channel = channel
        self._folder = folder
        self._journal = record
        self._began = time.monotonic()
        self._generator: Any = None
        self._run = 0
        self._watching: Sampling | None = None
        self._left = ExitStack()
        self._enlist = enlist
        self._throttled: float | None = None
        self._at = 0.0

    def __enter__(self) -> Agent:
        read = knobs.read(Machine.here())
        about = {**facts.read(read), "python": platform.python_version()}
        enlist = self._enlist
        self._journal.append(
            "agent",
            AgentOpened(
                number=enlist.number,
                agents=enlist.agents,
                weigh=__version__,
                experiment=enlist.experiment,
                host=about,
            ),
        )
        self._channel.send(
            Hello(
                host=platform.node(),
                machine=machine.boot(),
                process=os.getpid(),
                cpus=len(os.sched_getaffinity(0)),
                chrony=machine.chrony(),
                facts=about,
            )
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        self._left.close()

    def work(self) -> None:
        """Do what is asked, until it is to leave.

        Raises:
            Closed: nobody asks any more: also a machine that went away without a word is noticed, by the system.
        """
        while True:
            message = self._channel.receive(ToAgent, _GLANCE)
            if message is None:
                continue
            if isinstance(message, Leave):
                self._leave()
                return
            try:
                self._answer(message)
            except WeighError as error:
                self._channel.send(Failed(what=error.what, where=error.where, remedy=error.remedy))

    def _answer(self, message: Any) -> None:
        match message:
            case Ping(number):
                self._pong(number)
            case Prepare():
                self._prepare(message)
            case Begin(at):
                self._offer(at)
            case Tell():
                writes = self._generator.written() if self._generator is not None else None
                self._channel.send(Written(writes))
            case Stop():
                self._stop()

    def _pong(self, number: int) -> None:
        self._channel.send(Pong(number=number, monotonic=time.monotonic_ns(), wall=time.time_ns()))

    def _prepare(self, order: Prepare) -> None:
        from weigh._native import Load

        self._stop()
        self._run = order.run
        if order.sampled and self._watching is None:
            self._watching = Sampling(self._journal)
            self._left.enter_context(self._watching.started(self._began))
        if self._watching is not None:
            self._watching.track(order.mates)
        generator = call(Load, order.settings)
        call(generator.open)
        self._generator = generator
        self._channel.send(Prepared(with_server=_reaches_itself(msgspec.json.decode(order.settings)["target"])))

    def _offer(self, at: int) -> None:
        """Offer the load from a moment on, and tell how it goes until it is over."""
        generator = self._generator
        if self._watching is not None:
            self._watching.mark()
            self._watching.keep(thorough=True)
        self._throttled = machine.throttled()
        begins_in, late = call(generator.begin, at)
        self._at = time.monotonic() - self._began + begins_in
        self._channel.send(Begun(late))
        self._journal.append("run", AgentBegun(number=self._run, at=self._at))
        with self._beating():
            while not generator.is_over():
                self._listen()
                if intervals := self._take():
                    self._channel.send(Beat(intervals))
                    if self._watching is not None:
                        self._watching.keep()
        summary = call(generator.finish)
        self._channel.send(Beat(self._take()))
        used = self._machine()
        self._journal.append(
            "summary",
            AgentEnded(run=self._run, summary=msgspec.json.decode(summary, type=LoadSummary), machine=used),
        )
        self._channel.send(Ended(summary=summary, machine=used, account=generator.account()))

    @contextmanager
    def _beating(self) -> Iterator[None]:
        """Give a sign of life every second, also while a disk has the journal wait."""
        over = threading.Event()

        def beat() -> None:
            with suppress(Closed):
                while not over.wait(BEAT):
                    self._channel.send(Beat(()))

        thread = threading.Thread(target=beat, name="weigh-beat", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join(BEAT)

    def _listen(self) -> None:
        """Take what is reported meanwhile, and wait a little for it."""
        message = self._channel.receive(ToAgent, _POLL)
        if isinstance(message, Stop):
            self._generator.stop()
        elif isinstance(message, Ping):
            self._pong(message.number)

    def _take(self) -> tuple[str, ...]:
        found = []
        for raw in msgspec.json.decode(call(self._generator.poll), type=list[msgspec.Raw]):
            text = bytes(raw)
            interval = msgspec.json.decode(text, type=LoadInterval)
            self._journal.append("interval", AgentInterval(run=self._run, interval=interval))
            found.append(text.decode())
        return tuple(found)

    def _machine(self) -> AgentMachine:
        now, before = machine.throttled(), self._throttled
        # A limit may have come meanwhile.
        throttled = None if now is None else now - (before or 0.0)
        if self._watching is None:
            return AgentMachine(throttled_s=throttled, unread="whoever asked watches it")
        self._watching.mark()
        self._watching.keep(thorough=True)
        watches = [
            timeline.unpack(files.converted(event.body, timeline.Columns))
            for event in journal.events(self._folder)
            if event.event == "watch"
        ]
        unread = "" if self._watching.active else "the sampler could not be started"
        return machine.during(watches, self._at, time.monotonic() - self._began, throttled, unread)

    def _stop(self) -> None:
        if self._generator is not None:
            self._generator.stop()
            # Its connections are closed before another run, or anybody else, wants them.
            self._generator = None

    def _leave(self) -> None:
        """Seal the journal, and send it."""
        self._stop()
        self._left.close()
        self._journal.close()
        sealed = {name: files.hashed(self._folder / name) for name in file_names(self._folder)}
        write_json(self._folder, SEAL, Seal(files=sealed, earlier={}, weigh=__version__))
        for name in (*sealed, SEAL):
            with (self._folder / name).open("rb") as file:
                while content := file.read(CHUNK):
                    self._channel.send(File(name=name, content=content))
        self._channel.send(File(name="", content=b""))


def _reaches_itself(target: dict[str, Any]) -> bool:
    """Whether a server is reached by an address of this very machine."""
    if target.get("socket"):
        return True
    with suppress(OSError):
        [(family, kind, _, _, address), *_] = socket.getaddrinfo(
            target.get("host") or "127.0.0.1", target.get("port") or 1, type=socket.SOCK_DGRAM
        )
        with socket.socket(family, kind) as probe:
            probe.connect(address)
            return bool(probe.getsockname()[0] == probe.getpeername()[0])
    return False

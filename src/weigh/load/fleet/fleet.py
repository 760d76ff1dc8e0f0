"""The agents of a load experiment: placed on the workers of a cluster, and sent home at the end."""

from __future__ import annotations

import select
import socket
import time
from contextlib import ExitStack, suppress
from secrets import token_bytes
from typing import TYPE_CHECKING

import msgspec

from weigh.cluster.connect import connect, parsed
from weigh.evidence import files
from weigh.evidence.seal import SEAL, Seal
from weigh.load.agents.model import FOLDER, AgentRead, AgentRun, Agents, Enlist, File, FromAgent, Greeting, Hello, Leave
from weigh.load.fleet import machine
from weigh.load.fleet.agent import offer
from weigh.load.fleet.wire import KEY, Channel, Closed, toward
from weigh.model import units
from weigh.model.errors import EnvironmentFault, EvidenceFault

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.cluster.place import Part, Place, Worker
    from weigh.model.progress import Progress
    from weigh.model.units import Seconds

_ENLISTING: Seconds = 60.0
"""For all agents to call."""
_SENDING: Seconds = 60.0
"""For the next piece of an agent's evidence."""
_BACKLOG = 1024


class Agent:
    """One agent, as the one who asks has it.

    Attributes:
        read: as it described itself.
        channel: to it.
        part: that the cluster does.
        lost: how it was lost; empty while it is there.
    """

    def __init__(self, read: AgentRead, channel: Channel, part: Part) -> None:
        self.read = read
        self.channel = channel
        self.part = part
        self.lost = ""


class Fleet:
    """All agents while an experiment goes on.

    Args:
        on: where they are placed (:mod:`weigh.cluster.connect`).
        experiment: its id.
        progress: reports who joined.

    Attributes:
        agents: in the order of their numbers.
        runs: what each did in each run that is over, but for what its journal says.
        began: what ``time.monotonic()`` said when the attempt began.
    """

    def __init__(self, on: str, experiment: str, progress: Progress) -> None:
        self.on = on
        self.agents: list[Agent] = []
        self.runs: list[AgentRun] = []
        self.began = time.monotonic()
        self._experiment = experiment
        self._progress = progress
        self._left = ExitStack()
        self._place: Place | None = None

    def __enter__(self) -> Fleet:
        with ExitStack() as stack:
            place = stack.enter_context(connect(self.on, self._progress))
            self._place = place
            workers = sorted(place.workers(), key=lambda one: (one.host, one.address))
            listener = stack.enter_context(self._listener())
            keys = [token_bytes(KEY) for _ in workers]
            host, port = listener.getsockname()[:2]
            parts = [
                place.submit(
                    offer,
                    Enlist(
                        number=number,
                        agents=len(workers),
                        experiment=self._experiment,
                        host=host,
                        port=port,
                        key=key,
                    ),
                    worker=worker,
                )
                for number, (worker, key) in enumerate(zip(workers, keys, strict=True), 1)
            ]
            stack.callback(self._dismiss)
            self._enlist(listener, place, workers, keys, parts)
            self._left = stack.pop_all()
        hosts = len({one.read.machine for one in self.agents})
        self._progress.say(f"{units.count(len(self.agents), 'agent')} on {units.count(hosts, 'machine')}")
        return self

    def __exit__(self, *_: object) -> None:
        self._left.close()

    @property
    def described(self) -> Agents:
        """Who they are."""
        return Agents(on=self.on, agents=tuple(one.read for one in self.agents))

    @property
    def processes_here(self) -> tuple[int, ...]:
        """Those of agents on this machine."""
        return tuple(one.read.process for one in self.agents if one.read.here)

    def look(self, patience: Seconds) -> list[Agent]:
        """Agents that have said something, or are gone; waits so long for one."""
        there = [one for one in self.agents if not one.lost]
        waiting = any(one.channel.waiting for one in there)
        # Also of the others: whoever has said something is not silent because another one was heard first.
        ready, _, _ = select.select([one.channel for one in there], [], [], 0.0 if waiting else patience)
        return [one for one in there if one.channel.waiting or one.channel in ready]

    def lose(self, agent: Agent, how: str) -> None:
        """An agent is lost: nothing it does counts any more."""
        agent.lost = how
        agent.channel.close()
        if self._place is not None:
            # What the cluster knows says more than that its connection is closed.
            for done in self._place.gather([agent.part], timeout=0.5):
                if done.fault is not None:
                    agent.lost = f"{how}: {done.fault}"
            with suppress(EnvironmentFault):
                self._place.cancel([agent.part])

    def collect(self, folder: Path) -> None:
        """Send them home, and take their evidence into a folder; one that does not send any is lost.

        Args:
            folder: of the attempt.
        """
        for agent in self.agents:
            if agent.lost:
                continue
            self._progress.say(f"collecting the journal of {agent.read.name}")
            folder_of_agent = folder / FOLDER / str(agent.read.number)
            try:
                self._collect(agent, folder_of_agent)
            except (Closed, EvidenceFault) as error:
                self.lose(agent, f"its journal did not come ({error})")

    def _collect(self, agent: Agent, folder_of_agent: Path) -> None:
        agent.channel.send(Leave())
        folder_of_agent.mkdir(parents=True)
        content: dict[str, Path] = {}
        while True:
            piece = agent.channel.receive(FromAgent, _SENDING)
            if piece is None:
                raise Closed("it fell silent")
            if not isinstance(piece, File):
                continue
            if not piece.name:
                break
            # It names files of its own folder, and nothing else anywhere.
            if "/" in piece.name or piece.name.startswith("."):
                raise Closed(f"it sends a file '{piece.name}'")
            content[piece.name] = folder_of_agent / piece.name
            with content[piece.name].open("ab") as file:
                file.write(piece.content)
        sealed = files.decoded(files.content(folder_of_agent / SEAL), Seal)
        wrong = [name for name, digest in sealed.files.items() if files.hashed(folder_of_agent / name) != digest]
        if wrong or {*sealed.files, SEAL} != {*content}:
            raise Closed(f"its seal does not fit: {', '.join(wrong) or 'other files'}")

    def _listener(self) -> socket.socket:
        address = parsed(self.on)
        folder_of_agent = "127.0.0.1"
        if isinstance(address, str):
            host, _, port = address.rpartition("://")[2].rpartition(":")
            folder_of_agent = toward(host.strip("[]"), int(port))
        family = socket.AF_INET6 if ":" in folder_of_agent else socket.AF_INET
        return socket.create_server((folder_of_agent, 0), family=family, backlog=_BACKLOG)

    def _enlist(
        self, listener: socket.socket, place: Place, workers: list[Worker], keys: list[bytes], parts: list[Part]
    ) -> None:
        """Wait until each has called and said who it is.

        Raises:
            EnvironmentFault: one does not.
        """
        found: dict[int, Agent] = {}
        until = time.monotonic() + _ENLISTING
        listener.settimeout(1.0)
        while len(found) < len(workers):
            for done in place.gather([one for number, one in enumerate(parts, 1) if number not in found], timeout=0.01):
                number = parts.index(done.part) + 1
                raise EnvironmentFault(
                    f"agent {number} could not begin: {done.fault or done.value}",
                    where=str(workers[number - 1]),
                    remedy="see whether that machine reaches this one: agents call whoever asks",
                )
            if time.monotonic() > until:
                silent = [str(worker) for number, worker in enumerate(workers, 1) if number not in found]
                raise EnvironmentFault(
                    f"{units.count(len(silent), 'agent')} did not call within {units.duration(_ENLISTING)}",
                    where=silent[0],
                    remedy="see whether its workers are busy, and whether that machine reaches this one",
                )
            with suppress(TimeoutError, OSError, Closed, msgspec.MsgspecError):
                connection, _ = listener.accept()
                connection.settimeout(5.0)
                number = _greeting(connection)
                if not 1 <= number <= len(workers) or number in found:
                    connection.close()
                    continue
                channel = Channel(connection, keys[number - 1], agent=False)
                hello = channel.receive(FromAgent, 5.0)
                if isinstance(hello, Hello):
                    found[number] = Agent(_read(number, workers[number - 1], hello), channel, parts[number - 1])
        self.agents = [found[number] for number in sorted(found)]

    def _dismiss(self) -> None:
        for agent in self.agents:
            agent.channel.close()


def _greeting(connection: socket.socket) -> int:
    length = int.from_bytes(_exactly(connection, 4), "big")
    if length > 64:
        return 0
    return msgspec.msgpack.decode(_exactly(connection, length), type=Greeting).number


def _exactly(connection: socket.socket, length: int) -> bytes:
    content = b""
    while len(content) < length:
        piece = connection.recv(length - len(content))
        if not piece:
            raise Closed("it closed the connection")
        content += piece
    return content


def _read(number: int, worker: Worker, hello: Hello) -> AgentRead:
    return AgentRead(
        number=number,
        worker=str(worker),
        host=hello.host,
        machine=hello.machine,
        process=hello.process,
        cpus=hello.cpus,
        here=hello.machine == machine.boot(),
        chrony=hello.chrony,
        facts=hello.facts,
    )

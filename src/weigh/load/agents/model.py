"""What agents tell, and what the journals say of them."""

from __future__ import annotations

from typing import Any

import msgspec

from weigh.load.runs import LoadInterval, LoadSummary
from weigh.model.units import Bytes, Seconds

FOLDER = "agents"
"""Of an evidence directory: holds a folder of each agent, by its number."""
PARTS = 120
"""Parts of a run, at most, of which the figures of each agent are kept."""


class Chrony(msgspec.Struct, frozen=True, kw_only=True):
    """What chrony says of a machine's wall clock.

    Attributes:
        offset_s: by which it believes it to be off.
        bound_s: by which it may be: the offset, the root's dispersion and half of its delay.
    """

    offset_s: Seconds
    bound_s: Seconds


class ClockRead(msgspec.Struct, frozen=True, kw_only=True):
    """An agent's clocks against those of the one who asks, by the quickest of several round trips.

    Attributes:
        monotonic_s: what is to be added to the monotonic clock here to have the agent's.
        wall_s: by how much its wall clock is ahead.
        bound_s: by how much each may differ from that: half of the round trip.
        at: when, seconds since the attempt began.
    """

    monotonic_s: Seconds
    wall_s: Seconds
    bound_s: Seconds
    at: Seconds


class AgentRead(msgspec.Struct, frozen=True, kw_only=True):
    """An agent as it described itself.

    Attributes:
        number: from 1.
        worker: that it runs on, as the cluster names it.
        host: name of its machine.
        machine: identity of the boot of its machine: agents of one share processors and a clock.
        process: its number there.
        cpus: that it may use.
        here: whether its machine is that of the one who asked.
        chrony: None where none answered.
        facts: of its machine.
    """

    number: int
    worker: str
    host: str
    machine: str
    process: int
    cpus: int
    here: bool
    chrony: Chrony | None = None
    facts: dict[str, Any] = {}

    @property
    def name(self) -> str:
        """For people."""
        return f"agent {self.number} ({self.host})"


class Agents(msgspec.Struct, frozen=True, kw_only=True):
    """The event ``agents``: who offers the load.

    Attributes:
        on: where they were placed.
        agents: in the order of their numbers.
    """

    on: str
    agents: tuple[AgentRead, ...]


class AgentMachine(msgspec.Struct, frozen=True, kw_only=True):
    """An agent's machine during a run, by its own sampler.

    Attributes:
        foreign, steal: shares of the CPU that weigh used, and of one CPU at least, that others and other guests used.
        throttled_s: for how long the kernel held the agent's control group back; None where it has no limit.
        unread: why it was not watched; empty where it was.
    """

    foreign: float | None = None
    steal: float | None = None
    throttled_s: Seconds | None = None
    unread: str = ""


class AgentPart(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent saw in some intervals that follow each other, all operations together.

    Attributes:
        from_s, to_s: since the run began.
        count: answered.
        failed: errors and time-outs.
        client_cpu_s: of the generator.
        client_wait_s: in which its threads wanted a processor and had none; 0 where the kernel does not say.
        queued: requests that were due and waited at an end of an interval, at most.
        response, lag_late: histograms, as those of an interval.
    """

    from_s: Seconds
    to_s: Seconds
    count: int
    failed: int
    client_cpu_s: Seconds
    client_wait_s: Seconds = 0.0
    queued: int
    response: str
    lag_late: str


class AgentRun(msgspec.Struct, frozen=True, kw_only=True):
    """The event ``agent``: what one agent did in one run.

    Attributes:
        run: its number.
        agent: its number.
        threads, connections: that it had.
        before, after: its clocks then; None where it was lost.
        gap_s: the longest time in which nothing was heard of it, while the run went on; it tells every second.
        gap_at: when that began, since the schedule did.
        with_server: whether it reached the server on its own machine.
        lost: how it was lost; empty where it was not.
        summary: its own account; None where it was lost.
        machine: None where the sampler of the one who asked watched it, or it was lost.
        parts: in order; none where it was lost, and its journal with it.
    """

    run: int
    agent: int
    threads: int
    connections: int
    before: ClockRead | None = None
    after: ClockRead | None = None
    gap_s: Seconds = 0.0
    gap_at: Seconds = 0.0
    with_server: bool = False
    lost: str = ""
    summary: LoadSummary | None = None
    machine: AgentMachine | None = None
    parts: tuple[AgentPart, ...] = ()


class AgentOpened(msgspec.Struct, frozen=True, kw_only=True):
    """The first event of an agent's own journal."""

    number: int
    agents: int
    weigh: str
    experiment: str
    host: dict[str, Any]


class AgentBegun(msgspec.Struct, frozen=True, kw_only=True):
    """In an agent's own journal: a run begins; ``at`` is on the clock of the sampler's moments."""

    number: int
    at: Seconds


class AgentInterval(msgspec.Struct, frozen=True, kw_only=True):
    """Likewise: an interval; the event ``interval``."""

    run: int
    interval: LoadInterval


class AgentEnded(msgspec.Struct, frozen=True, kw_only=True):
    """Likewise: a run came to its end; the event ``summary``."""

    run: int
    summary: LoadSummary
    machine: AgentMachine | None = None


class Enlist(msgspec.Struct, frozen=True, kw_only=True):
    """What a cluster hands to an agent: the only thing that does not go over the agent's connection.

    Attributes:
        number: from 1.
        agents: how many there are.
        experiment: its id.
        host, port: where to connect.
        key: of that connection.
    """

    number: int
    agents: int
    experiment: str
    host: str
    port: int
    key: bytes


class Greeting(msgspec.Struct, frozen=True, tag=True):
    """First, in the clear: which of the agents it is. Everything behind it is encrypted."""

    number: int


class Hello(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From an agent: who it is."""

    host: str
    machine: str
    process: int
    cpus: int
    chrony: Chrony | None
    facts: dict[str, Any]


class Ping(msgspec.Struct, frozen=True, tag=True):
    """To an agent: what do the clocks say? ``number`` tells one from another."""

    number: int


class Pong(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From an agent: nanoseconds of its clocks."""

    number: int
    monotonic: int
    wall: int


class Prepare(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """To an agent: open the connections of a run.

    Attributes:
        run: its number.
        settings: of the generator, in JSON; may hold a password.
        sampled: whether the agent is to watch its machine.
        own: processes of its machine that work for the load too.
    """

    run: int
    settings: str
    sampled: bool
    mates: tuple[int, ...]


class Prepared(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From an agent: its connections are open; ``with_server`` as of :class:`AgentRun`."""

    with_server: bool


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From an agent: it cannot begin, or go on."""

    what: str
    where: str
    remedy: str


class Begin(msgspec.Struct, frozen=True, tag=True):
    """To an agent: the schedule begins at that nanosecond of its monotonic clock."""

    at: int


class Begun(msgspec.Struct, frozen=True, tag=True):
    """From an agent: it will begin then, or ``late_s`` after it."""

    late_s: Seconds


class Beat(msgspec.Struct, frozen=True, tag=True):
    """From an agent, every second and whenever intervals end: they are JSON, in order."""

    intervals: tuple[str, ...]


class Stop(msgspec.Struct, frozen=True, tag=True):
    """To an agent: nothing more is to be offered."""


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From an agent: its run is over.

    Attributes:
        summary: in JSON.
        machine: None where it did not watch.
        account: of TPC-C, in JSON; None of other workloads.
    """

    summary: str
    machine: AgentMachine | None
    account: str | None


class Tell(msgspec.Struct, frozen=True, tag=True):
    """To an agent: what have your writes left?"""


class Written(msgspec.Struct, frozen=True, tag=True):
    """From an agent: JSON of it; None where its workload does not know that."""

    writes: str | None


class Leave(msgspec.Struct, frozen=True, tag=True):
    """To an agent: seal your journal, send it, and end."""


class File(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From an agent: a piece of a file of its evidence.

    Attributes:
        name: without a folder; empty when there is nothing more.
        content: of the piece.
    """

    name: str
    content: bytes


CHUNK: Bytes = 1 << 20
"""Of :class:`File`."""
ToAgent = Ping | Prepare | Begin | Stop | Tell | Leave
FromAgent = Hello | Pong | Prepared | Failed | Begun | Beat | Ended | Written | File

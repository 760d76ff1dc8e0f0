"""The generator of a run whose load several agents offer: to a session it is one, as the native one is."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.agents.model import (
    AgentRun,
    Beat,
    Begin,
    Begun,
    ClockRead,
    Ended,
    Failed,
    FromAgent,
    Prepare,
    Prepared,
    Stop,
    Tell,
    Written,
)
from weigh.load.agents.summary import added, merged_summary
from weigh.load.fleet import clocks
from weigh.load.fleet.wire import Closed
from weigh.load.generator_errors import call
from weigh.load.runs import LoadSummary
from weigh.model.errors import EngineFault
from weigh.model.units import seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.load.fleet.fleet import Agent, Fleet
    from weigh.model.units import Seconds

SILENT: Seconds = 10.0
"""Without a sign of life an agent is lost."""
_OPENING: Seconds = 90.0
"""For an agent to open its connections."""
_LEAD: Seconds = 1.0
"""From the order to begin until the common moment, for the first agent; each other one adds a little."""
_LEAD_EACH: Seconds = 0.005
_RESERVE: Seconds = 0.3
"""Before that moment all must have answered."""
_TELLING: Seconds = 300.0
_PUNCTUAL: Seconds = 1e-4
"""An agent that begins so much late is punctual: the next request is due later than that."""


class _State:
    """Of one agent in this run."""

    def __init__(self, agent: Agent, part: int, parts: int, settings: dict[str, Any]) -> None:
        self.agent = agent
        mine = {**settings, "share": {"part": part, "parts": parts}}
        self.settings = msgspec.json.encode(mine).decode()
        self.threads = int(settings["threads"])
        whole = int(settings["connections"])
        self.connections = whole // parts + int(part < whole % parts)
        self.before: ClockRead | None = None
        self.after: ClockRead | None = None
        self.with_server = False
        self.last_sign = 0.0
        self.gap = self.gap_at = 0.0
        self.intervals: deque[str] = deque()
        self.ended: Ended | None = None

    def hear(self, now: Seconds, begins: Seconds) -> None:
        """Something came of it: how long did nothing?"""
        # Before the schedule begins nothing is late.
        gap = now - max(self.last_sign, begins)
        if gap > self.gap:
            self.gap, self.gap_at = gap, max(self.last_sign, begins) - begins
        self.last_sign = now


class AgentsGenerator:
    """One run by all agents together.

    Args:
        fleet: the agents.
        run: its number.
        settings: of the whole load, but for the share of each.
        whole: the native generator of the same load, which loads the data and reads back what is left.
    """

    def __init__(self, fleet: Fleet, run: int, settings: msgspec.Struct, whole: Any) -> None:
        self._fleet = fleet
        self._run = run
        self._whole = whole
        self._begins = 0.0
        parts = len(fleet.agents)
        raw = msgspec.to_builtins(settings)
        self._rows_are_apart = bool(raw["target"].get("cluster")) or raw["target"]["kind"] == "cql"
        self._states = {one.read.number: _State(one, place, parts, raw) for place, one in enumerate(fleet.agents)}
        self._finished = False

    @property
    def _there(self) -> list[_State]:
        return [one for one in self._states.values() if not one.agent.lost]

    @property
    def lost(self) -> str:
        """Which agent was lost, so that it is not known what all have done; empty where none was."""
        return "".join(f"{one.agent.read.name} was lost" for one in self._states.values() if one.agent.lost)

    def start(self) -> Seconds:
        """Have all open their connections, and begin at one moment.

        Returns:
            seconds until it.

        Raises:
            EngineFault: one cannot, or would be late: nothing is offered.
        """
        self._refuse_lost()
        for one in self._there:
            mates = tuple(
                mate.agent.read.process
                for mate in self._states.values()
                if mate.agent.read.machine == one.agent.read.machine
            )
            self._send(one, Prepare(run=self._run, settings=one.settings, sampled=not one.agent.read.here, mates=mates))
        for one in self._there:
            found = self._wait(one, Prepared, _OPENING, "open its connections")
            one.with_server = found.with_server
        for one in self._there:
            one.before = self._clock(one)
        self._refuse_lost()
        # Clocks are read one after the other; the moment is far enough away for all to be told of it.
        begins = time.monotonic() + _LEAD + _LEAD_EACH * len(self._states)
        for one in self._there:
            assert one.before is not None
            self._send(one, Begin(clocks.moment(one.before, begins)))
        for one in self._there:
            found = self._wait(one, Begun, begins - _RESERVE - time.monotonic(), "begin")
            if found.late_s > _PUNCTUAL:
                raise self._late(one, f"would have begun {seconds(found.late_s)} late")
            one.last_sign = time.monotonic()
        self._begins = begins
        self._refuse_lost()
        return begins - time.monotonic()

    def is_over(self) -> bool:
        """Whether all have ended. Hears what they say."""
        self._hear(0.0)
        return all(one.ended is not None or one.agent.lost for one in self._states.values())

    def poll(self) -> str:
        """Intervals of all together that have ended since the last call, as the native generator lists them."""
        from weigh._native import merge_intervals

        self._hear(0.0)
        merged: list[str] = []
        while True:
            open_ = [one for one in self._there if not one.intervals and one.ended is None]
            there = [one for one in self._states.values() if one.intervals]
            if open_ or not there:
                return f"[{','.join(merged)}]"
            merged.append(call(merge_intervals, [one.intervals.popleft() for one in there]))

    def finish(self) -> str:
        """Wait for the end, and sum up.

        Raises:
            EngineFault: none of them summed up.
        """
        while not self.is_over():
            self._hear(0.1)
        mine = {
            number: msgspec.json.decode(one.ended.summary, type=LoadSummary)
            for number, one in self._ended()
            if one.ended is not None
        }
        for _, one in self._ended():
            if not one.agent.lost:
                one.after = self._clock(one)
        if not self._finished:
            self._finished = True
            self._fleet.runs += [self._as_run(number, one, mine.get(number)) for number, one in self._states.items()]
        if not mine:
            raise EngineFault("every agent was lost", where=self._fleet.on, remedy="see their logs")
        return msgspec.json.encode(merged_summary(list(mine.values()))).decode()

    def stop(self) -> None:
        """Offer nothing more."""
        for one in self._there:
            if one.ended is None:
                self._send(one, Stop())

    def load(self, on_progress: Callable[[int, int], object] | None = None) -> Any:
        """Load the data, once for all."""
        return self._whole.load(on_progress)

    def account(self) -> str:
        """What all asked for together, of TPC-C."""
        found: Any = None
        for _, one in self._ended():
            if one.ended is not None and one.ended.account is not None:
                mine = msgspec.json.decode(one.ended.account)
                found = mine if found is None else added(found, mine)
        return msgspec.json.encode(found).decode()

    def read_back(self, most: int, most_s: Seconds) -> str:
        """Read every row, and compare it with what all agents' acknowledged writes must have left.

        Args:
            most: keys that are read of a cluster, each where it lies; of another server all are read.
            most_s: seconds for them, likewise.

        Returns:
            JSON of :class:`weigh.load.gate_events.ReadBack`, but for the run.

        Raises:
            EngineFault: the rows cannot be read.
        """
        try:
            written = self._written()
        except EngineFault as error:
            # Whoever does not say what it wrote is an agent, and the server has nothing to do with it.
            return msgspec.json.encode({"unknown": error.what}).decode()
        if self._rows_are_apart:
            text: str = call(self._whole.read_back, most, most_s)
            return text
        found = msgspec.json.decode(call(self._whole.examine))
        wrong = found["lost"] + found["torn"] + found["strange"]
        rows = found["rows"] + found["missing"]
        return msgspec.json.encode(
            {
                "written": written,
                "read": rows,
                "read_written": written,
                "right": max(rows - wrong - found["missing"], 0),
                "wrong": wrong,
                "missing": found["missing"],
                "failed": 0,
                "texts": found["said"],
                "error": "",
            }
        ).decode()

    def _written(self) -> int:
        """Have every agent say what it wrote; how many keys.

        Raises:
            EngineFault: one of them cannot, or is lost.
        """
        self._refuse_lost()
        written = 0
        for one in self._there:
            self._send(one, Tell())
            found = self._wait(one, Written, _TELLING, "say what it wrote")
            if found.writes is None:
                raise EngineFault(f"{one.agent.read.name} does not know what its writes left")
            written += len(msgspec.json.decode(found.writes)["issued"])
            call(self._whole.join_written, found.writes)
        self._refuse_lost()
        return written

    def _ended(self) -> list[tuple[int, _State]]:
        return [(number, one) for number, one in self._states.items() if one.ended is not None]

    def _as_run(self, number: int, one: _State, summary: LoadSummary | None) -> AgentRun:
        return AgentRun(
            run=self._run,
            agent=number,
            threads=one.threads,
            connections=one.connections,
            before=one.before,
            after=one.after,
            gap_s=one.gap,
            gap_at=one.gap_at,
            with_server=one.with_server,
            lost=one.agent.lost,
            summary=summary,
            machine=one.ended.machine if one.ended else None,
        )

    def _hear(self, patience: Seconds) -> None:
        """Take what agents say; one that says nothing is lost, and then the others are stopped."""
        lost_before = len(self._there)
        for agent in self._fleet.look(patience):
            one = self._states[agent.read.number]
            try:
                while (message := agent.channel.receive(FromAgent, 0.0)) is not None:
                    self._take(one, message)
                    if not agent.channel.waiting:
                        break
            except Closed as error:
                self._fleet.lose(agent, f"its connection ended ({error})")
        now = time.monotonic()
        for one in self._there:
            if one.ended is None and now - max(one.last_sign, self._begins) > SILENT:
                self._fleet.lose(one.agent, f"nothing was heard of it for {seconds(SILENT)}")
        if len(self._there) < lost_before:
            # What was declared is offered no more: the rest would be another load.
            self.stop()

    def _take(self, one: _State, message: Any) -> None:
        match message:
            case Beat(intervals):
                one.hear(time.monotonic(), self._begins)
                one.intervals.extend(intervals)
            case Ended():
                one.ended = message
            case Failed():
                self._fleet.lose(one.agent, message.what)

    def _clock(self, one: _State) -> ClockRead | None:
        try:
            return clocks.read(one.agent.channel, self._fleet.began)
        except Closed as error:
            self._fleet.lose(one.agent, str(error))
            return None

    def _send(self, one: _State, message: msgspec.Struct) -> None:
        try:
            one.agent.channel.send(message)
        except Closed as error:
            self._fleet.lose(one.agent, f"its connection ended ({error})")

    def _wait(self, one: _State, kind: type[Any], patience: Seconds, to: str) -> Any:
        """What one agent answers.

        Raises:
            EngineFault: it cannot, or not in time; the others are stopped.
        """
        until = time.monotonic() + patience
        try:
            while (left := until - time.monotonic()) > 0:
                message = one.agent.channel.receive(FromAgent, left)
                if isinstance(message, kind):
                    return message
                if isinstance(message, Failed):
                    self.stop()
                    where = f"{one.agent.read.name}{', ' + message.where if message.where else ''}"
                    raise EngineFault(message.what, where=where, remedy=message.remedy)
        except Closed as error:
            self._fleet.lose(one.agent, f"its connection ended ({error})")
            self._refuse_lost()
        raise self._late(one, f"did not {to} in time")

    def _late(self, one: _State, how: str) -> EngineFault:
        self.stop()
        why = (
            "" if self._begins else ": the run was not begun, for a load that begins in parts is none that was declared"
        )
        return EngineFault(
            f"{one.agent.read.name} {how}{why}",
            where=one.agent.read.worker,
            remedy="see what else that machine does, and run again",
        )

    def _refuse_lost(self) -> None:
        lost = [one.agent for one in self._states.values() if one.agent.lost]
        if lost:
            self.stop()
            raise EngineFault(
                f"{lost[0].read.name} was lost: {lost[0].lost}",
                where=lost[0].read.worker,
                remedy="see the log of its worker, start it again, and run again",
            )

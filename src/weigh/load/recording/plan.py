"""What of a trace is sent, on which connection and in which order: decided before the clock, and written to a file.

Each session has a connection, and a transaction is never broken by another session. Where sessions share a connection
at the same time, statements of one wait until the transaction of another is over.
"""

from __future__ import annotations

import base64
import heapq
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.evidence import whole
from weigh.load.recording import statements
from weigh.load.recording.record import Planned, Template
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from weigh.capture.trace import Call, Statement, Trace
    from weigh.model.units import Seconds

MOST = 2_000_000
"""Calls of a replay: they are held in memory while it goes on."""
OWN = 200
"""Sessions up to which each has a connection of its own."""
_MOST_CONNECTIONS = 1_000
_NAMED = 20
"""Templates with figures of their own; all others share theirs."""
_RETAINED = 20_000
"""Answers that are kept of a replay."""
_RESET = "RESET ALL; CLOSE ALL; UNLISTEN *; DEALLOCATE ALL; SELECT pg_advisory_unlock_all(); DISCARD TEMP"
"""Makes a session of PostgreSQL like a new one."""
OTHERS = "other statements"
_TAIL = 0.01
"""Seconds that the last statement has where it is not known how long it took."""


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A statement as the generator takes it (``crates/weigh-load/src/workload/replay/mod.rs``)."""

    lane: int
    at: int
    operation: int
    group: int
    reset: bool = False
    text: str = ""
    values: tuple[str | None, ...] | None = None
    words: tuple[str, ...] | None = None
    keep: bool = False


class Sent(NamedTuple):
    """What later is to be known of a statement that is sent.

    Attributes:
        statement: number of it in the trace.
        group: its transaction.
        rows: that it had when it was recorded; -1 where that is not known.
        failed: whether it failed then.
        parameters: where its answer is kept; else None.
    """

    statement: int
    group: int
    rows: int
    failed: bool
    parameters: tuple[str | None, ...] | None


class Plan(NamedTuple):
    """Of one replay, in this process.

    Attributes:
        path: of its file.
        planned: what is reported of it.
        operations: names.
        lanes: connections.
        length_s: recorded seconds to the end of the last statement.
        sent: by the number of the line.
        statements: of the trace.
        begin: sent on a new connection; empty where nothing is.
        reset: sent where a session follows another one on its connection; likewise.
        prepare: file of SQL that makes the data.
    """

    path: Path
    planned: Planned
    operations: tuple[str, ...]
    lanes: int
    length_s: Seconds
    sent: tuple[Sent, ...]
    statements: tuple[Statement, ...]
    begin: str
    reset: str
    prepare: Path | None


@dataclass(slots=True)
class _Session:
    first: Seconds
    last: Seconds = 0.0
    calls: int = 0
    lane: int = 0
    left: int = 0
    group: int | None = None
    turned: bool = False


@dataclass(slots=True)
class _Lane:
    owner: str | None = None
    waiting: deque[Call] = field(default_factory=deque)
    session: str | None = None


def make(
    trace: Trace,
    path: Path,
    *,
    connections: int | None,
    most_s: Seconds | None,
    read_only: bool,
    guarded: bool,
    prepare: Path | None,
    coverage: str = "",
) -> Plan:
    """Decide it.

    Args:
        trace: that is replayed.
        path: of the file that is written.
        connections: at most; None for as many as sessions need.
        most_s: recorded seconds that are replayed; None for all.
        read_only: whether statements that write are left out.
        guarded: whether the server is told to refuse writes.
        prepare: file of SQL that makes the data.
        coverage: what the capture left out, in its words.

    Raises:
        UsageError: the trace cannot be replayed.
    """
    header = trace.header
    redis = header.product == "redis"
    if "parameters" not in header.knows:
        raise UsageError(
            "the trace does not know the values of its statements, and a statement without them cannot be sent",
            remedy="capture a log instead: log_min_duration_statement = 0, with log_parameter_max_length = -1",
        )
    left: Counter[str] = Counter()
    first = _First(header.statements, redis=redis, read_only=read_only, sessions="session" in header.knows, left=left)
    length = 0.0
    for session, call in first.retained(trace, most_s):
        length = max(length, call.at_s + (call.duration_s or _TAIL))
        first.see(session, call)
    if not first.calls:
        why = "; ".join(f"{number:,} {reason}" for reason, number in left.items()) or "it is empty"
        raise UsageError(f"nothing of the trace can be replayed: {why}", remedy="name another trace")
    if first.calls > MOST:
        raise UsageError(
            f"the trace has {first.calls:,} statements, and {MOST:,} can be replayed at once",
            remedy="--duration replays the beginning of it",
        )
    lanes, shared = _assign(first.sessions, connections)
    ranked = sorted(first.busy, key=lambda number: (-first.busy[number], number))
    named = {number: place for place, number in enumerate(ranked[:_NAMED])}
    operations = [
        f"{place} {statements.title(header.statements[number], redis)}"
        for place, number in enumerate(ranked[:_NAMED], 1)
    ]
    if len(ranked) > _NAMED:
        operations.append(OTHERS)
    every = -(-first.calls // _RETAINED)
    sent: list[Sent] = []
    writer = _Writer(first, lanes, named, header.statements, every, sent, redis=redis)
    with whole.aside(path) as place, place.open("wb") as file:
        left_again: Counter[str] = Counter()
        again = _First(
            header.statements, redis=redis, read_only=read_only, sessions="session" in header.knows, left=left_again
        )
        for session, call in again.retained(trace, most_s):
            for line in writer.taken(session, call):
                file.write(msgspec.json.encode(line) + b"\n")
    templates = tuple(
        Template(
            name=operations[named.get(number, len(operations) - 1)],
            statement=number,
            text=header.statements[number].text,
            calls=first.times[number],
            recorded_s=first.busy[number],
        )
        for number in ranked[:_NAMED]
    )
    begin = "SET default_transaction_read_only = on" if guarded and not redis else ""
    reset = "" if redis else "; ".join((_RESET, begin)).removesuffix("; ")
    planned = Planned(
        calls=first.calls,
        sessions=len(first.sessions),
        connections=lanes,
        shared=shared,
        left_out=dict(left),
        templates=templates,
        other_templates=max(len(ranked) - _NAMED, 0),
        transactions=writer.transactions,
        begun_inside=writer.begun_inside,
        without_end=writer.without_end,
        session_state=first.state,
        writes=first.writes,
        failed=first.failed,
        sessions_known="session" in header.knows,
        every=every,
        coverage=coverage,
    )
    return Plan(path, planned, tuple(operations), lanes, length, tuple(sent), header.statements, begin, reset, prepare)


class _First:
    """The first walk: which calls are replayed, and what there is of sessions and statements."""

    def __init__(
        self, known: Sequence[Statement], *, redis: bool, read_only: bool, sessions: bool, left: Counter[str]
    ) -> None:
        self.left = left
        self.by_session = sessions
        self.sessions: dict[str, _Session] = {}
        self.busy: dict[int, float] = defaultdict(float)
        self.times: Counter[int] = Counter()
        self.calls = self.state = self.writes = self.failed = 0
        self.turns = [statements.turn(one) for one in known]
        self.writing = [statements.writes(one) for one in known]
        self._stating = [statements.changes_session(one) for one in known]
        self._reasons = [
            _why_not(one, turn, redis, read_only, sessions) for one, turn in zip(known, self.turns, strict=True)
        ]

    def retained(self, trace: Trace, most_s: Seconds | None) -> Iterator[tuple[str, Call]]:
        """Calls that are replayed, with the session of each."""
        for number, call in enumerate(trace.calls()):
            if most_s is not None and call.at_s >= most_s:
                self.left["after the end of the run"] += 1
            elif call.redacted:
                self.left["with a secret whose place something else took"] += 1
            elif why := self._reasons[call.statement]:
                self.left[why] += 1
            else:
                yield call.session if self.by_session else str(number), call

    def see(self, name: str, call: Call) -> None:
        """Count a call."""
        session = self.sessions.get(name)
        if session is None:
            session = self.sessions[name] = _Session(call.at_s)
        session.last = max(session.last, call.at_s + (call.duration_s or 0.0))
        session.calls += 1
        session.left += 1
        self.calls += 1
        self.busy[call.statement] += call.duration_s or 0.0
        self.times[call.statement] += 1
        self.state += self._stating[call.statement]
        self.writes += self.writing[call.statement]
        self.failed += call.error is not None


def _why_not(one: Statement, turn: str, redis: bool, read_only: bool, sessions: bool) -> str:
    """Why a statement is left out; empty where it is not."""
    if redis and statements.speaks(one):
        return "after which a connection answers otherwise (SUBSCRIBE, AUTH, ...)"
    if not redis and statements.streams(one):
        return "whose rows are in no log (COPY)"
    if read_only and statements.writes(one):
        return "that write (--read-only)"
    if turn and not sessions:
        return "that begin or end a transaction, of a source that does not tell sessions apart"
    return ""


def _assign(sessions: dict[str, _Session], most: int | None) -> tuple[int, int]:
    """Give every session a connection.

    Returns:
        How many connections there are, and how many sessions share theirs with another at the same time.
    """
    if most is None and len(sessions) <= OWN:
        for place, session in enumerate(sessions.values()):
            session.lane = place
        return len(sessions), 0
    free: list[tuple[Seconds, int]] = []
    lanes = shared = 0
    for session in sorted(sessions.values(), key=lambda one: one.first):
        if free and (free[0][0] < session.first or (most is not None and lanes >= most)):
            end, session.lane = heapq.heappop(free)
            shared += end >= session.first
            heapq.heappush(free, (max(end, session.last), session.lane))
        else:
            session.lane = lanes
            lanes += 1
            heapq.heappush(free, (session.last, session.lane))
    if lanes > _MOST_CONNECTIONS:
        raise UsageError(
            f"the recording has {lanes:,} sessions at the same time",
            remedy="--connections 100 maps them onto fewer connections without breaking a transaction",
        )
    return lanes, shared


class _Writer:
    """The second walk: lines in the order in which each connection sends them."""

    def __init__(
        self,
        first: _First,
        lanes: int,
        named: dict[int, int],
        known: Sequence[Statement],
        every: int,
        sent: list[Sent],
        *,
        redis: bool,
    ) -> None:
        self._first = first
        self._lanes = [_Lane() for _ in range(lanes)]
        self._named = named
        self._known = known
        self._every = every
        self._sent = sent
        self._redis = redis
        self._groups = 0
        self.transactions = self.begun_inside = self.without_end = 0

    def taken(self, name: str, call: Call) -> Iterator[Line]:
        """The lines that can be written now: of the next call, and of those that waited for it."""
        session = self._first.sessions[name]
        lane = self._lanes[session.lane]
        call = msgspec.structs.replace(call, session=name)
        if lane.owner not in (None, name):
            lane.waiting.append(call)
            return
        yield self._line(session, lane, call)
        while lane.waiting:
            place = next((at for at, one in enumerate(lane.waiting) if lane.owner in (None, one.session)), None)
            if place is None:
                return
            one = lane.waiting[place]
            del lane.waiting[place]
            yield self._line(self._first.sessions[one.session], lane, one)

    def _line(self, session: _Session, lane: _Lane, call: Call) -> Line:
        turn = self._first.turns[call.statement]
        session.left -= 1
        if turn == "begins" and session.group is None:
            self._groups += 1
            session.group = self._groups
            self.transactions += 1
        elif turn == "ends" and session.group is None and not session.turned:
            self.begun_inside += 1
        session.turned |= bool(turn)
        group = session.group
        if group is None:
            self._groups += 1
            group = self._groups
        if turn == "ends" or not session.left:
            if session.group is not None and turn != "ends":
                self.without_end += 1
            session.group = None
        lane.owner = None if session.group is None else call.session
        reset = not self._redis and lane.session not in (None, call.session) and session.calls == session.left + 1
        lane.session = call.session
        number = len(self._sent)
        rows = -1 if call.rows is None else call.rows
        keep = number % self._every == 0
        self._sent.append(Sent(call.statement, group, rows, call.error is not None, call.parameters if keep else None))
        operation = self._named.get(call.statement, _NAMED)
        known = self._known[call.statement]
        line = Line(
            lane=session.lane,
            at=round(call.at_s * 1e9),
            operation=operation,
            group=group,
            reset=reset,
            keep=keep,
        )
        if self._redis:
            words = tuple(base64.b64encode(word).decode() for word in known.words(call.parameters))
            return msgspec.structs.replace(line, words=words)
        text, bound = known.sent(call.parameters)
        return msgspec.structs.replace(line, text=text, values=bound or None)

"""The record of query streams: their journal as nouns."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from weigh.evidence import files, journal, timeline
from weigh.evidence.sealing import End
from weigh.host.knobs.read import KnobRead
from weigh.model.contender import ContenderRead
from weigh.model.finding import Finding
from weigh.model.machine.timeline import Watch
from weigh.model.units import Seconds
from weigh.streams.spec import StreamsSpec, TestName

if TYPE_CHECKING:
    from pathlib import Path

OPENED = "streams"
"""The first event of its journal."""
StepStatus = Literal["agreed", "diverged", "unverified", "error", "done", "not checked"]
"""Of an answer; ``done`` of a refresh function, ``not checked`` of an answer whose gate was right and whose digest is
that of the gate's."""


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """The first event: what is to be done."""

    attempt: int
    spec: StreamsSpec


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """Where, with whom and about what.

    Attributes:
        weigh: version of weigh.
        command: the command that does it again.
        host: facts of the machine.
        knobs: settings and states of the machine that move times.
        contenders: as they described themselves.
        read_only: names of those that cannot write.
        witnesses: engines that said which answers are right, and were not timed.
        data: row digest of each table as loaded.
        notice: what every report must say.
    """

    weigh: str
    command: str
    host: dict[str, Any]
    knobs: tuple[KnobRead, ...]
    contenders: tuple[ContenderRead, ...]
    read_only: tuple[str, ...]
    witnesses: tuple[str, ...]
    data: dict[str, str]
    notice: str


class StreamQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A query of a stream.

    Attributes:
        name: its stream and its number.
        parameters: by the rules of qgen or, of TPC-DS, of ``workloads/tpcds/substitutions.txt``.
        sql: as every contender gets it; in evidence of earlier versions empty where it is that of stream 0.
    """

    name: str
    parameters: tuple[str, ...]
    sql: str


class State(msgspec.Struct, frozen=True, kw_only=True):
    """What the tables that change must hold after so many refresh functions, by arithmetic on rows and by no engine.

    Attributes:
        after: name of the refresh function that leads to it; empty of the loaded one.
        digests: row digest of each of these tables.
        sums: rows and sum of the keys of each of these tables, as one query sees them.
    """

    after: str
    digests: dict[str, str]
    sums: tuple[int, ...]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked, and what follows."""

    queries: tuple[StreamQuery, ...]
    states: tuple[State, ...]


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A query or a refresh function in a stream.

    Attributes:
        stream: name of its stream.
        name: of the query, or of the refresh function.
        began, ended: seconds since all streams of the test began.
        rows: of the answer.
        status: what came of comparing the answer.
        state: number of the state of the tables that the answer is true of, from 0; None of none.
        digest: of the exact columns of the answer.
        detail: what is wrong.
    """

    stream: str
    name: str
    began: Seconds
    ended: Seconds
    rows: int = 0
    status: StepStatus = "done"
    state: int | None = None
    digest: str = ""
    detail: str = ""

    @property
    def seconds(self) -> Seconds:
        """How long it took."""
        return self.ended - self.began


class TableRead(msgspec.Struct, frozen=True, kw_only=True):
    """A table read back through the contender.

    Attributes:
        table: its name.
        state: after how many refresh functions.
        digest: of its rows.
        expected: of the rows that must be there.
        detail: what differs, in words.
    """

    table: str
    state: int
    digest: str
    expected: str
    detail: str = ""

    @property
    def other(self) -> bool:
        """Whether it holds other rows; of one that could not be read nobody knows."""
        return bool(self.digest) and self.digest != self.expected


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """What a session saw of all changed tables while others refreshed them.

    Attributes:
        looks: how often it looked.
        between: how often it saw what no whole number of refresh functions leads to.
        detail: the first of these.
    """

    looks: int
    between: int
    detail: str = ""


class StreamTest(msgspec.Struct, frozen=True, kw_only=True):
    """A test of a life.

    Attributes:
        name: which.
        request_s: seconds from asking for it to having the reply, by weigh's own clock.
        steps: of all streams.
        reads: tables read back after it.
        watched: what was observed meanwhile; None where nobody looked.
        at: when it was asked for, seconds since the attempt began; None in evidence that did not say it.
    """

    name: TestName
    request_s: Seconds
    steps: tuple[Step, ...]
    reads: tuple[TableRead, ...] = ()
    watched: Watched | None = None
    at: Seconds | None = None

    @property
    def error(self) -> str:
        """What ended a stream of it, or kept a table from being read; empty where nothing did."""
        steps = (f"{one.name}: {one.detail}" for one in self.steps if one.status == "error")
        reads = (f"{one.table} cannot be read back: {one.detail}" for one in self.reads if not one.digest)
        return next(itertools.chain(steps, reads), "")

    @property
    def accuses(self) -> bool:
        """Whether something in it is wrong. What follows an error is no lie: a refresh function may be missing."""
        if self.error:
            return False
        wrong = any(one.status == "diverged" for one in self.steps) or any(one.other for one in self.reads)
        return wrong or bool(self.watched and self.watched.between)


class Life(msgspec.Struct, frozen=True, kw_only=True):
    """A life of a contender, from an empty database on.

    Attributes:
        repetition: 0 is the gate's, which is not timed.
        contender: whose.
        load_s: seconds of loading all tables, indexes included; None of one that reads the files where they lie.
        tests: in order.
        failure: how it ended where it did not end well.
    """

    repetition: int
    contender: str
    load_s: Seconds | None
    tests: tuple[StreamTest, ...]
    failure: str = ""


class StreamsRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a journal says; what is missing was never reached."""

    attempt: int
    spec: StreamsSpec
    environment: Environment | None = None
    plan: Plan | None = None
    lives: tuple[Life, ...] = ()
    findings: tuple[Finding, ...] = ()
    watches: tuple[Watch, ...] = ()
    end: End | None = None


def is_streams(folder: Path) -> bool:
    """Whether a directory is of query streams."""
    event = journal.first(folder)
    return event is not None and event.event == OPENED


def read_spec(folder: Path) -> StreamsSpec:
    """What was to be done.

    Raises:
        EvidenceFault: the journal does not begin as it should.
    """
    return journal.opening(folder, OPENED, Opened).spec


def read(folder: Path) -> StreamsRecord:
    """The record of an attempt.

    Raises:
        EvidenceFault: there is none, or it is damaged.
    """
    found: dict[str, list[Any]] = {}
    with journal.believed(folder):
        for event in journal.events(folder):
            found.setdefault(event.event, []).append(event.body)
        if OPENED not in found:
            raise journal.misbegun(folder)
        opened = files.converted(found[OPENED][0], Opened)
        return StreamsRecord(
            attempt=opened.attempt,
            spec=opened.spec,
            environment=_one(found, "environment", Environment),
            plan=_one(found, "plan", Plan),
            lives=tuple(files.converted(one, Life) for one in found.get("life", ())),
            findings=tuple(files.converted(one, Finding) for one in found.get("finding", ())),
            watches=tuple(timeline.unpack(files.converted(one, timeline.Columns)) for one in found.get("watch", ())),
            end=_one(found, "end", End),
        )


def _one(found: dict[str, list[Any]], name: str, form: type[Any]) -> Any:
    bodies = found.get(name)
    return files.converted(bodies[-1], form) if bodies else None

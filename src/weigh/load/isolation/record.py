"""What the history of a run shows, as the checker found it (``crates/weigh-isolation/src/report.rs``)."""

from __future__ import annotations

from typing import Literal

import msgspec

from weigh.model.units import Seconds


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """One statement of a transaction, and what it was answered.

    Attributes:
        kind: what it did.
        key: with which list or register.
        value: that it wrote, or read of a register; None where nobody had written it.
        list: the last elements that it read; None where no answer came.
        before: elements before these.
    """

    kind: Literal["append", "list", "write", "register"]
    key: int
    value: int | None = None
    list: tuple[int, ...] | None = None
    before: int = 0


class Witness(msgspec.Struct, frozen=True, kw_only=True):
    """A transaction of an example.

    Attributes:
        number: of it in the history.
        process: whose it was: one connection, until an outcome of it is unknown.
        begun_s, ended_s: since the run began; not later, and not earlier, than it did.
        outcome: how it ended.
        operations: its statements, in order.
    """

    number: int
    process: int
    begun_s: Seconds
    ended_s: Seconds
    outcome: Literal["committed", "aborted", "unknown"]
    operations: tuple[Moment, ...]


class Step(msgspec.Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """Why a transaction comes before another one.

    Attributes:
        from_: the first, by its place among the example's transactions.
        to: the second.
        kind: ``ww`` it wrote before the second did, ``wr`` the second read what it wrote, ``rw`` it did not read what
            the second wrote, ``rt`` it had ended when the second began.
        key: of the list or register; None of ``rt``.
        first: what the first wrote, or read last; None for nothing.
        second: what the second wrote; None where it wrote nothing.
        gap_s: of ``rt``: between the end of the first and the beginning of the second.
    """

    from_: int
    to: int
    kind: Literal["ww", "wr", "rw", "rt"]
    key: int | None = None
    first: int | None = None
    second: int | None = None
    gap_s: Seconds | None = None


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """One anomaly.

    Attributes:
        transactions: that take part.
        steps: the cycle; empty where one read alone shows it.
        key, element: what is meant, where it is no cycle.
    """

    transactions: tuple[Witness, ...]
    steps: tuple[Step, ...] = ()
    key: int | None = None
    element: int | None = None


class Anomaly(msgspec.Struct, frozen=True, kw_only=True):
    """All that was found of one name.

    Attributes:
        name: as docs/guide/isolation.md explains it.
        count: how often.
        counted: whether that is all there is; else there are at least so many.
        examples: a few, the shortest first.
    """

    name: str
    count: int
    counted: bool
    examples: tuple[Example, ...]


class Edges(msgspec.Struct, frozen=True, kw_only=True):
    """Dependencies that were inferred, by kind: as of :class:`Step`."""

    ww: int
    wr: int
    rw: int


class History(msgspec.Struct, frozen=True, kw_only=True):
    """What a history shows.

    Attributes:
        committed, aborted, unknown: transactions, by how they ended.
        unknown_values: of the unknown ones, those that somebody saw the writes of.
        operations: statements of committed transactions that read or write.
        reads: of these.
        writes: of these.
        writes_read: writes that some committed transaction read.
        keys: lists and registers.
        edges: between transactions.
        levels: committed transactions by the level that the server named inside them; the empty name for none.
        anomalies: everything that was found.
    """

    committed: int
    aborted: int
    unknown: int
    unknown_values: int = msgspec.field(name="unknown_seen")
    operations: int
    reads: int
    writes: int
    writes_read: int
    keys: int
    edges: Edges
    levels: dict[str, int]
    anomalies: tuple[Anomaly, ...]


class IsolationRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the workload alongside its histograms.

    Attributes:
        run: its number.
        file: of its history, alongside the journal; empty where it could not be written.
        retries: attempts that the server gave up because of others, and that were made again, by its code.
        history: what it shows; None where it could not be checked.
        unchecked: why not.
    """

    run: int
    file: str = ""
    retries: dict[str, int] = {}
    history: History | None = None
    unchecked: str = ""

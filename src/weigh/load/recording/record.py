"""What the journal says of a replay."""

from __future__ import annotations

from typing import Any

import msgspec

from weigh.evidence import files
from weigh.load.gate_events import Answer, Order
from weigh.model.units import Seconds


class Template(msgspec.Struct, frozen=True, kw_only=True):
    """A statement of the trace without its values.

    Attributes:
        name: of its operation in the figures.
        statement: its number in the trace.
        text: with ``$1`` and so on in the place of values.
        calls: how often it is sent.
        recorded_s: how long all of them took when they were recorded; 0 where that is not known.
    """

    name: str
    statement: int
    text: str
    calls: int
    recorded_s: Seconds


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """The event ``replay``: what of a trace is sent.

    Attributes:
        calls: statements that are sent.
        sessions: of the recording.
        connections: that they have.
        shared: sessions that have theirs together with another one at the same time.
        left_out: why statements are not sent -> how many.
        templates: those that took most of the recorded time, first.
        other_templates: how many there are alongside them.
        transactions: that begin in the recording.
        begun_inside: sessions that begin inside a transaction: what they send before its end is sent by itself.
        without_end: transactions whose end is not recorded: they are rolled back.
        session_state: statements that change their session (SET, PREPARE, ...).
        writes: statements that write, or may.
        failed: statements that failed when they were recorded.
        sessions_known: whether the source tells sessions apart.
        every: of so many statements in turn one answer is kept, where answers are.
        coverage: what the capture left out, in its words; empty where it does not say.
    """

    calls: int
    sessions: int
    connections: int
    shared: int
    left_out: dict[str, int]
    templates: tuple[Template, ...]
    other_templates: int
    transactions: int
    begun_inside: int
    without_end: int
    session_state: int
    writes: int
    failed: int
    sessions_known: bool
    every: int
    coverage: str = ""


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """The event ``replayed``: what came of every statement of the first run; by the place of each, -1 for none.

    Attributes:
        run: its number.
        sent, done: microseconds after the beginning.
        rows: that it returned or changed.
        errors: codes of errors by place; ``lost`` is that of a connection or of an answer that never came.
        answers: that were kept, by place.
        orders: what the texts of queries say of their rows, by the number of the statement, as text.
    """

    run: int
    sent: tuple[int, ...]
    done: tuple[int, ...]
    rows: tuple[int, ...]
    errors: tuple[tuple[int, str], ...]
    answers: tuple[tuple[int, Answer], ...]
    orders: dict[str, Order] = {}


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a statement by its text.

    Attributes:
        text: with ``$1`` and so on in the place of values.
        writes: tables that it writes.
        names: names of tables that are written by any statement, and that occur in it.
        of_the_moment: whether its answer may differ by itself.
    """

    text: str
    writes: tuple[str, ...]
    names: tuple[str, ...]
    of_the_moment: bool


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """The event ``recorded``: of every statement that is sent, what the trace says of it; by the place of each.

    Attributes:
        statement: number of it.
        group: its transaction.
        rows: -1 where they are not known.
        failed: places of those that failed.
        known: the statements that occur, by number, as text.
        parameters: of those whose answers are kept, by place; none where values are hidden.
    """

    statement: tuple[int, ...]
    group: tuple[int, ...]
    rows: tuple[int, ...]
    failed: tuple[int, ...]
    known: dict[str, Known]
    parameters: tuple[tuple[int, tuple[str | None, ...]], ...] = ()


Event = Planned | Replayed | Recorded
EVENTS: dict[str, Any] = {"replay": Planned, "replayed": Replayed, "recorded": Recorded}


class ReplayRecord(msgspec.Struct, frozen=True, kw_only=True):
    """All of it.

    Attributes:
        planned: what is sent.
        recorded: what the trace says; None where answers are not kept.
        replayed: what came; likewise.
    """

    planned: Planned
    recorded: Recorded | None = None
    replayed: Replayed | None = None


def read(name: str, body: Any) -> Event:
    """The event of that name.

    Raises:
        EvidenceFault: it does not hold what it should.
    """
    found: Event = files.converted(body, EVENTS[name])
    return found


def gathered(events: list[Event]) -> ReplayRecord | None:
    """The record of what was read; None where nothing was replayed."""
    planned = next((one for one in events if isinstance(one, Planned)), None)
    if planned is None:
        return None
    return ReplayRecord(
        planned=planned,
        recorded=next((one for one in events if isinstance(one, Recorded)), None),
        replayed=next((one for one in events if isinstance(one, Replayed)), None),
    )

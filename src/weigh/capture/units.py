"""Units: what becomes a script. A transaction with all its statements, or a statement that stands alone."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from typing import TYPE_CHECKING

from weigh.capture.parameters import Distribution, Room, Values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.capture.entry import Tally
    from weigh.capture.templates.template import Template

_MOST_SESSIONS = 10_000
_MOST_STATEMENTS = 200
"""Of a transaction; a longer one is taken apart."""
_MOST_SLOTS = 400
"""Parameters of a unit whose values are looked at; of the others the first value stays. One unit takes a small share of
those that may be looked at of all together, so that units that come later find their place."""
_MOST_UNITS = 5_000
_MOST_PAUSES = 100_000
_MOST_ARRIVALS = 1_000_000


class Unit:
    """Calls of one kind of unit.

    Args:
        statements: numbers of its statements, in order.
        room: for values.
        images: whether values were replaced.
    """

    def __init__(self, statements: tuple[int, ...], room: Room, *, images: bool) -> None:
        self._images = images
        self.statements = statements
        self.calls = 0
        self.time_s = 0.0
        self.first: list[str | None] = []
        # Values that were equal in every call so far have the same number.
        self.groups: list[int] = []
        self.pauses: list[tuple[float, int]] = [(0.0, 0)] * max(0, len(statements) - 1)
        self._values: list[Values] = []
        self._room = room
        self._given: list[Distribution] | None = None
        self.drawable = True
        """Whether the values of all its parameters are known."""

    def add(self, values: list[str | None], time_s: float, pauses: list[float]) -> None:
        """One more call of it."""
        self.calls += 1
        self.time_s += time_s
        bare = [_bare(one) for one in values]
        if not self.first and values:
            self.first = values
            slots = min(len(values), _MOST_SLOTS, self._room.parameters // 50)
            self._room.parameters -= slots
            self._room.fixed += len(values) - slots
            self._values = [Values(self._room, images=self._images) for _ in range(slots)]
            self.groups = [0] * len(values)
        renamed: dict[tuple[int, str | None], int] = {}
        self.groups = [renamed.setdefault(key, len(renamed)) for key in zip(self.groups, bare, strict=True)]
        for known, value in zip(self._values, values, strict=False):
            known.add(value)
        self.pauses = [(total + pause, number + 1) for (total, number), pause in zip(self.pauses, pauses, strict=False)]

    def total(self, calls: int, time_s: float, given: list[Distribution | None]) -> None:
        """Many calls of it at once, with the distributions of their values as far as they are known."""
        self.calls += calls
        self.time_s += time_s
        self.drawable = None not in given
        self._given = [one for one in given if one is not None]
        self.first = [None] * len(given)
        self.groups = list(range(len(given)))

    def distributions(self, *, written: list[bool]) -> list[Distribution]:
        """Of each parameter; ``written`` says of each whether its statement writes."""
        if self._given is not None:
            return self._given
        found = [one.distribution(written=flag) for one, flag in zip(self._values, written, strict=False)]
        fixed = self.first[len(found) :]
        return found + [
            Distribution(kind="constant", count=self.calls, values=() if one is None else ((one, 1.0),))
            for one in fixed
        ]


def _bare(value: str | None) -> str | None:
    """Without quotes: what was bound in one statement may be a literal in another."""
    return value[1:-1] if value is not None and len(value) > 1 and value[0] == value[-1] == "'" else value


class _Call:
    __slots__ = ("at", "duration", "statement", "values")

    def __init__(self, statement: int, values: tuple[str | None, ...], at: float, duration: float | None) -> None:
        self.statement = statement
        self.values = values
        self.at = at
        self.duration = duration


class _Session:
    __slots__ = ("calls", "ended", "failed", "open")

    def __init__(self) -> None:
        self.calls: list[_Call] = []
        self.open = False
        self.failed = False
        self.ended: float | None = None


class Units:
    """Gathers units from the calls of all sessions.

    Args:
        tally: counts what is in no unit.
        images: whether values were replaced.
    """

    def __init__(self, tally: Tally, *, images: bool) -> None:
        self._images = images
        self._tally = tally
        self._room = Room()
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._known: dict[tuple[int, ...], Unit] = {}
        self.arrivals = array("d")
        """Moments at which units began, the first of them."""
        self.number = 0
        """Of units, whether their moments are kept or not."""
        self.thinking = array("d")
        """Pauses of a session between the end of a unit and the beginning of the next one, the first of them."""
        self.sessions = 0
        self.transactions = 0

    @property
    def fixed(self) -> int:
        """Parameters that stay what they were in the first call."""
        return self._room.fixed

    def __iter__(self) -> Iterator[Unit]:
        return iter(self._known.values())

    def add(
        self,
        session: str,
        number: int,
        template: Template,
        values: tuple[str | None, ...],
        at: float,
        duration: float | None,
        *,
        failed: bool,
    ) -> None:
        """One more call."""
        state = self._sessions.get(session)
        if state is None:
            state = self._sessions[session] = _Session()
            self.sessions += 1
            if len(self._sessions) > _MOST_SESSIONS:
                self._apart(self._sessions.popitem(last=False)[1])
        else:
            self._sessions.move_to_end(session)
        call = _Call(number, values, at, duration)
        if template.does == "control":
            self._control(state, call, template)
        elif template.does == "utility":
            # SET, SHOW and the like inside a transaction leave the transaction whole, without them.
            self._tally.add("utility")
            state.failed |= failed
        elif state.open:
            state.calls.append(call)
            state.failed |= failed
            if len(state.calls) > _MOST_STATEMENTS:
                self._apart(state)
        elif failed:
            self._tally.add("failed")
        else:
            self._unit(state, [call])

    def total(
        self, number: int, template: Template, calls: int, time_s: float, given: list[Distribution | None]
    ) -> None:
        """All calls of a statement at once."""
        if template.does in ("control", "utility"):
            self._tally.add("utility", calls)
            return
        unit = self._known.get((number,))
        if unit is None:
            unit = self._known[(number,)] = Unit((number,), self._room, images=self._images)
        unit.total(calls, time_s, given)

    def end(self) -> None:
        """Nothing more comes."""
        for state in self._sessions.values():
            self._apart(state)
        self._sessions.clear()

    def _control(self, state: _Session, call: _Call, template: Template) -> None:
        if template.first in ("BEGIN", "START", "MULTI"):
            self._apart(state)
            state.open, state.failed, state.calls = True, False, [call]
        elif template.first in ("SAVEPOINT", "RELEASE", "WATCH", "UNWATCH") or "to" in template.words:
            if state.open:
                state.calls.append(call)
            # A part that was rolled back may hold what failed.
            state.failed &= "to" not in template.words
        elif not state.open:
            self._tally.add("cut-transaction")
        elif state.failed:
            self._tally.add("failed", len(state.calls) + 1)
            state.open, state.calls = False, []
        else:
            calls, state.calls, state.open = [*state.calls, call], [], False
            if len(calls) > 2:
                self.transactions += 1
            self._unit(state, calls)

    def _apart(self, state: _Session) -> None:
        """A transaction that is not whole: its statements stand alone."""
        calls, was_open = state.calls, state.open
        state.calls, state.open = [], False
        if was_open:
            self._tally.add("cut-transaction", len(calls))
        if state.failed:
            self._tally.add("failed", len(calls))
        else:
            for call in calls[1:]:
                self._unit(state, [call])
        state.failed = False

    def _unit(self, state: _Session, calls: list[_Call]) -> None:
        statements = tuple(call.statement for call in calls)
        unit = self._known.get(statements)
        if unit is None:
            first = sum(len(one or "") for call in calls for one in call.values)
            if len(self._known) >= _MOST_UNITS or first > self._room.left // 4:
                self._tally.add("too-many", len(calls))
                return
            self._room.left -= first
            unit = self._known[statements] = Unit(statements, self._room, images=self._images)
        ends = [call.at + (call.duration or 0.0) for call in calls]
        pauses = [max(0.0, call.at - end) for end, call in zip(ends[:-1], calls[1:], strict=True)]
        if state.ended is not None and len(self.thinking) < _MOST_PAUSES:
            self.thinking.append(max(0.0, calls[0].at - state.ended))
        state.ended = ends[-1]
        self.number += 1
        if len(self.arrivals) < _MOST_ARRIVALS:
            self.arrivals.append(calls[0].at)
        unit.add([one for call in calls for one in call.values], sum(call.duration or 0.0 for call in calls), pauses)

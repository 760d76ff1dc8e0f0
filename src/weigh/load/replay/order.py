"""Which statements of a recording depend on the order between its sessions, as the replays were. Pure.

Two transactions that touch one table, of which one writes it, are in order if one was over before the other began, in
every replay. What is not in order may be answered in two ways, and both are right; so may what reads a table
afterwards that such a statement wrote. A statement outside a transaction is one by itself. Tables are told by their
names in the text: what a view, a trigger or a function touches is not observed.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.load.recording.record import Recorded, Replayed

_NEVER = 2**62


class _Span(NamedTuple):
    """A transaction in one replay: microseconds."""

    begin: int
    end: int


def dependent(recorded: Recorded, runs: Sequence[Replayed]) -> frozenset[int]:
    """Places of statements that were not in order with another one in a replay."""
    touching = _touching(recorded)
    found: set[int] = set()
    for run in runs:
        spans = _spans(recorded, run)
        for touched in touching.values():
            found.update(_out_of_order(recorded.group, touched, spans))
            found.update(_out_of_order(recorded.group, touched[::-1], _mirrored(spans)))
    return frozenset(found)


def following(recorded: Recorded, roots: Iterable[int]) -> frozenset[int]:
    """Places of statements that touch a table after one of ``roots`` wrote it, and of those that follow from them."""
    wanted, tainted, found = set(roots), set[str](), set[int]()
    # A transaction is observed when it is over: by its last place.
    waiting: dict[int, set[str]] = defaultdict(set)
    last = {group: place for place, group in enumerate(recorded.group)}
    for place, number in enumerate(recorded.statement):
        known = recorded.known[str(number)]
        group = recorded.group[place]
        if (tainted | waiting[group]).intersection(known.names):
            found.add(place)
        if known.writes and (place in wanted or place in found):
            waiting[group].update(known.writes)
        if last[group] == place:
            tainted |= waiting.pop(group, set())
    return frozenset(found)


def _touching(recorded: Recorded) -> Mapping[str, list[tuple[int, bool]]]:
    """By table: places that touch it in their order, and whether each writes it."""
    found: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for place, number in enumerate(recorded.statement):
        known = recorded.known[str(number)]
        for table in {*known.names, *known.writes}:
            found[table].append((place, table in known.writes))
    return found


def _spans(recorded: Recorded, run: Replayed) -> dict[int, _Span]:
    spans: dict[int, _Span] = {}
    for group, sent, done in zip(recorded.group, run.sent, run.done, strict=True):
        # What was never sent has no order.
        begin, end = (0, _NEVER) if sent < 0 or done < 0 else (sent, done)
        known = spans.get(group)
        spans[group] = _Span(begin, end) if known is None else _Span(min(known.begin, begin), max(known.end, end))
    return spans


def _mirrored(spans: Mapping[int, _Span]) -> dict[int, _Span]:
    return {group: _Span(-one.end, -one.begin) for group, one in spans.items()}


def _out_of_order(
    groups: Sequence[int], touched: Sequence[tuple[int, bool]], spans: Mapping[int, _Span]
) -> Iterable[int]:
    """Places that began before one was over that comes earlier in the recording, and that conflicts with them."""
    reads, writes = _Latest(), _Latest()
    for place, writing in touched:
        group = groups[place]
        span = spans[group]
        before = max(writes.but(group), reads.but(group) if writing else -_NEVER)
        if before > span.begin:
            yield place
        (writes if writing else reads).add(group, span.end)


class _Latest:
    """The two latest ends, of different transactions."""

    def __init__(self) -> None:
        self._first = (-_NEVER, -1)
        self._second = (-_NEVER, -1)

    def add(self, group: int, end: int) -> None:
        if group == self._first[1]:
            self._first = (max(end, self._first[0]), group)
        elif end > self._first[0]:
            self._first, self._second = (end, group), self._first
        elif end > self._second[0]:
            self._second = (end, group)

    def but(self, group: int) -> int:
        """The latest end of any other."""
        return self._second[0] if self._first[1] == group else self._first[0]

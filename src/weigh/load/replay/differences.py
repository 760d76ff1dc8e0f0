"""What two servers answered otherwise to the same recording, and what may come from the order of its sessions. Pure."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.load.gate import answers
from weigh.load.replay import order
from weigh.model import codes
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.answers.comparison import Comparison
    from weigh.load.recording.record import Recorded, Replayed, ReplayRecord
    from weigh.model.finding import Finding

Why = Literal["wrong", "order", "moment", "unstable", "follows"]

_TRANSIENT = ("40", "53", "55P03", "57", "08", "lost", "25P02")
"""SQLSTATEs of what another moment would answer otherwise: conflicts, resources, interruptions."""
_LISTED = 20


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of one statement that the servers answered otherwise, for one reason.

    Attributes:
        statement: its text without values.
        why: ``wrong``: nothing explains it; ``order``: its order with another session was not the same for sure, or a
            table that it names was written by such a statement; ``moment``: it names a clock, a random number or a
            sequence, or failed in a way that another moment may not; ``unstable``: the baseline answers itself
            otherwise; ``follows``: a table that it names was written by a statement that differs.
        calls: how many.
        comparisons: how often it was compared.
        first: the first difference, in words.
        parameters: of that call; empty where it has none, or values are hidden.
    """

    statement: str
    why: Why
    calls: int
    comparisons: int = msgspec.field(name="asked")
    first: str
    parameters: tuple[str | None, ...] = ()


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """The answers of one contender against the baseline's.

    Attributes:
        contender: whose.
        compared: statements whose answers or numbers of rows were compared.
        answers: of these, those whose rows were.
        open: where that cannot be determined.
        dependent: statements whose order with another session was not the same for sure.
        differences: the gravest first.
        rows_differ: statements of the contender that had another number of rows than when they were recorded.
    """

    contender: str
    compared: int
    answers: int
    open: int
    dependent: int
    differences: tuple[Difference, ...]
    rows_differ: int


def rows_differ(recorded: Recorded, came: Replayed) -> int:
    """Statements that had another number of rows than when they were recorded."""
    failed = set(recorded.failed)
    pairs = enumerate(zip(recorded.rows, came.rows, strict=True))
    return sum(place not in failed and -1 not in (was, now) and was != now for place, (was, now) in pairs)


def compare(
    contender: str, own: ReplayRecord | None, base: ReplayRecord | None, twin: ReplayRecord | None
) -> Compared | None:
    """Compare them; None where the answers of one of them were not kept.

    Args:
        contender: name of it.
        own: its record.
        base: the baseline's.
        twin: of the baseline's second arm; None where it has none.
    """
    if own is None or base is None or not own.recorded or not own.replayed or not base.replayed:
        return None
    recorded, mine, its = own.recorded, own.replayed, base.replayed
    if recorded != base.recorded:
        return None
    runs = [mine, its, *([twin.replayed] if twin and twin.replayed else [])]
    dependent = order.dependent(recorded, runs)
    found, calls, compared, same, open_ = _differing(recorded, mine, its)
    unstable: frozenset[int] = frozenset()
    if twin and twin.replayed:
        unstable = frozenset(_differing(recorded, twin.replayed, its)[0])
    by_order = dependent | order.following(recorded, dependent | unstable)
    moment = {place for place in found if _of_the_moment(recorded, mine, its, place)}
    apart = by_order | moment | unstable
    after = order.following(recorded, [place for place in found if place not in by_order])
    groups: dict[tuple[int, Why], list[int]] = defaultdict(list)
    for place in sorted(found):
        why: Why = "wrong"
        if place in apart:
            why = "unstable" if place in unstable else "moment" if place in moment else "order"
        elif place in after:
            why = "follows"
        groups[recorded.statement[place], why].append(place)
    parameters = dict(recorded.parameters)
    rank = ("wrong", "follows", "order", "unstable", "moment")
    differences = tuple(
        Difference(
            statement=recorded.known[str(number)].text,
            why=why,
            calls=len(places),
            comparisons=calls[number],
            first=found[places[0]],
            parameters=parameters.get(places[0], ()),
        )
        for (number, why), places in sorted(groups.items(), key=lambda one: (rank.index(one[0][1]), one[1][0]))
    )
    return Compared(
        contender=contender,
        compared=compared,
        answers=same,
        open=open_,
        dependent=len(dependent),
        differences=differences,
        rows_differ=rows_differ(recorded, mine),
    )


def _differing(
    recorded: Recorded, mine: Replayed, its: Replayed
) -> tuple[dict[int, str], Mapping[int, int], int, int, int]:
    """What differs, by place, in words; how often each statement was compared; and how many, by what."""
    own, other = dict(mine.answers), dict(its.answers)
    failed, others = dict(mine.errors), dict(its.errors)
    orders = {**its.orders, **mine.orders}
    found: dict[int, str] = {}
    seen: dict[int, int] = defaultdict(int)
    compared = same = open_ = 0
    for place, number in enumerate(recorded.statement):
        if mine.sent[place] < 0 or its.sent[place] < 0:
            continue
        compared += 1
        seen[number] += 1
        if place in own and place in other:
            same += 1
            one = answers.same(own[place], other[place], orders.get(str(number)))
            open_ += one.open
            if not one.agrees:
                found[place] = (
                    _first(one) or f"{answers.described(own[place])} against {answers.described(other[place])}"
                )
        elif failed.get(place) != others.get(place):
            found[place] = f"{_ended(failed.get(place))} against {_ended(others.get(place))}"
        elif mine.rows[place] != its.rows[place]:
            found[place] = f"{mine.rows[place]:,} rows against {its.rows[place]:,}"
    return found, seen, compared, same, open_


def _first(found: Comparison) -> str:
    """The first cell that differs, in words."""
    if not found.differences:
        return ""
    cell = found.differences[0]
    where = f"row {cell.row}, {cell.column}" if cell.row else cell.column.strip("()")
    return f"{where}: {cell.got} against {cell.expected}"


def _ended(code: str | None) -> str:
    return f"the error {code}" if code else "no error"


def _of_the_moment(recorded: Recorded, mine: Replayed, its: Replayed, place: int) -> bool:
    ended = [code for came in (mine, its) for at, code in came.errors if at == place]
    return recorded.known[str(recorded.statement[place])].of_the_moment or any(
        code.startswith(_TRANSIENT) for code in ended
    )


def findings(found: Sequence[Compared], baseline: str) -> Iterator[Finding]:
    """Each statement that differs, and what is known of the rest."""
    for one in found:
        wrong = [difference for difference in one.differences if difference.why == "wrong"]
        for difference in wrong[:_LISTED]:
            yield codes.A1_REPLAYED.finding(
                contender=one.contender,
                text=f"{difference.calls:,} of {count(difference.comparisons, 'call')} of `{difference.statement}` are "
                f"answered otherwise than by {baseline}{_parameters(difference)}: {difference.first}",
                remedy="ask both servers that statement by hand: one of them is wrong, or a setting changes what it "
                "means",
            )
        if len(wrong) > _LISTED:
            yield codes.A1_REPLAYED.finding(
                contender=one.contender,
                text=f"{len(wrong) - _LISTED} more statements are answered otherwise than by {baseline}",
                remedy="the JSON of the evidence has them all",
            )
        if unclear := [difference for difference in one.differences if difference.why != "wrong"]:
            yield codes.A1_ORDER.finding(
                contender=one.contender,
                text=f"{_unclear(unclear)}. They are not called wrong",
                remedy="a slower --speed, or a trace with fewer sessions at once, has less that depends on order",
            )


def _unclear(unclear: Sequence[Difference]) -> str:
    words = {
        "order": "may come from the order of sessions, which nobody fixes",
        "unstable": "differ between two replays against the baseline itself",
        "moment": "depend on the moment: a clock, a sequence, a conflict or an interruption",
        "follows": "read a table after a statement that differs wrote it",
    }
    parts = []
    for why, sentence in words.items():
        calls = sum(one.calls for one in unclear if one.why == why)
        if calls:
            parts.append(f"{count(calls, 'answer')} that differ {sentence}")
    return "; ".join(parts)


def _parameters(one: Difference) -> str:
    if not one.parameters:
        return ""
    return " with " + ", ".join("NULL" if value is None else value for value in one.parameters)


def lines(found: Compared, baseline: str) -> Iterator[str]:
    """In sentences, each on a line of its own."""
    differ = sum(one.calls for one in found.differences)
    wrong = sum(one.calls for one in found.differences if one.why == "wrong")
    unexplained = f"{wrong:,} that nothing explains" if wrong else "none of them without an explanation"
    yield (
        f"{found.contender} against {baseline}: {count(found.compared, 'statement')} compared, {found.answers:,} of "
        f"them row by row; {differ:,} differ" + (f", {unexplained}." if differ else ".")
    )
    if found.open:
        yield f"Of {found.open:,} answers it cannot be determined: their rows were too many to be kept."
    if found.dependent:
        yield (
            f"{count(found.dependent, 'statement')} overlapped with one of another session on a table that one of them "
            "writes: their order is nobody's."
        )
    if found.rows_differ:
        yield f"{count(found.rows_differ, 'statement')} had another number of rows than when they were recorded."

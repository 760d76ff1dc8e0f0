"""What two servers answered otherwise, and what may come from the order of sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from weigh.load.gate_events import Answer, Column, Order
from weigh.load.recording.record import Known, Planned, Recorded, Replayed, ReplayRecord
from weigh.load.replay import differences, order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PLANNED = Planned(
    calls=0, sessions=0, connections=0, shared=0, left_out={}, templates=(), other_templates=0, transactions=0,
    begun_inside=0, without_end=0, session_state=0, writes=0, failed=0, sessions_known=True, every=1,
)  # fmt: skip
LOOK, PAY, CLOCK, OTHER = range(4)
KNOWN = {
    LOOK: Known(text="SELECT x FROM t", writes=(), names=("t",), of_the_moment=False),
    PAY: Known(text="UPDATE t SET x = 1", writes=("t",), names=("t",), of_the_moment=False),
    CLOCK: Known(text="SELECT now()", writes=(), names=(), of_the_moment=True),
    OTHER: Known(text="SELECT y FROM u", writes=(), names=(), of_the_moment=False),
}


def recorded(*statements: int, groups: Sequence[int] | None = None, rows: int = 1) -> Recorded:
    """Statements of sessions of their own."""
    number = len(statements)
    return Recorded(
        statement=statements,
        group=tuple(groups or range(number)),
        rows=(rows,) * number,
        failed=(),
        known={str(number): one for number, one in KNOWN.items()},
        parameters=((0, ("7",)),),
    )


def came(times: Sequence[tuple[int, int]], texts: Mapping[int, str] | None = None, **more: Any) -> Replayed:
    """Each statement at its times, with one row."""
    answers = tuple(
        (place, Answer(kind="rows", columns=(Column(name="x", oid=25),), rows=((text,),), count=1))
        for place, text in (texts or {}).items()
    )
    return Replayed(
        run=1,
        sent=tuple(sent for sent, _ in times),
        done=tuple(done for _, done in times),
        rows=more.pop("rows", (1,) * len(times)),
        errors=more.pop("errors", ()),
        answers=answers,
        **more,
    )


IN_ORDER = [(0, 10), (20, 30), (40, 50)]
AT_ONCE = [(0, 10), (5, 30), (40, 50)]


def compared(said: Recorded, one: Replayed, other: Replayed, twin: Replayed | None = None) -> differences.Compared:
    """The first against the second."""
    records = [
        ReplayRecord(planned=PLANNED, recorded=said, replayed=run) if run else None for run in (one, other, twin)
    ]
    found = differences.compare("new", *records)
    assert found is not None
    return found


def test_what_overlaps_a_write_of_another_session_depends_on_order() -> None:
    said = recorded(LOOK, PAY, LOOK)
    assert order.dependent(said, [came(IN_ORDER)]) == set()
    assert order.dependent(said, [came(IN_ORDER), came(AT_ONCE)]) == {0, 1}
    # Reads alone are in any order.
    assert order.dependent(recorded(LOOK, LOOK, OTHER), [came(AT_ONCE)]) == set()
    # The other way round than it was recorded.
    assert order.dependent(said, [came([(20, 30), (0, 10), (40, 50)])]) == {0, 1}
    # A transaction is at work until its end.
    assert order.dependent(recorded(PAY, LOOK, OTHER, groups=(1, 2, 1)), [came(IN_ORDER)]) == {0, 1}
    # What was not sent has no order.
    assert order.dependent(said, [came([(0, 10), (-1, -1), (40, 50)])]) == {0, 1, 2}


def test_what_follows_from_a_write_is_told() -> None:
    assert order.following(recorded(PAY, LOOK, OTHER), [0]) == {1}
    assert order.following(recorded(LOOK, PAY, LOOK), [0]) == set()


@pytest.mark.promise("A statement that is answered otherwise is named with the values and the first difference")
def test_another_answer_that_nothing_explains_is_wrong() -> None:
    said = recorded(OTHER, LOOK, PAY)
    found = compared(said, came(IN_ORDER, {0: "a", 1: "b"}), came(IN_ORDER, {0: "c", 1: "b"}))
    assert [(one.why, one.calls, one.statement) for one in found.differences] == [("wrong", 1, "SELECT y FROM u")]
    [finding] = differences.findings([found], "old")
    assert (finding.code, finding.severity) == ("A1.replayed", "error")
    assert "with 7" in finding.text
    assert "'a' against 'c'" in finding.text


def test_the_same_answers_are_no_difference_in_any_order() -> None:
    two = [("1",), ("2",)]
    rows = [
        Answer(kind="rows", columns=(Column(name="x", oid=23),), rows=tuple(each), count=2) for each in (two, two[::-1])
    ]
    one, other = (came([(0, 10)], rows=(2,)), came([(0, 10)], rows=(2,)))
    sides = [Replayed(**{**{name: getattr(run, name) for name in run.__struct_fields__}, "answers": ((0, answer),)})
             for run, answer in zip((one, other), rows, strict=True)]  # fmt: skip
    assert compared(recorded(OTHER), *sides).differences == ()
    ordered = {str(OTHER): Order(ordered_by=(0,))}
    sides = [Replayed(**{**{name: getattr(run, name) for name in run.__struct_fields__}, "orders": ordered})
             for run in sides]  # fmt: skip
    assert [one.why for one in compared(recorded(OTHER), *sides).differences] == ["wrong"]


@pytest.mark.promise("A difference is not called wrong, but counted (`A1.order`), where")
@pytest.mark.parametrize(
    ("statements", "times", "why"),
    [((LOOK, PAY, OTHER), AT_ONCE, "order"), ((CLOCK, OTHER, OTHER), IN_ORDER, "moment")],
)
def test_what_may_come_from_order_or_moment_is_not_called_wrong(
    statements: tuple[int, ...], times: list[tuple[int, int]], why: str
) -> None:
    found = compared(recorded(*statements), came(times, {0: "a"}), came(times, {0: "b"}))
    assert [one.why for one in found.differences] == [why]
    assert [one.code for one in differences.findings([found], "old")] == ["A1.order"]


def test_what_the_baseline_answers_otherwise_itself_is_not_called_wrong() -> None:
    said, same, other = recorded(OTHER, LOOK, PAY), came(IN_ORDER, {0: "a"}), came(IN_ORDER, {0: "b"})
    assert [one.why for one in compared(said, other, same, other).differences] == ["unstable"]


def test_a_wrong_write_is_named_and_what_reads_it_is_not() -> None:
    said = recorded(PAY, LOOK, OTHER)
    found = compared(said, came(IN_ORDER, {1: "a"}, rows=(0, 1, 1)), came(IN_ORDER, {1: "b"}))
    assert [(one.why, one.statement) for one in found.differences] == [
        ("wrong", "UPDATE t SET x = 1"),
        ("follows", "SELECT x FROM t"),
    ]
    assert found.rows_differ == 1


def test_a_conflict_is_of_the_moment_and_a_refusal_is_wrong() -> None:
    said = recorded(OTHER, OTHER, OTHER)
    plain = came(IN_ORDER)
    failed = came(IN_ORDER, rows=(-1, -1, 1), errors=((0, "40001"), (1, "42883")))
    assert [(one.why, one.first) for one in compared(said, failed, plain).differences] == [
        ("wrong", "the error 42883 against no error"),
        ("moment", "the error 40001 against no error"),
    ]

"""What is kept of an answer knows a right one again, in whatever types it comes, and no wrong one."""

from __future__ import annotations

import decimal

import pyarrow as pa
import pytest

from weigh.answers import agreement
from weigh.model.answer import Column, ResultSchema

D = decimal.Decimal


def _schema(limit: int | None = None) -> ResultSchema:
    columns = (
        Column(name="k", kind="string"),
        Column(name="n", kind="integer"),
        Column(name="total", kind="decimal"),
        Column(name="mean", kind="decimal", match="quotient", rel=1e-9),
    )
    return ResultSchema(columns=columns, ordered_by=(1,), limit=limit)


def _table(*rows: tuple[object, ...]) -> pa.Table:
    return pa.table([list(column) for column in zip(*rows, strict=True)], names=["k", "n", "total", "mean"])


RIGHT = _table(("a", 1, D("1.10"), 0.333333333), ("b", 2, D("2.00"), 0.5), ("c", 3, None, None))


@pytest.mark.parametrize(
    "answer",
    [
        RIGHT,
        # Doubles for decimals, and an average cut off after two digits.
        _table(("a", 1, 1.1, D("0.33")), ("b", 2, 2.0, D("0.50")), ("c", 3, None, None)),
        _table(("a", 1, 1.1000000000000003, 0.3333333334), ("b", 2, 2.0, 0.5), ("c", 3, None, None)),
    ],
)
def test_a_right_answer_is_known_again(answer: pa.Table) -> None:
    assert agreement.fits(answer, agreement.of(RIGHT, _schema()), _schema())


@pytest.mark.parametrize(
    "answer",
    [
        _table(("a", 1, D("1.10"), 0.333333333), ("b", 2, D("2.00"), 0.5)),
        _table(("a", 1, D("1.11"), 0.333333333), ("b", 2, D("2.00"), 0.5), ("c", 3, None, None)),
        _table(("a", 1, D("1.10"), 0.3334), ("b", 2, D("2.00"), 0.5), ("c", 3, None, None)),
        _table(("a", 1, D("1.10"), 0.333333333), ("b", 2, D("2.00"), 0.5), ("c", 3, D(0), None)),
        _table(("a", 1, D("1.10"), 0.333333333), ("b", 2, D("2.00"), 0.5), ("c", 3, None, 0.0)),
        _table(("b", 2, D("2.00"), 0.5), ("a", 1, D("1.10"), 0.333333333), ("c", 3, None, None)),
        RIGHT.select([0, 1, 2]),
        _table(("a", 1, D("1.10"), "x"), ("b", 2, D("2.00"), "y"), ("c", 3, None, "z")),
    ],
)
def test_a_wrong_answer_is_not(answer: pa.Table) -> None:
    assert not agreement.fits(answer, agreement.of(RIGHT, _schema()), _schema())


def test_rows_that_tie_at_the_limit_may_be_others_and_no_other_row() -> None:
    first, tied, other = ("a", 1, D(1), 1.0), ("b", 2, D(1), 1.0), ("c", 2, D(9), 2.0)
    pinned = agreement.of(_table(first, tied), _schema(limit=2))
    assert not pinned.whole
    assert agreement.fits(_table(first, other), pinned, _schema(limit=2))
    assert not agreement.fits(_table(("z", 1, D(1), 1.0), tied), pinned, _schema(limit=2))
    unordered = ResultSchema(columns=_schema().columns, limit=2)
    assert agreement.of(_table(first, tied), unordered).digest == agreement.of(_table(first, other), unordered).digest

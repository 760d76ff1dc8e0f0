"""Answers read off what a client shows, compared as far as they are printed."""

from __future__ import annotations

import pyarrow as pa
import pytest

from weigh.answers import compare, printed
from weigh.model.answer import Column, Kind, ResultSchema


def answer(values: list[object], words: str = "", kind: pa.DataType | None = None) -> pa.Table:
    """One column, with what its print leaves open."""
    made = pa.array(values, kind)
    metadata = {printed.KEY: words.encode()} if words else None
    return pa.Table.from_arrays([made], schema=pa.schema([pa.field("c", made.type, metadata=metadata)]))


def schema(kind: Kind = "string") -> ResultSchema:
    return ResultSchema(columns=(Column(name="c", kind=kind),))


@pytest.mark.parametrize(("words", "ours", "right", "kind", "said"), [
    ("empty", [None, "x"], ["", "x"], "string", "NULL and an empty text look alike (c)"),
    ("null", [None], ["NULL"], "string", "NULL and a text that says so look alike (c)"),
    ("blanks", ["x"], [" x "], "string", "blanks around a text are not shown (c)"),
    ("breaks", ["a\\nb"], ["a\nb"], "string", "a line break and its escape look alike (c)"),
    ("digits", [0.3], [0.1 + 0.2], "double", "doubles are shown with 15 digits (c)"),
    ("truth", ["t", "f"], [True, False], "boolean", "true is shown as t (c)"),
])  # fmt: skip
def test_what_is_open_accuses_nobody_and_is_said(
    words: str, ours: list[object], right: list[object], kind: Kind, said: str
) -> None:
    given, wanted = answer(ours, words), answer(right)
    for compared in (
        compare.compare(given, wanted, schema(kind)),
        compare.compare(wanted, given, schema(kind)),
    ):
        assert compared.agrees
        assert compared.notes == (f"A7: compared as shown: {said}",)
    # Who does not say that it is open is compared to the bit; t is no other value than true.
    assert compare.compare(answer(ours), wanted, schema(kind)).agrees is (words == "truth")


@pytest.mark.parametrize(("words", "ours", "right", "kind"), [
    ("empty blanks null breaks", ["x"], ["y"], "string"),
    ("empty", [None], ["x"], "string"),
    ("empty", [None, None], [""], "string"),
    ("null", [None], ["nil"], "string"),
    ("digits", [0.3], [0.300000000001], "double"),
    ("truth", ["t"], [False], "boolean"),
    ("empty", [1], [2], "integer"),
    ("everything", ["x"], ["y"], "string"),
])  # fmt: skip
def test_what_is_shown_is_still_compared(words: str, ours: list[object], right: list[object], kind: Kind) -> None:
    assert not compare.compare(answer(ours, words), answer(right), schema(kind)).agrees


def test_where_nothing_counted_nothing_is_said() -> None:
    compared = compare.compare(answer(["x"], "blanks breaks"), answer(["x"]), schema())
    assert compared.agrees
    assert not compared.notes
    assert printed.left_open(answer(["x"], "blanks")) == ("blanks around a text are not shown",)
    assert not printed.left_open(answer(["x"], "whatever"))

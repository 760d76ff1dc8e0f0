"""Rows that a contender hands out against those of the files: forms, columns that accuse nobody, and what differs."""

from __future__ import annotations

import pyarrow as pa
import pytest

from weigh.answers.printed import KEY
from weigh.experiment.gate import read_back

FILES = pa.table({"id": [1, 2, 3], "u": pa.array([bytes(15) + b"\x01", bytes(16), None], pa.binary(16))})
TEXTS = ["00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000000", None]


def test_the_rows_are_the_same_in_another_form() -> None:
    given = pa.table({"id": [3, 1, 2], "u": [TEXTS[2], TEXTS[0], TEXTS[1]]})
    found = read_back.compare(given, FILES, {})
    assert found.same
    assert found.forms == {"UUIDs as text and as bytes": ["u"]}


def test_right_values_in_the_wrong_rows_are_other_rows() -> None:
    assert not read_back.compare(pa.table({"id": [1, 2, 3], "u": [TEXTS[1], TEXTS[0], None]}), FILES, {}).same


def test_a_doubted_column_accuses_nobody_and_the_others_do() -> None:
    given = pa.table({"id": [1, 2, 3], "u": ["x", "y", "z"]})
    found = read_back.compare(given, FILES, {1: "why"})
    assert (found.same, found.doubted, found.given.column_names) == (True, {"u": "why"}, ["id"])
    assert not read_back.compare(given.set_column(0, "id", [[1, 2, 4]]), FILES, {1: "why"}).same


def test_fewer_rows_are_other_rows_though_no_column_is_compared() -> None:
    doubted = {0: "why", 1: "why"}
    assert read_back.compare(FILES, FILES, doubted).same
    assert not read_back.compare(FILES.slice(1), FILES, doubted).same


def test_a_truth_value_for_a_number_is_another_value() -> None:
    assert not read_back.compare(pa.table({"n": [True]}), pa.table({"n": [1]}), {}).same
    assert read_back.compare(pa.table({"n": [1]}), pa.table({"n": [True]}), {}).same


@pytest.mark.parametrize(("word", "given", "right"), [
    ("nested", [[1], []], [[1], None]),
    ("nan", [1.5, None], [1.5, float("nan")]),
])  # fmt: skip
def test_what_an_engine_has_no_value_for_is_left_open_where_it_says_so(
    word: str, given: list[object], right: list[object]
) -> None:
    files = pa.table({"v": right})
    plain = pa.table({"v": pa.array(given, files.schema.field(0).type)})
    marked = plain.cast(pa.schema([plain.schema.field(0).with_metadata({KEY: word})]))
    assert not read_back.compare(plain, files, {}).same
    assert read_back.compare(marked, files, {}).same
    # It is no licence for anything else.
    assert not read_back.compare(marked.slice(1), files.slice(0, 1), {}).same

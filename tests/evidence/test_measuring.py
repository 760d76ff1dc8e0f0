"""``weigh.run``: what cannot be an experiment is refused before anything is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pytest

import weigh
from weigh.kinds.rows import Rows
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

FRAME = pa.table({"x": [1]})


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        ({"data": {"../e": FRAME}, "sql": {"q": "SELECT 1"}}, "no table can be called '../e'"),
        ({"data": {"e": FRAME}, "sql": {"../q": "SELECT 1"}}, "no question can be called '../q'"),
        ({"data": FRAME, "sql": {"q": "SELECT 1"}}, "data is a Table without a name"),
        ({"data": [FRAME], "sql": {"q": "SELECT 1"}}, "data is a Table without a name"),
        ({"data": {"e": pa.chunked_array([[1]])}, "sql": {"q": "SELECT 1"}}, "table e cannot be written as Parquet"),
        ({"data": {"e": FRAME}, "sql": "SELECT count(*) FROM e"}, "neither a folder nor texts by name"),
        ({"data": {"e": FRAME}, "sql": ["SELECT 1"]}, "neither a folder nor texts by name"),
        ({"data": {"e": FRAME}, "sql": {"q": 1}}, "question q is a int, and no text"),
        ({"starts": "ten"}, "Expected `int"),
        ({"runs": True}, "Expected `int"),
        ({"budget": 5}, "Expected `str"),
        ({"temperature": "warm"}, "Invalid enum value 'warm'"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_words(tmp_path: Path, arguments: dict[str, Any], refusal: str) -> None:
    with pytest.raises(UsageError) as refused:
        weigh.run(["duckdb", "polars"], out=tmp_path / "runs", **arguments)
    assert refusal in str(refused.value)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and "/runs/data/e-" not in str(path)]


class OneRow(msgspec.Struct):
    x: int
    later: int | msgspec.UnsetType = msgspec.UNSET


def test_a_frame_has_a_column_for_a_field_that_only_later_rows_have() -> None:
    assert Rows((OneRow(1), OneRow(2, 3))).to_arrow().to_pydict() == {"x": [1, 2], "later": [None, 3]}

"""Two before the same rows: other rows again and again, lives that die, and differences of another kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
import pytest

from support.worker_processes import prepared
from weigh.experiment.reproducer.pair import Clock, Contradiction, Kind, Party, Question
from weigh.experiment.reproducer.subset import Excerpt
from weigh.model.answer import Column, ResultSchema
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from pathlib import Path

FORM = LayoutSpec(writer="pyarrow")
SCHEMA = ResultSchema(columns=(Column(name="s", kind="integer"),))


def numbers(*values: int) -> Excerpt:
    return Excerpt({"t": pa.table({"n": pa.array(values, pa.int64())})}, FORM)


def asking(sql: str, *witness: str) -> Question:
    return Question(sql, witness or (sql,), SCHEMA)


def confront(
    accused: str, witness: str, folder: Path, kinds: frozenset[Kind] | None = None, timeout: float = 60
) -> Contradiction:
    one, other = (msgspec.structs.replace(prepared(name), cache=folder) for name in (accused, witness))
    return Contradiction(Party(accused, one), Party(witness, other), kinds, folder, None, lambda: timeout)


@pytest.mark.parametrize("engine", ["duckdb", "chdb", "polars", "sqlite", "datafusion", "liar?lie=none"])
def test_each_sees_the_rows_it_is_shown_now(engine: str, tmp_path: Path) -> None:
    """Whether its life can be shown other files, or one begins for each excerpt."""
    with confront(engine, "duckdb", tmp_path) as pair:
        for values in [(1, 2, 3), (10, 20), (7, 8), (5,)]:
            assert pair.put(numbers(*values)) > 0
            right = asking("SELECT sum(n) AS s FROM t")
            assert pair.ask(right) is None, pair.complaint
            assert not pair.complaint
            wrong = pair.ask(asking("SELECT sum(n) + 1 AS s FROM t", "SELECT sum(n) AS s FROM t"))
            assert wrong is not None
            assert wrong.expected.column(0).to_pylist() == [sum(values)]
            assert wrong.got.column(0).to_pylist() == [sum(values) + 1]
            assert len(list(tmp_path.glob("*.parquet"))) == 1, "nothing is left of those before"


def test_what_an_engine_loaded_of_other_rows_is_not_used_again(tmp_path: Path) -> None:
    for values in [(1, 2), (3, 4)]:
        with confront("sqlite", "duckdb", tmp_path) as pair:
            pair.put(numbers(*values))
            assert pair.ask(asking("SELECT sum(n) AS s FROM t")) is None


def test_the_sum_of_no_rows_is_not_the_difference_that_is_looked_for(tmp_path: Path) -> None:
    """Engines differ in it as they please: whoever leaves rows out must not be led astray."""
    nobody = asking("SELECT sum(n) AS s FROM t WHERE n > 10")
    with confront("chdb", "duckdb", tmp_path) as pair:
        pair.put(numbers(1))
        found = pair.ask(nobody)
        if found is None:
            nobody = asking("SELECT coalesce(sum(n), 0) AS s FROM t WHERE n > 10", *nobody.witness)
            found = pair.ask(nobody)
        assert found is not None
        assert [str(one) for one in found.differences] == ["s: 0, not NULL"]
        pair.kinds = frozenset({("s", False, False, -1)})
        assert pair.ask(nobody) is None
        assert pair.ask(asking("SELECT 3 AS s", "SELECT 4 AS s")) is not None
        assert pair.ask(asking("SELECT 5 AS s", "SELECT 4 AS s")) is None


def test_an_answer_that_comes_too_late_or_never_is_no_other_answer(tmp_path: Path) -> None:
    for lie in ("hang", "crash"):
        # For one that hangs all of it is waited; the other must not be late instead.
        with confront(f"liar?lie={lie}", "duckdb", tmp_path, timeout=3 if lie == "hang" else 60) as pair:
            pair.put(numbers(1))
            assert pair.ask(asking("SELECT sum(n) AS s FROM t")) is None
            assert ("timeout" if lie == "hang" else "crash") in pair.complaint
    with confront("duckdb", "duckdb@1.5.5", tmp_path) as pair:
        pair.put(numbers(1))
        assert pair.ask(asking("SELECT nothing AS s FROM t")) is None
        assert "nothing" in pair.complaint
        assert pair.ask(asking("SELECT 1 AS s", "SELECT 2 AS s")) is not None


def test_parts_and_more_files(tmp_path: Path) -> None:
    """A count less other counts; and a witness that reads the same rows in four files."""
    one = prepared("duckdb")
    with Contradiction(Party("a", one), Party("b", one, {}, 4), None, tmp_path, None, lambda: 60) as pair:
        pair.put(numbers(*range(10)))
        assert len(list(tmp_path.glob("*split*"))) == 4
        parts = ("SELECT count(*) AS n FROM t", "SELECT count(*) AS n FROM t WHERE n > 3", "SELECT 1 AS n")
        found = pair.ask(asking("SELECT 4 AS s", *parts))
        assert found is not None
        assert found.expected.column(0).to_pylist() == [3]


def test_a_clock_goes_down_to_nothing() -> None:
    clock = Clock(3600)
    assert 0 < clock.left <= 3600
    assert clock.hands[1] == 3600
    assert Clock(0).left == 0

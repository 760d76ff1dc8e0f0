"""How an engine takes what SQL leaves open is asked of it."""

from __future__ import annotations

import sqlite3
from types import SimpleNamespace
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from weigh.answers import constructs
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate import dialects
from weigh.model.sample import Outcome


class DuckDB:
    """Answers as an engine does that a contender has."""

    def ask(self, sql: str) -> Any:
        try:
            return SimpleNamespace(table=duckdb.sql(sql).to_arrow_table())
        except duckdb.Error as error:
            raise WorkerEnded(Outcome.UNSUPPORTED, str(error), alive=True) from None


class SQLite:
    """Another one."""

    def ask(self, sql: str) -> Any:
        try:
            ((value,),) = sqlite3.connect(":memory:").execute(sql).fetchall()
        except sqlite3.Error as error:
            raise WorkerEnded(Outcome.UNSUPPORTED, str(error), alive=True) from None
        return SimpleNamespace(table=pa.table({"a": [value]}))


QUERY = "SELECT a / 2, CAST(a AS INTEGER), strftime(d, '%Y') FROM t WHERE s LIKE 'a%' AND s < 'b' ORDER BY a"


def test_an_engine_tells_how_it_takes_each_construct_of_the_queries() -> None:
    ours, theirs = (dialects.ways(session, [QUERY]) for session in (DuckDB(), SQLite()))  # type: ignore[arg-type]
    assert set(ours) == {"division", "integer", "format", "like", "collation", "nulls"}
    assert (ours["division"], theirs["division"]) == ("3.5", "3")
    assert (ours["like"], theirs["like"]) == ("0", "1")
    assert (ours["integer"], theirs["integer"]) == ("2; 2", "1; 2")
    assert ours["collation"] == theirs["collation"]
    assert ours["nulls"] != theirs["nulls"]
    assert "format" not in theirs, "what an engine does not know of it cannot be probed"


@pytest.mark.parametrize("key", constructs.PROBES)
def test_every_probe_is_sql_that_duckdb_answers(key: str) -> None:
    for probe in constructs.PROBES[key]:
        assert DuckDB().ask(f"SELECT {probe}").table.num_rows <= 1

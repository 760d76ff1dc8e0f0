"""How an engine takes what SQL leaves open is asked of it."""

from __future__ import annotations

import sqlite3
from decimal import Decimal
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.answers import constructs
from weigh.answers.votes import vote
from weigh.data.data_values import DataValues
from weigh.engines import engine
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate import dialects
from weigh.model.answer import Column, GateStatus, ResultSchema
from weigh.model.gate import UNDECIDED
from weigh.model.operation import Case, Operation
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from pathlib import Path


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


WITH_ALL: Any = SimpleNamespace(lacks=())
"""An engine that has every value."""
QUERY = "SELECT a / 2, CAST(a AS INTEGER), strftime(d, '%Y') FROM t WHERE s LIKE 'a%' AND s < 'b' ORDER BY a"


def test_an_engine_tells_how_it_takes_each_construct_of_the_queries() -> None:
    ours, theirs = (dialects.ways(session, [QUERY]) for session in (DuckDB(), SQLite()))  # type: ignore[arg-type]
    assert set(ours) == {"division", "integer", "format", "like", "collation", "nulls", "single", "uuids", "zone"}
    assert (ours["division"], theirs["division"]) == ("3.5", "3")
    assert (ours["like"], theirs["like"]) == ("0", "1")
    assert (ours["integer"], theirs["integer"]) == ("2; 2", "1; 2")
    assert ours["collation"] == theirs["collation"]
    assert ours["nulls"] != theirs["nulls"]
    assert "format" not in theirs, "what an engine does not know of it cannot be probed"


LACKS = {"initials": "initcap"}
"""Functions of probes that DuckDB has not."""


@pytest.mark.parametrize("key", LACKS)
def test_what_duckdb_lacks_is_known(key: str) -> None:
    with pytest.raises(WorkerEnded, match=f"Function with name {LACKS[key]} does not exist"):
        DuckDB().ask(f"SELECT {constructs.PROBES[key][0]}")


@pytest.mark.parametrize("key", [key for key in constructs.PROBES if key not in LACKS])
def test_every_probe_is_sql_that_duckdb_answers(key: str) -> None:
    for probe in constructs.PROBES[key]:
        assert DuckDB().ask(f"SELECT {probe}").table.num_rows <= 1


@pytest.mark.parametrize("zone", ["Europe/Berlin", None])
def test_the_zone_of_a_moment_is_left_open_where_a_column_has_one(tmp_path: Path, zone: str | None) -> None:
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({"ts": pa.array([0], pa.timestamp("us", zone))}), file)
    tables = {"t": [str(file)]}
    data = DataValues(tables)
    sql = "SELECT extract(hour FROM ts) AS h FROM t"
    ways = {name: dialects.data_ways(name, WITH_ALL, [sql], data, {}) for name in ("a", "b", "c")}
    column = Column(name="h", kind="integer")
    case = Case(name="only", timed=True)
    operation = Operation(name="q", sql=sql, cases=(case,), schema=ResultSchema(columns=(column,)))
    answers = {name: pa.table({"h": [1 if name == "a" else 0]}) for name in ways}
    votes = vote(operation, case, answers, {name: name for name in ways}, ways)
    found = {one.detail for one in votes if one.contender == "a"}
    assert found == {UNDECIDED if zone else "outvoted"}


@pytest.mark.parametrize(
    ("lacks", "columns"), [((), ""), (("nan",), "t.f"), (("nested",), "t.l"), (("nan", "nested"), "t.f\nt.l")]
)
def test_columns_are_named_in_which_an_engine_has_one_value_for_two(
    tmp_path: Path, lacks: tuple[str, ...], columns: str
) -> None:
    file = tmp_path / "t.parquet"
    rows = {"f": [1.0, float("nan")], "whole": [1.0, None], "l": [None, [1]], "full": [[], [1]], "m": [float("nan"), 1]}
    pq.write_table(pa.table(rows), file)
    engine: Any = SimpleNamespace(lacks=lacks)
    queries = ['SELECT count(f) AS n FROM t GROUP BY whole, l, "full"']
    found = dialects.merged(engine, queries, DataValues({"t": [str(file)], "far": ["s3://b/t.parquet"]}))
    assert found == ({constructs.MERGED: columns} if columns else {})


@pytest.mark.parametrize(("column", "found"), [("f", UNDECIDED), ("g", "outvoted")])
def test_an_engine_without_a_value_of_a_column_is_not_outvoted_over_it(column: str, found: str) -> None:
    case = Case(name="only", timed=True)
    schema = ResultSchema(columns=(Column(name="n", kind="integer"),))
    operation = Operation(name="q", sql=f"SELECT count({column}) AS n FROM t", cases=(case,), schema=schema)
    tables = {name: pa.table({"n": [7 if name == "a" else 9]}) for name in ("a", "b", "c")}
    checks = vote(operation, case, tables, {name: name for name in tables}, {"a": {constructs.MERGED: "u.g\nt.f"}})
    assert [one.detail for one in checks if one.contender == "a"] == [found]
    # Of those whom it contradicts it says nothing.
    checks = vote(operation, case, tables, {name: name for name in tables}, {"b": {constructs.MERGED: "t.f"}})
    assert [one.detail for one in checks if one.contender == "a"] == ["outvoted"]


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("f > 1", UNDECIDED),
        ("f BETWEEN 0 AND 2", UNDECIDED),
        ("whole > 1", "outvoted"),
        ("f IS NULL", "outvoted"),
        ("id > 1", "outvoted"),
    ],
)
def test_how_nan_compares_is_left_open_where_a_column_has_it(tmp_path: Path, where: str, found: str) -> None:
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({"id": [1, 2], "f": [1.0, float("nan")], "whole": [1.0, 2.0]}), file)
    sql = f"SELECT count(*) AS n FROM t WHERE {where}"
    queries = [sql, "SELECT count(*) AS n FROM t WHERE f < 3 AND whole < 3"]
    ways = {
        name: dialects.compared(name, WITH_ALL, queries, DataValues({"t": [str(file)]})) for name in ("a", "b", "c")
    }
    case = Case(name="only", timed=True)
    schema = ResultSchema(columns=(Column(name="n", kind="integer"),))
    operation = Operation(name="q", sql=sql, cases=(case,), schema=schema)
    tables = {name: pa.table({"n": [1 if name == "a" else 0]}) for name in ways}
    checks = vote(operation, case, tables, {name: name for name in tables}, ways)
    assert [one.detail for one in checks if one.contender == "a"] == [found]


@pytest.mark.parametrize(
    ("sql", "key"),
    [
        ("SELECT z, count(*) AS n FROM t GROUP BY z", "-0 z"),
        ("SELECT DISTINCT * FROM t", "-0 *"),
        ("SELECT count(*) AS n FROM t JOIN t AS u USING (z)", "-0 z"),
        ("SELECT round(below) AS r, count(*) AS n FROM t GROUP BY 1", "<0 below"),
        ("SELECT count(*) AS n FROM t WHERE s.inner > 1", "NaN inner"),
        ("SELECT whole, count(*) AS n FROM t GROUP BY whole", ""),
        ("SELECT sum(z) AS n FROM t", ""),
    ],
)
def test_values_that_engines_compare_differently_are_found(tmp_path: Path, sql: str, key: str) -> None:
    file = tmp_path / "t.parquet"
    inner = [{"inner": float("nan")}, {"inner": 1.0}]
    rows = {"z": [0.0, -0.0], "below": [-0.25, 1.0], "whole": [1.0, 2.0], "s": inner}
    pq.write_table(pa.table(rows), file)
    found = dialects.compared("a", WITH_ALL, [sql], DataValues({"t": [str(file)]}), {"zeros": "2; 1; 2; 2"})
    assert (key in found) if key else not found
    zone = pa.table({"l": pa.array([[0]], pa.list_(pa.timestamp("us", "UTC")))})
    pq.write_table(zone, tmp_path / "u.parquet")
    of_zones = dialects.compared(
        "a", WITH_ALL, ["SELECT hour(l[1]) FROM u"], DataValues({"u": [str(tmp_path / "u.parquet")]})
    )
    assert of_zones == {"zone l": "a"}


@pytest.mark.parametrize(
    ("what", "found"),
    [
        ("count(*) AS n FROM t WHERE single = 0.1", UNDECIDED),
        ("count(*) AS n FROM t WHERE single IN (0.1, 2.5)", UNDECIDED),
        ("count(*) AS n FROM t WHERE single > 1", "outvoted"),
        ("count(*) AS n FROM t WHERE wide = 0.1", "outvoted"),
        ("count(*) AS n FROM t WHERE day > '2024-01-01'", UNDECIDED),
        ("day + 1 AS n FROM t", UNDECIDED),
        ("count(*) AS n FROM t WHERE day IS NULL", "outvoted"),
        ("max(day) AS n FROM t", "outvoted"),
    ],
)
def test_narrow_floats_and_moments_are_left_open_where_a_column_has_them(tmp_path: Path, what: str, found: str) -> None:
    file = tmp_path / "t.parquet"
    columns = {"single": pa.array([0.1], pa.float32()), "wide": [0.1], "day": pa.array([0], pa.date32())}
    pq.write_table(pa.table(columns), file)
    sql = f"SELECT {what}"
    without: Any = SimpleNamespace(lacks=("moments",))
    engines = {"a": without, "b": WITH_ALL, "c": WITH_ALL}
    data, probed = DataValues({"t": [str(file)]}), {"a": {"single": "0"}, "b": {"single": "1"}, "c": {"single": "1"}}
    ways = {name: dialects.compared(name, one, [sql], data, probed[name]) for name, one in engines.items()}
    case = Case(name="only", timed=True)
    schema = ResultSchema(columns=(Column(name="n", kind="integer"),))
    operation = Operation(name="q", sql=sql, cases=(case,), schema=schema)
    tables = {name: pa.table({"n": [1 if name == "a" else 0]}) for name in ways}
    checks = vote(operation, case, tables, {name: name for name in tables}, ways)
    assert [one.detail for one in checks if one.contender == "a"] == [found]


def test_a_decimal_that_is_a_double_is_rounded_in_its_own_way(tmp_path: Path) -> None:
    """0.15 to one digit is 0.2, and 0.1 to SQLite; one unit of it and no more, and nothing of whole numbers."""
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({"p": pa.array([Decimal("0.15")]), "n": [15]}), file)
    data = DataValues({"t": [str(file)]})
    ours = engine.load("sqlite")

    def status(sql: str, wrong: Decimal) -> GateStatus:
        probed = dict.fromkeys(("round", "decimal"), "3; 0.13")
        ways = {name: dict(probed) for name in ("duckdb", "datafusion")}
        ways["sqlite"] = probed | dialects.data_ways("sqlite", ours, [sql], data, probed)
        schema = ResultSchema(columns=(Column(name="v", kind="decimal"),))
        case = Case(name="only", timed=True)
        operation = Operation(name="q", sql=sql, cases=(case,), schema=schema)
        answers = {name: pa.table({"v": [wrong if name == "sqlite" else Decimal("0.2")]}) for name in ways}
        votes = vote(operation, case, answers, {name: name for name in ways}, ways)
        return next(one.status for one in votes if one.contender == "sqlite")

    assert status("SELECT round(p, 1) AS v FROM t", Decimal("0.1")) is GateStatus.LEFT_OPEN
    assert status("SELECT round(p, 1) AS v FROM t", Decimal("0.5")) is GateStatus.DIVERGED
    assert status("SELECT round(n, 1) AS v FROM t", Decimal("0.1")) is GateStatus.DIVERGED

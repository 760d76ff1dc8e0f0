"""Honest engines that do what liars do for good reasons: in ten runs nobody is accused once.

They convert slowly, plan, compile, tidy up, have helpers, print, and have many types. A lie's test that fails is made
again; these are not, because how often they fail is the question. ``WEIGH_HONEST`` is another number of runs.
"""

from __future__ import annotations

import datetime as dt
import os
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from .reading import contenders, diverged, errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

pytestmark = pytest.mark.long

RUNS = int(os.environ.get("WEIGH_HONEST", "10"))
CONVERTING = ("slow-conversion", "rounding&by=2.3e-16", "chatty", "copy")
"""4 ms of conversion, last bits of doubles, printing, a copy of its own."""
COMPILING = ("planner", "compiler", "compiles-first", "compiles&ms=25")
"""Planning when the query is handed over; 15 ms of compiling there and 40 ms the first time; a text compiled once."""
TOGETHER = ("helper", "helped", "compaction", "own-server")
"""Processes of its own, tidying up in the background, a server."""
FLAGS = ("--starts", "3", "--rounds", "3", "--runs", "1", "--quiet", "--json")
"""Nine timed executions, and six that nobody asked before: more than anybody needs to accuse."""
SAID = {"A6.planned", "A9.plan", "A9.unvaried", "A11.background", "A12.unseen", "D9.copy"}
"""Costs that are named, and what could not be tried: no accusations."""


def accused(run: Run) -> list[str]:
    """Everything that is held against anybody, but for what the machine did."""
    assert run.code in (0, 1, 3), run.err
    found = [f"{operation}: {who} diverged" for who, operation in diverged(run)]
    found += [f"{code}: {who}" for code, who in errors(run)]
    for finding in run.json["findings"]:
        code = finding["code"]
        if finding["severity"] == "warning" and code[0] in "AD" and code not in SAID:
            found.append(f"{code}: {finding['contender']}: {finding['text']}")
    for verdict in run.json["verdicts"]:
        found += [
            f"{verdict['operation']}: {verdict['contender']} refused for {reason['code']}: {reason['text']}"
            for reason in verdict["reasons"]
            if reason["code"][0] == "A" and reason["code"] not in {"A8", "A6.clock"}
        ]
    return found


@pytest.mark.flaky(reruns=0)
@pytest.mark.parametrize("kind", [CONVERTING, COMPILING, TOGETHER], ids=["converting", "compiling", "together"])
def test_nobody_honest_is_accused_in_ten_runs(fresh: Callable[[], Weigh], kind: tuple[str, ...]) -> None:
    named = contenders("duckdb", *(f"{lie.partition('&')[0]}=liar?lie={lie}" for lie in kind))
    asked = ("--scale", "20K", "--operations", "by_action,distinct")
    found = [accused(fresh()("run", *named, *asked, *FLAGS)) for _ in range(RUNS)]
    assert not [one for one in found if one], found


KINDS = (
    "bool_and(flag) AS flags, min(small) AS small, max(whole) AS whole, min(half) AS half, sum(amount) AS amount,"
    " max(day) AS day, max(seen) AS seen, min(name) AS name, count(maybe) AS maybe, max(big) AS big,"
    " sum(money) AS money"
)


@pytest.fixture
def typed(fresh: Callable[[], Weigh]) -> Weigh:
    """A folder with a table of eleven kinds of columns, with NULL in each, and two questions about them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    weigh = fresh()
    rows = range(5_000)

    def column(kind: pa.DataType, value: Callable[[int], object]) -> pa.Array:
        return pa.array([None if at % 17 == 0 else value(at) for at in rows], kind)

    day, moment = dt.date(2024, 2, 28), dt.datetime(2024, 2, 28, 23, 59, 59, 999_999)
    table = pa.table(
        {
            "id": pa.array(rows, pa.int64()),
            "flag": column(pa.bool_(), lambda at: at % 2 == 0),
            "small": column(pa.int8(), lambda at: at % 250 - 125),
            "whole": column(pa.int32(), lambda at: at * 1_001),
            "half": column(pa.float32(), lambda at: at / 4),
            "amount": column(pa.float64(), lambda at: at / 7),
            "day": column(pa.date32(), lambda at: day + dt.timedelta(at)),
            "seen": column(pa.timestamp("us"), lambda at: moment + dt.timedelta(microseconds=at)),
            "name": column(pa.string(), lambda at: f"né {at % 97}"),
            "maybe": column(pa.string(), lambda at: None if at % 3 else "x"),
            "big": column(pa.int64(), lambda at: 2**62 + at),
            "money": column(pa.decimal128(12, 2), lambda at: Decimal(at) / 100),
        }
    )
    pq.write_table(table, weigh.folder / "t.parquet")
    (weigh.folder / "q.sql").write_text(
        f"-- name: kinds\nSELECT id % 10 AS class, {KINDS} FROM t GROUP BY id % 10 ORDER BY class;\n"
        "-- name: all\nSELECT * FROM t WHERE id % 7 = 3 ORDER BY id;\n"
    )
    made = weigh("init", "--data", "t.parquet", "--sql", "q.sql", "--contender", "duckdb")
    assert made.code == 0, made.err
    return weigh


@pytest.mark.flaky(reruns=0)
def test_no_engine_is_accused_for_its_types_in_ten_runs(typed: Weigh) -> None:
    """ClickHouse has no boolean aggregates, so it is not asked."""
    named = contenders("duckdb", "datafusion", "polars", "one=duckdb?threads=1")
    found = []
    for number in range(RUNS):
        run = typed("run", *named, "--seed", str(number), *FLAGS)
        found.append(accused(run))
        assert {one["status"] for one in run.json["gate"]} <= {"agreed", "unsupported"}, run.json["gate"]
    assert not [one for one in found if one], found

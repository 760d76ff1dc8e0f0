"""Honest engines that are odd are accused of nothing, whatever they do alongside computing the right answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support import odd_engines
from support.command import Weigh

from .reading import ONCE, contenders

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run

PROCESS = (
    "compiles", "maps", "direct", "reads-ahead", "in-file", "keeps-code", "pool", "connections", "collects", "joins",
    "child", "asks-version", "prints", "warns", "closes-slowly", "late-import", "arena", "signals", "switches", "zone",
    "starts-slowly", "nice", "sockets", "helpers", "polls", "shared-memory", "addresses", "limits", "ends-late",
    "floods", "pauses", "compiles-long", "fails-to-close", "pieces", "footers", "reopens", "loads-late", "plans",
    "own-folder",
)  # fmt: skip
FORMS = (
    "wide-integers", "dictionaries", "large-text", "views", "decimal-text", "decimal-double", "nanoseconds", "zoned",
    "months", "uuid-bytes", "one-row-batches", "empty-batches", "no-batches", "shuffled", "one-name", "structs",
    "decimal-integers", "wide-decimals", "binary-text", "dates", "wide-dates", "text-numbers", "other-zone",
    "large-lists", "upper", "no-type", "negative-zero", "run-ends", "pandas",
)  # fmt: skip
QUICK = ("child", "wide-integers", "one-row-batches")
DISQUALIFIES = ("A4", "A5", "A6", "A9", "A10", "A11", "A12")
# No question filters by isnan(): DuckDB 2.0.0 reads NaN out of the statistics of Parquet, and is rightly found wrong.
QUERIES = """
-- name: kinds
SELECT id, token, price, stamp, stamp_zone, day, took, tags, place FROM things WHERE id < 40;
-- name: by_kind
SELECT kind, count(*) AS n, sum(price) AS total, min(stamp) AS first FROM things GROUP BY kind;
-- name: unnamed
SELECT count(*), sum(id), max(stamp) FROM things;
-- name: sorted
SELECT kind, id FROM things ORDER BY kind, id LIMIT 20;
-- name: nothing
SELECT id, kind FROM things WHERE id < 0;
-- name: no_value
SELECT max(id) AS most FROM things WHERE id < 0;
-- name: floats
SELECT kind, avg(x) AS mean, count(x) AS n FROM things WHERE id % 11 <> 0 GROUP BY kind;
-- name: not_a_number
SELECT id, x FROM things WHERE id < 30;
"""


@pytest.fixture
def odd(tmp_path: Path) -> Weigh:
    """weigh alongside the plug-in."""
    folder = tmp_path / "odd"
    folder.mkdir()
    weigh = Weigh(folder)
    weigh.environment["PYTHONPATH"] = f"{odd_engines.door(tmp_path / 'door')}:{weigh.environment.get('PYTHONPATH', '')}"
    return weigh


def named(*habits: str) -> list[str]:
    """The flags: DuckDB as the baseline, and an engine with each habit."""
    return contenders("duckdb=fork", *(f"{habit}=odd?odd={habit}" for habit in habits))


def assert_nobody_accused(run: Run, lacking: tuple[str, ...] = ()) -> None:
    """No answer is contradicted, nobody is disqualified, and no finding that accuses names anybody."""
    accusing = [
        f"{one['code']} {one['contender']} {one['operation']}: {one['text']}"
        for one in run.json["findings"]
        if one["severity"] == "error"
        or (one["severity"] == "warning" and one["code"].startswith(DISQUALIFIES) and one["contender"] not in lacking)
    ]
    assert not accusing, accusing
    wrong = [row for row in run.json["gate"] if row["status"] in ("diverged", "error", "unsupported")]
    assert not [row for row in wrong if not set(row["contenders"]) <= set(lacking)], wrong
    assert not run.json["tier"] or run.json["tier"]["name"] != "inadmissible", run.json["tier"]
    assert run.code in (0, 3), run.err


def own(weigh: Weigh, queries: str = QUERIES, rows: int = 300) -> None:
    """Data and questions of one's own, with the types that engines hand out differently."""
    import datetime as dt
    import decimal
    import uuid

    import pyarrow as pa
    import pyarrow.parquet as pq

    at = [dt.datetime(2026, 1, 1) + dt.timedelta(minutes=17 * i) for i in range(rows)]
    table = pa.table(
        {
            "id": pa.array(range(rows), pa.int32()),
            "kind": pa.array([f"kind {i % 7}" for i in range(rows)]),
            "token": pa.array([uuid.UUID(int=i * 7919).bytes for i in range(rows)], pa.uuid()),
            "price": pa.array([decimal.Decimal(i * 13) / 100 for i in range(rows)], pa.decimal128(12, 2)),
            "x": pa.array([float("nan") if i % 11 == 0 else i / 3 for i in range(rows)]),
            "stamp": pa.array(at, pa.timestamp("us")),
            "stamp_zone": pa.array(at, pa.timestamp("us", "UTC")),
            "day": pa.array([one.date() for one in at]),
            "took": pa.array([None if i % 9 == 0 else dt.time(i % 24, i % 60) for i in range(rows)], pa.time64("us")),
            "tags": pa.array([[f"t{i % 3}", None] if i % 2 else None for i in range(rows)], pa.list_(pa.string())),
            "place": pa.array([{"x": i, "y": None if i % 5 else "here"} for i in range(rows)]),
        }
    )
    pq.write_table(table, weigh.folder / "things.parquet")
    (weigh.folder / "q.sql").write_text(queries)
    done = weigh("init", "--data", "things.parquet", "--sql", "q.sql", "--contender", "duckdb")
    assert done.code == 0, done.err


@pytest.mark.long
def test_some_over_netflow(odd: Weigh) -> None:
    flags = ("--operations", "by_action,eq_action", "--scale", "2K", "--quiet", "--json", *ONCE)
    run = odd("run", *named(*QUICK), *flags)
    assert_nobody_accused(run)


def test_some_over_own_data(odd: Weigh) -> None:
    own(odd)
    habits = ("prints", "run-ends", "uuid-bytes")
    run = odd("gate", *named(*habits), "--contender", "loads=odd-loads", "--quiet", "--json")
    assert_nobody_accused(run)


@pytest.mark.long
def test_one_that_compiles_and_finds_no_row(odd: Weigh) -> None:
    """Other rows have no answer either, so nothing tells a plan from an answer that is kept: nobody is accused."""
    own(odd, "SELECT id, kind FROM things WHERE id < 0")
    run = odd("gate", *named("compiles-long"), "--quiet", "--json")
    assert_nobody_accused(run)
    assert [one["severity"] for one in run.json["findings"] if one["code"].startswith("A9.")] == ["note"]


@pytest.mark.long
def test_whoever_runs_out_of_memory_is_alone_in_it(odd: Weigh) -> None:
    """A worker without memory, and one that is killed: an outcome of each, nothing of who stands alongside, no lie."""
    counted = "-- name: counted\nSELECT count(*) AS n FROM things"
    own(odd, f"-- name: sorted\nSELECT kind, id FROM things ORDER BY kind, id;\n{counted}")
    run = odd("run", *named("hungry", "killed"), "--quiet", "--json", *ONCE)
    lacking = ("hungry", "killed")
    assert_nobody_accused(run, lacking=lacking)
    status = {row["operation"]: row["status"] for row in run.json["gate"]}
    assert status["counted"] == "agreed"
    words = " ".join(row["detail"] for row in run.json["gate"])
    assert "hungry: out_of_memory" in words, words
    assert "killed: crash" in words, words
    blamed = {one["contender"] for one in run.json["findings"] if one["severity"] != "note"}
    assert "duckdb" not in blamed, run.json["findings"]
    assert odd("verify", "latest").code == 0


def test_one_that_may_take_long_to_start(odd: Weigh) -> None:
    flags = ("--operations", "eq_action", "--scale", "2K", "--quiet", "--json")
    run = odd("gate", *contenders("duckdb=fork", "starts=odd-starts?odd=starts-slowly"), *flags)
    assert_nobody_accused(run)


@pytest.mark.long
@pytest.mark.parametrize("habits", [PROCESS, FORMS], ids=["process", "forms"])
def test_all_over_netflow(odd: Weigh, habits: tuple[str, ...]) -> None:
    run = odd("run", *named(*habits), "--scale", "20K", "--quiet", "--json", *ONCE, timeout=3_000)
    assert_nobody_accused(run)


@pytest.mark.long
@pytest.mark.parametrize("habits", [PROCESS, FORMS], ids=["process", "forms"])
def test_all_over_tpch(odd: Weigh, habits: tuple[str, ...]) -> None:
    flags = ("--workload", "tpch", "--scale", "0.01", "--quiet", "--json", *ONCE)
    run = odd("run", *named(*habits), *flags, timeout=3_000)
    assert_nobody_accused(run)


@pytest.mark.long
@pytest.mark.parametrize("habits", [(*PROCESS, "fails-some"), FORMS], ids=["process", "forms"])
def test_all_over_own_data(odd: Weigh, habits: tuple[str, ...]) -> None:
    own(odd)
    run = odd("run", *named(*habits), "--quiet", "--json", *ONCE, timeout=3_000)
    assert_nobody_accused(run, lacking=("fails-some",))

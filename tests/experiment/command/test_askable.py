"""Statements that are no question: named by init and by run, and nobody is called wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

if TYPE_CHECKING:
    from support.command import Weigh

SAID = {
    "SELECT n, random() AS r FROM trips": "it is not deterministic (rand())",
    "SELECT n, now() AS t FROM trips": "its answer depends on when it is asked (now())",
    "DELETE FROM trips": "DELETE: it changes something",
    "SELECT * FROM 'other.parquet'": "it reads a file of its own (other.parquet)",
}


@pytest.fixture
def own(weigh: Weigh) -> Weigh:
    pq.write_table(pa.table({"n": [1, 2]}), weigh.folder / "trips.parquet")
    return weigh


@pytest.mark.promise("`weigh init` and `weigh run` refuse what is no question with one right answer, and say why")
@pytest.mark.parametrize("sql", SAID)
def test_init_names_it(own: Weigh, sql: str) -> None:
    (own.folder / "q.sql").write_text(sql)
    run = own("init", "--data", "trips.parquet", "--sql", "q.sql")
    assert run.code == 2
    assert SAID[sql] in " ".join(run.err.split())
    assert not (own.folder / "weigh.toml").exists()


def test_init_leaves_out_what_is_none_and_writes_the_others(own: Weigh) -> None:
    (own.folder / "q.sql").write_text(
        "-- name: sum\nSELECT sum(n) AS n FROM trips;\n-- name: odd\nSELECT random() AS r;"
    )
    run = own("init", "--data", "trips.parquet", "--sql", "q.sql", "--contender", "duckdb")
    assert run.code == 1
    assert "query odd" in run.err and "it is not deterministic" in " ".join(run.err.split())
    assert [path.name for path in sorted((own.folder / "queries").iterdir())] == ["sum.sql", "sum.toml"]


@pytest.mark.promise("`weigh init` and `weigh run` refuse what is no question with one right answer, and say why")
def test_run_names_it(own: Weigh) -> None:
    (own.folder / "q.sql").write_text("SELECT n FROM trips")
    assert own("init", "--data", "trips.parquet", "--sql", "q.sql", "--contender", "duckdb").code == 0
    for sql, said in SAID.items():
        (own.folder / "queries" / "q.sql").write_text(sql)
        run = own("run")
        assert run.code == 2
        assert said in " ".join(run.err.split())
        assert "wrong" not in run.err.lower() + run.out.lower()

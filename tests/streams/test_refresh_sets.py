"""Refresh sets of TPC-DS: what is predicted by arithmetic is what their statements do in another database."""

from __future__ import annotations

import sqlite3
from datetime import date, timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.streams_made import TPCDS
from weigh._native import digest_arrow
from weigh.data.tpcds.refresh import CHANNELS
from weigh.model.errors import DataFault
from weigh.model.progress import Silence
from weigh.streams import tpcds
from weigh.streams.states import States, look

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.streams.benchmark import Benchmark

FIRST = date(2000, 1, 1)
DAYS = 40


def rows_of_a_channel(prefix: str, sold: str, item: str, returned: str) -> tuple[list[Any], list[Any]]:
    """Four orders a day of two lines each, every third of which comes back, and one of no day."""
    sales, returns = [], []
    for number in range(1, 4 * DAYS + 2):
        day = (number - 1) // 4 if number <= 4 * DAYS else None
        for line in range(2):
            thing = (number + line) % 6
            sales.append(
                {f"{prefix}_sold_date_sk": day, item: thing, f"{prefix}_customer_sk": number % 3, sold: number}
            )
            if number % 3 == 0 and line == 0:
                back = None if day is None else day + 5
                returns.append(
                    {f"{returned[:2]}_returned_date_sk": back, f"{returned[:2]}_item_sk": thing, returned: number}
                )
    return sales, returns


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The tables that a refresh set reads, some hundred rows of each."""
    folder = tmp_path_factory.mktemp("tpcds")
    made: dict[str, list[Any]] = {
        "date_dim": [{"d_date_sk": at, "d_date": FIRST + timedelta(at)} for at in range(-DAYS, 3 * DAYS)],
        # Each business key has an old revision and the present one.
        "item": [
            {"i_item_sk": at, "i_item_id": f"I{at // 2}", "i_rec_end_date": FIRST if at % 2 == 0 else None}
            for at in range(6)
        ],
        "customer": [{"c_customer_sk": at, "c_customer_id": f"C{at}"} for at in range(3)],
        "inventory": [
            {"inv_date_sk": 3 * at, "inv_item_sk": item, "inv_warehouse_sk": 1, "inv_quantity_on_hand": at + item}
            for at in range(11)
            for item in range(6)
        ],
    }
    for prefix, one in CHANNELS.items():
        made[one.sales], made[one.returns] = rows_of_a_channel(prefix, one.sold, one.item, one.returned)
    for name, rows in made.items():
        pq.write_table(pa.Table.from_pylist(rows), folder / f"{name}.parquet")
    return {name: [str(folder / f"{name}.parquet")] for name in made}


@pytest.fixture(autouse=True)
def no_literals(monkeypatch: pytest.MonkeyPatch) -> None:
    """No query is asked here, and the texts have nothing that could be drawn."""
    monkeypatch.setattr(tpcds.Parameters, "text", lambda _self, _number, text, _seed, _stream: (text, ()))


def benchmark(tables: dict[str, list[str]], place: Path, streams: int = 2) -> Benchmark:
    texts = {"number": list(range(1, 100)), "text": ["SELECT 1"] * 99}
    setup: Any = SimpleNamespace(data=SimpleNamespace(truth={"queries": texts}))
    return tpcds.benchmark(msgspec.structs.replace(TPCDS, streams=streams), setup, tables, Silence(), place)


def read(paths: list[str]) -> pa.Table:
    return pa.concat_tables(pq.read_table(path) for path in paths)


def test_every_state_is_what_the_statements_make_of_the_tables(tables: dict[str, list[str]], tmp_path: Path) -> None:
    """SQLite executes them, and has no part in the prediction."""
    made = benchmark(tables, tmp_path)
    states = States(tables, made.keys, made.changes, tmp_path)
    assert len(states) == 1 + 2 * 11
    database = sqlite3.connect(":memory:")
    for name, paths in {**tables, **made.staged}.items():
        loaded = read(list(paths))
        database.execute(f"CREATE TABLE {name} ({', '.join(loaded.column_names)})")
        marks = ", ".join("?" * loaded.num_columns)
        cells = [[str(one) if isinstance(one, date) else one for one in row.values()] for row in loaded.to_pylist()]
        database.executemany(f"INSERT INTO {name} VALUES ({marks})", cells)
    for number in range(len(states)):
        for statement in made.changes[number - 1].statements if number else ():
            # SQLite has no dates; text in their form is ordered as they are.
            database.execute(statement.replace("DATE '", "'"))
        state = states.state(number)
        assert database.execute(look(made.keys)).fetchone() == state.sums
        for table, digest in state.digests.items():
            schema = pq.read_schema(tables[table][0])
            rows = database.execute(f"SELECT * FROM {table}").fetchall()
            there = pa.table(list(zip(*rows, strict=True)), schema=schema)
            assert digest_arrow(there) == digest == digest_arrow(read(states.files(number)[table])), (number, table)


def test_a_set_replaces_days_and_leaves_no_table_as_it_was(tables: dict[str, list[str]], tmp_path: Path) -> None:
    made = benchmark(tables, tmp_path)
    states = States(tables, made.keys, made.changes, tmp_path)
    before, half, after = (states.state(number).digests for number in (0, 11, 22))
    assert all(len({before[table], half[table], after[table]}) == 3 for table in made.keys)


def test_more_sets_than_there_are_days_are_refused(tables: dict[str, list[str]], tmp_path: Path) -> None:
    """Of sales, and of the inventory, which has fewer days."""
    with pytest.raises(DataFault, match="days are needed"):
        benchmark(tables, tmp_path, streams=20)
    with pytest.raises(DataFault, match="days of the inventory"):
        benchmark(tables, tmp_path, streams=5)

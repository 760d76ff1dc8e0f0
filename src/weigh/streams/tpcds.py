"""TPC-DS in streams: dsqgen's orders, two throughput tests, and data maintenance after each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from weigh.data.tpcds import refresh as refreshes
from weigh.data.tpcds.refresh import CHANNELS, INVENTORY, RefreshSet
from weigh.model.errors import UsageError
from weigh.streams.benchmark import Ask, Benchmark, PlannedTest, indexes
from weigh.streams.record import StreamQuery
from weigh.streams.spec import MAINTENANCE, StreamsSpec, query_name
from weigh.streams.states import Change
from weigh.workloads.tpcds import SCHEMAS
from weigh.workloads.tpcds.order import order
from weigh.workloads.tpcds.substitutions import Parameters
from weigh.workloads.tpcds.texts import dialects, nulls_first

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from weigh.experiment.setup import Setup
    from weigh.model.progress import Progress

KEYS = {
    "store_sales": "ss_ticket_number", "store_returns": "sr_ticket_number", "catalog_sales": "cs_order_number",
    "catalog_returns": "cr_order_number", "web_sales": "ws_order_number", "web_returns": "wr_order_number",
    "inventory": "inv_date_sk",
}  # fmt: skip
_INSERTS = {
    "lf_ss": "store_sales", "lf_sr": "store_returns", "lf_cs": "catalog_sales", "lf_cr": "catalog_returns",
    "lf_ws": "web_sales", "lf_wr": "web_returns", "lf_i": INVENTORY,
}  # fmt: skip
_INDEXES = (
    ("date_dim", "d_date_sk"), ("item", "i_item_sk"), ("customer", "c_customer_sk"), ("time_dim", "t_time_sk"),
    ("customer_address", "ca_address_sk"), ("customer_demographics", "cd_demo_sk"),
    ("household_demographics", "hd_demo_sk"),
    ("store_sales", "ss_item_sk, ss_ticket_number"), ("store_sales", "ss_customer_sk"),
    ("store_sales", "ss_sold_date_sk"),
    ("store_returns", "sr_item_sk, sr_ticket_number"), ("store_returns", "sr_customer_sk"),
    ("catalog_sales", "cs_item_sk, cs_order_number"), ("catalog_sales", "cs_bill_customer_sk"),
    ("catalog_sales", "cs_order_number"), ("catalog_sales", "cs_sold_date_sk"),
    ("catalog_returns", "cr_item_sk, cr_order_number"), ("catalog_returns", "cr_order_number"),
    ("web_sales", "ws_item_sk, ws_order_number"), ("web_sales", "ws_bill_customer_sk"),
    ("web_sales", "ws_order_number"),
    ("web_sales", "ws_sold_date_sk"), ("web_returns", "wr_item_sk, wr_order_number"),
    ("web_returns", "wr_order_number"),
    ("inventory", "inv_item_sk, inv_date_sk"),
)  # fmt: skip
"""Columns of primary and foreign keys, for servers of rows: without them single queries take minutes."""
_MOST_STREAMS = 20


def benchmark(
    spec: StreamsSpec, setup: Setup, tables: Mapping[str, Sequence[str]], progress: Progress, place: Path
) -> Benchmark:
    """Draw its refresh sets, and put its queries in order.

    Args:
        spec: what is done.
        setup: the data, with the texts.
        tables: files of the dataset by table.
        progress: reports how far it is.
        place: where what refresh functions insert is written.

    Raises:
        UsageError: more streams than it is made for.
        DataFault: there are too few days for so many refresh sets.
    """
    streams = spec.streams
    if streams > _MOST_STREAMS:
        raise UsageError(f"{streams} streams of TPC-DS", remedy=f"from 1 to {_MOST_STREAMS}")
    progress.say(f"{2 * spec.sets} refresh sets")
    staged: dict[str, Sequence[str]] = {}
    changes: list[Change] = []
    for number, one in enumerate(refreshes.refresh_sets(tables, 2 * spec.sets, spec.experiment.seed), 1):
        for table, rows in one.comes.items():
            staged[_staging(table, number)] = [_write(rows, tables, place / f"{_staging(table, number)}.parquet")]
        changes += [_deletes(name, one, number) for name in MAINTENANCE if name not in _INSERTS]
        changes += [_inserts(name, one, number) for name in MAINTENANCE if name in _INSERTS]
    half = len(changes) // 2
    cube = setup.data.truth["queries"]
    texts = {int(number): nulls_first(str(text)) for number, text in zip(cube["number"], cube["text"], strict=True)}
    in_order = [Ask(stream, number) for stream in range(2 * streams + 1) for number in order(stream)]
    parameters, seed = Parameters(tables), spec.experiment.seed
    queries = {one: _query(one, parameters.text(one.number, texts[one.number], seed, one.stream)) for one in in_order}
    by_stream = {str(stream): [one for one in in_order if one.stream == stream] for stream in range(2 * streams + 1)}
    before, after = range(1, streams + 1), range(streams + 1, 2 * streams + 1)
    return Benchmark(
        queries=tuple(queries.values()),
        schemas=SCHEMAS,
        dialects={
            (one.name, dialect): other for one in queries.values() for dialect, other in dialects(one.sql).items()
        },
        keys=KEYS,
        changes=changes,
        staged=staged,
        tests=(
            PlannedTest("power", {"0": by_stream["0"]}, 0),
            PlannedTest("throughput", {str(each): by_stream[str(each)] for each in before}, 0),
            PlannedTest("maintenance", {"maintenance": list(range(half))}, 0),
            PlannedTest("throughput 2", {str(each): by_stream[str(each)] for each in after}, half),
            PlannedTest("maintenance 2", {"maintenance": list(range(half, 2 * half))}, half),
        ),
        indexes=indexes(_INDEXES),
        alone=by_stream["0"],
    )


def _query(one: Ask, drawn: tuple[str, tuple[str, ...]]) -> StreamQuery:
    text, parameters = drawn
    return StreamQuery(name=query_name(*one), parameters=parameters, sql=text)


def _deletes(name: str, one: RefreshSet, number: int) -> Change:
    """DF_SS, DF_CS, DF_WS by days of sale, returns first; DF_I by days of the inventory."""
    if name == "df_i":
        statements = [
            f"DELETE FROM {INVENTORY} WHERE inv_date_sk >= (SELECT min(d_date_sk) FROM date_dim WHERE {between}) "
            f"AND inv_date_sk <= (SELECT max(d_date_sk) FROM date_dim WHERE {between})"
            for day in one.inventory_days
            for between in [_between(day, day)]
        ]
        return Change(name, number, statements, {}, {INVENTORY: ("inv_date_sk", one.inventory_keys)})
    tables = CHANNELS[name.partition("_")[2]]
    statements = [
        statement
        for between in (_between(*span) for span in one.spans)
        for statement in (
            f"DELETE FROM {tables.returns} WHERE {tables.returned} IN (SELECT {tables.sold} FROM {tables.sales}, "
            f"date_dim WHERE {tables.day} = d_date_sk AND {between})",
            f"DELETE FROM {tables.sales} WHERE {tables.day} >= (SELECT min(d_date_sk) FROM date_dim WHERE {between}) "
            f"AND {tables.day} <= (SELECT max(d_date_sk) FROM date_dim WHERE {between})",
        )
    ]
    goes = {
        tables.sales: (tables.day, one.days),
        tables.returns: (tables.returned, one.orders[name.partition("_")[2]]),
    }
    return Change(name, number, statements, {}, goes)


def _between(first: object, last: object) -> str:
    return f"d_date BETWEEN DATE '{first}' AND DATE '{last}'"


def _inserts(name: str, one: RefreshSet, number: int) -> Change:
    """LF_*: rows of a staging table, with the keys of days, items and customers looked up."""
    table = _INSERTS[name]
    chosen, joins = [], []
    for at, column in enumerate(one.comes[table].column_names):
        kind, to = _looked_up(column)
        if kind == "date":
            chosen.append(f"t{at}.d_date_sk")
            joins.append(f"LEFT JOIN date_dim t{at} ON t{at}.d_date = s.{to}")
        elif kind == "item":
            chosen.append(f"t{at}.i_item_sk")
            joins.append(f"JOIN item t{at} ON t{at}.i_item_id = s.{to} AND t{at}.i_rec_end_date IS NULL")
        elif kind == "customer":
            chosen.append(f"t{at}.c_customer_sk")
            joins.append(f"LEFT JOIN customer t{at} ON t{at}.c_customer_id = s.{to}")
        else:
            chosen.append(f"s.{column}")
    statement = f"INSERT INTO {table} SELECT {', '.join(chosen)} FROM {_staging(table, number)} s {' '.join(joins)}"
    return Change(name, number, [statement], {table: one.comes[table]}, {})


def _looked_up(column: str) -> tuple[str, str]:
    """Whether a key is looked up when a row is inserted, and the column of the staging table by which it is."""
    for kind, ending in (("date", "date"), ("item", "item_id"), ("customer", "customer_id")):
        if column.endswith(f"_{kind}_sk"):
            return kind, f"{column.removesuffix(f'{kind}_sk')}{ending}"
    return "", column


def _staging(table: str, number: int) -> str:
    return f"s_{table}_{number}"


def _write(rows: pa.Table, tables: Mapping[str, Sequence[str]], path: Path) -> str:
    """The rows as a staging table has them: days and business keys in the place of surrogate keys."""
    pq.write_table(pa.table(dict(_staged(rows, tables))), path)
    return str(path)


def _staged(rows: pa.Table, tables: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, pa.ChunkedArray]]:
    by = {"date": ("date_dim", "d_date_sk", "d_date"), "item": ("item", "i_item_sk", "i_item_id"),
          "customer": ("customer", "c_customer_sk", "c_customer_id")}  # fmt: skip
    for name in rows.column_names:
        kind, to = _looked_up(name)
        if not kind:
            yield name, rows[name]
            continue
        table, key, value = by[kind]
        known = pa.concat_tables(pq.ParquetFile(path).read([key, value]) for path in tables[table])
        places = pc.index_in(rows[name].cast(known.schema.field(key).type), value_set=known[key].combine_chunks())
        yield to, known[value].combine_chunks().take(places.combine_chunks())

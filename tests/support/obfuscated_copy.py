"""Data and its obfuscated copy in DuckDB and PostgreSQL, with queries and their images: their plans, and their times.

Plans are alike where they have the same operators in the same order, over the same tables, indexes and kinds of joins.
Estimates, costs, literals and names are not compared.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb

from weigh import workloads
from weigh.capture.obfuscation import Obfuscation
from weigh.capture.templates import template
from weigh.data import cache as store
from weigh.data import sides
from weigh.data.generator import dataset_name
from weigh.engines import environment
from weigh.engines.postgres import PSYCOPG
from weigh.engines.prepared import cache_folder
from weigh.load.target.registry import target
from weigh.model.operation import fill
from weigh.model.progress import Silence
from weigh.model.spec import LayoutSpec
from weigh.obfuscation import tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.model.units import Scale
    from weigh.obfuscation.mapping import Mapping

Shape = tuple[object, ...]
KEYS = {
    "region": ["r_regionkey"],
    "nation": ["n_nationkey"],
    "supplier": ["s_suppkey"],
    "customer": ["c_custkey"],
    "part": ["p_partkey"],
    "partsupp": ["ps_partkey", "ps_suppkey"],
    "orders": ["o_orderkey"],
    "lineitem": ["l_orderkey", "l_linenumber"],
    "events": ["event_id"],
}
INDEXES = (
    ("nation", "n_regionkey"),
    ("supplier", "s_nationkey"),
    ("customer", "c_nationkey"),
    ("partsupp", "ps_suppkey"),
    ("orders", "o_custkey"),
    ("lineitem", "l_partkey"),
    ("lineitem", "l_suppkey"),
    ("events", "user_name"),
    ("events", "ts"),
)
_TYPES = {
    "VARCHAR": "text",
    "BIGINT": "bigint",
    "INTEGER": "integer",
    "DATE": "date",
    "DOUBLE": "double precision",
    "TIMESTAMP": "timestamp",
}
_CLIENT = """
import json, sys, time
import psycopg

asked = json.load(sys.stdin)
out = []
with psycopg.connect(**asked["connect"], autocommit=True) as connection:
    for create, name, file in asked["tables"]:
        connection.execute(create)
        with connection.cursor().copy(f"COPY {name} FROM STDIN CSV") as stream, open(file) as rows:
            stream.write(rows.read())
    for text in asked["after"]:
        connection.execute(text)
    for pair in asked["queries"]:
        plans = [connection.execute("EXPLAIN (FORMAT json) " + text).fetchone()[0][0]["Plan"] for text in pair]
        out.append([*plans, *(len(connection.execute(text).fetchall()) for text in pair), []])
    for turn in range(asked["turns"]):
        for one, pair in zip(out, asked["queries"]):
            took = [0.0, 0.0]
            for side in (0, 1) if turn % 2 else (1, 0):
                began = time.perf_counter()
                connection.execute(pair[side]).fetchall()
                took[side] = time.perf_counter() - began
            one[4].append(took)
json.dump(out, sys.stdout)
"""


class Query(NamedTuple):
    """A query and its image.

    Attributes:
        name: of its operation.
        texts: over the data, and over the copy.
    """

    name: str
    texts: tuple[str, str]


class Answered(NamedTuple):
    """What came of a query and of its image.

    Attributes:
        name: of its operation.
        plans: their shapes.
        rows: how many each answered.
        seconds: of both in every turn.
    """

    name: str
    plans: tuple[Shape, Shape]
    rows: tuple[int, int]
    seconds: tuple[tuple[float, float], ...]


class Copied:
    """A data set of a workload, and its copy.

    Args:
        workload: its name.
        scale: of its data.
        mapping: of the copy.
        place: an empty folder.
        ids: a pattern of the names of columns that hold identifiers; None for none.
    """

    def __init__(self, workload: str, scale: Scale, mapping: Mapping, place: Path, ids: str | None = None) -> None:
        found = workloads.load(workload)
        data = store.ensure(
            dataset_name(found.dataset, scale, 42),
            LayoutSpec(),
            cache_folder(),
            environment=lambda requirements: environment.ensure(requirements, cache_folder()).python,
        )
        self.mapping, self.place = mapping, place
        self.folders = (str(data.folder), str(place / "copy"))
        tables.obfuscate(self.folders[0], place / "copy", mapping, Silence(), ids)
        self.names = [*sides.tables(self.folders[0])]
        self.queries = [
            Query(one.name, (text, image(text, mapping)))
            for one in found.build(data.truth, 42).operations
            for text in (fill(one.sql, next((case for case in one.cases if case.timed), one.cases[0]).literals),)
        ]


def image(text: str, mapping: Mapping) -> str:
    """A query over the copy, as a capture has it."""
    obfuscation = Obfuscation(mapping, "postgres")
    found, places = template.of_sql(text, "postgres")
    values = obfuscation.values(found, places, [one for one in places if isinstance(one, str)])
    pieces = obfuscation.statement(found, places).pieces
    return pieces[0] + "".join(f"{value}{piece}" for value, piece in zip(values, pieces[1:], strict=True))


def in_postgres(copied: Copied, turns: int = 0) -> list[Answered]:
    """With keys and indexes on foreign keys, statistics of all rows, one process a query.

    Args:
        copied: the data.
        turns: how often each query is timed.
    """
    made: list[tuple[str, str, str]] = []
    for folder in copied.folders:
        for name, paths in sides.tables(folder).items():
            rows = duckdb.sql(f"SELECT * FROM read_parquet({[str(path) for path in paths]})")
            rows.write_csv(str(copied.place / f"{name}.csv"), header=False)
            kinds = (
                f"{one} {_TYPES.get(str(kind), 'numeric')}" for one, kind in zip(rows.columns, rows.types, strict=True)
            )
            made.append((f"CREATE TABLE {name} ({', '.join(kinds)})", name, str(copied.place / f"{name}.csv")))
    # All rows are looked at: otherwise each ANALYZE draws others.
    after = ["SET max_parallel_workers_per_gather = 0", "SET default_statistics_target = 1000"]
    keys = {table: KEYS[table] for table in copied.names}
    indexes = [one for one in INDEXES if one[0] in keys]
    for new in (str, copied.mapping.name):
        after += [
            f"ALTER TABLE {new(table)} ADD PRIMARY KEY ({', '.join(map(new, key))})" for table, key in keys.items()
        ]
        after += [f"CREATE INDEX ON {new(table)} ({new(column)})" for table, column in indexes]
        after += [f"VACUUM ANALYZE {new(table)}" for table in keys]
    with target("postgres:embedded?autovacuum=off").reach(cache_folder(), 1) as server:
        connect = {"host": server.connect["socket"], "user": server.connect["user"], "dbname": "postgres"}
        texts = [one.texts for one in copied.queries]
        asked = {"connect": connect, "tables": made, "after": after, "queries": texts, "turns": turns}
        run = subprocess.run(
            [str(environment.ensure([*PSYCOPG], cache_folder()).python), "-c", _CLIENT],
            input=json.dumps(asked).encode(),
            capture_output=True,
            check=False,
        )
    assert run.returncode == 0, run.stderr.decode()[-2000:]
    columns = [column for key in keys.values() for column in key] + [column for _, column in indexes]
    names = {copied.mapping.name(one): one for one in (*keys, *columns)}
    return [
        Answered(
            query.name, (_of_postgres(one, names), _of_postgres(two, names)), (was, now), tuple(map(tuple, seconds))
        )
        for query, (one, two, was, now, seconds) in zip(copied.queries, json.loads(run.stdout), strict=True)
    ]


def in_duckdb(copied: Copied, turns: int = 0, *, loaded: bool = True) -> list[Answered]:
    """In this process, with two threads.

    Args:
        copied: the data.
        turns: how often each query is timed.
        loaded: into tables; otherwise the Parquet files are read.
    """
    import time

    both = []
    for folder in copied.folders:
        one = duckdb.connect(config={"threads": 2})
        for name, paths in sides.tables(folder).items():
            rows = f"read_parquet({[str(path) for path in paths]})"
            one.execute(f"CREATE {'TABLE' if loaded else 'VIEW'} {name} AS SELECT * FROM {rows}")
        both.append(one)
    names = {copied.mapping.name(one): one for one in copied.names}
    for name, paths in sides.tables(copied.folders[0]).items():
        for column in duckdb.sql(f"SELECT * FROM read_parquet('{paths[0]}')").columns:
            names |= {column: name, copied.mapping.name(column): name}
    found = []
    for query in copied.queries:
        plans, rows = [], []
        for connection, text in zip(both, query.texts, strict=True):
            ((_, plan),) = connection.execute(f"EXPLAIN (FORMAT json) {text}").fetchall()
            plans.append(_of_duckdb(json.loads(plan)[0], names))
            rows.append(len(connection.execute(text).fetchall()))
        seconds = []
        for turn in range(turns):
            took = [0.0, 0.0]
            for side in (0, 1) if turn % 2 else (1, 0):
                began = time.perf_counter()
                both[side].execute(query.texts[side]).fetchall()
                took[side] = time.perf_counter() - began
            seconds.append((took[0], took[1]))
        found.append(Answered(query.name, (plans[0], plans[1]), (rows[0], rows[1]), tuple(seconds)))
    for one in both:
        one.close()
    return found


def _of_postgres(plan: dict[str, Any], names: dict[str, str]) -> Shape:
    table, index = plan.get("Relation Name", ""), plan.get("Index Name", "")
    for new, old in names.items():
        index = index.replace(new, old)
    said = tuple(plan.get(one) for one in ("Node Type", "Join Type", "Strategy", "Parent Relationship"))
    return (*said, names.get(table, table), index, tuple(_of_postgres(one, names) for one in plan.get("Plans", ())))


def _of_duckdb(plan: dict[str, Any], names: dict[str, str]) -> Shape:
    said = plan.get("extra_info", {})
    table = str(said.get("Table", "")).rpartition(".")[2]
    # Of a scan of Parquet files the plan has no name; whose they are is told by the columns that are read.
    columns = said.get("Projections", ()) if plan["name"].strip() == "READ_PARQUET" else ()
    first = columns if isinstance(columns, str) else next(iter(columns), "")
    return (
        plan["name"].strip(),
        said.get("Join Type", ""),
        names.get(table or first, table or first),
        tuple(_of_duckdb(one, names) for one in plan["children"]),
    )


def differing(answered: list[Answered]) -> Iterator[str]:
    """Queries whose plans are not alike."""
    return (one.name for one in answered if one.plans[0] != one.plans[1])

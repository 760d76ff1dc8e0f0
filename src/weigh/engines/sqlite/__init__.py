"""SQLite, through APSW."""

from pathlib import Path

from weigh.engines.engine import Engine, Switch

engine = Engine(
    name="sqlite",
    lineage="sqlite",
    adapter=Path(__file__).with_name("adapter") / "__init__.py",
    # APSW's version is that of the SQLite inside, with a number of its own at the end.
    package="apsw",
    tested="3.54.1.0",
    requires=("pyarrow==26.0.1",),
    dialect="sqlite",
    copies=True,
    lacks=("nan", "moments", "decimals"),
    ingests=True,
    switches=(
        # SQLite's own means of finding queries that depend on an order nobody asked for.
        Switch(name="rows read backwards", settings={"reverse_unordered_selects": True}),
        Switch(name="sorting by helper threads", settings={"threads": 4}),
        Switch(name="a cache of ten pages", settings={"cache_size": 10}),
        Switch(name="the database mapped into memory", settings={"mmap_size": 1 << 40}),
    ),
    script="""\
import apsw
import pyarrow as pa
import pyarrow.parquet as pq


def ask(tables, sql, settings):
    def plain(column):
        if pa.types.is_timestamp(column.type):
            return column.cast(pa.timestamp("us")).cast(pa.string()).to_pylist()
        if pa.types.is_date(column.type):
            return column.cast(pa.string()).to_pylist()
        if pa.types.is_decimal(column.type):
            return column.cast(pa.string()).cast(pa.float64()).to_pylist()
        return column.to_pylist()

    connection = apsw.Connection(":memory:")
    for name, value in settings.items():
        connection.execute(f"PRAGMA {name} = {value}")
    for name, paths in tables.items():
        for number, path in enumerate(paths):
            table = pq.read_table(path)
            if number == 0:
                columns = ", ".join(f'"{column}"' for column in table.column_names)
                connection.execute(f'CREATE TABLE "{name}" ({columns})')
            rows = zip(*(plain(column) for column in table.columns))
            connection.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * table.num_columns)})', rows)
    return connection.execute(sql).fetchall()
""",
    confined=True,
    about="SQLite in its own process, over a database loaded from the Parquet files",
)

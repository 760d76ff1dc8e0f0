"""A benchmark of streams as it is executed: its queries, its refresh functions and its tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weigh.model.answer import ResultSchema
    from weigh.streams.record import StreamQuery
    from weigh.streams.spec import TestName
    from weigh.streams.states import Change


class Ask(NamedTuple):
    """A query in a stream; its number says what the answer looks like."""

    stream: int
    number: int


class PlannedTest(NamedTuple):
    """A test of a life.

    Attributes:
        name: which.
        streams: by name, what each does in order: a query, or the refresh function of that position.
        first: number of the state in which it begins.
    """

    name: TestName
    streams: Mapping[str, Sequence[Ask | int]]
    first: int

    @property
    def last(self) -> int:
        """Number of the state in which it ends."""
        return self.first + sum(isinstance(one, int) for steps in self.streams.values() for one in steps)


class Benchmark(NamedTuple):
    """What is executed.

    Attributes:
        queries: of all streams, in the order of each.
        schemas: what right answers look like, by number of the query.
        dialects: text of a query for a dialect that writes it otherwise, by name of the query and dialect.
        keys: of each table that changes, a column of numbers.
        changes: all refresh functions in their order.
        staged: files of tables that are loaded besides those of the dataset: what the refresh functions insert.
        tests: in order.
        indexes: statements that make what an engine gets besides its tables, by its dialect.
        alone: the queries that read-only engines are asked, in order.
    """

    queries: tuple[StreamQuery, ...]
    schemas: Mapping[int, ResultSchema]
    dialects: Mapping[tuple[str, str], str]
    keys: Mapping[str, str]
    changes: Sequence[Change]
    staged: Mapping[str, Sequence[str]]
    tests: Sequence[PlannedTest]
    indexes: Mapping[str, Sequence[str]]
    alone: Sequence[Ask]

    def text(self, name: str, dialect: str = "") -> str:
        """A query as an engine of a dialect gets it."""
        return self.dialects.get((name, dialect)) or next(one.sql for one in self.queries if one.name == name)

    def schema(self, name: str) -> ResultSchema:
        """What a right answer to a query of a stream looks like."""
        return self.schemas[number_of(name)]


def number_of(name: str) -> int:
    """Number of a query by its name in a stream."""
    return int(name.partition(".q")[2])


def indexes(columns: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """The statements that make indexes, by dialect of the servers of rows: without them single queries take minutes.

    Args:
        columns: each table with the columns of an index, between commas.
    """
    tables = dict.fromkeys(table for table, _ in columns)
    return {
        "postgres": [*(f"CREATE INDEX ON {table} ({listed})" for table, listed in columns), "ANALYZE"],
        "mariadb": [
            *(f"ALTER TABLE {table} ADD INDEX ({listed})" for table, listed in columns),
            *(f"ANALYZE TABLE {table}" for table in tables),
        ],
    }

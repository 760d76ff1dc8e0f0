"""Loading the tables of a dataset: an operation for each, with the first question that is asked after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.answer import Column, ResultSchema
from weigh.model.operation import Case, Ingest, Operation, Workload
from weigh.workloads.user_sql import NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from weigh.workloads import Cubes

CASE = "all"
_ABOUT = "load table {} from its Parquet files, and ask the query as soon as that is done"


class TablesAlone:
    """A user's own tables without queries."""

    name = NAME
    dataset = "files"

    def build(self, truth: Cubes, seed: int) -> Workload:
        """No operation; those that load the tables come in its place."""
        return Workload(name=self.name, dataset=self.dataset, operations=())

    def expected(self, operation: str, case: Case, truth: Cubes) -> pa.Table | None:
        """Nothing is known beforehand."""
        return None


def workload(name: str, dataset: str, tables: Mapping[str, pa.Table], notice: str = "") -> Workload:
    """Loading every table.

    Args:
        name: of the workload whose data it is.
        dataset: name of the generator of that data.
        tables: the rows, by table.
        notice: what every report on that data must say.
    """
    operations = tuple(_operation(table, rows) for table, rows in tables.items())
    return Workload(name=name, dataset=dataset, operations=operations, notice=notice)


def operation_name(table: str) -> str:
    """The operation that loads a table."""
    return f"ingest_{table}"


def _operation(table: str, rows: pa.Table) -> Operation:
    from weigh.workloads.infer_schema import kind

    columns = tuple(Column(name=field.name, kind=kind(field.type)) for field in rows.schema)
    column = _integers(rows.schema)
    return Operation(
        name=operation_name(table),
        sql=_question(table, column),
        # PostgreSQL reads names that are not quoted as lower case, and so they are loaded.
        dialect={"postgres": _question(table.lower(), column.lower())},
        schema=ResultSchema(columns=columns),
        cases=(Case(name=CASE, timed=True),),
        ingest=Ingest(table=table, answer=_answer(rows, column)),
        about=_ABOUT.format(table),
    )


def _integers(schema: pa.Schema) -> str:
    """The first column of whole numbers; empty where there is none."""
    import pyarrow as pa

    return next((field.name for field in schema if pa.types.is_integer(field.type)), "")


def _question(table: str, column: str) -> str:
    """A query that every engine can answer: how many rows there are, and the ends of one column."""
    ends = f", min({_quoted(column)}) AS lowest, max({_quoted(column)}) AS highest" if column else ""
    return f"SELECT count(*) AS loaded{ends} FROM {_quoted(table)}"


def _answer(rows: pa.Table, column: str) -> tuple[int | None, ...]:
    if not column:
        return (rows.num_rows,)
    import pyarrow.compute as pc

    ends = pc.min_max(rows.column(column)).as_py()
    return rows.num_rows, ends["min"], ends["max"]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

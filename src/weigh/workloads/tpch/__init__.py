"""``tpch`` and ``tpch-dbgen``: the 22 queries of TPC-H over the data of two generators.

Texts and published answers come with the data (``docs/reference/workloads.md#tpc-h``); what a right answer looks like
is in ``tpch_schemas``. Derived from TPC-H: no refresh functions, no query streams, the validation parameters alone.
"""

from __future__ import annotations

import datetime
import decimal
import re
from typing import TYPE_CHECKING, Any

from weigh.model.errors import DataFault
from weigh.model.operation import Case, Operation, Workload
from weigh.workloads.tpch.schemas import ABOUT, SCHEMAS

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.model.answer import Column, ResultSchema
    from weigh.workloads import Cubes

_DATE = re.compile(r"CAST\(('\d{4}-\d\d-\d\d') AS date\)|date ('\d{4}-\d\d-\d\d')", re.IGNORECASE)

NOTICE = "derived from TPC-H, not comparable to published results"
"""On every report: the name is a trademark, and a result under it needs an audit."""


class Tpch:
    """The source of one of the two workloads.

    Args:
        name: of the workload.
        dataset: name of the generator of its data.
    """

    operation_names = tuple(f"q{number}" for number in SCHEMAS)

    def __init__(self, name: str, dataset: str) -> None:
        self.name = name
        self.dataset = dataset

    def build(self, truth: Cubes, seed: int) -> Workload:
        """The 22 queries in order, as the data brought them."""
        texts = dict(zip(map(int, truth["queries"]["number"]), truth["queries"]["text"], strict=True))
        operations = tuple(
            Operation(
                name=f"q{number}",
                sql=texts[number],
                schema=schema,
                cases=(Case(name="only", timed=True),),
                dialect=_plain_dates(texts[number]),
                about=ABOUT[number],
            )
            for number, schema in SCHEMAS.items()
        )
        return Workload(
            name=self.name, dataset=self.dataset, operations=operations, notice=NOTICE, witness="published answer"
        )

    def expected(self, operation: str, case: Case, truth: Cubes) -> pa.Table | None:
        """The published answer; None at other scale factors, and for what is not true of the generator's data.

        It ends at the query's limit. Nothing ties there (tests/data/test_tpch.py), so no row is missing from it.
        """
        if "answers" not in truth:
            return None
        published = dict(zip(map(int, truth["answers"]["number"]), truth["answers"]["text"], strict=True))
        number = int(operation.removeprefix("q"))
        return answer(published[number], SCHEMAS[number]) if number in published else None


def _plain_dates(text: str) -> dict[str, str]:
    """The same query for SQLite, to which a date is text: its literals are, too; only their form is changed."""
    plain = _DATE.sub(lambda found: found[1] or found[2], text)
    return {} if plain == text else {"sqlite": plain}


def answer(text: str, schema: ResultSchema) -> pa.Table:
    """A published answer as a table: a line of names, then a line for each row, cells between bars.

    Numbers that the schema calls exact were printed with all their digits. Averages and ratios are doubles printed with
    as many as tell them apart. An empty cell that is no text is NULL.

    Raises:
        DataFault: it does not have the columns of the schema.
    """
    import pyarrow as pa

    names, *lines = text.removesuffix("\n").split("\n")
    rows = [line.split("|") for line in lines]
    width = len(schema.columns)
    if any(len(row) != width for row in [names.split("|"), *rows]):
        raise DataFault(f"a published answer does not have {width} columns: {names}", remedy="make the dataset again")
    columns = [
        pa.array([_value(row[position], column) for row in rows], type=None if rows else pa.null())
        for position, column in enumerate(schema.columns)
    ]
    return pa.table(columns, names=[column.name for column in schema.columns])


def _value(cell: str, column: Column) -> Any:
    if column.kind == "string":
        return cell
    if not cell:
        return None
    if column.match == "quotient":
        return float(cell)
    if column.kind == "date":
        return datetime.date.fromisoformat(cell)
    return int(cell) if column.kind == "integer" else decimal.Decimal(cell)


tpch = Tpch("tpch", "tpchgen")
tpch_dbgen = Tpch("tpch-dbgen", "dbgen")

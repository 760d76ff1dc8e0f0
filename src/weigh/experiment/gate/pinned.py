"""Pinned answers: answers that were once trusted, kept as plain JSON alongside a workload.

A pinned answer belongs to its data: the file carries the row digest of every table, and is refused with others.
"""

from __future__ import annotations

import datetime
import decimal
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.evidence import files, whole
from weigh.model.errors import EnvironmentFault, EvidenceFault, UsageError
from weigh.workloads import FRESH

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from weigh.model.answer import Column, ResultSchema

SCHEMA = "weigh/pins/1"


class Pins(msgspec.Struct, frozen=True, kw_only=True):
    """Trusted answers.

    Attributes:
        schema: of this file.
        workload: whose operations they answer.
        digests: row digest of each table they are answers about.
        answers: rows of cells by operation and case; cells are null, booleans, integers or text.
    """

    schema: str
    workload: str
    digests: dict[str, str]
    answers: dict[str, dict[str, list[list[bool | int | str | None]]]]

    def answer(self, operation: str, case: str, schema: ResultSchema) -> pa.Table | None:
        """The answer to one case with the columns of its result schema, or None."""
        import pyarrow as pa

        rows = None if case.startswith(FRESH) else self.answers.get(operation, {}).get(case)
        if rows is None:
            return None
        columns = [
            pa.array([_value(row[position], column) for row in rows], type=None if rows else pa.null())
            for position, column in enumerate(schema.columns)
        ]
        return pa.table(columns, names=[column.name for column in schema.columns])


def write(path: Path, workload: str, digests: dict[str, str], tables: Mapping[tuple[str, str], pa.Table]) -> int:
    """Write answers by (operation, case); returns how many.

    Raises:
        EnvironmentFault: the file cannot be written.
    """
    answers: dict[str, dict[str, list[list[bool | int | str | None]]]] = {}
    for (operation, case), table in tables.items():
        if case.startswith(FRESH):
            continue  # No other run asks it.
        columns = [column.to_pylist() for column in table.columns]
        answers.setdefault(operation, {})[case] = [
            [_cell(value) for value in row] for row in zip(*columns, strict=True)
        ]
    pins = Pins(schema=SCHEMA, workload=workload, digests=digests, answers=answers)
    try:
        whole.write(path, msgspec.json.format(msgspec.json.encode(pins), indent=1) + b"\n")
    except OSError as error:
        raise EnvironmentFault(
            f"the answers cannot be pinned: {error.strerror}", where=str(path), remedy="name a file that can be written"
        ) from error
    return len(tables)


def read(path: Path, workload: str, digests: Mapping[str, str]) -> Pins:
    """Read answers pinned for this workload over this data.

    Raises:
        UsageError: the file is missing, is no such file, or belongs to another workload or other data.
    """
    remedy = "pin answers with: weigh gate --pin FILE"
    try:
        pins = files.decoded(files.named(path), Pins)
    except OSError as error:
        raise UsageError(f"no pinned answers: {error.strerror}", where=str(path), remedy=remedy) from None
    except EvidenceFault as error:
        raise UsageError(f"these are no pinned answers: {error.what}", where=str(path), remedy=remedy) from None
    if pins.schema != SCHEMA or pins.workload != workload:
        what = f"{pins.schema}, workload {pins.workload}"
        raise UsageError(f"these are answers of another kind: {what}", where=str(path), remedy=remedy)
    if pins.digests != dict(digests):
        raise UsageError(
            "these answers belong to other data (scale, seed or generator differ)", where=str(path), remedy=remedy
        )
    return pins


def _cell(value: Any) -> bool | int | str | None:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    return value.decode() if isinstance(value, bytes) else str(value)


def _value(cell: bool | int | str | None, column: Column) -> Any:
    """A cell as a value of its column's kind."""
    if cell is None or not isinstance(cell, str):
        return cell
    match column.kind:
        case "double":
            return float(cell)
        case "decimal" | "integer":
            return decimal.Decimal(cell)
        case "date" | "timestamp":
            return datetime.datetime.fromisoformat(cell)
        case _:
            return cell

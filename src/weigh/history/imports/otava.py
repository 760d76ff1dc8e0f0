"""Apache Otava's CSV: a time, a column of commits, and one column a metric (https://otava.apache.org/docs/csv)."""

from __future__ import annotations

import csv
import datetime
import io
import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from weigh.history.entry import Measured, Point
from weigh.history.imports import cells
from weigh.history.imports.cells import check_number
from weigh.model.errors import DataFault
from weigh.model.text import one_line
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.history.imports.cells import LeftOut

TIME = ("time", "timestamp", "date", "run_time")
BRANCH = "branch"
_FORMS = (
    "%Y.%m.%d %H:%M:%S %z",
    "%Y.%m.%d %H:%M:%S",
    "%Y/%m/%d %H:%M:%S %z",
    "%Y/%m/%d %H:%M:%S",
    "%Y-%m-%d %H:%M:%S %z",
)
"""Besides ISO 8601, as Otava's own examples write it."""
_MISSING = ("", "na", "n/a", "null", "none", "-")
"""Cells of what was not measured. NaN is none of them: a tool writes it of what it could not compute."""
COMMIT = ("commit", "version", "revision", "sha", "git_commit", "build")


def recognises(text: str) -> bool:
    """Whether its first line names a time."""
    first = text.lstrip("\n").partition("\n")[0].partition("\r")[0]
    head = _columns(first)
    return len(head) > 1 and any(name.lower() in TIME for name in head)


def points(text: str, name: str, left_out: LeftOut) -> dict[str, Any]:
    """The fields of an entry that the file has.

    Args:
        text: of the file.
        name: of the file, which names the series.
        left_out: takes what is no measurement.

    Raises:
        DataFault: it is no CSV, has no time or no metric, or two columns of one name.
    """
    head, rows = _rows(text, left_out)
    when = next((column for column in head if column.lower() in TIME), None)
    if when is None:
        raise DataFault("it has no column of times", remedy=f"call it one of {', '.join(TIME)}")
    if twice := next((column for column in head if column and head.count(column) > 1), None):
        raise DataFault(f"two columns are called '{twice}'", remedy="give each metric a name of its own")
    commit = next((column for column in head if column.lower() in COMMIT), None)
    branch = next((column for column in head if column.lower() == BRANCH), None)
    metrics = [
        column
        for column in head
        if column not in (when, commit, branch) and any((_number(row.get(column)) or 0) > 0 for _, row in rows)
    ]
    if not metrics:
        raise DataFault("it has no column of numbers", remedy="give one column for each metric, of numbers above zero")
    made = tuple(_points(rows, name, (when, commit, branch), metrics, left_out))
    if not made:
        raise DataFault(
            left_out.problem or "no row of it has a number",
            remedy="give numbers above zero, and times as ISO 8601 (2026-11-20T10:00:00Z) or seconds since 1970",
        )
    return {"kind": "otava", "workload": name, "at": max(point.at for point in made), "points": made}


def _rows(text: str, left_out: LeftOut) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The header, and each row with the number of its line; a row of another length is named."""
    reader = csv.reader(io.StringIO(text), delimiter=_delimiter(text.lstrip("\n").partition("\n")[0]))
    try:
        lines = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise DataFault(
            f"line {reader.line_num}: {error}", remedy="export it again: it is no CSV, or a cell of it is endless"
        ) from error
    head = [column.strip() for column in lines[0][1]] if lines else []
    for column in head:
        cells.name(column, "the name of a column")
    check_number((len(lines) - 1) * len(head))
    for line, row in lines[1:]:
        if len(row) != len(head):
            left_out.others.append(f"line {line}: {count(len(row), 'cell')} under {count(len(head), 'column')}")
    return head, [(line, dict(zip(head, row, strict=False))) for line, row in lines[1:]]


def _points(
    rows: list[tuple[int, dict[str, str]]],
    name: str,
    known: tuple[str, str | None, str | None],
    metrics: list[str],
    left_out: LeftOut,
) -> Iterator[Point]:
    when, commit, branch = known
    for number, (line, row) in enumerate(rows, 1):
        try:
            at = _time(row.get(when, ""))
            version = cells.name(row.get(commit, ""), "the commit") if commit else at
            # Commits of a branch do not follow those of another one.
            data = {BRANCH: cells.name(row.get(branch, ""), "the branch")} if branch else {}
        except (ValueError, OverflowError, OSError):
            left_out.others.append(f"line {line}: '{one_line(row.get(when, ''), 40)}' is no time of a measurement")
            continue
        except DataFault as error:
            left_out.others.append(f"line {line}: {error.what}")
            continue
        for metric in metrics:
            cell, where = row.get(metric, "").strip(), f"line {line}, {metric}"
            value = _number(cell)
            if value is None:
                if cell.lower() in _MISSING:
                    left_out.missing += metric in row
                else:
                    left_out.others.append(f"{where}: '{one_line(cell, 40)}' is no number")
            elif left_out.value(value, "", where):
                yield Point(
                    operation=metric,
                    metric="value",
                    unit="",
                    who=Measured(name=name, engine=name, version=version, data=data),
                    value=value,
                    at=at,
                    row=number,
                )


def _delimiter(head: str) -> str:
    return max(",;\t", key=head.count)


def _columns(head: str) -> list[str]:
    return [name.strip().strip('"').lstrip("\ufeff") for name in head.split(_delimiter(head))]


def _number(text: str | None) -> float | None:
    """What a cell says; None where that is no number. It may be infinite, or none that can be measured."""
    with suppress(TypeError, ValueError):
        value = float(text)  # type: ignore[arg-type]
        return None if math.isnan(value) else value
    return None


def _time(text: str) -> str:
    with suppress(ValueError):
        seconds = float(text)
        # Milliseconds since 1970 are too many seconds for any date near ours.
        return cells.written(datetime.datetime.fromtimestamp(seconds / (1000 if seconds > 1e11 else 1), datetime.UTC))
    found = None
    for form in _FORMS:
        with suppress(ValueError):
            found = datetime.datetime.strptime(text.strip(), form)
            break
    if found is None:
        found = datetime.datetime.fromisoformat(text.strip())
    # A time without a zone is one of UTC.
    return cells.written(found if found.tzinfo else found.replace(tzinfo=datetime.UTC))

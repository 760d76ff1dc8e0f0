"""CSV: columns of anybody's measurements, rows in the order in which they were measured (docs/guide/judge.md#csv).

One column is one series. With ``contender`` (or ``version``) it is a comparison; ``start`` tells which rows share a
process start.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from typing import TYPE_CHECKING

from weigh.judge.formats.reading import Reading
from weigh.judge.formats.source import UNITS
from weigh.judge.measurements import Measurements
from weigh.model import codes
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from weigh.judge.formats.source import Source
    from weigh.model.codes.code import Fixed

    Note = tuple[Fixed, str, str]

HOW = """\
# rows in the order of measurement; a start is one process life
contender,operation,start,value
old,parse,1,0.0123
new,parse,1,0.0125
new,parse,2,0.0124
old,parse,2,0.0122
# ... 10 starts of each, then: weigh judge --baseline old times.csv"""

_NAMED = "name it value, seconds, time, latency, or so that it ends in _s, _ms, _us or _ns"
WIDE = (
    f"{_NAMED}; a column for each contender is not read: write a row for each value, contender,operation,start,value "
    "(docs/guide/judge.md#csv)"
)
"""What is to be done about a table without a column of values."""
_CONTENDERS = (("contender",), ("engine", "system", "database", "version"))
"""Columns that say who it was. Those of one group say it together."""
_OPERATIONS = (("operation",), ("benchmark", "workload", "query", "name"))
"""Columns that say what was measured, likewise."""
_NAMES = {name for groups in (_CONTENDERS, _OPERATIONS) for group in groups for name in group}
_VALUE = re.compile(r"^(?:value|time|seconds|latency|(?:.+_)?(ns|us|ms|s))$")
_DIGITS = 9
"""Longer labels of starts are names, not numbers."""
_LISTED = 6
_LINES = 2
_NUMBER = re.compile(r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$")


def recognises(source: Source) -> bool:
    """A header with a known column of values, or a first line that is one number."""
    lines = source.head.splitlines()
    if not lines or source.is_json:
        return False
    if len(lines) > 1 and _NUMBER.match(lines[0].rstrip(",;")):
        return True
    names = _names(lines[0])
    single = len(names) == 1 and len(lines) > 1 and bool(_NUMBER.match(lines[1]))
    return single or any(_VALUE.match(name) for name in names)


def wide(source: Source) -> str:
    """The columns of a table that has numbers in rows as long as its header, and no column of values; else empty."""
    lines = source.head.splitlines()
    if len(lines) < _LINES or source.is_json:
        return ""
    names = _names(lines[0])
    delimiter = next((one for one in (",", ";", "\t") if one in lines[0]), ",")
    row = next(csv.reader([lines[1]], delimiter=delimiter), [])
    numbers = any(_NUMBER.match(cell.replace(",", ".")) for cell in row)
    if not all(names) or not 1 < len(names) == len(row) or not numbers:
        return ""
    return ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")


def read(source: Source) -> Reading:
    """One turn for every start, in the order of their first rows.

    Raises:
        DataFault: no column of values, or a row that does not fit.
    """
    lines = source.text.splitlines()
    if lines and _NUMBER.match(lines[0].rstrip(",;")):
        return _series(source, lines, 1, "")
    names = _names(lines[0]) if lines else []
    if len(names) == 1 and names[0] not in _NAMES:
        return _series(source, lines[1:], 2, names[0])
    value = next((name for name in names if _VALUE.match(name)), None)
    if value is None:
        raise source.fault("no column is named as one of values", remedy=WIDE if len(names) > 1 else _NAMED)
    if len(set(names)) != len(names):
        raise source.fault("two columns have the same name")
    return _table(source, lines, names, value)


def _labels(groups: tuple[tuple[str, ...], ...], names: list[str]) -> tuple[str, ...]:
    """The columns of the first group of which the file has any."""
    return next((labels for group in groups if (labels := tuple(name for name in group if name in names))), ())


def _table(source: Source, lines: list[str], names: list[str], value: str) -> Reading:
    contender, operation = _labels(_CONTENDERS, names), _labels(_OPERATIONS, names)
    found: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    turns: dict[tuple[str, str], int] = {}
    for number, row in _rows(source, lines, names):
        who, what = (" ".join(row[name] for name in columns) for columns in (contender, operation))
        start = row.get("start", "")
        turns.setdefault((who, start), len(turns))
        found[who, start, what].append(_value(source, row[value], number))
    if not found:
        raise source.fault("it has a header and no rows")
    scale = _scale(source, value)
    # Neither a contender nor starts: one series of each operation.
    series = not contender and "start" not in names
    measurements = [
        Measurements(
            contender=who,
            operation=what,
            values=source.times(values, f"column {value}", scale=scale),
            starts=1,
            turn=turns[who, start],
            series=series,
        )
        for (who, start, what), values in found.items()
    ]
    notes = [
        *_unsaid(names, contender),
        *_nobody(operation, contender, found),
        *_ignored(names, {*contender, *operation, "start", value}),
        *_gaps(found),
    ]
    ordered = sorted(measurements, key=lambda one: one.turn)
    return Reading(tuple(ordered), {}, notes=tuple(notes), events="values")


def _unsaid(names: list[str], contender: tuple[str, ...]) -> Iterator[Note]:
    if contender and "start" not in names:
        yield (
            codes.X_COLUMNS,
            "there is no column start: which rows share a process start is not known, and all of a contender count as "
            "one",
            "add a column start with the number of the process that made each row",
        )


def _nobody(
    operation: tuple[str, ...], contender: tuple[str, ...], found: Iterable[tuple[str, str, str]]
) -> Iterator[Note]:
    """Names that may have been meant as those of contenders."""
    if not contender and len({what for _, _, what in found}) > 1:
        columns = " and ".join(operation)
        yield (
            codes.X_COLUMNS,
            f"column {columns} was read as what was measured, so nothing in this file is compared",
            f"where {columns} says who it was, call the column contender; or name a second file to compare with",
        )


def _ignored(names: list[str], used: set[str]) -> Iterator[Note]:
    if left := [name for name in names if name and name not in used]:
        yield (
            codes.X_COLUMNS,
            f"not read: {count(len(left), 'column')} ({', '.join(left)}). Rows that differ only there count as alike",
            "where one of them names a contender, an operation or a process start, call it so",
        )


def _gaps(found: Mapping[tuple[str, str, str], object]) -> Iterator[Note]:
    """Starts that are numbered from 0 or 1 on, some of which nobody has."""
    labels = {start for _, start, _ in found}
    if not all(label.isascii() and label.isdigit() and len(label) < _DIGITS for label in labels):
        return
    there = {int(label) for label in labels}
    first, last = min(there), max(there)
    lost = sorted(set(range(first, last + 1)) - there) if last - first < 2 * len(there) else []
    if first <= 1 and lost:
        listed = ", ".join(map(str, lost[:_LISTED])) + (", ..." if len(lost) > _LISTED else "")
        yield (
            codes.T8_GAPS,
            f"{len(lost)} of {last - first + 1} starts are not in the file ({listed})",
            "if they failed or took too long, say so in the report: the others are the lucky ones",
        )


def _series(source: Source, lines: list[str], first: int, name: str) -> Reading:
    values = [
        _value(source, line.rstrip(",; \t"), number) for number, line in enumerate(lines, first) if line.strip(",; \t")
    ]
    if not values:
        raise source.fault("it holds no values")
    checked = source.times(values, "value", scale=_scale(source, name))
    measured = Measurements(contender="", operation="", values=checked, starts=1, turn=0, series=True)
    return Reading((measured,), {}, events="values")


def _names(line: str) -> list[str]:
    delimiter = next((one for one in (",", ";", "\t") if one in line), ",")
    return [name.strip().strip('"').strip().lower() for name in line.split(delimiter)]


def _rows(source: Source, lines: list[str], names: list[str]) -> Iterator[tuple[int, Mapping[str, str]]]:
    delimiter = next((one for one in (",", ";", "\t") if one in lines[0]), ",")
    reader = csv.reader(lines[1:], delimiter=delimiter)
    try:
        for row in reader:
            number = reader.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(names):
                raise source.fault(f"line {number} has {len(row)} columns, the header {len(names)}")
            yield number, dict(zip(names, (cell.strip() for cell in row), strict=True))
    except csv.Error as error:
        raise source.fault(f"line {reader.line_num + 1}: {error}") from None


def _value(source: Source, text: str, line: int) -> float:
    try:
        return float(text)
    except ValueError:
        raise source.fault(f"line {line}: '{text[:40]}' is not a number") from None


def _scale(source: Source, name: str) -> float:
    """Seconds of the unit of the values: the flag's, that of the column's name, or seconds."""
    match = _VALUE.match(name)
    return UNITS[source.unit or (match[1] if match else None) or "s"]

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

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from weigh.judge.formats.source import Source

HOW = """\
# rows in the order of measurement; a start is one process life
contender,operation,start,value
old,parse,1,0.0123
new,parse,1,0.0125
new,parse,2,0.0124
old,parse,2,0.0122
# ... 10 starts of each, then: weigh judge --baseline old times.csv"""

_CONTENDER = ("contender", "version")
_OPERATION = ("operation", "benchmark", "name")
_VALUE = re.compile(r"^(?:value|time|seconds|latency|(?:.+_)?(ns|us|ms|s))$")
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


def read(source: Source) -> Reading:
    """One turn for every start, in the order of their first rows.

    Raises:
        DataFault: no column of values, or a row that does not fit.
    """
    lines = source.text.splitlines()
    if lines and _NUMBER.match(lines[0].rstrip(",;")):
        return _series(source, lines, 1, "")
    names = _names(lines[0]) if lines else []
    if len(names) == 1 and not any(name in (*_CONTENDER, *_OPERATION) for name in names):
        return _series(source, lines[1:], 2, names[0])
    value = next((name for name in names if _VALUE.match(name)), None)
    if value is None:
        known = "value, seconds, time, latency, or a name that ends in _s, _ms, _us or _ns"
        raise source.fault("no column holds values", remedy=f"name it {known}")
    if len(set(names)) != len(names):
        raise source.fault("two columns have the same name")
    contender = next((name for name in _CONTENDER if name in names), "")
    operation = next((name for name in _OPERATION if name in names), "")
    return _table(source, lines, names, contender, operation, value)


def _table(source: Source, lines: list[str], names: list[str], contender: str, operation: str, value: str) -> Reading:
    found: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    turns: dict[tuple[str, str], int] = {}
    for number, row in _rows(source, lines, names):
        who, what, start = row.get(contender, ""), row.get(operation, ""), row.get("start", "")
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
    return Reading(tuple(sorted(measurements, key=lambda one: one.turn)), {}, events="values")


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

"""The end of every ``reproduce.py``: asks an engine and compares its answer with the one that is known.

``reproducer`` copies what stands between the markers into a script that holds the names declared here. It imports
nothing of weigh, so that whoever makes the engine can run it.
"""

from __future__ import annotations

import datetime
import itertools
import math
import os
import sys
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

PACKAGES: list[str] = []
TABLES: dict[str, list[str]] = {}
SETTINGS: dict[str, Any] = {}
COLUMNS: list[tuple[str, str, str, float]] = []
ORDERED_BY: list[int] = []
NULLS_OPEN: list[int] | None = None
LIMIT: int | None = None
TIMES = 1
WITNESS = ""
EXPECTED: list[tuple[Any, ...]] = []

# --- the script ---


def as_kind(value: Any, kind: str) -> Any:
    """A value in the kind of its column, in whatever type the engine gave it."""
    if isinstance(value, (bytes, bytearray)):
        value = bytes(value).decode("utf-8", "surrogateescape")
    try:
        if value is None or (kind == "decimal" and isinstance(value, float)):
            return value
        if kind in ("integer", "decimal"):
            return Decimal(str(int(value) if isinstance(value, bool) else value))
        if kind == "double":
            return float(value)
        if kind == "boolean" and value in (0, 1):
            return bool(value)
        if kind in ("date", "timestamp"):
            if isinstance(value, str):
                value = datetime.datetime.fromisoformat(value)
            elif not isinstance(value, datetime.datetime):
                value = datetime.datetime(value.year, value.month, value.day)
            return value.astimezone(datetime.UTC).replace(tzinfo=None) if value.tzinfo else value
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        pass
    return value


def same_value(a: Any, b: Any, column: tuple[str, str, str, float]) -> bool:
    """Whether two values are equal, within the tolerance of their column."""
    _, _, match, rel = column
    if a is None or b is None:
        return a is b
    try:
        numbers = float(a), float(b)
    except (TypeError, ValueError):
        return bool(a == b)
    if all(map(math.isnan, numbers)):
        return True
    if match == "exact":
        doubles = isinstance(a, float) != isinstance(b, float)
        return math.isclose(*numbers, rel_tol=1e-9) if doubles else bool(a == b)
    decimals = [value for value in (a, b) if isinstance(value, Decimal) and value.is_finite()]
    units = [float(Decimal(1).scaleb(int(value.as_tuple().exponent))) for value in decimals]
    # Rounding and truncating differ by one unit, which doubles make a little more.
    unit = max(units, default=0.0) * (1 + 1e-9) if match == "quotient" else 0.0
    return math.isclose(*numbers, rel_tol=rel, abs_tol=unit)


def differing(got: list[Any], expected: list[Any]) -> list[str]:
    """What differs, for people; nothing where the answers agree."""
    widths = {len(row) for row in got} - {len(COLUMNS)}
    if widths:
        return [f"columns: {widths.pop()}, not {len(COLUMNS)}"]
    got, expected = (
        [tuple(as_kind(value, column[1]) for value, column in zip(row, COLUMNS, strict=True)) for row in rows]
        for rows in (got, expected)
    )
    if len(got) != len(expected):
        return [f"rows: {len(got)}, not {len(expected)}"]
    if NULLS_OPEN is not None and (LIMIT is None or len(expected) < LIMIT):
        got, expected = (nulls_last(rows, ORDERED_BY) for rows in (got, expected))
    found = [
        f"row {number} in order, {COLUMNS[at][0]}: {a[at]}, not {b[at]}"
        for number, (a, b) in enumerate(zip(got, expected, strict=True), start=1)
        for at in ORDERED_BY
        if not same_value(a[at], b[at], COLUMNS[at])
    ]
    if LIMIT is not None and len(expected) == LIMIT and ORDERED_BY and not found:
        # Any row that ties with the last one may stand in its place.
        last = expected[-1]
        got, expected = (
            [row for row in rows if not all(same_value(row[at], last[at], COLUMNS[at]) for at in ORDERED_BY)]
            for rows in (got, expected)
        )
    found += [
        f"{column[0]}: {x}, not {y}"
        for a, b in zip(sorted(got, key=sort_key), sorted(expected, key=sort_key), strict=False)
        for x, y, column in zip(a, b, COLUMNS, strict=True)
        if not same_value(x, y, column)
    ]
    return found


def nulls_last(rows: list[tuple[Any, ...]], columns: list[int]) -> list[tuple[Any, ...]]:
    """Rows with NULLs behind NaNs behind all else in columns, where they lie together and their place is open."""
    if not columns or len(rows) < 2:
        return rows
    (at, *later) = columns
    placed = at not in (NULLS_OPEN or [])

    def kind(row: tuple[Any, ...]) -> int:
        return 2 if row[at] is None else int(isinstance(row[at], float) and math.isnan(row[at]))

    found: list[tuple[Any, ...]] = []
    for _, part in itertools.groupby(rows, lambda row: placed and row[at] is None):
        some = list(part)
        runs = [one for one, _ in itertools.groupby(map(kind, some))]
        if len(runs) == len(set(runs)):
            some.sort(key=kind)
        for _, equal in itertools.groupby(some, lambda row: (kind(row), 0 if kind(row) else row[at])):
            found += nulls_last(list(equal), later)
    return found


def sort_key(row: tuple[Any, ...]) -> list[str]:
    """Rows by their exact columns, then by the others."""
    texts = [f"{value:+.12e}" if isinstance(value, (float, Decimal)) else str(value) for value in row]
    return [text for text, column in zip(texts, COLUMNS, strict=True) if column[2] == "exact"] + texts


def show(ask: Any) -> int:
    """1 where an answer differs, 0 where it does not."""
    here = Path(__file__).resolve().parent
    sql = (here / "query.sql").read_text(encoding="utf-8").strip()
    tables = {name: [str(here / file) for file in files] for name, files in TABLES.items()}
    print(", ".join(f"{package} {version(package)}" for package in PACKAGES), "on", sql)
    for _ in range(TIMES):
        got = [tuple(row) for row in ask(tables, sql, SETTINGS)]
        found = differing(got, EXPECTED)
        if found:
            break
    for who, rows in (("it answers", got), (WITNESS, EXPECTED)):
        print(f"{who}:", *rows[:20], *([f"... {len(rows) - 20:,} more"] if len(rows) > 20 else []), sep="\n  ")
    print(*(f"DIFFERS {one}" for one in found[:20]), *(["AGREES"] if not found else []), sep="\n")
    return int(bool(found))


def end_now(code: int) -> None:
    """End now: engines with threads of their own may hang when they are taken down."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def no_answer(kind: Any, error: Any, trace: Any) -> None:
    """Exit code 2: no answer is not another answer."""
    sys.__excepthook__(kind, error, trace)
    end_now(2)


# --- the engine ---

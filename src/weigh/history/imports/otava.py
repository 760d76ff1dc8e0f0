"""Apache Otava's CSV: a time, a column of commits, and one column a metric (https://otava.apache.org/docs/csv)."""

from __future__ import annotations

import csv
import datetime
import io
import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from weigh.history.entry import Measured, Point
from weigh.model.errors import DataFault

if TYPE_CHECKING:
    from collections.abc import Iterator

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
COMMIT = ("commit", "version", "revision", "sha", "git_commit", "build")


def recognises(text: str) -> bool:
    """Whether its first line names a time."""
    head = _columns(text.partition("\n")[0])
    return len(head) > 1 and any(name.lower() in TIME for name in head)


def points(text: str, name: str) -> dict[str, Any]:
    """The fields of an entry that the file has.

    Args:
        text: of the file.
        name: of the file, which names the series.

    Raises:
        DataFault: it has no time, no metric, or a row whose time cannot be read.
    """
    first = text.partition("\n")[0]
    rows = list(csv.DictReader(io.StringIO(text), delimiter=_delimiter(first)))
    head = _columns(first)
    when = next((column for column in head if column.lower() in TIME), None)
    if when is None:
        raise DataFault("it has no column of times", remedy=f"call it one of {', '.join(TIME)}")
    commit = next((column for column in head if column.lower() in COMMIT), None)
    branch = next((column for column in head if column.lower() == BRANCH), None)
    metrics = [
        column
        for column in head
        if column not in (when, commit, branch) and any(_number(row.get(column)) for row in rows)
    ]
    if not metrics:
        raise DataFault("it has no column of numbers", remedy="give one column for each metric")
    made = tuple(_points(rows, name, (when, commit, branch), metrics))
    if not made:
        raise DataFault("no row of it has a number", remedy="give numbers above zero")
    return {"kind": "otava", "workload": name, "at": max(point.at for point in made), "points": made}


def _points(
    rows: list[dict[str, Any]], name: str, known: tuple[str, str | None, str | None], metrics: list[str]
) -> Iterator[Point]:
    when, commit, branch = known
    for number, row in enumerate(rows, 1):
        try:
            at = _time(str(row.get(when) or ""))
        except (ValueError, OverflowError, OSError) as error:
            raise DataFault(
                f"line {number + 1}: '{row.get(when)}' is no time",
                remedy="write ISO 8601, e.g. 2026-11-20T10:00:00Z, or seconds since 1970",
            ) from error
        version = str(row.get(commit) or "") if commit else at
        # Commits of a branch do not follow those of another one.
        data = {BRANCH: str(row.get(branch) or "")} if branch else {}
        for metric in metrics:
            if value := _number(row.get(metric)):
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


def _number(text: Any) -> float | None:
    """A number above zero; None for anything else."""
    with suppress(TypeError, ValueError):
        value = float(text)
        return value if math.isfinite(value) and value > 0 else None
    return None


def _time(text: str) -> str:
    with suppress(ValueError):
        seconds = float(text)
        # Milliseconds since 1970 are too many seconds for any date near ours.
        return _written(datetime.datetime.fromtimestamp(seconds / (1000 if seconds > 1e11 else 1), datetime.UTC))
    found = None
    for form in _FORMS:
        with suppress(ValueError):
            found = datetime.datetime.strptime(text.strip(), form)
            break
    if found is None:
        found = datetime.datetime.fromisoformat(text.strip())
    return _written(found if found.tzinfo else found.replace(tzinfo=datetime.UTC))


def _written(found: datetime.datetime) -> str:
    return found.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

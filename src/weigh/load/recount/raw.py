"""What a load measured, as tables of SQL: its runs, the intervals of each, what was counted in them, histograms."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh.evidence import files, journal
from weigh.load.recount.histogram import buckets
from weigh.model.errors import EvidenceFault
from weigh.recount.text import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

JSON = "load.json"
"""The document of a load."""
_KINDS = ("response", "service", "failed", "lag_free", "lag_late")
_ROWS = 2_000
"""Of one INSERT."""
_TABLES = {
    "run": "attempt INTEGER, arm VARCHAR, contender VARCHAR, run INTEGER, block INTEGER, loop VARCHAR, "
    "connections INTEGER, cut INTEGER, until DOUBLE, counts BOOLEAN, done BIGINT, "
    "due BIGINT, in_time BIGINT, unsent BIGINT, error_budget DOUBLE, asked DOUBLE",
    "server": "attempt INTEGER, arm VARCHAR, run INTEGER, name VARCHAR, used DOUBLE",
    "part": "attempt INTEGER, arm VARCHAR, run INTEGER, part INTEGER, from_s DOUBLE, to_s DOUBLE",
    "answer": "attempt INTEGER, arm VARCHAR, run INTEGER, part INTEGER, operation VARCHAR, answered BIGINT, "
    "errors BIGINT, timeouts BIGINT",
    "packed": "attempt INTEGER, arm VARCHAR, run INTEGER, part INTEGER, operation VARCHAR, kind VARCHAR, "
    "digits INTEGER, lowest BIGINT, held VARCHAR",
}
_SHORTEST, _LONGEST, _INTERVALS = 0.05, 1.0, 120
"""Seconds of an interval of a run that has a length of its own, and how many such a run has."""


class Steady(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of what counts of a run."""

    intervals: int


class PrintedRun(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a run in the document, to know which of its intervals count."""

    number: int
    verdict: str
    steady: Steady | None


class PrintedRuns(msgspec.Struct, frozen=True, kw_only=True):
    """The document, likewise."""

    runs: tuple[PrintedRun, ...]


class Spec(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of the spec of a load."""

    duration_s: float
    interval_s: float
    error_budget: float


class Place(NamedTuple):
    """A load in the evidence.

    Attributes:
        folder: of its journal and document.
        attempt: of the comparison; 1 of a load by itself.
        arm, contender: names of a comparison; empty of a load by itself.
    """

    folder: Path
    attempt: int = 1
    arm: str = ""
    contender: str = ""


def read(path: Path, kind: type[Any]) -> Any:
    """A document of the evidence as what it should be.

    Raises:
        EvidenceFault: there is none, or it is something else.
    """
    try:
        return files.decoded(files.content(path), kind)
    except (OSError, EvidenceFault) as error:
        raise EvidenceFault(
            f"{path.name} cannot be read: {error}",
            where=str(path.parent),
            remedy="name an attempt that ended, and was not edited",
        ) from error


def file(name: str) -> str:
    """The SQL of a file alongside this one."""
    return Path(__file__).with_name(f"{name}.sql").read_text()


def script(places: Sequence[Place], counts: Iterable[tuple[int, str, int]] | None = None) -> str:
    """The tables of loads.

    Args:
        places: the loads.
        counts: attempt, arm and number of the runs that verdicts go by; None for those that the loads' own documents
            say count.

    Raises:
        EvidenceFault: a journal or a document cannot be read.
    """
    rows: dict[str, list[str]] = {name: [] for name in _TABLES}
    chosen = None if counts is None else {*counts}
    for place in places:
        _read(place, rows, chosen)
    return "\n".join(_table(name, columns, rows[name]) for name, columns in _TABLES.items())


def table(name: str, columns: str, rows: Iterable[Sequence[Any]]) -> str:
    """The SQL that makes a table.

    Args:
        name: of it.
        columns: with their types.
        rows: their values.
    """
    return _table(name, columns, [_row(*row) for row in rows])


def _table(name: str, columns: str, rows: Sequence[str]) -> str:
    parts = [rows[first : first + _ROWS] for first in range(0, len(rows), _ROWS)]
    inserts = (f"INSERT INTO {name} VALUES\n" + ",\n".join(part) + ";" for part in parts)
    return "\n".join((f"CREATE TEMP TABLE {name}({columns});", *inserts))


def _read(place: Place, rows: dict[str, list[str]], chosen: set[tuple[int, str, int]] | None) -> None:
    spec = read(place.folder / "spec.json", Spec)
    printed = {run.number: run for run in read(place.folder / JSON, PrintedRuns).runs}
    ended: dict[int, Any] = {}
    parts: dict[int, int] = {}
    begun: dict[int, Any] = {}
    intervals: list[tuple[int, Any]] = []
    # The figures of a run are those of before anything happened to the server in it.
    happened: dict[int, float] = {}
    for event in journal.read(place.folder):
        try:
            match event.event:
                case "run":
                    begun[event.body["number"]] = event.body
                case "summary":
                    ended[event.body["run"]] = event.body
                case "interval":
                    intervals.append((event.body["run"], event.body["interval"]))
                case "crash":
                    happened.setdefault(event.body["run"], event.body["at"])
                case "window":
                    happened.setdefault(event.body["run"], event.body["from_s"])
        except (KeyError, TypeError, AttributeError) as error:
            raise _edited(place, error) from error
    counted = dict.fromkeys(happened, 0)
    try:
        for number, body in intervals:
            if number not in happened or body["to_s"] <= happened[number]:
                _interval(place, number, parts.setdefault(number, 0), body, rows)
                parts[number] += 1
                if number in happened:
                    begun[number]["duration_s"] = body["to_s"]
                    counted[number] += sum(map(_done, body["operations"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise _edited(place, error) from error
    for number in happened.keys() & ended.keys():
        whole = dict.fromkeys(("done", "scheduled", "in_time"), counted[number])
        ended[number] = {"summary": {**whole, "unsent": 0}}
    for number, run in begun.items():
        runs_printed = printed.get(number)
        own = (place.attempt, place.arm, number) in chosen if chosen is not None else bool(runs_printed)
        steady = runs_printed.steady if runs_printed else None
        summary = ended.get(number, {})
        until = _until(spec, run.get("duration_s"))
        server, account = summary.get("server") or {}, summary.get("summary") or {}
        # What was due at the moment in which it was ended early is held against nobody.
        planned = run.get("duration_s") or spec.duration_s
        stopped = account.get("seconds", planned) + (until - planned) < planned
        rows["run"].append(
            _row(
                place.attempt, place.arm, place.contender, number, run["repeat"], run["loop"], run["connections"],
                steady.intervals if steady else 0, until, own,
                account.get("done"), account.get("scheduled"),
                account.get("in_time"), 0 if stopped else account.get("unsent"), spec.error_budget, run.get("rate"),
            )
        )  # fmt: skip
        rows["server"] += [_row(place.attempt, place.arm, number, name, used) for name, used in server.items()]


def _edited(place: Place, error: Exception) -> EvidenceFault:
    return EvidenceFault(
        f"the journal does not say what weigh's journals say: {error}",
        where=str(place.folder),
        remedy="the evidence was edited",
    )


def _done(one: Any) -> int:
    """Requests that were answered or failed."""
    return int(one["count"] + sum(one.get("errors", {}).values()) + one.get("timeouts", 0))


def _until(spec: Spec, duration_s: float | None) -> float:
    """When the last whole interval of a run ends at the latest: what comes behind it is the end of the queue."""
    if duration_s is None:
        return spec.duration_s + spec.interval_s / 2
    return duration_s + min(max(duration_s / _INTERVALS, _SHORTEST), _LONGEST) / 2


def _interval(place: Place, run: int, number: int, body: Any, rows: dict[str, list[str]]) -> None:
    key = (place.attempt, place.arm, run, number)
    rows["part"].append(_row(*key, body["from_s"], body["to_s"]))
    for one in body["operations"]:
        errors = sum(one.get("errors", {}).values())
        rows["answer"].append(_row(*key, one["name"], one["count"], errors, one.get("timeouts", 0)))
        for kind in _KINDS:
            if packed := one.get(kind):
                rows["packed"].append(_row(*key, one["name"], kind, *buckets(packed)))


def _row(*values: Any) -> str:
    return f"({', '.join(map(literal, values))})"


def literal(value: Any) -> str:
    """A value as SQL writes it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return text(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "NULL"
    return str(int(value))

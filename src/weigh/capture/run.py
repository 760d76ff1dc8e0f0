"""A capture: from a source to a folder of scripts and a trace."""

from __future__ import annotations

from array import array
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.capture import folder, notes, results, trace
from weigh.capture.arrivals import fit, gap_law
from weigh.capture.entry import MARK, Tally
from weigh.capture.obfuscation import Obfuscation
from weigh.capture.screen import Screen, state
from weigh.capture.selection import Captured, selected
from weigh.capture.sorting import Sorter
from weigh.capture.sources import (
    envelopes,
    log_line_prefix,
    monitor,
    mysql_general_log,
    mysql_slow_log,
    postgres_log,
    totals,
)
from weigh.capture.sources import form as forms
from weigh.capture.sources.form import Form
from weigh.capture.sources.lines import Lines
from weigh.capture.statements import Statements
from weigh.capture.templates import template
from weigh.capture.total_values import known_values
from weigh.capture.units import Units
from weigh.host.new_folder import new_folder
from weigh.model.errors import UsageError
from weigh.obfuscation.literals import Unreplaceable
from weigh.obfuscation.mapping import Mapping
from weigh.obfuscation.results import Types

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from weigh.capture.entry import Entry, Total
    from weigh.capture.results import CaptureResults
    from weigh.capture.total_values import Columns
    from weigh.capture.trace import Product
    from weigh.model.progress import Progress

_PRODUCTS: dict[Form, Product] = {
    "postgres-log": "postgres",
    "postgres-csvlog": "postgres",
    "postgres-jsonlog": "postgres",
    "pg_stat_statements": "postgres",
    "mysql-slow-log": "mysql",
    "mysql-general-log": "mysql",
    "performance-schema": "mysql",
    "monitor": "redis",
}
_HEAD = _STAMPS = 2_000
_THRESHOLD = 0.001
"""Seconds: where no call took less, the source leaves the short ones out."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a capture.

    Attributes:
        paths: of the source's files, the oldest first.
        form: of the source; None where its first lines tell.
        prefix: ``log_line_prefix``; None where the usual ones are tried.
        encoding: of the files.
        database: whose calls are wanted; None for all.
        cover: share of calls and of time that the scripts are to be.
        top: scripts at most.
        mapping: replaces names and values; None where they stay.
        types: of the columns of the data that were replaced; None where they are not known.
    """

    paths: tuple[Path, ...]
    form: Form | None = None
    prefix: str | None = None
    encoding: str = "utf-8"
    database: str | None = None
    cover: float = 0.99
    top: int = 100
    mapping: Mapping | None = None
    types: Types | None = None

    def statements(self, product: Product, tally: Tally) -> Statements:
        """Of a source, still without one."""
        obfuscation = None if self.mapping is None else Obfuscation(self.mapping, product, self.types)
        return Statements(product, Screen(tally), tally, obfuscation)


def capture(wanted: Wanted, out: Path, progress: Progress) -> CaptureResults:
    """Read files, and write the folder.

    Args:
        wanted: what.
        out: the folder; it must not be there, or be empty.
        progress: gets how far it is.

    Raises:
        UsageError: a file cannot be read, is empty, or has another form; no call is in it; the folder is in use.
    """
    found, wrapped = forms.found(wanted.paths, wanted.encoding, wanted.form, wanted.prefix)
    product = _PRODUCTS[found]
    tally = Tally()
    with new_folder(out) as place:
        statements = wanted.statements(product, tally)
        lines: Iterable[str] = Lines(wanted.paths, wanted.encoding, tally, _counting(wanted.paths, progress))
        if wrapped:
            lines = envelopes.inside(lines, tally)
        if found in ("pg_stat_statements", "performance-schema"):
            read = totals.read(lines, tally, mysql=found == "performance-schema", database=wanted.database)
            captured = of_totals(read, statements, tally)
        else:
            captured = _of_calls(_entries(found, wanted, lines, tally, wrapped=wrapped), statements, tally, place)
        if not statements.calls:
            if found == "postgres-log" and wanted.prefix is not None and not tally.numbers["other-messages"]:
                reason = "no line begins with this log_line_prefix, or none with it is a call"
                raise UsageError(reason, where=str(wanted.paths[0]), remedy=log_line_prefix.REMEDY)
            raise UsageError(_nothing(found, tally), where=str(wanted.paths[0]), remedy=_WITHOUT[product])
        return folder.write(place, selected(captured, wanted.cover, wanted.top, found, _names(wanted)), captured)


def capture_totals(
    read: Iterable[Total],
    name: str,
    wanted: Wanted,
    out: Path,
    length_s: float | None,
    columns: Columns,
    remarks: Sequence[str],
) -> CaptureResults:
    """The same of the totals of a server.

    Args:
        read: its totals.
        name: of the server, without a password.
        wanted: what; its paths mean nothing.
        out: the folder.
        length_s: for how long the server has counted; None where it does not say.
        columns: what it knows of the values of columns.
        remarks: what else it reports.
    """
    tally = Tally()
    with new_folder(out) as place:
        statements = wanted.statements("postgres", tally)
        captured = of_totals(read, statements, tally, columns)
        captured.notes.extend(remarks)
        captured.counted_s = length_s
        if not statements.calls:
            raise UsageError(
                "pg_stat_statements has no calls of this database",
                where=name,
                remedy="let the application work a while",
            )
        found = selected(captured, wanted.cover, wanted.top, "pg_stat_statements", (name,))
        return folder.write(place, found, captured)


def _of_calls(entries: Iterable[Entry], statements: Statements, tally: Tally, place: Path) -> Captured:
    """Calls one by one."""
    obfuscation, screen = statements.obfuscation, statements.screen
    units = Units(tally, images=obfuscation is not None)
    shortest = float("inf")
    stamps = array("d")
    knows = {"session": False, "duration": False, "rows": False, "parameters": False}
    literal = bound = 0
    with Sorter(place) as sorter:
        for entry in entries:
            if MARK in entry.text:
                tally.add("own")
                continue
            found = statements.of(entry)
            if found is None:
                continue
            number, values, redacted = found
            if len(stamps) < _STAMPS:
                stamps.append(entry.at + (entry.duration_s or 0.0))
            if entry.duration_s is not None:
                shortest = min(shortest, entry.duration_s)
            knows["session"] |= bool(entry.session)
            knows["duration"] |= entry.duration_s is not None
            knows["rows"] |= entry.rows is not None
            knows["parameters"] |= bool(values)
            bound += bool(entry.bound)
            literal += bool(values) and not entry.bound
            sorter.add(
                trace.Call(
                    at_s=entry.at,
                    session=obfuscation.session(entry.session) if obfuscation else screen.session(entry.session),
                    statement=number,
                    parameters=values,
                    duration_s=entry.duration_s,
                    rows=entry.rows,
                    error=state(entry.error),
                    redacted=redacted,
                )
            )
            units.add(
                entry.session,
                number,
                statements.templates[number],
                values,
                entry.at,
                entry.duration_s,
                failed=entry.error is not None,
            )
        units.end()
        header = _trace(place, sorter, statements, tuple(name for name, known in knows.items() if known))
    moments = np.frombuffer(units.arrivals) if units.arrivals else np.zeros(0)
    pauses = np.frombuffer(units.thinking) if units.thinking else np.zeros(0)
    timeless = bool(tally.numbers["no-moment"])
    captured = Captured(
        statements=statements,
        units=list(units),
        tally=tally,
        protocol="prepared" if bound > literal else "simple",
        arrivals=None if timeless else fit(moments, np.frombuffer(stamps) if stamps else None),
        header=header,
        sessions=units.sessions if knows["session"] else None,
        transactions=units.transactions,
        counted_s=header.length_s if header and not timeless else None,
    )
    if len(pauses) and knows["session"] and knows["duration"]:
        captured.thinking = _thinking(pauses)
    if knows["duration"] and statements.timed >= 50 and shortest >= _THRESHOLD:
        captured.notes.append(
            f"no call took less than {shortest * 1e3:.3g} ms: the source leaves short calls out, and the weights are "
            "those of the long ones (log_min_duration_statement = 0, long_query_time = 0 write all)"
        )
    captured.notes += notes.partial(units)
    captured.notes += notes.redacted(statements)
    if not knows["duration"]:
        captured.notes.append("the source has no durations: coverage is of calls alone")
    return captured


def _thinking(pauses: NDArray[np.float64]) -> results.Thinking:
    law, p_value = gap_law(pauses)
    return results.Thinking(
        number=len(pauses),
        median_s=float(np.median(pauses)),
        mean_s=float(pauses.mean()),
        law=law,
        p_value=p_value,
    )


def _trace(place: Path, sorter: Sorter, statements: Statements, knows: tuple[str, ...]) -> trace.Header | None:
    """Write the trace, with moments that count from its first call."""
    calls = sorter.calls()
    first = next(calls, None)
    if first is None:
        return None
    begun = first.at_s
    writer = trace.Writer(place / trace.FILE)
    writer.write(msgspec.structs.replace(first, at_s=0.0))
    last = 0.0
    for call in calls:
        last = call.at_s - begun
        writer.write(msgspec.structs.replace(call, at_s=last))
    header = trace.Header(
        product=statements.product,
        # Dates of the data were moved: who knows when this was would know by how much.
        begun=None if statements.obfuscation else _moment(begun),
        calls=writer.number,
        length_s=last,
        statements=tuple(statements.statements),
        knows=knows,
        clock="answered-less-duration" if "duration" in knows else "received",
    )
    writer.close(header)
    return header


def _moment(epoch: float) -> str | None:
    """ISO 8601; None of what is no year of the calendar."""
    try:
        return datetime.fromtimestamp(epoch, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def of_totals(read: Iterable[Total], statements: Statements, tally: Tally, columns: Columns | None = None) -> Captured:
    """Totals of statements, which have no moments, no sessions and no transactions.

    Args:
        read: the totals.
        statements: gets them.
        tally: of what is left out.
        columns: what the server knows of the values of columns; None where nobody knows.
    """
    units = Units(tally, images=statements.obfuscation is not None)
    for one in read:
        if MARK in one.text:
            tally.add("own", one.calls)
            continue
        statements.count(one.calls, one.time_s)
        try:
            found, places = template.of_sql(one.text, statements.product)
        except template.Unreadable:
            tally.add("unreadable", one.calls)
            continue
        given = known_values(one, found, places, statements.product, columns)
        given, redacted = statements.screen.distributions(found, given, sample=one.sample)
        if not statements.admitted(found, one.calls, suspicious=redacted):
            continue
        number = statements.number(found, places, one.calls)
        if number is not None:
            statements.total(number, one.calls, one.time_s, one.rows, redacted=redacted)
            if statements.obfuscation is not None:
                try:
                    given = statements.obfuscation.distributions(found, places, given)
                except Unreplaceable:
                    tally.add("unreplaceable", one.calls)
                    continue
            units.total(number, found, one.calls, one.time_s, given)
    return Captured(
        statements=statements,
        units=list(units),
        tally=tally,
        protocol="prepared",
        arrivals=None,
        header=None,
        notes=[
            *notes.redacted(statements),
            "totals have no moments: the arrivals, the sessions and which statements are one transaction are not "
            "known; a log tells them",
        ],
    )


def _entries(found: Form, wanted: Wanted, lines: Iterable[str], tally: Tally, *, wrapped: bool) -> Iterator[Entry]:
    database = wanted.database
    match found:
        case "postgres-csvlog":
            return postgres_log.csvlog(lines, database, tally)
        case "postgres-jsonlog":
            return postgres_log.jsonlog(lines, database, tally)
        case "mysql-slow-log":
            return mysql_slow_log.read(lines, database, tally)
        case "mysql-general-log":
            return mysql_general_log.read(lines, database, tally)
        case "monitor":
            return monitor.read(lines, database, tally)
    prefix = wanted.prefix
    if prefix is None:
        head: Iterable[str] = islice(Lines(wanted.paths[:1], wanted.encoding, Tally()), _HEAD)
        prefix = log_line_prefix.found(envelopes.inside(head, Tally()) if wrapped else head)
    return postgres_log.stderr(lines, prefix, database, tally)


_WITHOUT: dict[Product, str] = {
    "postgres": "set log_min_duration_statement = 0 on the server (or log_statement = 'all' with log_duration), let "
    "the application work, and capture again",
    "mysql": "set slow_query_log = ON and long_query_time = 0, let the application work, and capture again",
    "redis": "let `valkey-cli monitor > FILE` run while the application works",
}


def _nothing(found: Form, tally: Tally) -> str:
    counted = ", ".join(f"{number} {reason}" for reason, number in tally.numbers.most_common(3))
    return f"there is no call in it ({forms.FORMS[found]}{': ' + counted if counted else ''})"


def _names(wanted: Wanted) -> tuple[str, ...]:
    return tuple(path.name for path in wanted.paths)


def _counting(paths: Sequence[Path], progress: Progress) -> Callable[[int], None]:
    """Tells how many bytes were read, of compressed files more than they have."""
    total = sum(path.stat().st_size for path in paths if path.is_file())
    done = 0

    def count(read: int) -> None:
        nonlocal done
        done += read
        progress.step(min(done, total), total, "bytes")

    return count

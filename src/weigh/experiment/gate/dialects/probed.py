"""How an engine takes what SQL leaves open: asked of constants, so that an honest answer is known from a wrong one."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

import pyarrow as pa

from weigh.answers import constructs
from weigh.answers.constructs import rounding, wholes
from weigh.answers.constructs.comparisons import ALL, ordering_columns
from weigh.answers.constructs.limits import FIRST_YEAR, LAST_YEAR
from weigh.data.data_values import names, zoned
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate.dialects import widths

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from weigh.data.data_values import DataValues
    from weigh.engines.engine import Engine
    from weigh.experiment.gate.queries import QuerySession

_DOUBLE = 64
_WORD = re.compile(r"\w+")
_PROBE_OF = {
    constructs.SINGLE: "single",
    constructs.QUOTIENT: "quotient",
    constructs.DAY: "days",
    constructs.LISTED: "listed",
    constructs.ZONE: "zone",
    constructs.SKIPPED: "skipped",
    constructs.UUIDS: "uuids",
    constructs.NAMED: "named",
}
"""What an engine is asked where a construct of the data may be taken differently."""
_IN_UTC = "12; 12; 12"
"""Its answer to ``zone`` where it reads moments in UTC."""
_UTC = ("UTC", "Etc/UTC", "Z", "+00:00")


def ways(session: QuerySession, queries: Iterable[str]) -> dict[str, str]:
    """How an engine takes the constructs of some queries, by key of the construct; without those it cannot answer.

    Args:
        session: asks it.
        queries: the SQL of what the contenders are asked.
    """
    keys = {one.key for sql in queries for one in constructs.of(sql)}
    if any(" order by " in f" {' '.join(sql.lower().split())} " for sql in queries):
        keys.add("nulls")
    if any(key.startswith(constructs.SIGNED) for key in keys):
        keys.add("zeros")
    for begin, probe in _PROBE_OF.items():
        if any(key.startswith(begin) for key in keys):
            keys.add(probe)
    keys |= {constructs.fraction_base(key) for key in keys} - {""}
    if any(map(rounding.columns, queries)):
        keys.add(rounding.NARROW_SUM)
    found = {}
    for key, probes in constructs.PROBES.items():
        if key not in keys:
            continue
        try:
            found[key] = "; ".join(_answer(session, f"SELECT {probe}") for probe in probes)
        except WorkerEnded:
            continue
    return found


def data_ways(
    contender: str, engine: Engine, queries: Iterable[str], data: DataValues, probed: Mapping[str, str]
) -> dict[str, str]:
    """What an engine may take in a way of its own because of values that the data has, by key of the construct.

    Args:
        contender: its name.
        engine: what it has no value for.
        queries: the SQL of what the contenders are asked.
        data: the values.
        probed: what :func:`ways` found.
    """
    queries = list(queries)
    queries += widths.in_64_bits(queries, data)
    return (
        merged(engine, queries, data)
        | compared(contender, engine, queries, data, probed)
        | of_halves(contender, engine, queries, data)
        | summed(queries, data)
        | widths.taken(contender, queries, data, probed)
        | widths.reaching(queries, data)
        | of_wholes(queries, data)
        | ordered(queries, data)
    )


def of_widths(session: QuerySession, queries: Iterable[str], data: DataValues) -> dict[str, str]:
    """How an engine takes integers that overflow, asked where integers of the data may, by key of the probe."""

    @cache
    def ask(sql: str) -> str | None:
        try:
            return _answer(session, sql)
        except WorkerEnded:
            return None

    return widths.probed(ask, queries, data)


def merged(engine: Engine, queries: Iterable[str], data: DataValues) -> dict[str, str]:
    """Columns that queries name and in which an engine has one value for two of the data's, such as NULL for NaN.

    Args:
        engine: what it has no value for.
        queries: the SQL of what the contenders are asked.
        data: the values.
    """
    found = []
    for table, field in _read(queries, data) if {"nan", "nested"}.intersection(engine.lacks) else ():
        nested = pa.types.is_nested(field.type)
        lacks = "nested" in engine.lacks and nested and data.null(table, field)
        if lacks or ("nan" in engine.lacks and not nested and data.values(table, field).nan):
            found.append(f"{table}.{field.name}")
    return {constructs.MERGED: "\n".join(found)} if found else {}


def compared(
    contender: str,
    engine: Engine,
    queries: Iterable[str],
    data: DataValues,
    probed: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """What an engine may take in its own way, by column: NaN, -0.0, 32-bit floats, decimals, moments."""
    queries = list(queries)
    wanted = {one.key for sql in queries for one in constructs.of(sql) if one.key.startswith(constructs.OF_DATA)}
    zeros = (probed or {}).get("zeros")
    single, quotient = ((probed or {}).get(probe, contender) for probe in ("single", "quotient"))
    days, lists = ((probed or {}).get(probe, contender) for probe in ("days", "listed"))
    skipped, uuids, named = (
        (probed or {}).get(probe, usual) for probe, usual in (("skipped", "None"), ("uuids", "1"), ("named", "1; 1; 2"))
    )
    moments = contender if "moments" in engine.lacks else "moments"
    utc = (probed or {}).get("zone") == _IN_UTC
    found: dict[str, str] = {}
    for table, field in _read(queries, data) if wanted else ():
        values = data.values(table, field)
        narrow = pa.types.is_floating(field.type) and field.type.bit_width < _DOUBLE
        for name in (*names(field), ALL):
            found |= {f"{constructs.SINGLE}{name}": single} if narrow else {}
            found |= {f"{constructs.QUOTIENT}{name}": quotient} if pa.types.is_decimal(field.type) else {}
            found |= {f"{constructs.MOMENT}{name}": moments} if _dated(field.type) else {}
            # In a column of UTC whose session is in UTC, too, there is no other clock to read.
            zone = _IN_UTC if utc and getattr(field.type, "tz", "") in _UTC else contender
            found |= {f"{constructs.ZONE}{name}": zone} if zoned(field.type) else {}
            found |= {f"{constructs.NAN}{name}": contender} if values.nan else {}
            found |= {f"{constructs.UUIDS}{name}": uuids} if _is_uuid(field.type) else {}
            found[f"{constructs.NAMED}{name}"] = named
            if f"{constructs.SKIPPED}{name}" in wanted and data.null(table, field):
                found[f"{constructs.SKIPPED}{name}"] = skipped
            if f"{constructs.DAY}{name}" in wanted and data.beyond(table, field, FIRST_YEAR, LAST_YEAR):
                found[f"{constructs.DAY}{name}"] = days
            if f"{constructs.LISTED}{name}" in wanted and data.memberless(table, field):
                found[f"{constructs.LISTED}{name}"] = lists
            found |= {f"{constructs.ZERO}{name}": contender} if values.negative_zero else {}
            found |= (
                {f"{constructs.SIGNED}{name}": zeros} if zeros and (values.negative or values.negative_zero) else {}
            )
    return {key: way for key, way in found.items() if key in wanted}


def of_halves(contender: str, engine: Engine, queries: Iterable[str], data: DataValues) -> dict[str, str]:
    """That an engine without decimals rounds those of the data in its own way: 0.15 is less than that as a double."""
    lacks = "decimals" in engine.lacks and any(pa.types.is_decimal(field.type) for _, field in _read(queries, data))
    return dict.fromkeys(("round", "decimal", rounding.DOUBLES), contender) if lacks else {}


def summed(queries: Iterable[str], data: DataValues) -> dict[str, str]:
    """How large numbers are that queries sum: of floats, and of integers of 64 bits, whose mean is a float."""
    queries = list(queries)
    wanted = {name for sql in queries for name in rounding.columns(sql)}
    found: dict[str, tuple[int, float, int]] = {}
    for table, field in _read(queries, data) if wanted else ():
        wide = pa.types.is_floating(field.type) or (pa.types.is_integer(field.type) and field.type.bit_width == 64)
        name = field.name.lower()
        if name in wanted and wide and (size := data.size(table, field)):
            rows, largest, bits = found.get(name, (0, 0.0, 64))
            found[name] = max(rows, size[0]), max(largest, size[1]), min(bits, field.type.bit_width)
    return {f"{rounding.ROUNDING}{name}": rounding.size_of(*size) for name, size in found.items()}


def of_wholes(queries: Iterable[str], data: DataValues) -> dict[str, str]:
    """Casts, roundings and remainders that are of integers, by key of the construct: everybody takes them alike."""
    found: dict[str, str] = {}
    for sql in queries:
        wanted = {one.key for one in constructs.of(sql) if one.key.startswith(constructs.FRACTION)}
        texts = wholes.texts(sql, _integers(wholes.read_by(sql), data)) if wanted else set()
        whole = _integers(wholes.divided(sql), data) if wanted else {}
        known = frozenset(name for name, one in whole.items() if one)
        texts |= wholes.remainders(sql, widths.ranges(known, data)) if wanted else set()
        for key in wanted:
            if key.removeprefix(f"{constructs.FRACTION}{constructs.fraction_base(key)} ") in texts:
                found[key] = "whole"
    return found


def ordered(queries: Iterable[str], data: DataValues) -> dict[str, str]:
    """Queries that put in order columns without NULL alone: where an engine has those changes nothing in them."""
    found: dict[str, str] = {}
    for sql in queries:
        wanted = ordering_columns(sql) or frozenset[str]()
        fields = [(table, field) for table, field in data.fields() if field.name.lower() in wanted]
        known = wanted.issubset(field.name.lower() for _, field in fields)
        if fields and known and all(data.complete(table, field) for table, field in fields):
            found[f"{constructs.ORDERED}{sql}"] = "no NULL"
    return found


def _integers(wanted: frozenset[str], data: DataValues) -> dict[str, bool]:
    """Of columns and members by name, whatever table they are of: whether all have integers."""
    found: dict[str, bool] = {}
    for _, field in data.fields():
        if names(field) & wanted:
            found |= {name: found.get(name, True) and pa.types.is_integer(field.type) for name in names(field)}
    return found


def without_data_ways(ways: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """The ways that are an engine's whatever the data is."""
    whole = constructs.FRACTION, constructs.ORDERED, constructs.REACH
    begins = (*constructs.OF_DATA, *whole, constructs.MERGED, rounding.ROUNDING)
    return {name: {key: way for key, way in each.items() if not key.startswith(begins)} for name, each in ways.items()}


def _read(queries: Iterable[str], data: DataValues) -> Iterator[tuple[str, pa.Field]]:
    """Tables and their columns that queries name, or read whole."""
    words = {word.lower() for sql in queries for word in _WORD.findall(sql)}
    whole = any("*" in sql for sql in queries)
    for table, field in data.fields():
        if table.lower() in words and (whole or names(field) & words):
            yield table, field


def _is_uuid(kind: pa.DataType) -> bool:
    return getattr(kind, "extension_name", "") == "arrow.uuid"


def _dated(kind: pa.DataType) -> bool:
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def _answer(session: QuerySession, sql: str) -> str:
    """The first value of an answer, in one form for all types."""
    table = session.ask(sql).table
    value = table.column(0)[0].as_py() if table.num_rows and table.num_columns else None
    return f"{float(value):.12g}" if isinstance(value, (bool, int, float, Decimal)) else str(value)

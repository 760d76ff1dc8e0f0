"""How an engine takes integer arithmetic that leaves the width of its columns: asked where the data lets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from weigh.answers import constructs
from weigh.answers.constructs import reach, width_cells, width_probes
from weigh.answers.constructs.widened import widened
from weigh.answers.constructs.widths import Overflow, Range, Width, columns, hull, overflows
from weigh.data.data_values import names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from weigh.data.data_values import DataValues


def probed(ask: Callable[[str], str | None], queries: Iterable[str], data: DataValues) -> dict[str, str]:
    """What an engine gives for each operation of some queries that may overflow over the data, by key of the probe.

    Args:
        ask: the first value of its answer to a query, or None where it refuses.
        queries: the SQL of what the contenders are asked.
        data: the values.
    """
    kinds = {kind for each in _overflows(queries, data).values() for kind in each}
    answers = {width_probes.key_of(one): width_probes.probe(one, ask) for one in sorted(kinds)}
    return {key: answer for key, answer in answers.items() if answer is not None}


def taken(contender: str, queries: Iterable[str], data: DataValues, found: Mapping[str, str]) -> dict[str, str]:
    """How an engine takes the arithmetic of some queries that may overflow over the data, by key of the construct.

    Args:
        contender: its name, which stands for what it could not be asked.
        queries: the SQL of what the contenders are asked.
        data: the values.
        found: what :func:`probed` found.
    """
    return {
        f"{constructs.WIDTH}{sql}": width_cells.described(
            {one: found.get(width_probes.key_of(one)) for one in kinds}, contender
        )
        for sql, kinds in _overflows(queries, data).items()
    }


def reaching(queries: Iterable[str], data: DataValues) -> dict[str, str]:
    """How far the integers of answers go by the data, for each query by its SQL."""
    return {
        f"{constructs.REACH}{sql}": reach.described(sql, ranges(reach.columns(sql) | columns(sql), data))
        for sql in queries
    }


def in_64_bits(queries: Iterable[str], data: DataValues) -> list[str]:
    """Queries whose integers may leave their types, in the form in which they are asked once more."""
    asked = ((sql, columns(sql)) for sql in queries)
    return [text for sql, wanted in asked if wanted and (text := widened(sql, ranges(wanted, data)))]


def _overflows(queries: Iterable[str], data: DataValues) -> dict[str, set[Overflow]]:
    found: dict[str, set[Overflow]] = {}
    for sql in queries:
        wanted = columns(sql)
        for text, kinds in overflows(sql, ranges(wanted, data)).items() if wanted else ():
            found.setdefault(text, set()).update(kinds)
    return found


def ranges(wanted: frozenset[str], data: DataValues) -> dict[str, Range]:
    """Of columns of numbers by name, whatever table they are of."""
    found: dict[str, Range] = {}
    for table, field in data.fields():
        for name in names(field) & wanted:
            one = _range(table, field, name, data)
            if one is not None:
                found[name] = hull(filter(None, [found.get(name), one])) or one
    return found


def _range(table: str, field: pa.Field, name: str, data: DataValues) -> Range | None:
    kind = field.type
    if pa.types.is_nested(kind):
        # Of members no minimum is read: they may be anything that their type has.
        members = [member for member in _leaves(kind, name) if pa.types.is_integer(member)]
        return hull(Range(*_width(member).ends, (_width(member),)) for member in members)
    if pa.types.is_integer(kind):
        ends = data.ends(table, field)
        return Range(ends[1], ends[2], (_width(kind),), rows=ends[0]) if ends else None
    size = data.size(table, field) if pa.types.is_floating(kind) else None
    return Range(-size[1], size[1], (), whole=False, rows=size[0]) if size else None


def _width(kind: pa.DataType) -> Width:
    return Width(kind.bit_width, pa.types.is_signed_integer(kind))


def _leaves(kind: pa.DataType, name: str) -> list[pa.DataType]:
    """Types of the members of a name in a nested type."""
    found = []
    for at in range(kind.num_fields):
        inside = kind.field(at)
        found += [inside.type] if inside.name.lower() == name else []
        found += _leaves(inside.type, name) if pa.types.is_nested(inside.type) else []
    return found

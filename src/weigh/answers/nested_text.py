"""Text for lists, maps and structs: read where it is JSON or like it, or equal to what engines print of them."""

from __future__ import annotations

import ast
import decimal
import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from weigh.answers import texts

if TYPE_CHECKING:
    from weigh.answers.families import Family

Value = Any
Read = Callable[[Value], Value]
_POSTGRES_ARRAY = re.compile(r"\{(?:[-+.\w]+|[{},])*\}")
_LEAVES = {"null", "boolean", "integer", "text"}
"""What is written alike in JSON by everybody; of other members a text may be right and written otherwise."""


def number(value: Value) -> Value:
    """A number, and whatever else it is, by value: a whole decimal is an integer."""
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else value.normalize(decimal.Context(prec=100))
    return value


def json_value(text: str) -> Value:
    """A JSON text by value: members in the order of their names."""
    try:
        return json.dumps(json.loads(text), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        raise texts.NotThat(text) from None


def json_without_null(text: str) -> Value:
    """The same without members that are null."""

    def dense(value: Value) -> Value:
        if isinstance(value, dict):
            return {key: dense(inner) for key, inner in value.items() if inner is not None}
        return list(map(dense, value)) if isinstance(value, list) else value

    return json.dumps(dense(json.loads(json_value(text))), sort_keys=True)


def order(names: tuple[str, ...], others: tuple[str, ...]) -> tuple[int, ...]:
    """Where each member of a struct stands in another one; each at its own place where the names do not tell."""
    places = {name.lower(): at for at, name in enumerate(others)}
    if len(places) == len(names) and {name.lower() for name in names} == places.keys():
        return tuple(places[name.lower()] for name in names)
    return tuple(range(len(names)))


def forms(one: Family) -> list[tuple[Read, Read, bool]]:
    """The forms in which lists, maps or structs and somebody's text for them become equal.

    Args:
        one: family of the values for which text was given.

    Returns:
        For each form what reads a value, what reads a text, and whether it leaves all of them open.
    """
    # Where members may be right and written otherwise, what is not equal is not compared.
    unread = _no_json if _sure(one) else lambda _: ""
    return [
        (_written(one), lambda text: _read(_parsed(text), one), False),
        (lambda value: _printed(value, one), lambda text: text, False),
        (lambda _: "", unread, True),
    ]


def _sure(part: Family) -> bool:
    return all(inner.name in _LEAVES or _sure(inner) if inner.parts else inner.name in _LEAVES for inner in part.parts)


def _no_json(text: str) -> str:
    """Nothing, of a text that is no JSON: there is no telling where a member ends."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return ""
    raise texts.NotThat(text)


def _written(of: Family) -> Read:
    """A nested value as it is read of JSON."""

    def write(value: Value, part: Family) -> Value:
        if value is None:
            return None
        if part.name == "list":
            return tuple(write(one, part.parts[0]) for one in value)
        if part.name == "map":
            pairs = ((str(write(key, part.parts[0])), write(item, part.parts[1])) for key, item in value)
            return tuple(sorted(pairs, key=repr))
        if part.name == "struct":
            return tuple(write(one, inner) for one, inner in zip(value, part.parts, strict=True))
        return number(value) if part.name in ("integer", "decimal") else str(value) if part.name == "text" else value

    return lambda value: write(value, of)


def _printed(value: Value, of: Family) -> str:
    """A nested value as DuckDB prints it: ``{'a': 1, 'b': x}``, ``[1, NULL]``, ``{k=1}``."""
    if value is None:
        return "NULL"
    if of.name == "list":
        return f"[{', '.join(_printed(one, of.parts[0]) for one in value)}]"
    if of.name == "map":
        key, item = of.parts
        return f"{{{', '.join(f'{_printed(one, key)}={_printed(two, item)}' for one, two in value)}}}"
    if of.name == "struct":
        members = zip(of.names, value, of.parts, strict=True)
        printed = [f"'{name}': {_printed(one, part)}" for name, one, part in members]
        return f"{{{', '.join(printed)}}}"
    return str(value).lower() if of.name == "boolean" else str(value)


def _parsed(text: str) -> Value:
    """A list, map or struct in JSON, as Python writes it, or as PostgreSQL writes an array."""
    if _POSTGRES_ARRAY.fullmatch(text):
        text = text.translate({ord("{"): "[", ord("}"): "]"}).replace("NULL", "null")
    try:
        found = json.loads(text, parse_float=decimal.Decimal)
    except (ValueError, RecursionError):
        try:
            found = ast.literal_eval(text.replace("NULL", "None"))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            raise texts.NotThat(text) from None
    if not isinstance(found, (list, tuple, dict)):
        raise texts.NotThat(text)
    return found


def _read(value: Value, of: Family) -> Value:
    """What was parsed, as :func:`_written` has it."""
    if isinstance(value, (set, frozenset)):
        raise texts.NotThat(value)
    if isinstance(value, dict) and of.name == "map":
        pairs = ((str(key), _read(item, of.parts[1])) for key, item in value.items())
        return tuple(sorted(pairs, key=repr))
    if isinstance(value, dict):
        places = order(of.names, tuple(map(str, value)))
        members = list(value.values())
        value = [members[at] for at in places] if len(members) == len(places) else members
    if not isinstance(value, (list, tuple)):
        return number(value)
    if of.name == "map":
        pairs = ((str(key), _read(item, of.parts[1])) for key, item in value)
        return tuple(sorted(pairs, key=repr))
    parts = of.parts if of.name == "struct" and len(of.parts) == len(value) else of.parts[:1] * len(value)
    return tuple(_read(one, part) for one, part in zip(value, parts, strict=True))

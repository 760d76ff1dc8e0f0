"""Values of statements: what stands in a text, and what was sent alongside it."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from weigh.obfuscation.mapping import Mapping

Role = Literal["value", "number", "text", "year", "name", "count", "kept", "id"]
"""What a value is for: of the data; of a column of numbers, texts or identifiers, where that is known; a year; the name
of a table; how many rows or where; or a unit, a form, a factor."""

_NUMERIC = re.compile(r"[+-]?\s*(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?")
_QUOTED = re.compile(r"(?s)([NnEe]?')(.*)'|(\")(.*)\"|\$\w*\$(.*)\$\w*\$")
_BOOLEANS = frozenset(("t", "f", "true", "false"))
_BYTES = re.compile(r"\\x((?:[0-9a-fA-F]{2})*)")
_NUMBERS = re.compile(r"\{[-+\d.,NULnul\s]*\}")
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?!\d).*")
_SIGNIFICANT = 5
"""Digits from which on a number is a value, wherever it stands."""
_RUN = re.compile(r"%[a-zA-Z]|[^\W\d_]+|\d+")
_HARMLESS = re.compile(
    r"%[a-z]|(?:(?:micro|milli)?seconds?|(?:micros|millis|secs?|mins?|mons?)|minutes?|hours?|days?|weeks?|months?|quarter|years?|"
    r"decades?|century|millennium|epoch|dow|doy|isodow|isoyear|ago|utc|gmt)|"
    r"(?:yyyy|yyy|yy|y|iyyy|mm|month|mon|ddd|dd|day|dy|d|hh24|hh12|hh|mi|ss|ms|us|am|pm|tzh|tzm|tz|of|ww|iw|cc|q|fm|th|t|z|p|"
    r"s|m|h|g)+",
    re.IGNORECASE,
)
"""Words of units, and of the forms of dates and numbers."""
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "0": "\0", "Z": "\x1a"}
_ESCAPED = re.compile(r"(?s)\\(.)")


class Unreplaceable(ValueError):
    """Something that cannot be replaced, and may not stay."""


def literal(text: str, role: Role, mapping: Mapping, *, escapes: bool = False) -> str:
    """What a literal becomes, as it stands in a text.

    Args:
        text: with its quotes.
        role: of it.
        mapping: decides.
        escapes: whether a backslash means something in all texts, as in MySQL.

    Raises:
        Unreplaceable: it has a form that cannot be replaced.
    """
    if _NUMERIC.fullmatch(text):
        return _number(text, role, mapping)
    found = _QUOTED.fullmatch(text)
    if found is None:
        raise Unreplaceable
    if found[5] is not None:
        # What stands between the signs may be a name.
        return "'" + _text(found[5], role, mapping).replace("'", "''") + "'"
    head, body = (found[1], found[2]) if found[1] else (found[3], found[4])
    quote = head[-1]
    escaped = "\\" in body and (escapes or head[0] in "eE")
    if escaped:
        if re.search(r"\\[xuU0-9]", body):
            raise Unreplaceable
        body = _ESCAPED.sub(lambda one: _ESCAPES.get(one[1], one[1]), body)
    made = _text(body.replace(quote * 2, quote), role, mapping).replace(quote, quote * 2)
    if escapes or head[0] in "eE":
        made = made.replace("\\", "\\\\")
    return head + made + quote


def bound(text: str | None, role: Role, mapping: Mapping) -> str | None:
    """What becomes of a value that was sent alongside a text, where numbers and truth values are texts too.

    Raises:
        Unreplaceable: it cannot be replaced.
    """
    if text is None or (text.lower() in _BOOLEANS and role != "text"):
        return text
    if len(text) > 1 and text[0] == text[-1] == "'":
        # Some sources write bound values as SQL does.
        return "'" + (bound(text[1:-1].replace("''", "'"), role, mapping) or "").replace("'", "''") + "'"
    if _NUMERIC.fullmatch(text) and role != "text":
        # A leading zero is of a code, and not of a number.
        code = role == "value" and text[:1] == "0" and text[1:2].isdigit()
        return mapping.text(text) if code else _number(text, role, mapping)
    return _text(text, role if role in ("kept", "year", "name") and _is_harmless(text) else "value", mapping)


def _number(text: str, role: Role, mapping: Mapping) -> str:
    bare = text.replace(" ", "")
    if role == "count" or (role == "kept" and is_small(bare)):
        return text
    if role == "year" and re.fullmatch(r"\d{1,4}", bare):
        return _year(bare, mapping)
    sign = text[0] if text[0] in "+-" else ""
    size = bare.lstrip("+-")
    try:
        if role == "id" and mapping.ids is not None and size.isdigit():
            return sign + mapping.ids.one(size)
        return sign + mapping.numbers.one(size)
    except (ArithmeticError, ValueError):
        raise Unreplaceable from None


def _text(text: str, role: Role, mapping: Mapping) -> str:
    """The image of a text without quotes."""
    if role == "name":
        return ".".join(_name(part, mapping) for part in text.split("."))
    if role in ("number", "year", "id") and _NUMERIC.fullmatch(text):
        return _number(text, role, mapping)
    if role in ("kept", "count", "year"):
        if _is_harmless(text):
            return text
        if not _ISO.fullmatch(text):
            raise Unreplaceable
    if (found := _BYTES.fullmatch(text)) is not None:
        return f"\\x{mapping.words.data(bytes.fromhex(found[1])).hex()}"
    if _NUMBERS.fullmatch(text):
        return re.sub(r"[-+]?[\d.]+", lambda one: _number(one[0], "id" if role == "id" else "value", mapping), text)
    return mapping.text(text)


def _name(text: str, mapping: Mapping) -> str:
    bare = text[1:-1] if text[:1] == '"' and text[-1:] == '"' else text
    return mapping.name(bare)


def _year(text: str, mapping: Mapping) -> str:
    try:
        return str(mapping.dates.day(date(int(text), 7, 1)).year)
    except ValueError:
        raise Unreplaceable from None


def is_small(text: str) -> bool:
    """Whether a number has too few digits to be known again."""
    return len(text.lower().partition("e")[0].replace(".", "").strip("+-0")) < _SIGNIFICANT


def _is_harmless(text: str) -> bool:
    """Whether a text says a unit or a form, and no value."""
    if _ISO.match(text):
        return False
    return all(is_small(one) if one.isdigit() else _HARMLESS.fullmatch(one) for one in _RUN.findall(text))

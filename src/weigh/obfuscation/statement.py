"""Statements: names and literals replaced where they stand; everything else stays as it was written.

A parser says what is a name, and what a literal is for: one that is compared with a column, or written to it, is a value
of it, but the 10 of LIMIT 10 is none.
"""

from __future__ import annotations

import logging
import re
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.obfuscation.mapping import Mapping

Role = Literal["value", "year", "kept"]
"""Of a literal: a value of the data, a year, or nothing of the data."""

_PLAIN = frozenset(
    "epoch year years quarter month months week weeks day days hour hours minute minutes second seconds milliseconds "
    "microseconds dow doy isodow century decade to for from only nowait skip locked nothing conflict do of at zone time "
    "without with precision both leading trailing row rows preceding following current exclude ties oldest "
    "isolation level serializable repeatable read committed uncommitted write deferrable start transaction work "
    "savepoint release chain and no".split()
)
"""Words that are no names where the parser calls them none."""
_SERVER = re.compile(
    r"pg_|to_|json|array_|ts_|string_|regexp_|current_|generate_|unnest$|row_|now$|random$|concat|hash"
)
"""Functions that a server has, and the parser does not know."""
_FORMAT = re.compile(
    r"\b(?:date_trunc|date_part|to_char|to_date|to_timestamp|to_number|date_format|str_to_date|strftime|extract|"
    r"time_format|timestampdiff|timestampadd|date_bin|pg_advisory\w*)\s*\((?:[^()']|\([^()]*\))*$",
    re.IGNORECASE,
)
"""Behind it stands what date or form is meant."""
_HINT = re.compile(r"/\*.*?\*/", re.DOTALL)
_QUOTED = re.compile(r"(?s)([A-Za-z]?&?')(.*)(')|(\$\w*\$)(.*)(\$\w*\$)|(\")(.*)(\")")
_NUMERIC = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
_BOOLEANS = frozenset(("t", "f", "true", "false"))


class Unreplaceable(ValueError):
    """A text that cannot be taken apart, so that names would stay in it."""


class Rewritten(msgspec.Struct, frozen=True, kw_only=True):
    """A statement without its names.

    Attributes:
        pieces: around its values.
        roles: of its values.
    """

    pieces: tuple[str, ...]
    roles: tuple[Role, ...]


def rewritten(pieces: Sequence[str], values: Sequence[str | None], dialect: str, mapping: Mapping) -> Rewritten:
    """Replace the names of a statement.

    Args:
        pieces: its text around its values.
        values: of one call: literals as they stand in the text, None of what was bound.
        dialect: of sqlglot.
        mapping: decides.

    Raises:
        Unreplaceable: it cannot be taken apart.
    """
    pieces = [_HINT.sub(" ", piece) for piece in pieces]
    text, places = pieces[0], []
    for value, piece in zip(values, pieces[1:], strict=True):
        word = "0" if value is None else value
        places.append((len(text), len(text) + len(word)))
        text += word + piece
    names, roles = _taken_apart(text, places, dialect)
    edges = [0, *(edge for place in places for edge in place), len(text)]
    made = []
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        part, at = "", start
        for first, last in names:
            if start <= first < end:
                part += text[at:first] + _name(text[first:last], mapping)
                at = last
        made.append(part + text[at:end])
    return Rewritten(pieces=tuple(made), roles=tuple(roles))


def literal(text: str, role: Role, mapping: Mapping) -> str:
    """What a literal becomes, as it stands in a text."""
    if role == "kept":
        return text
    if role == "year":
        return _year(text, mapping)
    found = _QUOTED.fullmatch(text)
    if found is None:
        sign = "-" if text.startswith("-") else ""
        bare = text.removeprefix("-").strip()
        return sign + mapping.numbers.one(bare) if _NUMERIC.fullmatch(bare) else mapping.words.text(text)
    head, body, tail = next(found.group(at, at + 1, at + 2) for at in (1, 4, 7) if found[at] is not None)
    # Doubled quotes are no letters: they stay where they are.
    return f"{head}{mapping.text(body)}{tail}"


def bound(text: str | None, role: Role, mapping: Mapping) -> str | None:
    """What becomes of a value that was sent beside a text, where numbers and truth values are texts too."""
    if text is None or role == "kept" or text in _BOOLEANS:
        return text
    bare = text[1:-1] if len(text) > 1 and text[0] == text[-1] == "'" else text
    if bare != text:
        return f"'{bound(bare, role, mapping)}'"
    if role == "year":
        return _year(text, mapping)
    return mapping.numbers.one(text) if _NUMERIC.fullmatch(text) else mapping.text(text)


def _year(text: str, mapping: Mapping) -> str:
    try:
        return str(mapping.dates.day(date(int(text), 7, 1)).year)
    except ValueError:
        return text


def _name(text: str, mapping: Mapping) -> str:
    quote = text[0] if text[0] in '"`[' else ""
    bare = text[1:-1] if quote else text
    made = mapping.name(bare)
    return f"{text[0]}{made}{text[-1]}" if quote else made


def _taken_apart(
    text: str, places: Sequence[tuple[int, int]], dialect: str
) -> tuple[list[tuple[int, int]], list[Role]]:
    """Where names stand, in order, and what each value is for."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.errors import SqlglotError

    logger = logging.getLogger("sqlglot")
    was = logger.level
    logger.setLevel(logging.ERROR)
    try:
        tokens = Dialect.get_or_raise(dialect).tokenize(text)
        tree = sqlglot.parse_one(text, read=dialect)
    except (SqlglotError, RecursionError, ValueError):
        tokens, tree = _plain_tokens(text, dialect), None
    finally:
        logger.setLevel(was)
    names: set[tuple[int, int]] = set()
    roles: list[Role] = ["kept" if tree is None else "value"] * len(places)
    if tree is not None:
        if tree.find(exp.Command):
            raise Unreplaceable
        for node in tree.find_all(exp.Identifier):
            if node.this.lower() not in _PLAIN and "start" in node.meta:
                names.add((node.meta["start"], node.meta["end"] + 1))
        starts = {start: number for number, (start, _) in enumerate(places)}
        for node in tree.find_all(exp.Literal):
            at = node.meta.get("start", -1)
            # The sign of a number belongs to it.
            number = starts.get(at, starts.get(at - 1))
            if number is not None and at < places[number][1]:
                roles[number] = _role(node)
    for number, (start, _) in enumerate(places):
        if _FORMAT.search(text[:start]):
            roles[number] = "kept"
    _check(text, tokens, places, names)
    return sorted(names), roles


def _plain_tokens(text: str, dialect: str) -> Sequence[Any]:
    """Of a statement that no parser takes, as SAVEPOINT: its words must be known."""
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.errors import SqlglotError

    try:
        return Dialect.get_or_raise(dialect).tokenize(text)
    except (SqlglotError, ValueError):
        raise Unreplaceable from None


def _check(text: str, tokens: Sequence[Any], places: Sequence[tuple[int, int]], names: set[tuple[int, int]]) -> None:
    """Every word is a name that is replaced, a value, or known; a function's name that is not is a name.

    Raises:
        Unreplaceable: a word is none of these.
    """
    from sqlglot import exp

    for number, token in enumerate(tokens):
        kind, start, end = token.token_type.name, token.start, token.end + 1
        if kind not in ("VAR", "IDENTIFIER", "NAME") and not text[start : start + 1] in ('"', "`"):
            continue
        if (start, end) in names or any(low <= start < high for low, high in places):
            continue
        word = text[start:end].lower()
        if word in _PLAIN:
            continue
        called = number + 1 < len(tokens) and tokens[number + 1].token_type.name == "L_PAREN"
        if called and (word.upper() in exp.FUNCTION_BY_NAME or _SERVER.match(word)):
            continue
        if called or (number and tokens[number - 1].text.upper() in ("SAVEPOINT", "TO")):
            names.add((start, end))
            continue
        raise Unreplaceable


def _role(node: Any) -> Role:
    """What a literal is for."""
    from sqlglot import exp

    parent, child = node.parent, node
    while isinstance(parent, (exp.Paren, exp.Neg, exp.Tuple)):
        parent, child = parent.parent, parent
    if isinstance(parent, exp.Cast):
        if parent.to.this in (exp.DataType.Type.INTERVAL, exp.DataType.Type.BOOLEAN):
            return "kept"
        return "value" if node.is_string else _role(parent) if parent.parent else "value"
    if isinstance(parent, _types("Interval Limit Offset Fetch Ordered Group DataTypeParam DataType AtTimeZone")):
        return "kept"
    if isinstance(parent, _types("Mul Div Mod IntDiv Pow")):
        return "value" if node.is_string else "kept"
    if isinstance(parent, (exp.Add, exp.Sub)):
        other = parent.expression if parent.this is child else parent.this
        dated = any(isinstance(one, exp.Cast) and one.is_type("date", "timestamp") for one in (other, other.parent))
        return "kept" if dated or isinstance(other, exp.Literal) and isinstance(parent.parent, exp.Select) else "value"
    if isinstance(parent, exp.Func) and not isinstance(
        parent, _types("Coalesce Greatest Least Nullif If Case Cast And Or")
    ):
        if not node.is_string or isinstance(parent, _formats()):
            return "kept"
        return "value"
    for other in _compared(parent, child):
        if isinstance(other, (exp.Extract, exp.Year)):
            year = isinstance(other, exp.Year) or str(other.this).lower() == "year"
            return "year" if year else "kept"
        if isinstance(other, _types("Count Length")):
            return "kept"
    return "value"


def _compared(parent: Any, child: Any) -> Iterator[Any]:
    """What a literal is compared with."""
    from sqlglot import exp

    if isinstance(parent, (exp.Binary, exp.Between, exp.In)):
        for one in (parent.this, parent.args.get("expression")):
            if one is not None and one is not child:
                yield one.unnest() if isinstance(one, exp.Paren) else one


def _types(names: str) -> tuple[Any, ...]:
    from sqlglot import exp

    return tuple(getattr(exp, name) for name in names.split() if hasattr(exp, name))


def _formats() -> tuple[Any, ...]:
    return _types(
        "TimestampTrunc DateTrunc Extract ToChar StrToTime StrToDate TimeToStr TsOrDsToDate StrToUnix DateAdd DateSub "
        "DateDiff TimestampAdd TimestampDiff"
    )

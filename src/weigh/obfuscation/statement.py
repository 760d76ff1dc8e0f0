"""Statements: names replaced where they stand; everything else stays as it was written.

A parser says what is a name, and what a literal is for. A word that is neither a name, nor a value, nor one that the
language is known to have, makes the whole statement one that cannot be replaced.
"""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.obfuscation.literals import Role, Unreplaceable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.obfuscation.mapping import Mapping
    from weigh.obfuscation.results import Types


# fmt: off
_PLAIN = frozenset(
    (
        "epoch", "year", "years", "quarter", "month", "months", "week", "weeks", "day", "days", "hour", "hours",
        "minute", "minutes", "second", "seconds", "milliseconds", "microseconds", "dow", "doy", "isodow", "century",
        "decade", "to", "for", "from", "only", "nowait", "skip", "locked", "nothing", "conflict", "do", "of", "at",
        "zone", "time", "without", "with", "precision", "both", "leading", "trailing", "row", "rows", "preceding",
        "following", "current", "exclude", "ties", "matched", "then", "key", "share", "bernoulli", "system", "placing",
        "and", "no",
    )
)
"""Words that are no names where the parser calls them none."""
_CONTROL = frozenset(
    (
        "begin", "start", "transaction", "work", "commit", "end", "abort", "rollback", "savepoint", "release", "to",
        "and", "no", "chain", "set", "local", "session", "characteristics", "as", "isolation", "level", "serializable",
        "repeatable", "read", "committed", "uncommitted", "write", "only", "not", "deferrable", ",", ";",
    )
)
"""Words of statements that begin and end transactions."""
# fmt: on
_SERVER = re.compile(
    r"pg_(?:sleep|typeof|backend_pid|size_pretty|is_in_recovery|(?:try_)?advisory_\w*lock\w*|cancel_backend|export_snapshot|"
    r"terminate_backend|postmaster_start_time|get_\w+|stat_get_\w+|current_\w+|(?:total_)?relation_size|table_is_visible|"
    r"(?:database|table|indexes|column)_size|encoding_to_char|notify|blocking_pids|safe_snapshot_blocking_pids)|"
    r"to_(?:char|date|number|timestamp|jsonb?|tsquery|tsvector|hex|ascii|bin|oct|base64|days|seconds|reg\w{4,10})|"
    r"jsonb?_(?:agg|array|object|build_\w+|each(?:_text)?|extract\w*|populate_record(?:set)?|to_record(?:set)?|typeof|type|"
    r"strip_nulls|set|insert|path_\w+|pretty|keys|query|value|exists|table|scalar|serialize|depth|length|merge\w*|quote|"
    r"unquote|remove|replace|search|valid|overlaps|contains(?:_path)?|storage_size|schema_valid|"
    r"object_(?:keys|agg)\w*|array(?:_elements(?:_text)?|_length|_append|_insert|agg))|jsonb?|"
    r"array_(?:agg|append|cat|dims|fill|length|lower|ndims|positions?|prepend|remove|replace|sample|shuffle|sort|reverse|"
    r"to_\w+|upper)|"
    r"ts_(?:rank(?:_cd)?|headline|delete|filter|rewrite|stat|lexize|debug|parse|token_type)|string_(?:agg|to_array|to_table)|"
    r"regexp_(?:match(?:es)?|replace|split_to_\w+|count|instr|like|substr)|generate_(?:series|subscripts)|"
    r"current_(?:schemas?|setting|database|user|catalog|query|role|date|time|timestamp)|row_(?:number|to_json|count)|"
    r"unnest|now|random|concat(?:_ws)?|hash(?:text|textextended|_\w{3,8})?|timezone|(?:next|curr|set|last)val|set_config|"
    r"bernoulli|system"
)
"""Functions that a server has, and the parser does not know."""
_STRINGS = frozenset(
    (
        "STRING", "RAW_STRING", "NATIONAL_STRING", "HEX_STRING", "BIT_STRING", "BYTE_STRING", "HEREDOC_STRING",
        "UNICODE_STRING",
    )
)  # fmt: skip
_COMMENT = re.compile(r"\s*(?:--|#|/\*)")
_FORMAT = re.compile(
    r"\b(?:date_trunc|date_part|to_char|to_date|to_timestamp|to_number|date_format|str_to_date|strftime|extract|"
    r"time_format|timestampdiff|timestampadd|date_bin|pg_sleep|timezone|pg_advisory\w*)\s*"
    r"\((?:[^()']|'[^']*'|\([^()]*\))*$",
    re.IGNORECASE,
)
"""Behind it stands what date or form is meant."""
_NEAR = 300
"""Characters before a literal in which that is looked for."""
_INTERVAL = re.compile(r"\binterval\s*$", re.IGNORECASE)
_ARROW = re.compile(r"->>?\s*$")
_HINT = re.compile(r"/\*.*?\*/", re.DOTALL)
_QUOTES = {'"': '"', "`": "`", "[": "]"}


class Rewritten(msgspec.Struct, frozen=True, kw_only=True):
    """A statement without its names.

    Attributes:
        pieces: around its values.
        roles: of its values.
    """

    pieces: tuple[str, ...]
    roles: tuple[Role, ...]


def rewritten(
    pieces: Sequence[str], values: Sequence[str | None], dialect: str, mapping: Mapping, types: Types | None = None
) -> Rewritten:
    """Replace the names of a statement.

    Args:
        pieces: its text around its values.
        values: of one call: literals as they stand in the text, None of what was bound.
        dialect: of sqlglot.
        mapping: decides.
        types: of columns, by their new names; None where they are not known.

    Raises:
        Unreplaceable: it cannot be taken apart.
    """
    pieces = [_HINT.sub(" ", piece) for piece in pieces]
    text, places = pieces[0], []
    for value, piece in zip(values, pieces[1:], strict=True):
        word = "0" if value is None else value
        places.append((len(text), len(text) + len(word)))
        text += word + piece
    text = _without_comments(text, dialect)
    names, roles, columns = _taken_apart(text, places, dialect)
    for number, name in columns.items() if types else ():
        if types and roles[number] == "value":
            roles[number] = types.get(mapping.name(name), "value")
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


def control(pieces: Sequence[str], values: Sequence[str | None], dialect: str, mapping: Mapping) -> Rewritten:
    """The same of a statement that begins or ends a transaction, or of SET TRANSACTION, which parsers know badly.

    Raises:
        Unreplaceable: a word of it is unknown.
    """
    if values:
        raise Unreplaceable
    (text,) = pieces
    text = _without_comments(text, dialect)
    tokens = _tokens(text, dialect)
    part, at = "", 0
    for number, token in enumerate(tokens):
        start, end = token.start, token.end + 1
        last = tokens[number - 1].text.upper() if number else ""
        word = text[start:end].lower()
        if word in ("savepoint", "work", "transaction") and last in ("TO", "RELEASE", "ROLLBACK"):
            continue
        if last == "SAVEPOINT" or (last in ("TO", "RELEASE") and word not in _CONTROL):
            part += text[at:start] + _name(text[start:end], mapping)
            at = end
        elif word not in _CONTROL:
            raise Unreplaceable
    return Rewritten(pieces=(part + text[at:],), roles=())


def _without_comments(text: str, dialect: str) -> str:
    """Blanks in the place of comments: what stands between two tokens, and is more than blanks."""
    made, at = "", 0
    for start, end in [*((token.start, token.end + 1) for token in _tokens(text, dialect)), (len(text), len(text))]:
        gap = text[at:start]
        made += " " * len(gap) if _COMMENT.match(gap) else gap
        made += text[start:end]
        at = max(at, end)
    return made


def _name(text: str, mapping: Mapping) -> str:
    closing = _QUOTES.get(text[0])
    if closing is None:
        return mapping.name(text)
    return f"{text[0]}{mapping.name(text[1:-1].replace(closing * 2, closing))}{closing}"


def _taken_apart(
    text: str, places: Sequence[tuple[int, int]], dialect: str
) -> tuple[list[tuple[int, int]], list[Role], dict[int, str]]:
    """Where names stand, in order; what each value is for; and the columns of those that have one."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    logger = logging.getLogger("sqlglot")
    was = logger.level
    logger.setLevel(logging.ERROR)
    try:
        tree = sqlglot.parse_one(text, read=dialect)
    except (SqlglotError, RecursionError, ValueError):
        raise Unreplaceable from None
    finally:
        logger.setLevel(was)
    if tree.find(exp.Command):
        raise Unreplaceable
    names = {
        (node.meta["start"], node.meta["end"] + 1) for node in tree.find_all(exp.Identifier) if "start" in node.meta
    }
    roles: list[Role] = ["value"] * len(places)
    columns: dict[int, str] = {}
    starts = {start: number for number, (start, _) in enumerate(places)}
    for node in tree.find_all(exp.Literal):
        at = node.meta.get("start", -1)
        # The sign of a number belongs to it.
        number = starts.get(at, starts.get(at - 1))
        if number is not None and at < places[number][1]:
            roles[number] = role(node)
            if (column_found := column(node)) is not None:
                columns[number] = column_found
    for number, (start, _) in enumerate(places):
        before = text[max(0, start - _NEAR) : start]
        if _FORMAT.search(before) or _INTERVAL.search(before):
            roles[number] = "kept"
        elif _ARROW.search(before):
            # The place in an array of JSON, or a key, which is a text.
            roles[number] = "count" if text[start].isdigit() else "value"
    _check(text, _tokens(text, dialect), places, names)
    return sorted(names), roles, columns


def _tokens(text: str, dialect: str) -> Sequence[Any]:
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

    values: set[int] = set()
    for low, high in places:
        values.update(range(low, high))
    for number, token in enumerate(tokens):
        kind, start, end = token.token_type.name, token.start, token.end + 1
        if kind in _STRINGS and start not in values:
            # A text that was not taken for a value.
            raise Unreplaceable
        if kind not in ("VAR", "IDENTIFIER", "NAME") and text[start : start + 1] not in ('"', "`"):
            continue
        if (start, end) in names or start in values:
            continue
        word = text[start:end].lower()
        if word in _PLAIN:
            continue
        called = number + 1 < len(tokens) and tokens[number + 1].token_type.name == "L_PAREN"
        if called and (word.upper() in exp.FUNCTION_BY_NAME or _SERVER.fullmatch(word)):
            continue
        if not called:
            raise Unreplaceable
        names.add((start, end))


_ROWS = "Limit Offset Fetch Ordered Group DataTypeParam DataType WindowSpec TableSample"
"""What is under these says how many rows, or which column by its place."""
_SIZES = (
    "Round Trunc Left Right Pad Substring Overlay SplitPart Ntile Lag Lead NthValue GenerateSeries "
    "ExplodingGenerateSeries PercentileCont PercentileDisc Repeat Chr"
)
_FORMATS = (
    "TimestampTrunc DateTrunc Extract ToChar StrToTime StrToDate TimeToStr TsOrDsToDate StrToUnix DateAdd DateSub "
    "DateDiff TimestampAdd TimestampDiff ToNumber"
)
_RELATIONS = frozenset(("nextval", "currval", "setval", "to_regclass"))


def role(node: Any) -> Role:
    """Of a literal of sqlglot's tree."""
    from sqlglot import exp

    parent, child = node.parent, node
    while isinstance(parent, (exp.Paren, exp.Neg, exp.Tuple)):
        parent, child = parent.parent, parent
    if isinstance(parent, exp.Cast):
        return _cast(node, parent)
    if isinstance(parent, _types(_ROWS)):
        return "count"
    if isinstance(parent, _types("Interval AtTimeZone")):
        return "kept"
    if isinstance(parent, _types("Mul Div Mod IntDiv Pow")):
        return "value" if node.is_string else "kept"
    if isinstance(parent, (exp.Add, exp.Sub)):
        other = parent.expression if parent.this is child else parent.this
        dated = any(isinstance(one, exp.Cast) and one.is_type("date", "timestamp") for one in (other, other.parent))
        return "kept" if dated and not node.is_string else "value"
    if isinstance(parent, exp.Anonymous):
        return "name" if node.is_string and str(parent.this).lower() in _RELATIONS else "value"
    if isinstance(parent, _types(_FORMATS)):
        return "kept"
    if isinstance(parent, _types(_SIZES)):
        return "value" if node.is_string else "kept"
    return _compared_role(parent, child)


def column(node: Any) -> str | None:
    """The name of the column that a literal is compared with, or written to; None where there is none, or two."""
    from sqlglot import exp

    parent, child = node.parent, node
    while isinstance(parent, (exp.Paren, exp.Neg, exp.Cast, exp.Any, exp.Array)):
        parent, child = parent.parent, parent
    if isinstance(parent, exp.Tuple) and isinstance(parent.parent, exp.Values):
        into = parent.parent.parent
        names = into.this.expressions if isinstance(into, exp.Insert) and isinstance(into.this, exp.Schema) else []
        place = next(number for number, one in enumerate(parent.expressions) if one is child)
        return str(names[place].name) if place < len(names) else None
    if isinstance(parent, _types("EQ NEQ LT LTE GT GTE NullSafeEQ NullSafeNEQ Between In")):
        found = [str(one.name) for one in _compared(parent, child) if isinstance(one, exp.Column)]
        return found[0] if len(found) == 1 else None
    return None


def _cast(node: Any, parent: Any) -> Role:
    from sqlglot import exp

    kind = parent.to.this
    if kind in (exp.DataType.Type.INTERVAL, exp.DataType.Type.BOOLEAN):
        return "kept"
    if parent.to.sql("postgres").lower() in ("regclass", "oid"):
        return "name"
    if parent.is_type(*_numeric()):
        return "number" if node.is_string else role(parent)
    return "value" if node.is_string else role(parent)


@lru_cache(maxsize=1)
def _numeric() -> tuple[Any, ...]:
    from sqlglot import exp

    return tuple(exp.DataType.NUMERIC_TYPES)


def _compared_role(parent: Any, child: Any) -> Role:
    from sqlglot import exp

    for other in _compared(parent, child):
        if isinstance(other, (exp.Extract, exp.Year)):
            year = isinstance(other, exp.Year) or str(other.this).lower() == "year"
            return "year" if year else "kept"
        if isinstance(other, _types("Count Length")):
            return "count"
    return "value"


def _compared(parent: Any, child: Any) -> Iterator[Any]:
    """What a literal is compared with."""
    from sqlglot import exp

    if isinstance(parent, (exp.Binary, exp.Between, exp.In)):
        for one in (parent.this, parent.args.get("expression")):
            if one is not None and one is not child:
                yield one.unnest() if isinstance(one, exp.Paren) else one


@lru_cache(maxsize=16)
def _types(names: str) -> tuple[Any, ...]:
    from sqlglot import exp

    return tuple(getattr(exp, name) for name in names.split() if hasattr(exp, name))

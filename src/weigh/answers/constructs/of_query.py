"""The constructs of a query: how each is recognised, and what it explains."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

from weigh.answers.constructs import widths
from weigh.answers.constructs.casts import cast, fraction, mixed, remainder, rounded
from weigh.answers.constructs.comparisons import cast_to_double, compared, put_in_order, quotients, taken_over_rows
from weigh.answers.constructs.construct import (
    MOMENT,
    NAMED,
    NAN,
    QUOTIENT,
    SAMPLE,
    SEQUENCE,
    SIGNED,
    SINGLE,
    SKIPPED,
    UUIDS,
    WIDTH,
    ZERO,
    ZONE,
    Construct,
    anything,
)
from weigh.answers.constructs.explaining import (
    folded,
    infinite,
    near,
    nearly,
    nulls,
    number,
    opposite,
    single,
    texts,
    unbounded,
    whole,
)
from weigh.answers.constructs.letters import of_letters
from weigh.answers.constructs.limits import changes_rows, of_limits
from weigh.answers.constructs.places import aliases_of, is_all, named_twice, orders_only, position, reused
from weigh.answers.constructs.probes import BACKSLASHES, CLASSES, DAYS, NAMES, UNASKED
from weigh.answers.constructs.settled import depends_on_rows
from weigh.answers.constructs.taken_rows import of_rows, takes_any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlglot import exp

    from weigh.answers.constructs.construct import Explains

_ANY = {"array_agg", "list", "string_agg", "group_concat", "listagg", "first", "last", "any_value", "arbitrary",
        "mode", "arg_max", "arg_min", "argmax", "argmin", "max_by", "min_by"}  # fmt: skip
"""Aggregates that depend on the sequence of rows, which a group has none of."""
_NAN_WHY = "NaN is the greatest number to some engines, equal to itself, and compares with nothing to others"
_ZERO_WHY = "0.0 and -0.0 are one number to some engines, and two in an order or in groups to others"
_SINGLE_WHY = "32-bit floats are counted and compared as such by some engines and as doubles by others"
_QUOTIENT_WHY = "a quotient or a mean of decimals has another number of digits in each engine"
_NAMED_WHY = "a name that is a column and an alias is the alias to some engines, as ClickHouse"
_DOMAIN_WHY = "a function of a number that it is not defined for is NULL, NaN or an infinity"
_UUID_WHY = "in which order UUIDs come is left open by SQL: by their second half to some engines, as ClickHouse"
_SKIPPED_WHY = "the first and the last value in a window pass over NULL in some engines, as ClickHouse"
_MOMENT_WHY = "moments and dates are text to an engine that has no type for them, as SQLite"
_BOUNDED = {"sqrt", "ln", "log", "log2", "log10", "log1p", "power", "asin", "acos", "acosh", "atanh", "cot"}
"""Functions that are not defined for every number."""
_PARTS = {"second": "SECOND", "milli": "MILLI", "micro": "MICRO", "nano": "NANO", "epoch": "EPOCH"}
"""Parts of a moment, by the key of the construct, and how their names begin."""


@cache
def of(sql: str) -> tuple[Construct, ...]:
    """The constructs of a query; none where it cannot be parsed."""
    import sqlglot
    from sqlglot import exp

    try:
        query = sqlglot.parse_one(sql, read="duckdb")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return ()
    found = list(of_rows(query)) if isinstance(query, exp.Select) else []
    plain = isinstance(query, exp.Select) and sum(1 for _ in query.find_all(exp.Select)) == 1
    selects = list(query.selects) if isinstance(query, exp.Select) else []
    for node in query.walk():
        for key, why, explains in _construct(node):
            inside = position(node, selects) if plain else None
            if inside is not None and reused(query, selects[inside], inside):
                inside = None
            alone = inside is not None and is_all(node, selects[inside])
            if key != "power" or "^" in sql:
                reason = f"{why}, and no engine was asked how it takes that" if key in UNASKED else why
                column = inside if alone else None
                ordering, rows = orders_only(node, query), changes_rows(node) or key == "deviation"
                found.append(Construct(key, reason, column, inside, explains, ordering, mixed(node), rows))
    return tuple(found)


def _name(node: exp.Expr) -> str:
    from sqlglot import exp

    if isinstance(node, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        return _name(node.this)
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else ""


def _empty(node: exp.AggFunc) -> Iterator[tuple[str, str, Explains]]:
    """An aggregate that may be of no row: a group has one, and so has a window whose frame nobody bounds."""
    from sqlglot import exp

    parent = node.parent
    if isinstance(parent, exp.Window):
        whole = parent.args.get("spec") is None
    else:
        query = node.find_ancestor(exp.Select)
        group = query.args.get("group") if query is not None and not isinstance(parent, exp.Filter) else None
        whole = group is not None and group.find(exp.Rollup, exp.Cube, exp.GroupingSets) is None
    if not whole:
        yield "empty", "an aggregate of no row is 0 or '' and not NULL in some engines, as ClickHouse", nulls


_CLOCKS = {"extract", "date_part", "timestamp_trunc", "date_trunc", "time_to_str", "strftime", "date_format", "to_char",
           "year", "quarter", "month", "day", "hour", "minute", "day_of_week", "day_of_month", "day_of_year",
           "week_of_year", "date_diff", "datediff", "timestamp_diff", "date"}  # fmt: skip
"""Functions that read the clock of a place off a moment."""


def _reads_clock(node: exp.Expr, name: str) -> bool:
    """Whether it depends on the zone in which a moment is read: a function, or a cast to a date, a time or text."""
    from sqlglot import exp

    if not isinstance(node, exp.Cast):
        return name in _CLOCKS
    # DATE '2024-01-01' is a cast of a text, which no zone moves.
    return not isinstance(node.this, exp.Literal) and node.to.this.name in (
        "DATE",
        "TIME",
        "TIMESTAMP",
        "DATETIME",
        "VARCHAR",
        "TEXT",
    )


def _construct(node: exp.Expr) -> Iterator[tuple[str, str, Explains]]:
    from sqlglot import exp

    name = _name(node)
    for column, plain in compared(node):
        yield f"{NAN}{column}", _NAN_WHY, anything
        yield f"{ZERO if plain else SIGNED}{column}", _ZERO_WHY, anything
    for column in dict.fromkeys(quotients(node)):
        yield f"{QUOTIENT}{column}", _QUOTIENT_WHY, anything
    yield from ((f"{UUIDS}{column}", _UUID_WHY, anything) for column in put_in_order(node))
    yield from ((f"{SKIPPED}{column}", _SKIPPED_WHY, nulls) for column in taken_over_rows(node))
    yield from ((f"{NAMED}{column}", _NAMED_WHY, anything) for column in named_twice(node))
    yield from _of_columns(node)
    yield from of_limits(node)
    yield from of_letters(node, name)
    if widths.arithmetic(node):
        yield f"{WIDTH}{node.sql()}", f"in {node.sql()} {widths.WHY}", widths.explains(node)
    if name in _BOUNDED:
        yield "domain", _DOMAIN_WHY, unbounded
    if (name := name or _bare(node)) in NAMES:
        yield f"{name} as a name", f"{name} is no column but a value of its own to some engines", anything
    for column in widths.columns_of(node) if _reads_clock(node, name) else ():
        yield (
            f"{ZONE}{column}",
            "a moment with a time zone is read in its column's zone or in that of the session",
            anything,
        )
    if isinstance(node, exp.Window):
        if depends_on_rows(node):
            yield SEQUENCE, "which of several equal rows comes first in a window is left open by SQL", anything
    elif name in _ANY and not isinstance(node.this, exp.Order) and not node.find(exp.Order):
        yield SEQUENCE, f"the sequence of rows in {name} is left open by SQL", anything
    elif name.startswith("approx_"):
        yield SEQUENCE, f"{name} is an approximation, and each engine has another", anything
    elif isinstance(node, exp.Median):
        yield SAMPLE, "median is that of a random sample in ClickHouse (medianExact is not)", anything
    elif isinstance(node, exp.Div):
        if not (fraction(node.this) or fraction(node.expression)):
            yield "division", "/ between integers is an integer to some engines and a fraction to others", whole
        if not isinstance(node.expression, exp.Nullif) and not number(node.expression.name):
            yield from _by_zero(node)
    elif isinstance(node, (exp.Limit, exp.Fetch, exp.Offset, exp.Distinct)):
        if takes_any(node):
            yield SEQUENCE, "which of several equal rows a query within the query takes is left open by SQL", anything
    elif isinstance(node, exp.BitwiseLeftShift):
        yield (
            "shift",
            "bits that are shifted out of an integer are lost, and integers are of different widths",
            anything,
        )
    elif isinstance(node, exp.AtTimeZone):
        yield (
            "moved",
            "AT TIME ZONE of a moment without a zone reads it there in some engines, others move it",
            anything,
        )
    elif isinstance(node, exp.IntDiv):
        yield "floor", "// rounds down in some engines and towards zero in others", near(Decimal(1))
    elif isinstance(node, exp.Mod):
        yield from remainder(node)
    # Those of initcap are the parser's own.
    elif isinstance(node, exp.Literal) and node.is_string and not isinstance(node.parent, exp.Initcap):
        for name in (one for one, form in BACKSLASHES.items() if re.search(form, node.name)):
            yield f"{name} in a text", "a backslash is an escape to some engines and itself to others", anything
    elif isinstance(node, exp.Cast):
        yield from cast(node)
    elif isinstance(node, exp.Round):
        yield from rounded(node)
    elif isinstance(node, exp.Join):
        if node.side:
            yield "outer", "an outer join fills in 0 and '' for NULL in some engines, as ClickHouse", anything
    elif isinstance(node, (exp.Rollup, exp.Cube, exp.GroupingSets)):
        yield "rollup", "a total has 0 and '' for NULL in some engines, as ClickHouse", anything
    elif isinstance(node, (exp.Sum, exp.First, exp.Last)):
        yield from _empty(node)
    elif isinstance(node, (exp.Order, exp.Limit)) and isinstance(node.parent, exp.SetOperation):
        yield (
            "united",
            "what orders or cuts a UNION is of its last query alone in some engines, as ClickHouse",
            anything,
        )
    elif isinstance(node, (exp.Except, exp.Intersect)):
        yield "sets", "EXCEPT and INTERSECT keep equal rows in some engines, as ClickHouse", anything
    else:
        yield from _of_name(node, name)


def _by_zero(node: exp.Div) -> Iterator[tuple[str, str, Explains]]:
    """What depends on how an engine divides by zero: which infinity it is follows from the zeros of a column."""
    divisor = node.expression.unnest()
    column = _bare(divisor)
    # What is computed may be -0.0 to some engines, whatever the data is.
    plain = bool(column) and column not in aliases_of(node.root())
    why = "a division by zero is an error, NULL or an infinity"
    yield "zero", why, infinite if plain else unbounded
    if plain:
        yield (
            f"{ZERO}{column}",
            "0.0 and -0.0 are one number to some engines, and divisors of two signs to others",
            opposite,
        )


def _bare(node: exp.Expr) -> str:
    """The name of a column that stands alone and without quotation marks; empty for anything else."""
    from sqlglot import exp

    alone = isinstance(node, exp.Column) and not node.table and not node.this.args.get("quoted")
    return node.name.lower() if alone else ""


def _of_columns(node: exp.Expr) -> Iterator[tuple[str, str, Explains]]:
    """What depends on whether an engine counts with 32-bit floats as such, and with moments as such."""
    from sqlglot import exp

    compares = isinstance(node, exp.Predicate)
    counts = isinstance(node, (exp.Binary, exp.Func)) and not isinstance(node, exp.AggFunc)
    if isinstance(node, (exp.Is, exp.Exists)) or not (compares or counts):
        return
    found = list(node.find_all(exp.Column))
    columns = dict.fromkeys(one.name.lower() for one in found)
    narrow = {one.name.lower() for one in found if not cast_to_double(one)}
    sides = list(node.iter_expressions())
    with_fraction = any(map(fraction, sides)) or sum(isinstance(one, exp.Column) for one in sides) > 1
    for column in columns:
        yield f"{MOMENT}{column}", _MOMENT_WHY, anything
        if column in narrow and (with_fraction or not compares):
            yield f"{SINGLE}{column}", _SINGLE_WHY, anything if compares else single


def _of_name(node: exp.Expr, name: str) -> Iterator[tuple[str, str, Explains]]:
    from sqlglot import exp

    if name == "replace" and _replaces_nothing(node):
        yield "replace", "replacing an empty text is left open by SQL", texts
    elif isinstance(node, exp.Pow):
        yield "power", "^ is a power in some engines and exclusive or in others", anything
    elif isinstance(node, exp.SimilarTo):
        yield "similar", "regular expressions are of different dialects", anything
    elif name in ("upper", "lower", "initcap") or isinstance(node, exp.ILike):
        yield "case", "the case of letters that are not ASCII is left open by SQL", folded
    elif isinstance(node, exp.Like):
        if "\\" in node.expression.name and not isinstance(node.parent, exp.Escape):
            yield "escape", "a backslash without ESCAPE is itself to some engines and an escape to others", anything
        yield "like", "LIKE does not tell the case of letters to some engines, as SQLite and MySQL", anything
    elif isinstance(node, exp.Log):
        if node.expression is None:
            yield "logarithm", "log is to base 10 in some engines and natural in others", anything
        else:
            yield "base", "the base comes first in log of some engines and last in that of others", anything
    elif name.startswith(("stddev", "variance", "var_", "std", "covar")):
        if name.startswith("std"):
            yield "deviation", f"{name} of large integers has nine digits in some engines, as PostgreSQL", nearly
        if not name.endswith("_pop"):
            yield "lone", f"{name} of one row is NULL to some engines and NaN to others", infinite
        if not name.endswith(("_pop", "_samp")):
            yield "spread", f"{name} is of the sample to some engines and of the population to others", anything
    elif name == "corr" or name.startswith("regr_"):
        yield (
            "straight",
            f"{name} of values that are all equal is NULL to some engines and NaN to others",
            infinite,
        )
    elif isinstance(node, exp.Avg):
        yield from _empty(node)
        yield "average", "the mean of integers is an integer to some engines", whole
    elif isinstance(node, (exp.Concat, exp.ConcatWs)):
        yield "concatenation", "concat of a NULL is NULL to some engines and the rest to others", nulls
    elif isinstance(node, (exp.Greatest, exp.Least)):
        yield "greatest", f"{name} of a NULL is NULL to some engines and one of the rest to others", nulls
    elif name.startswith(("regexp", "regexplike")):
        yield "pattern", "regular expressions are of different dialects", anything
        pattern = node.expression.name if isinstance(node.expression, exp.Literal) else "".join(CLASSES)
        for named in (one for one in CLASSES if one in pattern.lower()):
            yield f"{named} in a pattern", f"{named} in a regular expression has several meanings in engines", anything
    elif name in ("time_to_str", "date_format", "to_char", "strftime", "time_format", "format"):
        yield "format", "how a time is formatted, and which argument comes first, differ between engines", anything
    elif name in DAYS:
        yield f"{name}()", f"{name} counts from different days in different engines", anything
    elif part := _part(node, name):
        yield part, "seconds of a moment are with their fraction in some engines, and whole in others", anything
    elif isinstance(node, exp.DateDiff) and "WEEK" in str(node.args.get("unit")).upper():
        yield "weeks", "how many weeks lie between two days is left open by SQL", near(Decimal(1))
    elif (unit := _unit(node, name)) in ("DOW", "DAYOFWEEK", "WEEKDAY"):
        yield "weekday", "the number of a day of the week is left open by SQL", anything
    elif unit.startswith(("WEEK", "YEARWEEK")):
        yield "week", "which week is the first of a year is left open by SQL", anything
    elif isinstance(node, (exp.TimestampTrunc, exp.DateTrunc)) and "WEEK" in str(node.args.get("unit")).upper():
        yield "truncation", "the first day of a week is left open by SQL", anything
    elif isinstance(node, exp.In) and isinstance(node.parent, exp.Not):
        yield "none of", "NOT IN with a NULL is true to some engines, as ClickHouse, and unknown to others", anything
    elif isinstance(node, (exp.Predicate, exp.Between, exp.In)) and _with_text(node):
        yield "collation", "how texts compare is a matter of an engine's collation", anything
    elif isinstance(node, (exp.Ordered, exp.Min, exp.Max)):
        if isinstance(node, exp.AggFunc):
            yield from _empty(node)
        yield "collation", "in which order texts come is a matter of an engine's collation", anything


def _unit(node: exp.Expr, name: str) -> str:
    """What ``extract(UNIT FROM d)`` or ``date_part('UNIT', d)`` reads of a moment; empty for another function."""
    from sqlglot import exp

    if isinstance(node, exp.Extract):
        return node.name.upper()
    return node.expressions[0].name.upper() if name in ("date_part", "datepart") and node.expressions else ""


def _part(node: exp.Expr, name: str) -> str:
    """Key of what is read of a moment, where that has a fraction; empty for another part, or another function."""
    if name == "time_to_unix":
        return "epoch"
    part = _unit(node, name) or name.upper()
    return next((key for key, begin in _PARTS.items() if part.startswith(begin)), "")


def _with_text(node: exp.Expr) -> bool:
    from sqlglot import exp

    return any(isinstance(one, exp.Literal) and one.is_string for one in node.iter_expressions())


def _replaces_nothing(node: exp.Expr) -> bool:
    from sqlglot import exp

    searched = node.args.get("expression") or (node.expressions[1] if len(node.expressions) > 1 else None)
    return not isinstance(searched, exp.Literal) or not searched.name

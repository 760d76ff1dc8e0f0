"""Columns, literals and conditions of SQL as expressions of Arrow.

Each node of the syntax tree is taken with the arguments that are named here and no others, so that a construct that
nobody thought of is refused and not left out.
"""

from __future__ import annotations

import datetime
import operator
import re
from decimal import Decimal
from functools import reduce
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from weigh_worker import Unsupported

_COMPARED = {
    exp.EQ: operator.eq, exp.NEQ: operator.ne, exp.LT: operator.lt,
    exp.LTE: operator.le, exp.GT: operator.gt, exp.GTE: operator.ge,
}  # fmt: skip
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?")
_NULL = pa.scalar(None, pa.bool_())
_NUMBERS = {"integer", "decimal"}


class Term(NamedTuple):
    """A column, the remainder of one, or a literal.

    Attributes:
        family: what it may be compared with; ``null`` for the literal NULL, ``other`` for what has no comparison here.
        field: of a column; None for a literal.
        value: of a literal.
        divisor: of a column of which the remainder is meant.
    """

    family: str
    field: Any = None
    value: Any = None
    divisor: int | None = None

    @property
    def expression(self) -> Any:
        """The column, its remainder, or the literal in a type of its own."""
        if self.divisor is not None:
            return pc.remainder(pc.field(self.field.name), pc.scalar(pa.scalar(self.divisor, pa.int64())))
        if self.field is not None:
            return pc.field(self.field.name)
        if self.family == "integer" and not -(1 << 63) <= self.value < 1 << 63:
            return pc.scalar(pa.scalar(Decimal(self.value)))
        return pc.scalar(pa.scalar(self.value))


def only(node: Any, *arguments: str) -> None:
    """Refuse a node that has other arguments than these."""
    for name, value in node.args.items():
        if name not in arguments and value not in (None, False) and not (isinstance(value, list) and not value):
            whole = "" if type(node) is exp.Select else f": {node.sql()[:200]}"
            raise Unsupported(f"{type(node).__name__} with {name.rstrip('_')}{whole}")


class Scope:
    """The columns that conditions can name.

    Args:
        schema: of the table.
        names: of the table in the query.

    Attributes:
        used: columns that were named so far.
    """

    def __init__(self, schema: Any, names: set[str]) -> None:
        self.schema = schema
        self.names = {name.lower() for name in names}
        self.used: set[str] = set()

    def term(self, node: Any) -> Term:
        """A column or a literal."""
        if type(node) is exp.Paren:
            only(node, "this")
            return self.term(node.this)
        return self.column(node) if type(node) is exp.Column else _literal(node)

    def _operand(self, node: Any) -> Term:
        """What a condition compares: as ``term``, or the remainder of a column."""
        if type(node) is exp.Paren:
            only(node, "this")
            return self._operand(node.this)
        return self._remainder(node) if type(node) is exp.Mod else self.term(node)

    def column(self, node: Any) -> Term:
        """A column, by its name, or unless quoted by one that differs in case alone."""
        only(node, "this", "table")
        if type(node.this) is not exp.Identifier or (node.table and node.table.lower() not in self.names):
            raise Unsupported(f"{node.sql()}: not a column of the one table")
        names = [name for name in self.schema.names if name == node.name]
        if not names and not node.this.quoted:
            names = [name for name in self.schema.names if name.lower() == node.name.lower()]
        if len(names) != 1:
            raise Unsupported(f"{node.sql()}: there is {'no' if not names else 'more than one'} such column")
        self.used.add(names[0])
        field = self.schema.field(names[0])
        return Term(_family(field.type), field)

    def condition(self, node: Any) -> Any:
        """A condition as an expression that is true, false or NULL."""
        kind = type(node)
        if kind in (exp.And, exp.Or):
            only(node, "this", "expression")
            sides = (self.condition(node.this), self.condition(node.expression))
            return sides[0] & sides[1] if kind is exp.And else sides[0] | sides[1]
        if kind in (exp.Not, exp.Paren):
            only(node, "this")
            inner = self.condition(node.this)
            return ~inner if kind is exp.Not else inner
        if kind in _COMPARED:
            only(node, "this", "expression")
            return _compared(_COMPARED[kind], self._operand(node.this), self._operand(node.expression), node)
        if kind is exp.In:
            only(node, "this", "expressions")
            # Equalities and not Arrow's is_in, which finds NULL in no list and says so with false.
            this = self._operand(node.this)
            found = [_compared(operator.eq, this, self._operand(one), node) for one in node.expressions]
            while len(found) > 1:
                # In halves: a chain of hundreds would be a tree as deep.
                found = [reduce(operator.or_, found[n : n + 2]) for n in range(0, len(found), 2)]
            return found[0]
        if kind is exp.Between:
            only(node, "this", "low", "high")
            this, low, high = (self._operand(node.args[name]) for name in ("this", "low", "high"))
            return _compared(operator.ge, this, low, node) & _compared(operator.le, this, high, node)
        if kind is exp.Is:
            only(node, "this", "expression")
            if type(node.expression) is not exp.Null:
                raise Unsupported(f"IS other than IS NULL: {node.sql()}")
            return self._known(node.this).is_null()
        if kind is exp.Like:
            return self._like(node)
        term = self.term(node)
        if term.family not in ("boolean", "null"):
            raise Unsupported(f"{node.sql()} as a condition")
        return pc.scalar(_NULL) if term.family == "null" else term.expression

    def _remainder(self, node: Any) -> Term:
        """Of a column of integers by a literal; it has the sign of the column's value, as in SQL."""
        only(node, "this", "expression")
        this, by = self.term(node.this), self.term(node.expression)
        plain = this.family == "integer" and this.field is not None
        whole = by.family == "integer" and by.field is None and 0 < by.value < 1 << 31
        # Arrow before 26 has no such function.
        if not plain or not whole or pa.types.is_uint64(this.field.type) or not hasattr(pc, "remainder"):
            raise Unsupported(f"Mod other than of a column of integers by a literal above 0: {node.sql()[:200]}")
        return this._replace(divisor=by.value)

    def _known(self, node: Any) -> Any:
        plain = type(node) in (exp.Column, exp.Literal, exp.Null, exp.Boolean, exp.Cast, exp.Neg, exp.Mod)
        return self._operand(node).expression if plain else self.condition(node)

    def _like(self, node: Any) -> Any:
        only(node, "this", "expression", "negate")
        this, pattern = self.term(node.this), self.term(node.expression)
        if this.field is None or pattern.field is not None or {this.family, pattern.family} != {"string"}:
            raise Unsupported(f"LIKE other than of a column of strings with a literal: {node.sql()}")
        if "\\" in pattern.value:
            raise Unsupported(f"a backslash in a pattern, over which engines differ: {node.sql()}")
        found = pc.match_like(this.expression, pattern.value)
        return ~found if node.args.get("negate") else found


def _family(kind: Any) -> str:
    is_ = pa.types
    if is_.is_decimal(kind) and str(kind).startswith("decimal128"):
        return "decimal"
    if is_.is_string(kind) or is_.is_large_string(kind):
        return "string"
    tests = {
        "integer": is_.is_integer,
        "float": is_.is_floating,
        "boolean": is_.is_boolean,
        "date": is_.is_date32,
        "timestamp": is_.is_timestamp,
    }
    return next((name for name, test in tests.items() if test(kind)), "other")


def _literal(node: Any) -> Term:
    kind = type(node)
    if kind is exp.Null:
        return Term("null")
    if kind is exp.Boolean:
        return Term("boolean", value=bool(node.this))
    if kind is exp.Literal:
        return Term("string", value=node.this) if node.is_string else _number(node.this)
    if kind is exp.Neg and type(node.this) is exp.Literal and not node.this.is_string:
        return _number("-" + node.this.this)
    if kind is exp.Cast and type(node.this) is exp.Literal and node.this.is_string and type(node.to) is exp.DataType:
        only(node, "this", "to")
        only(node.to, "this")
        name, text = str(node.to.this.value).upper(), node.this.this
        if name == "DATE" and _DATE.fullmatch(text):
            return Term("date", value=datetime.date.fromisoformat(text))
        if name in ("TIMESTAMP", "TIMESTAMPNTZ", "DATETIME") and _MOMENT.fullmatch(text):
            return Term("timestamp", value=datetime.datetime.fromisoformat(text))
    raise Unsupported(f"{kind.__name__}: {node.sql()[:200]}")


def _number(text: str) -> Term:
    try:
        value = Decimal(text)
    except ArithmeticError:
        raise Unsupported(f"{text} as a number") from None
    if "." in text:
        return Term("decimal", value=value)
    return Term("integer", value=int(value)) if value == value.to_integral_value() else Term("decimal", value=value)


def _compared(compare: Any, a: Term, b: Term, node: Any) -> Any:
    """A comparison; NULL with anything is NULL."""
    if "null" in (a.family, b.family):
        return pc.scalar(_NULL)
    if a.field is None and b.field is None:
        if a.family != b.family and {a.family, b.family} != _NUMBERS:
            raise Unsupported(f"{a.family} compared with {b.family}: {node.sql()[:200]}")
        return pc.scalar(bool(compare(a.value, b.value)))
    if a.field is None or b.field is None:
        literal, column = (a, b) if a.field is None else (b, a)
        value = _fitted(literal, column)
        if value is None:
            raise Unsupported(f"{column.field.type} compared with {literal.family}: {node.sql()[:200]}")
        sides = (pc.scalar(value), column.expression)
        return compare(*(sides if a.field is None else reversed(sides)))
    kinds = {str(a.field.type), str(b.field.type)}
    if a.family != b.family or a.family == "other" or (len(kinds) > 1 and (a.family != "integer" or "uint64" in kinds)):
        raise Unsupported(f"{a.field.type} compared with {b.field.type}: {node.sql()[:200]}")
    return compare(a.expression, b.expression)


def _fitted(literal: Term, column: Term) -> Any:
    """The literal as a scalar that compares with the column as SQL means it; None where there is none."""
    kind, value = column.field.type, literal.value
    match column.family, literal.family:
        case "integer", "integer" if -(1 << 63) <= value < 1 << 63 and not pa.types.is_uint64(kind):
            return pa.scalar(value, pa.int64())
        case (("integer" | "decimal"), ("integer" | "decimal")):
            return pa.scalar(Decimal(value))
        case "float", ("integer" | "decimal"):
            # Rounded by Python, which rounds correctly; Arrow's cast from decimal to double does not.
            return pa.scalar(float(value), pa.float64())
        case ("string", "string") | ("boolean", "boolean") | ("date", "date"):
            return pa.scalar(value)
        case "date", "string" if _DATE.fullmatch(value):
            return pa.scalar(datetime.date.fromisoformat(value))
        case "date", "timestamp" if value.time() == datetime.time():
            return pa.scalar(value.date())
        case "timestamp", "string" if _MOMENT.fullmatch(value):
            return _moment(datetime.datetime.fromisoformat(value), kind)
        case "timestamp", "timestamp":
            return _moment(value, kind)
        case "timestamp", "date":
            return _moment(datetime.datetime(value.year, value.month, value.day), kind)
    return None


def _moment(value: datetime.datetime, kind: Any) -> Any:
    # The session's time zone is UTC, as everywhere in weigh.
    return pa.scalar(value if kind.tz is None else value.replace(tzinfo=datetime.UTC), pa.timestamp("us", kind.tz))

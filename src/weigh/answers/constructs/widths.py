"""Integer arithmetic whose value may leave the width of its columns: engines wrap around, widen, saturate or refuse."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from weigh.answers.constructs.construct import anything
from weigh.answers.constructs.explaining import number
from weigh.answers.constructs.places import aliases_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlglot import exp

    from weigh.answers.constructs.construct import Explains
    from weigh.model.gate import Difference

WHY = "integers leave their type, and engines widen them, wrap around or refuse: cast to BIGINT or DECIMAL first"
_LENGTH = 2**16
"""Of a text, taken as its greatest."""
_NUMBER = 2**31
"""What a literal may be that is not known here."""
_BITS = {"TINYINT": 8, "SMALLINT": 16, "MEDIUMINT": 32, "INT": 32, "BIGINT": 64, "INT128": 128, "INT256": 256}
_SHIFT = 64
"""Beyond it everything overflows."""
_WIDEST = 64
"""Bits of the widest integers that all engines have."""
MIXED = "mixed"
"""An operation of several types, of which engines cannot be asked."""
_NARROW_SUM = 32
"""Bits of integers whose sums have as many in some engines."""
_PARTS = {"YEAR": (32, 9999), "DOY": (16, 366), "DAYOFYEAR": (16, 366)}
_CLOCK = {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "DOW", "DOY", "DAYOFWEEK", "DAYOFYEAR"}
"""Parts of a moment that are small integers, most of them of 8 bits to some engines."""


class Width(NamedTuple):
    """A type of integers."""

    bits: int
    signed: bool

    @property
    def least(self) -> int:
        """The smallest number."""
        return -(2 ** (self.bits - 1)) if self.signed else 0

    @property
    def most(self) -> int:
        """The greatest number."""
        return int(2 ** (self.bits - self.signed)) - 1

    @property
    def ends(self) -> tuple[int, int]:
        """The smallest number and the greatest."""
        return self.least, self.most

    def holds(self, low: float, high: float) -> bool:
        """Whether it has all numbers between two."""
        return self.least <= low and high <= self.most


class Range(NamedTuple):
    """Values that an expression may have.

    Attributes:
        low: the least.
        high: the greatest.
        widths: types that it may have; none of a literal, and of what is no integer.
        whole: whether it is an integer.
        rows: how many values a column has.
        mixed: whether it is one of several, some of them literals: engines give these different types.
    """

    low: float
    high: float
    widths: tuple[Width, ...] = ()
    whole: bool = True
    rows: int = 1
    mixed: bool = False


class Overflow(NamedTuple):
    """An operation that may leave a type: of two columns ``+``, ``-`` or ``*``, ``+1`` with a literal, and others."""

    kind: str
    width: Width


def arithmetic(node: exp.Expr) -> bool:
    """Whether it is the outermost of integer arithmetic, or of casts to integers, in its query."""
    if not _counts(node):
        return False
    from sqlglot import exp

    above = node.parent
    while above is not None and not isinstance(above, exp.Query):
        if _counts(above):
            return False
        above = above.parent
    return True


def explains(node: exp.Expr) -> Explains:
    """Which differences it explains where it is all of a column: by the width where it is nothing but arithmetic.

    What wraps around within a sum moves that by multiples of the width too.
    """
    from sqlglot import exp

    plain = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Paren, exp.Cast, exp.DataType, exp.Column, exp.Identifier)
    terms = node.this if isinstance(node, exp.Sum) else node
    if all(isinstance(one, (*plain, exp.Literal)) for one in terms.walk()) or (
        isinstance(terms, exp.Abs) and isinstance(terms.this.unnest(), exp.Column)
    ):
        return by_width if terms is node else by_width_of_terms
    return anything


def by_width(_cells: Sequence[Difference]) -> bool:
    """Stands for what :mod:`weigh.answers.constructs.width_cells` finds by how engines take it; nothing without."""
    return False


def by_width_of_terms(_cells: Sequence[Difference]) -> bool:
    """The same of a sum of such terms."""
    return False


@cache
def columns(sql: str) -> frozenset[str]:
    """Names of columns of which the range of integer arithmetic depends, in small letters."""
    query = parsed(sql)
    if query is None:
        return frozenset()
    return frozenset(columns_of(*(node for node in query.walk() if arithmetic(node))))


def columns_of(*parts: exp.Expr) -> list[str]:
    """Names of columns that parts of one query depend on, in small letters, through the names that it gives itself."""
    from sqlglot import exp

    aliases = aliases_of(parts[0].root()) if parts else {}
    found: dict[str, None] = {}
    left = list(parts)
    while left:
        names = {one.name.lower() for one in left.pop().find_all(exp.Column)} - found.keys()
        found |= dict.fromkeys(sorted(names))
        left += [one for name in names for one in aliases.get(name, ())]
    return list(found)


def overflows(sql: str, ranges: Mapping[str, Range]) -> dict[str, set[Overflow]]:
    """What integer arithmetic of a query may leave its types, by the SQL of the outermost.

    Args:
        sql: the query.
        ranges: of the data's columns, by name in small letters.
    """
    query = parsed(sql)
    found: dict[str, set[Overflow]] = {}
    if query is None:
        return found
    for node in query.walk():
        if arithmetic(node):
            ranged = Ranged(query, ranges)
            # Also what stands in a condition or a function within it.
            for one in node.walk():
                if _counts(one):
                    ranged.of(one)
            if ranged.overflows:
                found.setdefault(node.sql(), set()).update(ranged.overflows)
    return found


def hull(ranges: Iterable[Range | None]) -> Range | None:
    """The range of any of some; None where one is not known, or there is none."""
    each = list(ranges)
    known = [one for one in each if one is not None]
    if not each or len(known) < len(each):
        return None
    return Range(
        min(one.low for one in known),
        max(one.high for one in known),
        tuple(dict.fromkeys(width for one in known for width in one.widths)),
        all(one.whole for one in known),
        max(one.rows for one in known),
        any(one.mixed for one in known) or len({bool(one.widths) for one in known if one.whole}) > 1,
    )


@cache
def parsed(sql: str) -> exp.Expr | None:
    """The tree of a query, which nobody may change; None where it cannot be parsed."""
    import sqlglot

    try:
        return sqlglot.parse_one(sql, read="duckdb")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return None


def _counts(node: exp.Expr) -> bool:
    from sqlglot import exp

    if isinstance(node, exp.Cast):
        return width_of(node.to) is not None and not isinstance(node.this, exp.Literal)
    if isinstance(node, exp.Neg):
        return not isinstance(node.this, exp.Literal)
    if isinstance(node, exp.Sum):
        return any(map(_counts, node.find_all(exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Abs, exp.Cast)))
    return isinstance(node, (exp.Add, exp.Sub, exp.Mul, exp.Abs, exp.Pow, exp.BitwiseLeftShift))


def width_of(kind: exp.DataType) -> Width | None:
    """The width of a type of integers; None of another type."""
    name = kind.this.name if hasattr(kind.this, "name") else ""
    signed = name in _BITS
    bits = _BITS.get(name) or _BITS.get(name.removeprefix("U"))
    return Width(bits, signed) if bits else None


class Ranged:
    """Ranges of the expressions of a query, and what may overflow in them.

    Args:
        query: the query.
        ranges: of the data's columns, by name in small letters.
        sure: whether a range is known only where nothing else may have the name; else it is what is known of it.
    """

    def __init__(self, query: exp.Expr, ranges: Mapping[str, Range], *, sure: bool = False) -> None:
        self._ranges = ranges
        self._aliases = aliases_of(query)
        self._sure = sure
        self._open: set[str] = set()
        self.overflows: set[Overflow] = set()
        self.wraps = False
        """Whether a sum may leave the type of what it sums, or that of sums."""

    def of(self, node: exp.Expr | None) -> Range | None:
        """The range of an expression; None where nobody knows it."""
        from sqlglot import exp

        node = node.unnest() if node is not None else None
        if isinstance(node, exp.Literal):
            value = None if node.is_string else number(node.name)
            if value is None:
                return None
            end = int(value) if node.is_int else float(value)
            return Range(end, end, (), node.is_int)
        if isinstance(node, (exp.Placeholder, exp.Parameter)):
            return Range(-_NUMBER, _NUMBER)
        if isinstance(node, exp.Column):
            return self._column(node.name.lower())
        if isinstance(node, (exp.Add, exp.Sub, exp.Mul)):
            return self._binary(node)
        if isinstance(node, exp.Neg):
            inner = self.of(node.this)
            return inner and self._checked("neg", inner._replace(low=-inner.high, high=-inner.low))
        if isinstance(node, exp.Abs):
            inner = self.of(node.this)
            high = max(abs(inner.low), abs(inner.high)) if inner else 0
            low = 0 if inner and inner.low <= 0 <= inner.high else min(abs(inner.low), abs(inner.high)) if inner else 0
            return inner and self._checked("abs", inner._replace(low=low, high=high))
        if isinstance(node, exp.Cast):
            return self._cast(node)
        if isinstance(node, (exp.Pow, exp.BitwiseLeftShift)):
            return self._raised(node)
        return self._other(node) if node is not None else None

    def _other(self, node: exp.Expr) -> Range | None:
        from sqlglot import exp

        if isinstance(node, exp.Sum):
            return self._sum(node.this)
        if isinstance(node, exp.Count):
            rows = max((one.rows for one in self._ranges.values()), default=_NUMBER)
            return Range(0, rows, (Width(64, signed=True),))
        if isinstance(node, exp.Avg):
            inner = self.of(node.this)
            return inner and inner._replace(widths=(), whole=False)
        if isinstance(node, (exp.Div, exp.IntDiv, exp.Mod)):
            inner = self.of(node.this)
            self.of(node.expression)
            largest = max(abs(inner.low), abs(inner.high)) if inner else 0
            return inner and inner._replace(low=-largest, high=largest)
        if isinstance(node, exp.Length):
            return Range(0, _LENGTH, (Width(32, signed=False),))
        if isinstance(node, exp.Case):
            default = node.args.get("default")
            branches = [one.args["true"] for one in node.args["ifs"]] + ([default] if default is not None else [])
            return hull(self.of(one) for one in branches if not isinstance(one, exp.Null))
        if isinstance(node, exp.If):
            branches = [node.args["true"], *filter(None, [node.args.get("false")])]
            return hull(self.of(one) for one in branches if not isinstance(one, exp.Null))
        if isinstance(node, (exp.Coalesce, exp.Greatest, exp.Least)):
            return hull(map(self.of, (node.this, *node.expressions)))
        if isinstance(node, (exp.Lag, exp.Lead)):
            return hull(map(self.of, filter(None, (node.this, node.args.get("default")))))
        taken = (exp.Min, exp.Max, exp.AnyValue, exp.First, exp.Last, exp.FirstValue, exp.LastValue,
                 exp.Window, exp.Filter, exp.Nullif, exp.Distinct, exp.IgnoreNulls)  # fmt: skip
        if isinstance(node, taken):
            return self.of(node.this or node.expressions[0])
        if isinstance(node, exp.Query) and len(node.selects) == 1:
            return self.of(node.selects[0].unalias())
        unit = node.name.upper() if isinstance(node, exp.Extract) else node.key.upper().replace("OF_", "OF")
        bits, most = _PARTS.get(unit, (8, 59))
        return Range(0, most, (Width(bits, signed=True),)) if unit in _CLOCK else None

    def _column(self, name: str) -> Range | None:
        known = [self._ranges[name]] if name in self._ranges else []
        if name in self._open:
            # Within itself it is that of the data, but where it stands for several.
            return None if self._sure and len(self._aliases[name]) > 1 else hull(known)
        self._open.add(name)
        meant = [self.of(one) for one in self._aliases.get(name, ())]
        self._open.discard(name)
        if self._sure and None in meant:
            return None
        # What it stands for within itself (sum(x) AS x) is not known there.
        return hull([*known, *(one for one in meant if one is not None)])

    def _binary(self, node: exp.Add | exp.Sub | exp.Mul) -> Range | None:
        from sqlglot import exp

        one, other = self.of(node.this), self.of(node.expression)
        if one is None or other is None:
            return None
        if isinstance(node, exp.Add):
            sign, ends = "+", [one.low + other.low, one.high + other.high]
        elif isinstance(node, exp.Sub):
            sign, ends = "-", [one.low - other.high, one.high - other.low]
        else:
            sign, ends = "*", [a * b for a, b in product(one[:2], other[:2])]
        lone = one.widths == () or other.widths == ()
        widths = one.widths or other.widths
        if not lone:
            pairs = product(one.widths, other.widths)
            widths = tuple(dict.fromkeys(each for pair in pairs for each in pair if each.bits == max(pair)[0]))
        elif not widths:
            widths = (Width(32, signed=True),)
        # No type holds both: engines take the signed one, a wider one, decimals or doubles.
        apart = not lone and len({width.signed for width in widths if width.bits >= _WIDEST}) > 1
        whole, mixed = one.whole and other.whole, one.mixed or other.mixed or apart
        found = Range(min(ends), max(ends), widths, whole, max(one.rows, other.rows), mixed)
        return self._checked(f"{sign}1" if lone else sign, found)

    def _raised(self, node: exp.Pow | exp.BitwiseLeftShift) -> Range | None:
        """A power, or a shift to the left: a number of its first operand's type to some engines, a double to others."""
        from sqlglot import exp

        base, by = self.of(node.this), self.of(node.expression)
        if base is None or by is None or not (base.whole and by.whole):
            return None
        most = int(min(max(by.high, 0), _SHIFT))
        factor = max(abs(base.low), abs(base.high)) ** most if isinstance(node, exp.Pow) else 2**most
        high = factor if isinstance(node, exp.Pow) else max(abs(base.low), abs(base.high)) * factor
        return self._checked("raised", base._replace(low=-high if base.low < 0 else 0, high=high, mixed=True))

    def _cast(self, node: exp.Cast) -> Range | None:
        width, inner = width_of(node.to), self.of(node.this)
        if width is None:
            real = node.is_type(*node.to.REAL_TYPES) or node.is_type("decimal")
            return inner._replace(widths=(), whole=False) if inner and real else None
        if inner is None or (self._sure and not inner.whole):
            return None if self._sure else Range(width.least, width.most, (width,))
        if inner.whole and not width.holds(inner.low, inner.high):
            self.overflows.add(Overflow("cast", width))
        return inner._replace(
            low=max(inner.low, width.least), high=min(inner.high, width.most), widths=(width,), whole=True, mixed=False
        )

    def _sum(self, summed: exp.Expr) -> Range | None:
        before = set(self.overflows)
        inner = self.of(summed)
        if inner is None:
            return None
        # Sums of 32 bits stay such in some engines, those of fewer are wide in all.
        wide = tuple(Width(64, one.signed) if one.bits != _NARROW_SUM else one for one in inner.widths)
        low, high = min(0, inner.low * inner.rows), max(0, inner.high * inner.rows)
        found = Range(low, high, wide or (Width(_NARROW_SUM, signed=True),), inner.whole, inner.rows, inner.mixed)
        self.wraps |= found.whole and not all(one.holds(low, high) for one in (*inner.widths, *found.widths))
        # Of numbers that do not overflow themselves the sum says by itself that it wrapped.
        return self._checked("sum", found) if self.overflows - before else found

    def _checked(self, kind: str, found: Range) -> Range:
        if not found.whole:
            return found._replace(widths=())
        # How an engine types several together no probe of one column says: each takes it its own way.
        kind = MIXED if found.mixed else kind
        self.overflows.update(Overflow(kind, one) for one in found.widths if not one.holds(found.low, found.high))
        return found

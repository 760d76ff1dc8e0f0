"""What SQL leaves open: constructs in which right engines differ, so that no majority tells who is right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from weigh.answers import constructs
from weigh.answers.compare import DOUBLE_FOR_DECIMAL, compare
from weigh.answers.comparison import MAX_DIFFERENCES, MOST_DIFFERENCES, Comparison
from weigh.answers.constructs import MERGED, SAMPLE, SEQUENCE, reach, rounding, width_cells
from weigh.answers.constructs.comparisons import orders_columns
from weigh.answers.constructs.widths import by_width, by_width_of_terms
from weigh.answers.one_form import part_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import pyarrow as pa

    from weigh.answers.constructs import Construct
    from weigh.model.gate import Difference
    from weigh.model.operation import Operation

_ORDERS = re.compile(r"\b(min|max|greatest|least|median|mode|quantile\w*|percentile\w*|arg_?m(in|ax))\s*\(", re.I)
"""Functions whose answer depends on where NaN stands."""
_CUT = re.compile(r"\border\s+by\b.*\b(limit|fetch|top)\b", re.I | re.S)
_INNER = re.compile(r"\b(over|window)\b.*\border\s+by\b", re.I | re.S)
_NULLS = re.compile(r"\bnulls\s+(first|last)\b", re.I)
_WRAPPING = {32: 2**31, 64: 2**64, 128: 2**128}
"""Below what a number is that wrapped around, by the bits of the integers: the wide ones may be without a sign."""
_CHANCES = {"clickhouse": {SAMPLE, "united"}}
"""Keys of what engines of a lineage alone give in two ways, by their documentation: to ClickHouse a median is that of a
sample, and ORDER BY behind a UNION is of its last query."""
Ways = Mapping[str, Mapping[str, str]]
"""How each contender that could be probed takes a construct, by its key in :mod:`weigh.answers.constructs`."""


def reason(
    operation: Operation,
    answers: tuple[pa.Table, pa.Table],
    ways: Ways | None = None,
    camps: tuple[Sequence[str], Sequence[str]] = ((), ()),
    *,
    nulls: bool = True,
    outvoted: bool = True,
    cells: Sequence[Difference] | None = None,
) -> str:
    """Why two answers may both be right; empty where nothing known explains how they differ.

    What a construct explains is the column that it stands in; any column and other rows where it stands in a filter,
    a group, a part of an expression or a query within the query. It explains nothing between those who take it alike.

    Args:
        operation: whose answers they are.
        answers: the two.
        ways: how contenders take constructs.
        camps: contenders with the one answer, and with the other.
        nulls: whether one of the answers may have NULL where rows were put in order.
        outvoted: whether a majority has the second answer; else neither comes first.
        cells: that differ and are to be explained; all where None.
    """
    if cells is None:
        cells = compare(*answers, operation.schema, most=MOST_DIFFERENCES).differences
    if not cells or any(cell.column in ("(columns)", "(column names)") for cell in cells):
        return ""
    if merged := _merged(operation.sql, ways or {}, camps):
        return merged
    differ = _differing(ways or {}, *camps)
    full = f"{constructs.ORDERED}{operation.sql}"
    nulls &= not any(full in (ways or {}).get(name, {}) for camp in camps for name in camp)

    def varied(key: str) -> bool:
        return (
            len({ways[name][key] for camp in camps for name in camp if key in ways.get(name, {})} if ways else ()) > 1
        )

    # The place of NULL and NaN in the sequence of rows is compared as open as the query leaves it.
    sequence = operation.schema.nulls_open is not msgspec.UNSET and all(one.row.endswith("in order") for one in cells)
    if not sequence and _of_order(operation, cells):
        return "where NaN stands in an order is left open by SQL"
    placed = _NULLS.search(operation.sql) is not None or differ("nulls") is False
    if (
        not placed
        and not sequence
        and (_of_nulls(operation, cells) or (nulls and differ("nulls") and _cuts(operation.sql)))
    ):
        return "where NULL stands in an order is left open by SQL: NULLS FIRST or NULLS LAST says it"
    names = [one.name for one in operation.schema.columns]
    key = f"{constructs.REACH}{operation.sql}"
    far = next(((ways or {})[name][key] for camp in camps for name in camp if key in (ways or {}).get(name, {})), "")
    whole = [(one.column, _wrapped(one, outvoted=outvoted)) for one in cells]
    if all(number is not None and _may_be(far, names, column, number) for column, number in whole):
        return "integers are of different widths, and a number beyond them wraps around"
    if why := rounding.reason(operation.sql, cells, [[(ways or {}).get(name, {}) for name in camp] for camp in camps]):
        return why
    found = [_by_width(one, ways or {}, camps) for one in constructs.of(operation.sql) if _may(one, differ, varied)]
    if not varied("division"):
        # A sum may be an integer or a decimal, and what is divided a whole number: nothing else.
        found = [one._replace(rows=True) if one.key == "division" and one.mixed else one for one in found]
    # Whatever else explains a difference is the likelier reason.
    found.sort(key=lambda one: one.key.startswith(constructs.ZONE))
    return _of_constructs(operation, cells, found, answers) or _of_the_rest(operation, answers, found)


def by_chance(
    operation: Operation, answer: pa.Table, witness: pa.Table, lineage: str = "", *, complete: bool = False
) -> Comparison:
    """Two answers of one engine compared: they agree where they differ in what may be otherwise each time.

    Args:
        operation: whose answers they are.
        answer: what is compared.
        witness: with what.
        lineage: of the engine.
        complete: whether the witness holds every row that ties at the limit.
    """
    compared = compare(answer, witness, operation.schema, complete=complete, most=MOST_DIFFERENCES)
    found = _chances(operation, lineage)
    counts = any(one.column in ("(rows)", "(columns)", "(column names)") for one in compared.differences)
    why = ""
    if not compared.agrees and not counts:
        why = _of_constructs(operation, compared.differences, found, (answer, witness), complete=complete)
        why = why or _of_the_rest(operation, (answer, witness), found, complete=complete)
    if why:
        return Comparison(agrees=True, open=True, notes=(why,))
    return msgspec.structs.replace(compared, differences=compared.differences[:MAX_DIFFERENCES])


def has_chance(operation: Operation, lineage: str = "") -> bool:
    """Whether one engine of a lineage may rightly answer in two ways."""
    return bool(_chances(operation, lineage))


def _chances(operation: Operation, lineage: str) -> list[Construct]:
    keys = {SEQUENCE, *_CHANCES.get(lineage, ())}
    return [one for one in constructs.of(operation.sql) if one.key in keys]


def _merged(sql: str, ways: Ways, camps: tuple[Sequence[str], Sequence[str]]) -> str:
    """Why answers may differ of which the one is that of engines without a value that a column in the query has."""
    for camp in filter(None, camps):
        columns = [ways.get(name, {}).get(MERGED, "").splitlines() for name in camp]
        named = (
            [one for one in columns[0] if all(_named(part, sql) for part in one.split(".", 1))] if all(columns) else []
        )
        if named:
            return (
                f"{' and '.join(camp)} has one value for two of the data's in {', '.join(named)}: NULL is one of them"
            )
    return ""


def _named(column: str, sql: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(column)}(?!\w)", sql, re.IGNORECASE) is not None


def _differing(ways: Ways, one: Sequence[str], other: Sequence[str]) -> Callable[[str], bool | None]:
    """Whether two camps take a construct differently; None where one of them could not be probed."""

    def differ(key: str) -> bool | None:
        first, second = ({ways[name][key] for name in camp if key in ways.get(name, {})} for camp in (one, other))
        return first.isdisjoint(second) if first and second else None

    return differ


def _may(found: Construct, differ: Callable[[str], bool | None], varied: Callable[[str], bool]) -> bool:
    """Whether a construct may be taken differently: what neither a probe nor the data bounds explains nothing.

    Args:
        found: the construct.
        differ: whether two camps take one differently.
        varied: whether any two of them do.
    """
    if found.key == SEQUENCE or found.key in constructs.UNASKED:
        return True
    if found.key == "division" and found.mixed:
        return True
    base = constructs.fraction_base(found.key)
    if base:
        # Whole numbers everybody casts and rounds alike.
        return differ(found.key) is not False and (differ(base) is not False or (found.mixed and varied(base)))
    alike = found.key in constructs.ALIKE or found.key.startswith(constructs.OF_DATA)
    if found.key not in constructs.PROBES and not alike:
        return False
    known = differ(found.key)
    return known is True or (known is None and not alike)


def _by_width(found: Construct, ways: Ways, camps: tuple[Sequence[str], Sequence[str]]) -> Construct:
    """Arithmetic that leaves its types explains what those types can do to it, as the camps take it."""
    if found.explains not in (by_width, by_width_of_terms):
        return found
    taken = [ways.get(name, {}).get(found.key, "") for camp in camps for name in camp]
    return found._replace(explains=width_cells.explains(taken, summed=found.explains is by_width_of_terms))


def _of_constructs(
    operation: Operation,
    cells: Sequence[Difference],
    found: Sequence[Construct],
    answers: tuple[pa.Table, pa.Table],
    *,
    complete: bool = False,
) -> str:
    names = [one.name for one in operation.schema.columns]
    # Whole rows are explained by what stands in some columns where all others are equal.
    bounded = {one.inside for one in found if one.inside is not None}
    whole = {one.column for one in cells}.isdisjoint(("(row)", "(digest)"))
    rest = whole or _rest_agrees(operation, answers, bounded, complete=complete)
    whys: list[str] = []
    for column in dict.fromkeys(one.column for one in cells):
        those = [one for one in cells if one.column == column]
        at = names.index(column) if names.count(column) == 1 else None
        reasons = _explanations(found, column, at, those, rest=rest)
        if not reasons:
            return ""
        whys += reasons
    return "; ".join(dict.fromkeys(whys))


def _explanations(
    found: Sequence[Construct], column: str, at: int | None, cells: Sequence[Difference], *, rest: bool
) -> list[str]:
    """Why cells of one column differ: for one construct all of them, or for a second one what the first leaves."""
    for one in found:
        if _explains(one, column, at, cells, rest=rest):
            return [one.why]
    for one in found:
        left = [cell for cell in cells if not _explains(one, column, at, [cell], rest=rest)]
        if len(left) == len(cells):
            continue
        for other in found:
            if _explains(other, column, at, left, rest=rest):
                return [one.why, other.why]
    return []


def _of_the_rest(
    operation: Operation, answers: tuple[pa.Table, pa.Table], found: Sequence[Construct], *, complete: bool = False
) -> str:
    """Why answers may differ that are equal but for columns in which which row comes first decides.

    Rows are paired by their exact columns, and such a column is none that pairs them.
    """
    free = {one.inside: one.why for one in found if one.key in (SEQUENCE, SAMPLE) and one.inside is not None}
    same = bool(free) and _rest_agrees(operation, answers, set(free), complete=complete)
    return "; ".join(dict.fromkeys(free.values())) if same else ""


def _rest_agrees(
    operation: Operation, answers: tuple[pa.Table, pa.Table], free: Collection[int], *, complete: bool = False
) -> bool:
    """Whether two answers are equal but for some columns."""
    schema = operation.schema
    if {table.num_columns for table in answers} != {len(schema.columns)}:
        return False
    left: tuple[int, ...] = tuple(at for at in range(len(schema.columns)) if at not in free)
    one, other = answers
    if not left:
        return int(one.num_rows) == int(other.num_rows)
    compared = compare(one.select(left), other.select(left), part_of(schema, left), complete=complete)
    return compared.agrees and not compared.open


def _explains(found: Construct, column: str, at: int | None, cells: Sequence[Difference], *, rest: bool) -> bool:
    """Whether a construct explains how cells of a column differ; of no column are whole rows, and their number.

    Args:
        found: the construct.
        column: its name, or what stands for one.
        at: its position.
        cells: that differ.
        rest: whether answers are equal but for the columns in which constructs stand.
    """
    if found.sequence:
        return all(map(_of_sequence, cells))
    if found.rows:
        return found.explains(cells)
    if found.inside is None:
        return True
    if at is None:
        return column != "(rows)" and rest
    return found.inside == at and (found.column is None or found.explains(cells))


def _of_sequence(cell: Difference) -> bool:
    """Whether a difference is one of the sequence of rows, and of nothing else."""
    if cell.column == "(digest)":
        return cell.got.partition("+")[0] == cell.expected.partition("+")[0]
    return cell.row.endswith("in order")


def _of_order(operation: Operation, cells: Sequence[Difference]) -> bool:
    """Whether answers differ in nothing but NaN for another number, in a question that puts numbers in order."""
    if not _ORDERS.search(operation.sql):
        return False
    return all("nan" in (one.got.strip("'").lower(), one.expected.strip("'").lower()) for one in cells)


def _of_nulls(operation: Operation, cells: Sequence[Difference]) -> bool:
    """Whether rows come in another order from a NULL on that the query gives no place, or a LIMIT cut others for it."""
    if all(one.row.endswith("in order") for one in cells):
        return all("NULL" in (one.got, one.expected) for one in cells)
    if not _CUT.search(operation.sql):
        return False
    if not any(one.row for one in cells):
        # Of one row each.
        return any("NULL" in (one.got, one.expected) for one in cells)
    if any(one.column != "(row)" for one in cells):
        return False
    # The side that has NULLs first has nothing else before the cut.
    has_null: dict[bool, list[bool]] = {True: [], False: []}
    for one in cells:
        has_null[_times(one.got) > _times(one.expected)].append("NULL" in one.row.split(", "))
    return any(side and all(side) for side in has_null.values())


def closed(operation: Operation, sql: str, tables: Collection[pa.Table]) -> Operation:
    """A question in a form that leaves nothing open: every row that could tie has its place.

    Integers and decimals that have fractions of doubles in that form are compared as doubles.

    Args:
        operation: the question.
        sql: its other form.
        tables: the answers to that.
    """
    schema = operation.schema
    columns = tuple(
        msgspec.structs.replace(column, kind="double", match="approx", rel=DOUBLE_FOR_DECIMAL)
        if column.match == "exact" and column.kind in ("integer", "decimal") and _has_fractions(at, tables)
        else column
        for at, column in enumerate(schema.columns)
    )
    schema = msgspec.structs.replace(schema, columns=columns, limit=None)
    return msgspec.structs.replace(operation, sql=sql, schema=schema)


def _has_fractions(at: int, tables: Collection[pa.Table]) -> bool:
    """Whether a column of one of some answers is of doubles that are not all whole numbers."""
    import pyarrow as pa

    for column in (table.column(at) for table in tables if at < table.num_columns):
        if pa.types.is_floating(column.type):
            try:
                column.cast(pa.int64())
            except pa.ArrowInvalid:
                return True
    return False


def by_order(sql: str) -> bool:
    """Whether an answer depends on which of several equal rows comes first, or where NULL does."""
    return any(one.key == SEQUENCE for one in constructs.of(sql)) or (not _NULLS.search(sql) and _cuts(sql))


def _cuts(sql: str) -> bool:
    """Whether values or rows of the answer depend on an order, and not the sequence of rows alone."""
    return bool(_CUT.search(sql) or _INNER.search(sql)) and orders_columns(sql)


def _times(text: str) -> int:
    """Of ``3 times``, of a row."""
    return int(text.split(maxsplit=1)[0])


def _may_be(far: str, names: Sequence[str], column: str, number: int) -> bool:
    """Whether the data lets a column of an answer have a number that wraps around."""
    return names.count(column) != 1 or reach.may_be(far, names.index(column), number)


def _wrapped(one: Difference, *, outvoted: bool) -> int | None:
    """The number that is beyond the range of an integer, where the other is what wraps around within that; else None.

    Of one who is outvoted it must be the whole number: two lineages that agree on that tell that one wraps.
    """
    try:
        a, b = int(one.got), int(one.expected)
    except ValueError:
        return None
    if not outvoted and abs(a) < abs(b):
        a, b = b, a
    # Each width wraps into its own range, and only what is beyond that.
    wraps = any(
        (a - b) % 2**bits == 0 and not -(2 ** (bits - 1)) <= a < 2 ** (bits - 1) and -(2 ** (bits - 1)) <= b < most
        for bits, most in _WRAPPING.items()
    )
    return a if wraps else None

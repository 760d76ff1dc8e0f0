"""A plain SELECT over one table as a plan of Acero.

Translated are columns, literals, count, sum, min, max, avg and count(DISTINCT) of columns, WHERE, GROUP BY columns,
ORDER BY, LIMIT and OFFSET. Everything else is refused by name.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import sqlglot
from pyarrow import acero
from sqlglot import exp

from weigh_worker import Unsupported

from .tables import Table
from .where import Scope, only

_AGGREGATES = {exp.Count: "count", exp.Sum: "sum", exp.Min: "min", exp.Max: "max", exp.Avg: "avg"}
_SOME = pc.ScalarAggregateOptions(skip_nulls=True, min_count=1)
"""The sum, the mean and the extremes of nothing are NULL."""
_VALID = pc.CountOptions(mode="only_valid")
_PLACED_BY_KEY = int(pa.__version__.split(".")[0]) >= 25
"""Where NULL is sorted belongs to each key; before, to the whole."""
_POOL_ROWS = 1 << 18
"""Rows kept until those beyond an ordered LIMIT are thrown away."""


def parsed(sql: str) -> Any:
    """The syntax tree of one statement.

    DuckDB's dialect of sqlglot: it tells NULLS FIRST from its absence, and has no escapes in strings.
    """
    try:
        (tree,) = sqlglot.parse(sql, dialect="duckdb")
    except (sqlglot.ParseError, sqlglot.TokenError, ValueError) as error:
        raise Unsupported(f"it cannot be read as one statement: {error}") from error
    return tree


class Select:
    """One SELECT.

    Args:
        tree: its syntax tree.
        tables: by name.
        plan: the settings of plans.
    """

    def __init__(self, tree: Any, tables: dict[str, Table], plan: dict[str, Any]) -> None:
        if type(tree) is not exp.Select:
            raise Unsupported(f"{type(tree).__name__.upper()}: only a plain SELECT is translated")
        only(tree, "expressions", "from_", "where", "group", "order", "limit", "offset")
        where, group, order = (tree.args.get(part) for part in ("where", "group", "order"))
        self.plan = plan
        self.table, name = _source(tree.args.get("from_"), tables)
        self.scope = Scope(self.table.dataset.schema, {name})
        self.filter = self.scope.condition(where.this) if where else None
        if group:
            only(group, "expressions")
        self.keys = [self._key(node) for node in group.expressions] if group else []
        self.arguments: list[Any] = []
        self.aggregates: list[tuple[str, str, Any]] = []
        items = [one for node in tree.expressions for one in self._expanded(node)]
        self.columns = [name for name, _ in items]
        self.nulls = "at_end"
        self.order = self._ordered(order, items) if order else []
        self.grouped = bool(group) or any(type(node) in _AGGREGATES for _, node in items)
        self.outputs = [self._item(node) for _, node in items]
        self.limit, self.offset = (_count(tree.args.get(part)) for part in ("limit", "offset"))

    def run(self) -> Any:
        """The complete result as a table."""
        parallel = self.plan["use_threads"]
        scan = acero.ScanNodeOptions(
            self.table.dataset,
            columns=sorted(self.scope.used),
            filter=self.filter if self.plan["pushdown"] else None,
            use_threads=parallel,
            batch_size=self.plan["batch_size"],
        )
        steps = [acero.Declaration("scan", scan)]
        if self.filter is not None:
            # The scan leaves out what it can by statistics, and no more.
            steps.append(acero.Declaration("filter", acero.FilterNodeOptions(self.filter)))
        if self.grouped:
            steps += self._grouping()
        names = [f"c{number}" for number in range(len(self.outputs))]
        steps.append(acero.Declaration("project", acero.ProjectNodeOptions(self.outputs, names)))
        with acero.Declaration.from_sequence(steps).to_reader(use_threads=parallel) as reader:
            table = self._collected(reader)
        return table.select(list(range(len(self.columns)))).rename_columns(self.columns)

    def _grouping(self) -> list[Any]:
        keys = [f"k{number}" for number in range(len(self.keys))]
        arguments = [f"x{number}" for number in range(len(self.arguments))]
        fields = [*map(pc.field, self.keys), *self.arguments]
        prefix = "hash_" if keys else ""
        made: list[Any] = [
            (argument or [], prefix + function, options, f"a{number}")
            for number, (argument, function, options) in enumerate(self.aggregates)
        ]
        return [
            acero.Declaration("project", acero.ProjectNodeOptions(fields, keys + arguments)),
            acero.Declaration("aggregate", acero.AggregateNodeOptions(made, keys=keys)),
        ]

    def _collected(self, reader: Any) -> Any:
        """The rows asked for, in their order; of those beyond a LIMIT no more than a pool is held at a time."""
        wanted = None if self.limit is None else self.limit + (self.offset or 0)
        batches: list[Any] = []
        rows = 0
        for batch in reader:
            batches.append(batch)
            rows += batch.num_rows
            if wanted is None:
                continue
            if not self.order and rows >= wanted:
                break
            if self.order and rows > wanted + _POOL_ROWS:
                batches = self._sorted(pa.Table.from_batches(batches, reader.schema)).slice(0, wanted).to_batches()
                rows = sum(one.num_rows for one in batches)
        table = self._sorted(pa.Table.from_batches(batches, reader.schema))
        return table.slice(self.offset or 0, self.limit)

    def _sorted(self, table: Any) -> Any:
        if not self.order:
            return table
        places = {self.nulls} if _PLACED_BY_KEY else ()
        keys = [(f"c{position}", direction, *places) for position, direction in self.order]
        options = {} if _PLACED_BY_KEY else {"null_placement": self.nulls}
        return table.take(pc.sort_indices(table, sort_keys=keys, **options))

    def _expanded(self, node: Any) -> list[tuple[str, Any]]:
        """The columns that an item of the select list stands for, with their names."""
        if type(node) is exp.Star:
            only(node)
            names = self.table.dataset.schema.names
            return [(name, exp.column(exp.to_identifier(name, quoted=True))) for name in names]
        if type(node) is exp.Alias:
            only(node, "this", "alias")
            return [(node.alias, node.this)]
        return [(node.name if type(node) is exp.Column else node.sql(), node)]

    def _ordered(self, order: Any, items: list[tuple[str, Any]]) -> list[tuple[int, str]]:
        """Positions and directions of the order; what is not in the select list is put at its end."""
        only(order, "expressions")
        found, first = [], set()
        for key in order.expressions:
            only(key, "this", "desc", "nulls_first")
            found.append((self._place(key.this, items), "descending" if key.args.get("desc") else "ascending"))
            first.add(bool(key.args.get("nulls_first")))
        if len(first) > 1:
            raise Unsupported(f"NULLS FIRST for a part of the order: {order.sql()}")
        self.nulls = "at_start" if first.pop() else "at_end"
        return found

    def _place(self, node: Any, items: list[tuple[str, Any]]) -> int:
        if type(node) is exp.Literal:
            place = int(node.this) if node.this.isdigit() and not node.is_string else 0
            if not 1 <= place <= len(self.columns):
                raise Unsupported(f"ORDER BY {node.sql()}")
            return place - 1
        bare = type(node) is exp.Column and not node.table
        places = [n for n, name in enumerate(self.columns) if bare and name.lower() == node.name.lower()]
        places = places or [n for n, (_, item) in enumerate(items) if item == node]
        if not places:
            items.append(("", node))
        return places[0] if places else len(items) - 1

    def _key(self, node: Any) -> str:
        if type(node) is not exp.Column:
            raise Unsupported(f"GROUP BY other than columns: {node.sql()}")
        term = self.scope.column(node)
        if term.family in ("float", "other"):
            # Arrow tells 0.0 from -0.0.
            raise Unsupported(f"GROUP BY a column of {term.field.type}: {node.sql()}")
        return str(term.field.name)

    def _item(self, node: Any) -> Any:
        """What gives an item of the select list, after the grouping if there is one."""
        if type(node) in _AGGREGATES:
            return self._aggregate(node, _AGGREGATES[type(node)])
        term = self.scope.term(node)
        if term.field is None or not self.grouped:
            return term.expression
        if term.field.name not in self.keys:
            raise Unsupported(f"{node.sql()} is neither aggregated nor grouped by")
        return pc.field(f"k{self.keys.index(term.field.name)}")

    def _aggregate(self, node: Any, name: str) -> Any:
        """An aggregate, as an expression over the columns that the grouping gives."""
        only(node, "this", "big_int")
        this = node.this
        if name == "count" and type(this) in (exp.Star, exp.Literal):
            only(this, "this", "is_string")
            return self._given(None, "count_all", None)
        distinct = type(this) is exp.Distinct
        if distinct:
            only(this, "expressions")
            if name != "count" or len(this.expressions) != 1:
                raise Unsupported(f"DISTINCT in an aggregate other than the count of a column: {node.sql()}")
            this = this.expressions[0]
        if type(this) is not exp.Column:
            raise Unsupported(f"an aggregate of other than a column: {node.sql()}")
        term = self.scope.column(this)
        column, kind = term.expression, term.field.type
        if distinct and term.family in ("float", "other"):
            # Arrow tells 0.0 from -0.0.
            raise Unsupported(f"distinct values of {kind}: {node.sql()}")
        if name == "count":
            return self._given(column, "count_distinct" if distinct else "count", _VALID)
        if name in ("min", "max"):
            return self._given(column, name, _SOME)
        if term.family == "float":
            return self._given(column, "mean" if name == "avg" else "sum", _SOME)
        if term.family not in ("integer", "decimal"):
            raise Unsupported(f"{name} of {kind}: {node.sql()}")
        return self._exact(name, term)

    def _exact(self, name: str, term: Any) -> Any:
        """The sum or the mean of integers or decimals.

        Arrow's sum of integers is one of 64 bits and wraps silently: where the footers do not exclude that, decimals
        are added. Its mean of decimals is cut to their scale, and its cast from decimal to double is off by a bit for
        some values, that from text is not.
        """
        column, whole = term.expression, term.family == "integer"
        fits = whole and self.table.sums.get(term.field.name, 1 << 63) < 1 << 63
        wide = pa.decimal128(38, 0 if whole else term.field.type.scale)
        total = self._given(column if fits else column.cast(wide), "sum", _SOME)
        if name == "sum":
            return total
        real = total.cast(pa.float64(), safe=False) if fits else total.cast(pa.string()).cast(pa.float64())
        return pc.divide(real, self._given(column, "count", _VALID).cast(pa.float64(), safe=False))

    def _given(self, argument: Any, function: str, options: Any) -> Any:
        """The column in which the grouping gives an aggregate."""
        if argument is not None:
            self.arguments.append(argument)
        self.aggregates.append((f"x{len(self.arguments) - 1}" if argument is not None else "", function, options))
        return pc.field(f"a{len(self.aggregates) - 1}")


def _source(clause: Any, tables: dict[str, Table]) -> tuple[Table, str]:
    """The table of a FROM, and its name in the query; without one, a table of one row."""
    if clause is None:
        return Table("", ds.dataset(pa.table({"weigh_row": [0]})), {}), ""
    only(clause, "this")
    node = clause.this
    if type(node) is not exp.Table:
        raise Unsupported(f"FROM {type(node).__name__}: only one table")
    only(node, "this", "alias")
    if node.args.get("alias"):
        only(node.args["alias"], "this")
    if type(node.this) is not exp.Identifier:
        raise Unsupported(f"FROM {node.sql()}: only one table")
    names = [name for name in tables if name == node.name]
    if not names and not node.this.quoted:
        names = [name for name in tables if name.lower() == node.name.lower()]
    if not names:
        raise LookupError(f"there is no table {node.name}")
    return tables[names[0]], node.alias or names[0]


def _count(node: Any) -> int | None:
    """The number of a LIMIT or an OFFSET."""
    if node is None:
        return None
    if type(node) not in (exp.Limit, exp.Offset):
        raise Unsupported(node.sql())
    only(node, "expression")
    number = node.args["expression"]
    if type(number) is not exp.Literal or number.is_string or not number.this.isdigit():
        raise Unsupported(f"{node.sql().strip()}: only a number")
    return int(number.this)

"""Queries reduced: the same question with parts of it left out, as long as an answer to it stays wrong.

sqlglot parses and renders; functions and literals come out as they were written. What its rendering changes all the
same is for the caller to notice: ask the whole query in its rendering before anything is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import sqlglot
from sqlglot import exp, generator
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Tokenizer

from weigh.experiment.reproducer.query_edits import EDITS, keys, spell_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from weigh.experiment.reproducer.query_edits import Columns
    from weigh.model.answer import ResultSchema

_PLACE = "place"


class Written(Dialect):
    """Standard SQL with functions and literals as they were written: ``count(*)``, ``countIf(x)``, ``DATE '...'``."""

    ORIGINAL_NAME_META_KEY = "written"

    class Generator(generator.Generator):
        """``DATE '...'`` is parsed to a cast, and rendered as a literal again."""

        def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
            """A cast of a text to a date or timestamp as the literal that it is."""
            to = expression.to
            plain = to.this in (exp.DataType.Type.DATE, exp.DataType.Type.TIMESTAMP) and not to.expressions
            if plain and isinstance(expression.this, exp.Literal) and expression.this.is_string:
                return f"{to.this.value} {self.sql(expression.this)}"
            return super().cast_sql(expression, safe_prefix)


class Parsed:
    """A query that can be made smaller.

    Attributes:
        sql: its text.
        schema: of its answer.
    """

    def __init__(self, tree: exp.Query, schema: ResultSchema, tables: Columns) -> None:
        self.schema = schema
        self.sql = tree.sql(dialect=Written, normalize_functions=False, comments=False)
        self._tree = tree
        self._tables = tables

    def smaller(self) -> Iterator[Parsed]:
        """Every query with one part less, the largest parts first. Not all of them are valid."""
        for place, item in enumerate(_items(self._tree, self.schema)):
            item.meta[_PLACE] = place
        for edit in EDITS:
            for number, node in enumerate(self._tree.walk()):
                for choice in range(edit.choices(node)):
                    # In parentheses, so that the whole query can be replaced like any part of it.
                    whole = exp.Paren(this=self._tree.copy())
                    twin = next(twin for place, twin in enumerate(whole.this.walk()) if place == number)
                    if edit.make(twin, choice, self._tables):
                        made = self._with(whole.this.pop())
                        if made is not None:
                            yield made

    def _with(self, tree: exp.Expr) -> Parsed | None:
        assert isinstance(tree, exp.Query)
        schema = self.schema
        if _items(self._tree, schema):
            if not tree.selects or any(_PLACE not in item.meta for item in tree.selects):
                return None
            schema = _narrowed(schema, [item.meta[_PLACE] for item in tree.selects])
        if not tree.args.get("order"):
            schema = msgspec.structs.replace(schema, ordered_by=())
        if not tree.args.get("limit"):
            schema = msgspec.structs.replace(schema, limit=None)
        if len(keys(tree)) != len(keys(self._tree)):
            schema = msgspec.structs.replace(schema, keys=())
        return Parsed(tree, schema, self._tables)

    def needs(self) -> dict[str, list[str]]:
        """The columns that it reads of each table; of a table that it only counts, one."""
        local_names = {cte.alias_or_name.casefold() for cte in self._tree.find_all(exp.CTE)}
        used = {table.name.casefold() for table in self._tree.find_all(exp.Table)} - local_names
        named = {identifier.name.casefold() for identifier in self._tree.find_all(exp.Identifier)}
        everything = any(_all_columns(star) for star in self._tree.find_all(exp.Star)) or any(
            # NATURAL: what it joins by is not said.
            join.method
            for join in self._tree.find_all(exp.Join)
        )
        needed = {}
        for table, columns in self._tables.items():
            if table.casefold() in used:
                some = [column for column in columns if everything or column.casefold() in named]
                needed[table] = some or list(columns[:1])
        return needed


def parse(sql: str, schema: ResultSchema, tables: Columns) -> Parsed | None:
    """The query, or None where it is not understood well enough to be rendered again.

    Args:
        sql: its text.
        schema: of its answer.
        tables: the columns of every table there is.
    """
    try:
        tree = sqlglot.parse_one(sql, read=Written)
        if not isinstance(tree, exp.Query):
            return None
        for select in tree.find_all(exp.Select):
            spell_out(select)
        made = Parsed(tree, schema, tables)
        # Where NULLs are sorted is not rendered if it is sqlglot's default, which is not every engine's.
        return made if _occurrences(sql, "NULLS") == _occurrences(made.sql, "NULLS") else None
    except (SqlglotError, RecursionError, ValueError):
        return None


def minimal(query: Parsed, holds: Callable[[Parsed], bool]) -> Parsed:
    """The query without every part without which ``holds`` is still true.

    Args:
        query: for which it is true.
        holds: asked about each text once. One that answers False to everything from some moment on ends the search.
    """
    tried = {query.sql}
    while True:
        for smaller in query.smaller():
            if smaller.sql in tried:
                continue
            tried.add(smaller.sql)
            if holds(smaller):
                query = smaller
                break
        else:
            return query


def _all_columns(star: exp.Star) -> bool:
    """Whether it stands for columns: not in ``count(*)`` nor in ``EXISTS (SELECT * ...)``."""
    select = star.find_ancestor(exp.Select)
    exists = select is not None and isinstance(select.parent, exp.Exists) and star in select.expressions
    return not exists and not isinstance(star.parent, exp.Count)


def _occurrences(sql: str, word: str) -> int:
    return sum(token.text.upper() == word for token in Tokenizer().tokenize(sql))


def _items(tree: exp.Query, schema: ResultSchema) -> list[exp.Expr]:
    """The items of the outermost SELECT where each is a column of the answer; else nothing is known of them."""
    if not isinstance(tree, exp.Select) or tree.is_star or len(tree.selects) != len(schema.columns):
        return []
    return list(tree.selects)


def _narrowed(schema: ResultSchema, columns: list[int]) -> ResultSchema:
    """The schema of an answer with only these columns."""
    place = {old: new for new, old in enumerate(columns)}
    ordered: list[int] = []
    for position in schema.ordered_by:
        # After a column that is not there any more, the order of the others cannot be observed.
        if position not in place:
            break
        ordered.append(place[position])
    found = tuple(place[position] for position in schema.keys if position in place)
    return msgspec.structs.replace(
        schema,
        columns=tuple(schema.columns[old] for old in columns),
        ordered_by=tuple(ordered),
        keys=found if len(found) == len(schema.keys) else (),
        nulls_open=tuple(place[at] for at in schema.nulls_open if at in place)
        if schema.nulls_open
        else schema.nulls_open,
    )

"""Operations: named queries with the literals they are asked with."""

from __future__ import annotations

import datetime
import re
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from weigh.model.answer import ResultSchema
from weigh.model.data import frames
from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

Literal = str | int | float | None
ESCAPING = ("clickhouse", "spark")
"""Dialects in whose strings a backslash begins an escape."""


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One set of literals for an operation.

    Attributes:
        name: unique in the operation; says what is special about it (``rare-3``, ``absent-1``).
        literals: values by parameter name, substituted into the query as SQL literals.
        timed: whether the clock runs on it; the gate runs every case.
    """

    name: str
    literals: dict[str, Literal] = {}
    timed: bool = False


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """The filter of an operation, for the metamorphic checks of the gate.

    Attributes:
        table: the one table it filters.
        predicate: SQL of the predicate, with the operation's parameters as ``{name}``.
    """

    table: str
    predicate: str


class Ingest(msgspec.Struct, frozen=True, kw_only=True):
    """Loading a table, as an operation.

    Attributes:
        table: its name.
        answer: what the operation's query, asked as soon as the table is loaded, must answer: one row.
    """

    table: str
    answer: tuple[int | None, ...]


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One named query of a workload, or the loading of one of its tables.

    Attributes:
        name: unique in the workload.
        sql: standard SQL, parameters as ``{name}``; the same text for every engine.
        schema: what a right answer looks like.
        cases: at least one; an operation without a timed one is asked in the gate alone.
        filter: the predicate of the query, if it has one that can be split into p, not p, p is null.
        dialect: other text for an engine's dialect where the standard one cannot be written; declared. In a dialect of
            data frames (``frames/polars``) a function in Python, after what it needs.
        about: one line for people.
        ingest: the table that is loaded under the clock; the query is then asked after it, with a clock of its own,
            and the result schema is that of the table's rows. Left out of an operation that is a query.
        template: of a suite: name of the statement whose parameters were filled in; the operations of one template are
            also judged together. Left out of an operation that has none.
    """

    name: str
    sql: str
    schema: ResultSchema
    cases: tuple[Case, ...]
    filter: Filter | None = None
    dialect: dict[str, str] = {}
    about: str = ""
    ingest: Ingest | msgspec.UnsetType = msgspec.UNSET
    template: str | msgspec.UnsetType = msgspec.UNSET

    def text(self, case: Case, dialect: str = "") -> str:
        """One case as an engine gets it: SQL, or a program for a data frame (:mod:`weigh.model.data.frames`)."""
        text = self.dialect.get(dialect, self.sql)
        return frames.program(text, case.literals) if frames.is_program(text) else fill(text, case.literals, dialect)

    @property
    def compared(self) -> bool:
        """Whether its answers are compared: what commands print is not with ``--output none``."""
        return (self.name, self.sql) != ("command", "none")

    def timed(self) -> tuple[Case, ...]:
        """The cases the clock runs on."""
        return tuple(case for case in self.cases if case.timed)


class Workload(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Operations and the dataset they need.

    Attributes:
        name: as the user writes it.
        dataset: name of the generator of its data (entry point or ours).
        operations: in the order they are printed.
        notice: what every report on it must say, e.g. for derived TPC workloads.
        witness: what the answers that its source knows are: ``ground truth``, or ``published answer``.
        suite: names of all operations that belong to it, where only some were chosen; empty means
            those in ``operations``.
    """

    name: str
    dataset: str
    operations: tuple[Operation, ...]
    notice: str = ""
    witness: str = "ground truth"
    suite: tuple[str, ...] = ()

    @cached_property
    def templates(self) -> dict[str, tuple[str, ...]]:
        """Names of the operations of every template that has several."""
        found: dict[str, list[str]] = {}
        for one in self.operations:
            if one.template:
                found.setdefault(one.template, []).append(one.name)
        return {name: tuple(operations) for name, operations in found.items() if len(operations) > 1}

    def operation(self, name: str) -> Operation:
        """The operation of that name.

        Raises:
            UsageError: there is none.
        """
        found = self._by_name.get(name)
        if found is None:
            known = list(self._by_name)
            raise UsageError(f"workload {self.name} has no operation '{name}'", remedy=nearest(name, known))
        return found

    @cached_property
    def _by_name(self) -> dict[str, Operation]:
        """Asked several times a turn, of thousands. Of two of one name, the first."""
        return {operation.name: operation for operation in reversed(self.operations)}


def fill(text: str, literals: Mapping[str, Literal], dialect: str = "") -> str:
    """SQL text with its parameters replaced by SQL literals; other braces stay as they are."""
    if not literals:
        return text
    # At once: a value may contain what looks like another parameter.
    names = re.compile("|".join(re.escape("{" + name + "}") for name in literals))
    return names.sub(lambda found: sql_literal(literals[found.group()[1:-1]], dialect), text)


def sql_literal(value: Literal | datetime.date | datetime.time, dialect: str = "") -> str:
    """A value as SQL writes it: that of the standard, or of an engine's dialect where that one reads it otherwise."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        # A backslash is a character to all but those in whose strings it begins an escape.
        text = value.replace("\\", "\\\\") if dialect in ESCAPING else value
        return "'" + text.replace("'", "''") + "'"
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, datetime.date | datetime.time):
        return f"{'DATE' if isinstance(value, datetime.date) else 'TIME'} '{value.isoformat()}'"
    return repr(value)

"""The questions: what an operation asks, in full."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.model.operation import sql_literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.model.answer import Column, ResultSchema
    from weigh.model.operation import Case, Operation, Workload

_NUMBERED = re.compile(r"-\d+$")
_LONGEST = 60
"""Characters of a literal that are shown; some cases ask for thousands."""


@dataclass(frozen=True, slots=True)
class Question:
    """What an operation asks.

    Attributes:
        about: one line.
        texts: (case, SQL) of every timed case.
        dialects: (who gets it, text) where a contender gets other text: SQL, or a function.
        unspoken: dialects with other text that are not of anybody here.
        others: literals that only the gate asked, by kind of case.
        columns: name, kind, and how it is compared where that is not exactly.
        rows: what else a right answer must hold: order, limit, keys.
    """

    about: str
    texts: tuple[tuple[str, str], ...]
    dialects: tuple[tuple[str, str], ...]
    unspoken: tuple[str, ...]
    others: tuple[tuple[str, tuple[str, ...]], ...]
    columns: tuple[str, ...]
    rows: str

    @property
    def untimed(self) -> int:
        """How many cases only the gate asked."""
        return sum(len(values) for _, values in self.others)


def question(workload: Workload | None, operation: str, spoken: Mapping[str, str]) -> Question | None:
    """The question of that name, None where the evidence does not have it.

    Args:
        workload: of the experiment.
        operation: name.
        spoken: dialects that contenders may have, names of their engines and lineages among them, and what each is
            called.
    """
    for one in workload.operations if workload else ():
        if one.name == operation:
            return _question(one, spoken)
    return None


def _question(one: Operation, spoken: Mapping[str, str]) -> Question:
    timed = one.timed() or one.cases[:1]
    return Question(
        about=one.about,
        texts=tuple((case.name, _laid_out(one.text(case))) for case in timed),
        dialects=tuple(
            (spoken[dialect], _laid_out(one.text(timed[0], dialect))) for dialect in one.dialect if dialect in spoken
        ),
        unspoken=tuple(dialect for dialect in one.dialect if dialect not in spoken),
        others=_by_kind([case for case in one.cases if case not in timed]),
        columns=tuple(f"{column.name} {column.kind}{_match(column)}" for column in one.schema.columns),
        rows=_rows(one.schema),
    )


def _laid_out(sql: str) -> str:
    """As it was written, without the indentation of the module it comes from."""
    return textwrap.dedent(sql).strip("\n")


def _by_kind(cases: list[Case]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Cases that differ in their number only (``rare-1``, ``rare-2``) together."""
    groups: dict[str, list[str]] = {}
    for case in cases:
        groups.setdefault(_NUMBERED.sub("", case.name), []).append(literals(case))
    return tuple((kind, tuple(values)) for kind, values in groups.items())


def literals(case: Case) -> str:
    """The literals of a case as SQL writes them, or its name where it has none."""
    texts = {name: _short(sql_literal(value)) for name, value in case.literals.items()}
    if len(texts) == 1:
        return next(iter(texts.values()))
    return ", ".join(f"{name} = {value}" for name, value in texts.items()) or case.name


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"


def _match(column: Column) -> str:
    match column.match:
        case "exact":
            return ""
        case "approx":
            return f" (within {column.rel:g} of its value)"
        case "quotient":
            return " (within one unit of the coarser scale)"


def _rows(schema: ResultSchema) -> str:
    """Sentences about rows."""
    names = [column.name for column in schema.columns]
    clauses = ["Compared exactly where nothing else is reported."]
    if schema.ordered_by:
        clauses.append(f"Ordered by {', '.join(names[at] for at in schema.ordered_by)}.")
    if schema.limit is not None:
        clauses.append(f"At most {schema.limit:,} rows; any that tie at the limit are right.")
    if schema.keys:
        clauses.append(f"No two rows share {', '.join(names[at] for at in schema.keys)}.")
    return " ".join(clauses)

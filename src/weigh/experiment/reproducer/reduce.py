"""One divergence made small: looked for on few rows first, then less of everything as long as it stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from weigh.answers import compare
from weigh.experiment.reproducer import query as reduce_query
from weigh.experiment.reproducer import rows as reduce_rows
from weigh.experiment.reproducer.subset import Excerpt
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from weigh.experiment.reproducer.candidates import Refutation
    from weigh.experiment.reproducer.pair import Clock, Contradiction, Found, Question
    from weigh.experiment.reproducer.query import Parsed
    from weigh.experiment.reproducer.subset import Source
    from weigh.model.dataset import Manifest
    from weigh.model.gate import Check
    from weigh.model.progress import Progress
    from weigh.model.units import Rows

FIRST_ROWS = 1_000
"""Rows of the largest table in the first excerpt; then four times as many, and so on."""
MOST_ROWS = 2_000_000
"""Rows of the largest table in the last excerpt."""
_GROWTH = 4
_COARSE = 4
"""Parts of rows. What is wrong with few rows is found so; what needs many of them may need few values."""
_VALUES = 8
ENOUGH = 8 << 10
"""Bytes. Only more than that is divided into finer parts, which takes long and gains little."""


class Disagreement(NamedTuple):
    """A divergence on an excerpt."""

    excerpt: Excerpt
    question: Question
    found: Found


class Reduction:
    """The search, before one pair of accused and witness.

    Args:
        source: the tables.
        pair: who is asked.
        clock: when it ends, whatever was reached.
        progress: receives messages.
    """

    def __init__(self, source: Source, pair: Contradiction, clock: Clock, progress: Progress) -> None:
        self.source = source
        self.pair = pair
        self.clock = clock
        self.progress = progress
        self._size = 0

    def locate(self, testimony: Refutation, forms: list[LayoutSpec]) -> tuple[Check, Disagreement] | None:
        """The first excerpt on which a question is answered wrongly, and what check it is about: few rows first.

        Args:
            testimony: the questions.
            forms: how excerpts are written; a later one is tried where nothing showed in the earlier ones.
        """
        needs = self._needs(testimony)
        for form in forms:
            for excerpt in self._excerpts(needs, form):
                if not self.clock.left:
                    return None
                self._size = self.pair.put(excerpt)
                for check, question in testimony.questions:
                    found = self.pair.ask(question)
                    if found is not None:
                        return check, Disagreement(excerpt, question, found)
        return None

    def reduce(self, disagreement: Disagreement) -> Disagreement:
        """Less of everything."""
        disagreement = self._shorter(disagreement)
        disagreement = self._fewer(disagreement, _COARSE)
        disagreement = self._fewer_values(disagreement)
        disagreement = self._fewer(disagreement, _COARSE)
        if self._size > ENOUGH:
            disagreement = self._fewer(disagreement, reduce_rows.FINEST)
        return self._shorter(disagreement)

    def _needs(self, testimony: Refutation) -> Mapping[str, list[str]]:
        """Columns that the questions read; all where one is not understood."""
        needed: dict[str, list[str]] = {}
        for _, question in testimony.questions:
            for sql in (question.sql, *question.witness):
                parsed = reduce_query.parse(sql, question.schema, self.source.columns)
                if parsed is None or not parsed.needs():
                    return self.source.columns
                for table, columns in parsed.needs().items():
                    needed.setdefault(table, []).extend(columns)
        return {
            table: [column for column in self.source.columns[table] if column in columns]
            for table, columns in needed.items()
        }

    def _excerpts(self, needs: Mapping[str, list[str]], form: LayoutSpec) -> Iterator[Excerpt]:
        """Consecutive rows from either end of each table, in proportion."""
        largest = max(self.source.rows[table] for table in needs)
        wanted = min(FIRST_ROWS, largest)
        while True:
            for from_end in (False, True):
                tables = {}
                for table, columns in needs.items():
                    total = self.source.rows[table]
                    rows: Rows = min(total, max(FIRST_ROWS, -(-total * wanted // max(1, largest))))
                    tables[table] = self.source.read(table, columns, total - rows if from_end else 0, rows)
                yield Excerpt(tables, form)
                if wanted == largest:
                    return
            if wanted >= MOST_ROWS:
                return
            wanted = min(largest, wanted * _GROWTH, MOST_ROWS)

    def _try(self, disagreement: Disagreement, excerpt: Excerpt) -> Disagreement | None:
        """The same question about other rows."""
        if not self.clock.left:
            return None
        size = self.pair.put(excerpt)
        found = self.pair.ask(disagreement.question)
        if found is None:
            return None
        self._size = size
        return Disagreement(excerpt, disagreement.question, found)

    def _shorter(self, disagreement: Disagreement) -> Disagreement:
        """A shorter query, and only the tables and columns that it needs."""
        parsed = self._parsed(disagreement)
        if parsed is None:
            return disagreement
        best = disagreement

        def holds(candidate: Parsed) -> bool:
            nonlocal best
            question = asking(disagreement.question, candidate)
            found = self.pair.ask(question) if self.clock.left else None
            if found is not None:
                best = Disagreement(disagreement.excerpt, question, found)
            return found is not None

        needs = reduce_query.minimal(parsed, holds).needs()
        # What needs no table needs no data either, and is left with what it has.
        return (needs and self._try(best, best.excerpt.needing(needs))) or best

    def _parsed(self, disagreement: Disagreement) -> Parsed | None:
        """The query as it can be made shorter, if its rendering means the same to both."""
        question = disagreement.question
        if question.witness != (question.sql,):
            return None
        columns = {table: content.column_names for table, content in disagreement.excerpt.tables.items()}
        parsed = reduce_query.parse(question.sql, question.schema, columns)
        if parsed is None or not self.clock.left:
            return None
        self.pair.put(disagreement.excerpt)
        again = self.pair.ask(asking(question, parsed))
        if again is None:
            return None
        same = (
            compare.compare(one, other, question.schema).agrees
            for one, other in ((again.got, disagreement.found.got), (again.expected, disagreement.found.expected))
        )
        return parsed if all(same) else None

    def _fewer(self, disagreement: Disagreement, finest: int) -> Disagreement:
        """Fewer rows of each table, the largest first."""
        for table in sorted(disagreement.excerpt.tables, key=lambda name: -disagreement.excerpt.tables[name].nbytes):
            rows = np.arange(disagreement.excerpt.tables[table].num_rows)
            disagreement = self._without(disagreement, table, rows, rows, finest)
        return disagreement

    def _fewer_values(self, disagreement: Disagreement) -> Disagreement:
        """Fewer of the values that occur more than once in a column, the rarest left out first."""
        for table in disagreement.excerpt.tables:
            for name in disagreement.excerpt.tables[table].column_names:
                of_row = _codes(disagreement.excerpt.tables[table].column(name))
                values, counts = np.unique(of_row, return_counts=True)
                if 1 < len(values) <= len(of_row) // 2:
                    parts = values[np.argsort(counts, kind="stable")]
                    disagreement = self._without(disagreement, table, parts, of_row, _VALUES)
        return disagreement

    def _without(
        self,
        disagreement: Disagreement,
        table: str,
        parts: NDArray[np.integer],
        of_row: NDArray[np.integer],
        finest: int,
    ) -> Disagreement:
        """Leave out rows of a table by parts; ``of_row`` says to which part each row belongs."""
        whole, best = disagreement.excerpt, disagreement

        def holds(rows_left: NDArray[np.integer]) -> bool:
            nonlocal best
            smaller = self._try(disagreement, whole.taking(table, np.flatnonzero(np.isin(of_row, rows_left))))
            best = smaller or best
            self.progress.step(*self.clock.hands, f"shrinking: {best.excerpt.rows:,} rows")
            return smaller is not None

        reduce_rows.minimal(parts, holds, finest)
        return best


def _codes(column: pa.ChunkedArray) -> NDArray[np.integer]:
    """A number for each of its values, by row; the same for all where they cannot be distinguished."""
    import pyarrow as pa

    try:
        plain = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        indices = plain.combine_chunks().dictionary_encode(null_encoding="encode").indices
        codes: NDArray[np.integer] = indices.to_numpy(zero_copy_only=False)
    except pa.ArrowException:
        # Lists and structs.
        return np.zeros(len(column), np.int64)
    return codes


def forms(manifest: Manifest) -> list[LayoutSpec]:
    """How excerpts are written: as the experiment's files, but one; as many of them; and by another writer."""
    spec = manifest.layout
    if spec is None:
        spec = LayoutSpec(writer="duckdb" if "DuckDB" in manifest.writer else "pyarrow")
    elif spec.writer not in ("duckdb", "pyarrow"):
        # A generator writes nothing but its own rows.
        spec = LayoutSpec(writer="pyarrow", codec=spec.codec)
    # Rows keep their order, and an excerpt may lack columns by which they were sorted.
    spec = msgspec.structs.replace(spec, sort=msgspec.UNSET)
    one: LayoutSpec = msgspec.structs.replace(spec, files=1)
    other = LayoutSpec(writer="pyarrow" if spec.writer == "duckdb" else "duckdb", codec=spec.codec)
    return [one, spec, other] if spec.files > 1 else [one, other]


def asking(question: Question, query: Parsed) -> Question:
    """The question with another query."""
    return question._replace(sql=query.sql, witness=(query.sql,), schema=query.schema)

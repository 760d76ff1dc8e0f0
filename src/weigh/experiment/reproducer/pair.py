"""A contradiction: two that answer the same question about the same rows differently, asked again and again."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from weigh.answers import compare
from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate.queries import read_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pyarrow as pa

    from weigh.engines.loaded import Tables
    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess
    from weigh.experiment.data.catalog_place import CatalogPlaces
    from weigh.experiment.reproducer.subset import Excerpt
    from weigh.model.answer import ResultSchema
    from weigh.model.contender import Setting
    from weigh.model.gate import Difference
    from weigh.model.units import Bytes, Rows, Seconds

Kind = tuple[str, bool, bool, int | None]
"""Of a difference: its column, whether either value is missing, and which of them is larger if both are numbers."""
_PATIENCE = 5.0
_PATIENT = 10.0
"""Seconds; a life may have to begin."""


class Clock:
    """The time that is left.

    Args:
        seconds: from now on.
    """

    def __init__(self, seconds: Seconds) -> None:
        self._whole = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> Seconds:
        """Seconds; not below 0."""
        return max(0.0, self._end - time.monotonic())

    @property
    def hands(self) -> tuple[int, int]:
        """Seconds gone, and of how many, for people."""
        return round(self._whole - self.left), round(self._whole)


class Question(NamedTuple):
    """What both are asked.

    Attributes:
        sql: text for the accused.
        witness: texts for the witness: one, or that of a count and of those to be taken from it.
        schema: of the answer.
        times: executions in a row; the first answer that is wrong counts.
    """

    sql: str
    witness: tuple[str, ...]
    schema: ResultSchema
    times: int = 1


class Found(NamedTuple):
    """Two answers that differ.

    Attributes:
        got: of the accused.
        expected: of the witness.
        differences: the first differing cells.
    """

    got: pa.Table
    expected: pa.Table
    differences: tuple[Difference, ...]


class Party(NamedTuple):
    """One of the two.

    Attributes:
        name: for people.
        ready: the contender.
        changed: settings over its own.
        files: times as many files as the other has.
    """

    name: str
    ready: PreparedContender
    changed: Mapping[str, Setting] = MappingProxyType({})
    files: int = 1


class Contradiction:
    """An accused and a witness before the same rows.

    Args:
        accused: who is said to be wrong.
        witness: who is not.
        kinds: of the differences that count; None for any. Fewer rows are not asked for to find another difference,
            such as the sum of no rows, which is NULL for some and 0 for others.
        folder: for files.
        python: interpreter of the environment of the layout's writer.
        timeout: gives the seconds that one question may take.
        fresh: every excerpt is put before new lives, also where a life can be shown other files.
        catalogs: where excerpts are registered for those who read through one.
    """

    def __init__(
        self,
        accused: Party,
        witness: Party,
        kinds: frozenset[Kind] | None,
        folder: Path,
        python: Path | None,
        timeout: Callable[[], Seconds],
        *,
        fresh: bool = False,
        catalogs: CatalogPlaces | None = None,
    ) -> None:
        self._patience = math.inf
        self.accused = _Seat(accused, lambda: min(timeout(), self._patience), fresh, catalogs)
        self.witness = _Seat(witness, lambda: min(timeout(), self._patience), fresh, catalogs)
        self.kinds = kinds
        self.complaint = ""
        self._folder = folder
        self._python = python
        self._number = 0
        self._disagreement: set[Path] = set()

    def put(self, excerpt: Excerpt) -> Bytes:
        """Show both of them these rows, in files that nobody has seen before; gives their size.

        Raises:
            DataFault, EnvironmentFault: they cannot be written.
        """
        from weigh.experiment.reproducer.subset import size

        self._number += 1
        rows = {table: content.num_rows for table, content in excerpt.tables.items()}
        tables = split = excerpt.write(self._folder, self._python, f"{{}}-{self._number}")
        if self.witness.party.files > 1:
            split = excerpt.write(self._folder, self._python, f"{{}}-{self._number}-split", self.witness.party.files)
        self.accused.show(tables, rows)
        self.witness.show(split, rows)
        for path in self._disagreement:
            path.unlink()
        self._disagreement = {Path(path) for one in (tables, split) for paths in one.paths.values() for path in paths}
        return size(tables)

    def ask(self, question: Question) -> Found | None:
        """What they differ in, or None where they agree or one of them does not answer."""
        began = time.monotonic()
        try:
            parts = [self.witness.ask(text) for text in question.witness]
            expected = parts[0] if len(parts) == 1 else _rest(parts)
            for _ in range(question.times):
                got = self.accused.ask(question.sql)
                if got.num_columns == expected.num_columns != len(question.schema.columns):
                    # It is the schema that contradicts both; they do not contradict each other.
                    continue
                compared = compare.compare(got, expected, question.schema)
                if compared.agrees:
                    continue
                if self.kinds is None or self.kinds & kinds(compared.differences):
                    # Less of it that takes much longer is a product of tables, and not what is looked for.
                    self._patience = max(_PATIENT, _PATIENCE * (time.monotonic() - began))
                    return Found(got=got, expected=expected, differences=compared.differences)
        except WorkerEnded as ended:
            self.complaint = str(ended)
        return None

    def __enter__(self) -> Contradiction:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for seat in (self.accused, self.witness):
            seat.leave(politely=kind is None)


def kinds(differences: Iterable[Difference]) -> frozenset[Kind]:
    """The kinds of some differences."""
    return frozenset(
        (one.column, one.got in _MISSING, one.expected in _MISSING, _sign(one.got, one.expected)) for one in differences
    )


_MISSING = ("NULL", "nan", "'NaN'")


def _sign(got: str, expected: str) -> int | None:
    with suppress(ValueError):
        a, b = (float(text.removesuffix(" rows").replace(",", "")) for text in (got, expected))
        return (a > b) - (a < b)
    return None


def _rest(parts: list[pa.Table]) -> pa.Table:
    """The first count less the others."""
    import pyarrow as pa

    first, *others = (int(part.column(0)[0].as_py()) for part in parts)
    return pa.table({"n": [first - sum(others)]})


class _Seat:
    """A party and the life it is asked in."""

    def __init__(
        self, party: Party, timeout: Callable[[], Seconds], fresh: bool, catalogs: CatalogPlaces | None
    ) -> None:
        self.party = party
        self._catalogs = catalogs
        self._timeout = timeout
        # An engine that loads keeps what it loaded; an adapter need not be able to be shown other files.
        self._again = not (fresh or party.ready.engine.copies)
        self._tables: Tables | None = None
        self._life: WorkerProcess | None = None

    def show(self, tables: Tables, rows: dict[str, Rows]) -> None:
        """From now on it is asked about these."""
        if self._catalogs:
            if self._tables is not None:
                self._catalogs.forget(self.party.ready.name, self._tables)
            tables = self._catalogs.described(self.party.ready.name, tables)
        self._tables = tables
        if self._life is not None and not (self._again and self._put(tables, rows)):
            self._again = False
            self.leave()

    def _put(self, tables: Tables, rows: dict[str, Rows]) -> bool:
        """Whether the life sees these tables now; whoever still sees the old ones counts other rows."""
        assert self._life is not None
        try:
            self._life.bind(tables.paths, self._timeout(), catalog=tables.catalog)
            counted = {table: self.ask(f'SELECT count(*) AS n FROM "{table}"').column(0)[0].as_py() for table in rows}
        except WorkerEnded:
            return False
        return counted == rows

    def ask(self, sql: str) -> pa.Table:
        """The answer; raises WorkerEnded."""
        assert self._tables is not None
        if self._life is None:
            self._life = self.party.ready.start(self._tables, self.party.changed)
        try:
            self._life.prepare(sql, self._timeout())
            self._life.run(self._timeout())
            path, _ = self._life.answer(self._timeout())
            return read_answer(path)
        except WorkerEnded as ended:
            if not ended.alive:
                self._life = None
            raise

    def leave(self, *, politely: bool = True) -> None:
        """End the life; one that is in the middle of an answer would not hear that it should."""
        if self._life is not None:
            if politely:
                self._life.close()
            else:
                self._life.kill()
            self._life = None

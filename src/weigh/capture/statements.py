"""The statements of a source: numbered, with what their calls took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.capture.results import StatementFound
from weigh.capture.templates import redis_template
from weigh.capture.templates.skeleton import Skeletons
from weigh.capture.templates.template import Template, Unreadable
from weigh.capture.trace import Statement
from weigh.obfuscation.literals import Unreplaceable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.capture.entry import Entry, Tally
    from weigh.capture.obfuscation import Obfuscation
    from weigh.capture.screen import Screen
    from weigh.capture.trace import Product

_MOST = 5_000
_PIECES = 1_000_000
"""Pieces of text of all statements together. One with long lists may take a small share of what is left of them: other
statements that come later find their place."""


class _Sums:
    __slots__ = ("calls", "failed", "redacted", "rows", "time_s", "timed")

    def __init__(self) -> None:
        self.calls = self.failed = self.redacted = 0
        self.time_s = 0.0
        self.timed = False
        self.rows: int | None = None


class Statements:
    """Gives each statement a number.

    Args:
        product: whose language they are in.
        screen: through which all passes.
        tally: counts calls that are in nothing that follows.
        obfuscation: replaces names and values; None where they stay.
    """

    def __init__(self, product: Product, screen: Screen, tally: Tally, obfuscation: Obfuscation | None = None) -> None:
        self.product = product
        self.obfuscation = obfuscation
        self._screen = screen
        self._tally = tally
        self._skeletons = Skeletons(product)
        self._pieces = _PIECES
        self._numbers: dict[str, int] = {}
        self._sums: list[_Sums] = []
        self.templates: list[Template] = []
        self.statements: list[Statement] = []
        self.calls = 0
        self.time_s = 0.0
        self.timed = 0

    def of(self, entry: Entry) -> tuple[int, tuple[str | None, ...], bool] | None:
        """Number, values, and whether others stand for some of them; None for a call that goes nowhere."""
        self.count(1, entry.duration_s)
        values: tuple[str | None, ...] | None
        try:
            found, places = self._template(entry)
        except Unreadable:
            self._tally.add("unreadable")
            return None
        try:
            values = tuple(entry.bound[one] if isinstance(one, int) else one for one in places)
        except IndexError:
            values = None
        suspicious = self._screen.suspects(found, (*(values or ()), *entry.bound), entry)
        if not self.admitted(found, 1, suspicious=suspicious, failed=entry.error is not None):
            return None
        number = self.number(found, places, 1)
        if number is None:
            return None
        sums = self._sums[number]
        sums.calls += 1
        sums.failed += entry.error is not None
        if entry.duration_s is not None:
            sums.time_s += entry.duration_s
            sums.timed = True
        if entry.rows is not None:
            sums.rows = (sums.rows or 0) + entry.rows
        if values is None:
            self._tally.add("no-values")
            return None
        values, redacted = self._screen.values(found, values, suspicious=suspicious)
        sums.redacted += redacted
        if self.obfuscation is not None:
            try:
                values = self.obfuscation.values(found, places, values)
            except Unreplaceable:
                self._tally.add("unreplaceable")
                return None
        return number, values, redacted

    def count(self, calls: int, time_s: float | None) -> None:
        """Calls of the source, whatever becomes of them."""
        self.calls += calls
        if time_s is not None:
            self.time_s += time_s
            self.timed += calls

    def admitted(self, found: Template, calls: int, *, suspicious: bool, failed: bool = False) -> bool:
        """Whether calls of it may be in the output.

        Args:
            found: the statement.
            calls: how many.
            suspicious: whether they may hold a secret.
            failed: whether they failed.
        """
        reason = self._screen.leaves_out(found, suspicious=suspicious, failed=failed, redis=self.product == "redis")
        if reason is not None:
            self._tally.add(reason, calls)
        return reason is None

    def number(self, found: Template, places: Sequence[str | int], calls: int) -> int | None:
        """The number of a statement; None where there are too many of them, or its names cannot be replaced."""
        known = self._numbers.get(found.key)
        if known is not None:
            return known
        if len(self.statements) >= _MOST or len(found.pieces) > self._pieces // 20:
            self._tally.add("too-many", calls)
            return None
        parts = found.pieces
        if self.obfuscation is not None:
            try:
                parts = self.obfuscation.statement(found, places).pieces
            except Unreplaceable:
                self._tally.add("unreplaceable", calls)
                return None
        self._pieces -= len(found.pieces)
        number = self._numbers[found.key] = len(self.statements)
        pieces = tuple(self._screen.text(piece) for piece in parts)
        self.statements.append(Statement(number=number, pieces=pieces, forms=found.forms, does=found.does))
        self.templates.append(found)
        self._sums.append(_Sums())
        return number

    def total(self, number: int, calls: int, time_s: float, rows: int, *, redacted: bool) -> None:
        """All calls of a statement at once."""
        sums = self._sums[number]
        sums.redacted += calls * redacted
        sums.calls += calls
        sums.time_s += time_s
        sums.timed = True
        sums.rows = (sums.rows or 0) + rows

    def found(self) -> tuple[StatementFound, ...]:
        """Every statement with its calls, time and rows, in the order in which they were first met."""
        return tuple(
            StatementFound(
                number=one.number,
                text=one.text,
                does=one.does,
                calls=sums.calls,
                failed=sums.failed,
                time_s=sums.time_s if sums.timed else None,
                rows=sums.rows,
                redacted=sums.redacted,
            )
            for one, sums in zip(self.statements, self._sums, strict=True)
        )

    @property
    def screen(self) -> Screen:
        """Through which all passes."""
        return self._screen

    @property
    def redacted(self) -> tuple[int, int]:
        """Calls of which values were replaced, and of how many statements they are."""
        numbers = [sums.redacted for sums in self._sums if sums.redacted]
        return sum(numbers), len(numbers)

    def _template(self, entry: Entry) -> tuple[Template, tuple[str | int, ...]]:
        if entry.words:
            return redis_template.of_words(entry.words)
        return self._skeletons.of(entry.text)

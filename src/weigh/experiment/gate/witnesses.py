"""Who knows the right answer before any contender is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.model.answer import Agreement
    from weigh.model.operation import Case, Operation

PINNED = "pinned answer"
AGREED = "pinned agreement"

Witness = Callable[["Operation", "Case"], "pa.Table | None"]
"""Gives the right answer to a case, or None where it does not know it."""

Known = Callable[["Operation", "Case"], "Agreement | None"]
"""Gives what was kept of the answer that several lineages agreed on, or None."""


def _nothing(operation: Operation, case: Case) -> Agreement | None:
    return None


class Witnesses:
    """Whoever can say what is right before any contender is asked, the most trusted first.

    Args:
        named: name and witness.
        agreed: knows an answer again, and cannot give it.
    """

    def __init__(self, *named: tuple[str, Witness], agreed: Known = _nothing) -> None:
        self._named = named
        self.agreed = agreed

    def speak(self, operation: Operation, case: Case) -> Iterator[tuple[str, pa.Table]]:
        """Name and answer of everyone who knows it, in order."""
        for name, witness in self._named:
            table = witness(operation, case)
            if table is not None:
                yield name, table

"""Who knows the right answer before any contender is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from weigh.model.operation import Case, Operation

PINNED = "pinned answer"

Witness = Callable[["Operation", "Case"], "pa.Table | None"]
"""Gives the right answer to a case, or None where it does not know it."""


class Witnesses:
    """Whoever can say what is right before any contender is asked, the most trusted first.

    Args:
        named: name and witness.
    """

    def __init__(self, *named: tuple[str, Witness]) -> None:
        self._named = named

    def speak(self, operation: Operation, case: Case) -> Iterator[tuple[str, pa.Table]]:
        """Name and answer of everyone who knows it, in order."""
        for name, witness in self._named:
            table = witness(operation, case)
            if table is not None:
                yield name, table

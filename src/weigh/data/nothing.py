"""The dataset without a table, for what reads no data of weigh's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.data.generator import RowGenerator
from weigh.data.ground_truth import Truth

if TYPE_CHECKING:
    from weigh.data.generator import Source, Table, Workshop
    from weigh.model.units import Scale


class Empty:
    """No table, and nothing to know."""

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}

    def truth(self) -> Truth:
        """Nothing."""
        return Truth({})


class Nothing(RowGenerator):
    """Its generator."""

    name = "nothing"
    base = "rows"
    scale: Scale = 0
    least: Scale = 0
    seeded = False
    unit_bytes = 0.0

    def open(self, scale: Scale, seed: int | None, workshop: Workshop | None = None) -> Source:
        """Nothing is made."""
        return Empty()


generator = Nothing()

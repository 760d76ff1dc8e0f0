"""How an engine takes what SQL leaves open: asked of constants, and bounded by what the data has."""

from weigh.experiment.gate.dialects.probed import (
    compared,
    data_ways,
    merged,
    of_widths,
    summed,
    ways,
    without_data_ways,
)
from weigh.experiment.gate.dialects.widened import Wide, forms, outvoted
from weigh.experiment.gate.dialects.widened import ask as ask_widened

__all__ = [
    "Wide", "ask_widened", "compared", "data_ways", "forms", "merged", "of_widths", "outvoted", "summed", "ways",
    "without_data_ways",
]  # fmt: skip

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

__all__ = ["compared", "data_ways", "merged", "of_widths", "summed", "ways", "without_data_ways"]

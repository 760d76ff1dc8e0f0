"""The reading: what one file of another tool holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.judge.measurements import Measurements
    from weigh.model.codes.code import Fixed


@dataclass(frozen=True, slots=True)
class Reading:
    """One file, read.

    Attributes:
        measurements: in the order in which they were measured.
        machine: what the file says about the machine (processor, cores), by name; values that differ between files
            mean different machines. No host names.
        summaries: operations of which the file keeps summaries and no measurements.
        notes: what the reader must know of the file beyond its values: (code, sentence, remedy).
        events: what the values are, in the plural.
    """

    measurements: tuple[Measurements, ...]
    machine: Mapping[str, str]
    summaries: tuple[str, ...] = ()
    notes: tuple[tuple[Fixed, str, str], ...] = ()
    events: str = "runs"

"""The data's size against memory (D7)."""

from __future__ import annotations

import msgspec

from weigh.model import units
from weigh.model.units import Bytes


class WorkingSet(msgspec.Struct, frozen=True, kw_only=True):
    """The data's size against memory.

    Attributes:
        data_bytes: size of all data.
        memory_bytes: memory that weigh may use, page cache included; limits of control groups counted.
        ratio: the first over the second.
        in_memory: whether it is below 1.
    """

    data_bytes: Bytes
    memory_bytes: Bytes
    ratio: float
    in_memory: bool

    def __str__(self) -> str:
        label = "in-memory" if self.in_memory else "larger than memory"
        sizes = f"data {units.size(self.data_bytes)}, memory {units.size(self.memory_bytes)}"
        return f"{sizes}, ratio {self.ratio:.2g}: {label}"


def working_set(data: Bytes | None, memory: Bytes | None) -> WorkingSet | None:
    """The data against the memory; None where either is not known."""
    if data is None or not memory:
        return None
    ratio = data / memory
    return WorkingSet(data_bytes=data, memory_bytes=memory, ratio=ratio, in_memory=ratio < 1)

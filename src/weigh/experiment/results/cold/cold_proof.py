"""The account of cold executions: what was in memory before, and what was read meanwhile."""

from __future__ import annotations

import msgspec

from weigh.model.units import Bytes
from weigh.model.verdict import Reason


class ColdProof(msgspec.Struct, frozen=True, kw_only=True):
    """Executions of one contender on one operation at one temperature.

    Attributes:
        operation, contender: whose executions.
        temperature: ``cold`` or ``first``.
        executions: how many.
        proven: how many are shown to be what they are called.
        pages: pages that the files of the data have.
        resident: the most of them that were in memory just before the clock; None where they could not be counted.
        bytes_read: from storage devices by its processes, the median; None where the kernel does not tell.
        came_in: bytes of the data that came into memory meanwhile, the median.
        device_bytes: read from the block devices by all processes, the median; None where the files lie on none.
        rate: ``bytes_read`` a second, the median; None without it.
        share: ``rate`` as a share of what the device was measured at; None where that could not be.
        refused: why it is not called by its temperature; None where all is proven.
    """

    operation: str
    contender: str
    temperature: str
    executions: int
    proven: int
    pages: int
    resident: int | None = None
    bytes_read: Bytes | None = None
    came_in: Bytes = 0
    device_bytes: Bytes | None = None
    rate: float | None = None
    share: float | None = None
    refused: Reason | None = None

"""Calibration: how long fixed pieces of work took, before, between and after the blocks.

The work is the same each time, so what changes is the machine: a frequency that nobody shows, a limit, a neighbour.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from weigh.model.units import Seconds

Place = Literal["before", "between", "after"]
Kernel = Literal["integer", "memory", "disk"]


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """One kernel, executed a few times in a row while no contender was alive.

    Attributes:
        at: seconds since the attempt began, on the clock of ``Sample.at``.
        block: the block that came next; after the last one, that block.
        place: where it lies among the blocks; ``before`` again where an attempt was resumed.
        kernel: ``integer`` stays in the registers of one core, ``memory`` reads more than the caches of most machines
            hold, ``disk`` writes to where weigh keeps data, makes it durable and reads it back.
        seconds: of each execution, in order.
    """

    at: Seconds
    block: int
    place: Place
    kernel: Kernel
    seconds: tuple[Seconds, ...]

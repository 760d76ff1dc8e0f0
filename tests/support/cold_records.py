"""Records whose executions were cold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.model.cold import CacheState, Drive, Pages

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.experiment.record import Record
    from weigh.model.sample import Sample


MIB = 1 << 20


DRIVE = Drive(
    place="/data",
    kind="ext4, virtio",
    devices=("vda",),
    rates=(400.0 * MIB, 500.0 * MIB),
    bytes=256 * MIB,
    virtual=True,
)


def cooled(record: Record, resident: Callable[[Sample], int] = lambda _: 0) -> Record:
    """The record as if its first timed executions had been cold, and each followed by one in the next life.

    Args:
        record: with hot executions.
        resident: pages of 25,600 in memory just before a cold execution.
    """
    samples, cache_states = [], []
    for one in record.samples:
        if one.run != 1:
            continue
        for run, temperature in enumerate(("cold", "first"), start=1):
            made = msgspec.structs.replace(one, run=run, temperature=temperature, bytes_read=0)
            before = resident(one) if temperature == "cold" else 2560
            samples.append(made)
            cache_states.append(
                CacheState(
                    temperature=made.temperature, place="life", block=one.block, turn=one.turn, arms=(one.arm,),
                    contender=one.contender, operation=one.operation, case=one.case, files=1, bytes=100 * MIB,
                    before=Pages(resident=before, pages=25_600, how="cachestat"),
                    after=Pages(resident=2560, pages=25_600, how="cachestat"), put_out="drop_caches",
                    bytes_read=10 * MIB if temperature == "cold" else 0, devices={"vda": 11 * MIB}, seconds=0.05,
                )
            )  # fmt: skip
    blocks = tuple(msgspec.structs.replace(block, temperature="cold", runs=1) for block in record.blocks)
    return msgspec.structs.replace(
        record,
        spec=msgspec.structs.replace(record.spec, temperature="cold"),
        blocks=blocks,
        samples=tuple(samples),
        cache_states=tuple(cache_states),
        drives=(DRIVE,),
    )

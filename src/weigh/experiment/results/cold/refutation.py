"""What refutes that one execution was cold, or was the first with its data in memory. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.units import percent, size

if TYPE_CHECKING:
    from weigh.model.cold import CacheState, Pages
    from weigh.model.verdict import Reason

READ_FLOOR = 256 << 10
READ_SHARE = 0.01
"""Bytes from devices, and share of the data, up to which an execution is served from memory: a page of the program that
the kernel had put away comes back with its neighbours."""
CAME_SHARE = 0.05
"""Share by which more data may come into memory than was read, alongside the same floor: counters are not exact."""
RATE_SHARE = 2.0
RATE_BYTES = 16 << 20
"""How much faster than the device was measured an execution must have read, and how much, before that refutes it."""
MAPPED_SHARE = 0.5
"""Share of the pages in memory that its own processes have mapped, from which on it is they who hold them."""


def refuted(one: CacheState | None, limit: float | None) -> Reason | None:
    """Why one execution is not what it is called; None where it is.

    Args:
        one: what was read about it; None where nothing was.
        limit: bytes a second that the device was measured at; None where that is unknown.
    """
    if one is None:
        return codes.E1_UNSEEN.reason("nothing was recorded about it")
    if one.bytes_read is None:
        return codes.E1_UNSEEN.reason("the kernel does not tell what its processes read from devices")
    if one.temperature == "first":
        return _warm(one)
    if one.before is None or not one.before.pages:
        return codes.E1_UNSEEN.reason("nobody can tell which files hold its data, or what of them is in memory")
    if one.before.resident:
        return _resident(one, one.before)
    if not one.bytes_read and one.came_in:
        text = f"{size(one.came_in)} of its data came into memory, and it read nothing from a device: "
        return codes.E1_OTHERS.reason(text + "somebody else read it in")
    if not one.bytes_read:
        text = "no page of its data was in memory, and it read nothing from a device: it answered from somewhere else"
        return codes.E1_UNREAD.reason(text)
    if one.after is not None and not one.came_in:
        text = (
            f"no page of its data was in memory, and none came in, though it read {size(one.bytes_read)} from devices: "
            "it answered from other files, or past the page cache, or somebody put them out meanwhile"
        )
        return codes.E1_UNREAD.reason(text)
    if one.came_in > one.bytes_read * (1 + CAME_SHARE) + READ_FLOOR:
        text = f"{size(one.came_in)} of its data came into memory, and it read {size(one.bytes_read)} from devices: "
        return codes.E1_OTHERS.reason(text + "somebody else read it in")
    rate = one.bytes_read / one.seconds if one.seconds else 0.0
    if limit and one.bytes_read > RATE_BYTES and rate > RATE_SHARE * limit:
        text = (
            f"it read {size(one.bytes_read)} at {size(rate)} a second, {rate / limit:.1f} times as fast as the device "
            "was measured to read"
        )
        return codes.E1_RATE.reason(text)
    return None


def _warm(one: CacheState) -> Reason | None:
    if one.bytes_read is None or one.bytes_read <= tolerated(one.bytes):
        return None
    text = f"it read {size(one.bytes_read)} from devices, though its data should have been in memory"
    if one.before and one.after and one.after.resident < one.before.resident:
        left = size((one.before.resident - one.after.resident) * one.page_bytes)
        return codes.E1_OTHERS.reason(f"{text}: {left} of it was put out meanwhile")
    return codes.E1_WARM.reason(text)


def _resident(one: CacheState, before: Pages) -> Reason:
    share = percent(before.resident / before.pages)
    text = f"{before.resident:,} of {before.pages:,} pages of its data ({share}) were in memory just before the clock"
    if one.holders and one.mapped is not None and one.mapped < before.resident * one.page_bytes * MAPPED_SHARE:
        return codes.E1_OTHERS.reason(f"{text}: {', '.join(one.holders)} had them mapped, and it had not")
    if one.put_out == "drop_caches":
        return codes.E1_RESIDENT.reason(f"{text}: that is not cold")
    text += ": weigh may not drop the kernel's caches here, and to put out the files alone did not do"
    return codes.E1_UNPRIVILEGED.reason(text)


def tolerated(data: int) -> float:
    """Bytes from devices up to which an execution over so much data is served from memory."""
    return max(READ_FLOOR, READ_SHARE * data)

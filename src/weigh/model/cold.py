"""Cold: what of the data was in memory when an execution began, and what was read while it went on."""

from __future__ import annotations

from typing import Literal

import msgspec

from weigh.model.sample import Temperature
from weigh.model.units import Bytes, Seconds

Place = Literal["life", "before", "after", "turn"]
"""``life``: one execution in a process of its own; ``before`` and ``after`` the turns of a hot block; ``turn``: the
timed executions of one hot turn together."""
PutOut = Literal["", "drop_caches", "eviction"]
"""How data was evicted from the page cache: all caches of the kernel dropped, or file by file."""


class Pages(msgspec.Struct, frozen=True, kw_only=True):
    """How much of some files is in memory.

    Attributes:
        resident: pages in the kernel's page cache.
        pages: pages that the files have.
        how: ``cachestat`` or ``mincore``, the system call that counted them.
    """

    resident: int
    pages: int
    how: str


class CacheState(msgspec.Struct, frozen=True, kw_only=True):
    """One reading.

    Attributes:
        temperature: what was tried.
        place: when and of what.
        block: of which.
        turn: of a life or a turn; None alongside a block's turns.
        arms: whose data it is; one, or of a hot block all that read these files.
        contender, operation, case: of a life or a turn; empty alongside a block's turns.
        files: how many hold the data; 0 where nobody can tell which they are.
        bytes: size of these.
        page_bytes: size of a page.
        before: just before the clock; None where it cannot be counted.
        after: just after it, of a life.
        put_out: how the data was evicted from the page cache before.
        bytes_read: from storage devices, by the contender's processes together, while it executed; None where the
            kernel does not tell.
        devices: the same by block device, by whoever read: name to bytes. Empty where the files lie on none.
        seconds: of the execution.
        mapped: bytes of the data that the contender's own processes had mapped into memory just before the clock; None
            where no page stayed in memory, or nobody can tell.
        holders: other processes that had some of it mapped then, as ``name (pid 7)``.
    """

    temperature: Temperature
    place: Place
    block: int
    arms: tuple[str, ...]
    turn: int | None = None
    contender: str = ""
    operation: str = ""
    case: str = ""
    files: int = 0
    bytes: Bytes = 0
    page_bytes: Bytes = 4096
    before: Pages | None = None
    after: Pages | None = None
    put_out: PutOut = ""
    bytes_read: Bytes | None = None
    devices: dict[str, int] = {}
    seconds: Seconds | None = None
    mapped: Bytes | None = None
    holders: tuple[str, ...] = ()

    @property
    def came_in(self) -> Bytes:
        """Bytes of the data that came into memory during the execution."""
        if self.before is None or self.after is None:
            return 0
        return max(0, self.after.resident - self.before.resident) * self.page_bytes


class Drive(msgspec.Struct, frozen=True, kw_only=True):
    """What the storage under the data can do, measured before the first cold life.

    Attributes:
        place: folder of the data.
        kind: of its file system.
        devices: block devices under it.
        rates: bytes a second of reading the same part of a data file past the page cache, once and once more; none
            where that is impossible.
        bytes: of that part.
        how: what read it.
        virtual: whether this is a virtual machine; None where nobody can tell.
    """

    place: str
    kind: str
    devices: tuple[str, ...] = ()
    rates: tuple[float, ...] = ()
    bytes: Bytes = 0
    how: str = ""
    virtual: bool | None = None

"""Quiet: whether the machine rests before the first block."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from weigh.model.errors import UsageError
from weigh.model.units import Bytes, Seconds, parse_duration

BUSY_SHARE = 0.05
"""Share of all CPUs that others may use before it is reported."""
_DIRTY_FLOOR = 32 << 20
_PATIENCE = 8.0
"""Seconds to wait for a quiet machine, where WEIGH_SETTLE does not name another number."""
_WINDOW = 0.5


class Quiet(msgspec.Struct, frozen=True, kw_only=True):
    """What the machine did in the moments before the first block.

    Attributes:
        foreign: share of all CPUs that was used by others than weigh, in the last window.
        dirty: bytes waiting to be written.
    """

    foreign: float | None
    dirty: Bytes | None

    @property
    def busy(self) -> bool:
        """Whether others use more than is tolerable."""
        return self.foreign is not None and self.foreign > BUSY_SHARE

    @property
    def undrained(self) -> bool:
        """Whether writes to disk go on although they were asked to finish."""
        return self.dirty is not None and self.dirty > _DIRTY_FLOOR


def patience() -> Seconds:
    """How long to wait for a quiet machine.

    Raises:
        UsageError: WEIGH_SETTLE is no duration.
    """
    named = os.environ.get("WEIGH_SETTLE")
    if not named:
        return _PATIENCE
    try:
        return parse_duration(named)
    except UsageError as error:
        raise UsageError(error.what, where="WEIGH_SETTLE", remedy="write a number and a unit: 0s, 30s, 2m") from None


def settle(most: Seconds) -> Quiet:
    """Drain dirty pages and wait a little for others to finish; then say how it is.

    Args:
        most: seconds to wait.
    """
    started = time.monotonic()
    os.sync()
    while True:
        now = Quiet(foreign=foreign_share(_WINDOW), dirty=dirty_bytes())
        if not (now.busy or now.undrained) or time.monotonic() - started >= most:
            return now


def foreign_share(window: Seconds) -> float | None:
    """Share of all CPUs used in a window by processes other than this one and its children."""
    before = _busy()
    if before is None:
        return None
    weigh_times = os.times()
    started = time.monotonic()
    time.sleep(window)
    after, now = _busy(), os.times()
    if after is None:
        return None
    mine = (now.user + now.system + now.children_user + now.children_system) - (
        weigh_times.user + weigh_times.system + weigh_times.children_user + weigh_times.children_system
    )
    elapsed = (time.monotonic() - started) * (os.cpu_count() or 1)
    return min(1.0, max(0.0, (after - before - mine) / elapsed))


def dirty_bytes() -> Bytes | None:
    """Bytes of the page cache that wait to be written."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Dirty:")), None)


def _busy() -> Seconds | None:
    """CPU seconds used by everybody since boot, idle and waiting for disks left out; stolen time counts."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    except OSError:
        return None
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields)
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")

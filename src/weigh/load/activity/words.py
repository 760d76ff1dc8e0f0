"""What a server does, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model.units import Seconds, percent, seconds

if TYPE_CHECKING:
    from weigh.load.activity.kinds import KindActivity
    from weigh.load.activity.model import Kind

LEAST = 3
"""Events with a spike from which on a kind can be blamed: twice is soon by chance."""
MOST_OF_THE_TIME = 0.5
"""Share of the run from which on what goes on explains no spike."""
NAMES: dict[Kind, tuple[str, str]] = {
    "checkpoint": ("checkpoint", "checkpoints"),
    "checkpoint_sync": ("end of a checkpoint (sync)", "ends of checkpoints (sync)"),
    "autovacuum": ("autovacuum", "autovacuums"),
    "deadlock": ("deadlock", "deadlocks"),
    "snapshot": ("snapshot (RDB)", "snapshots (RDB)"),
    "log_rewrite": ("rewrite of the log (AOF)", "rewrites of the log (AOF)"),
    "eviction": ("moment in which keys were evicted", "moments in which keys were evicted"),
    "delayed_sync": ("moment in which writes waited for the log", "moments in which writes waited for the log"),
    "slow_command": ("slow command", "slow commands"),
}  # fmt: skip
"""One of a kind, and several."""
_SHORT: dict[Kind, str] = {
    "checkpoint_sync": "ends of checkpoints",
    "eviction": "evictions",
    "delayed_sync": "delayed writes",
}


def short(kind: Kind) -> str:
    """Events of a kind in two words at most, for a drawing."""
    return _SHORT.get(kind, NAMES[kind][1].partition(" (")[0])


def sentence(one: KindActivity, interval: Seconds) -> str:
    """In how many events spikes began, in how many other intervals, and what follows."""
    parts = "seconds" if abs(interval - 1.0) < 0.05 else f"intervals of {seconds(interval)}"
    others = f"{one.slow_elsewhere:,} of {one.elsewhere:,} other {parts}"
    rose = f"rose {one.times:,.2g} x in" if one.times else "rose in"
    blame = f"p99 {rose} {one.hits:,} of {one.counted:,} {NAMES[one.kind][one.counted != 1]}, and in {others}"
    if one.blamed:
        return f"{blame}: they are blamed (at other moments as many would meet a spike with p {_p(one.p)})"
    if one.p is not None:
        return f"{blame}: at other moments as many would (p {_p(one.p)})"
    why = (
        f"fewer than {LEAST} tell nothing"
        if one.counted < LEAST
        else f"what goes on for {percent(MOST_OF_THE_TIME, 0)} of the time explains none"
    )
    return f"{blame}: {why}"


def _p(p: float | None) -> str:
    return "not known" if p is None else f"= {p:.2g}" if p >= 0.001 else "< 0.001"

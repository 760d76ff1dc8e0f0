"""Labels of an axis of time."""

from __future__ import annotations


def tick_label(seconds: float) -> str:
    """A round duration without trailing zeros: ``2 ms``, ``1.5 s``."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        # A tick of 1 ms computed as 0.9999999 ms is 1 ms.
        if abs(seconds) >= size * (1 - 1e-9):
            return f"{seconds / size:.4g} {unit}"
    return f"{seconds / 1e-9:.4g} ns"

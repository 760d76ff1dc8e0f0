"""Words of commands that many commissions share."""

from __future__ import annotations

SMALL = "--scale 20K --quiet --json"
ONCE = "--starts 1 --rounds 1 --runs 1"
TWO = "--workload two --operations unordered"
"""One question of a workload that comes with the liars."""


def contenders(**specs: str) -> str:
    """The flags that name them, in this order."""
    return " ".join(f"--contender '{name}={spec}'" for name, spec in specs.items())

"""What the packages that are installed alongside weigh bring: their entry points, read once."""

from __future__ import annotations

import functools
import sys
from importlib.metadata import EntryPoint, entry_points


def entries(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group, by name. Nothing is imported.

    Args:
        group: ``weigh.engines``, ``weigh.workloads`` or ``weigh.generators``.
    """
    return dict(_entries(group, tuple(sys.path)))


@functools.cache
def _entries(group: str, path: tuple[str, ...]) -> dict[str, EntryPoint]:
    """Of all packages on this path of modules: reading them takes as long as to start a process."""
    return {entry.name: entry for entry in entry_points(group=group)}

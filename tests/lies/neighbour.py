"""Somebody else's process, told by its name: tests that run at the same time use the machine too."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

JOB = f"neighbour-{os.getpid() % 100_000}"
"""A name of this process alone: the same tests may run alongside it. The kernel keeps 15 characters."""
WORK = """
import os, sys, time
try:
    # Tests run alongside it: it must be observed among them.
    os.setpriority(os.PRIO_PROCESS, 0, -10)
except PermissionError:
    pass
while True:
    if os.path.exists(sys.argv[1]):
        sum(range(20_000))
    else:
        time.sleep(0.004)
"""
"""Keeps one core busy while a file is there."""


def descendants(root: int) -> set[int]:
    """Processes that descend from one."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def unwatched(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["code"], one["text"]) for one in document["tier"]["reasons"] if one["code"] == "E4.unwatched"]

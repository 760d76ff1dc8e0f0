"""What tests that watch a running weigh share."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 120.0
"""Seconds after which a condition that never comes true fails a test. No test depends on how soon it does."""


def eventually(condition: Callable[[], object]) -> None:
    """Wait until something is true."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


def journalled(folder: Path, event: str) -> Callable[[], bool]:
    """Whether the only attempt in a folder has got as far as an event."""
    line = f'{{"event":"{event}"'
    return lambda: any(line in journal.read_text() for journal in folder.glob("runs/*/journal.jsonl"))


def workers(folder: Path) -> list[int]:
    """Processes of the workers of the weigh that runs in a folder, found by the environment they inherit."""
    token = f"WEIGH_LOCK={folder}/".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if token in (process / "environ").read_bytes() and b"weigh_worker" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue
    return found

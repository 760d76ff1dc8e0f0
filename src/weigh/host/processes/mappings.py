"""Who holds pages of some files in memory: mappings of all processes, as the kernel lists them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_NAMED = 3


def of_files(files: Iterable[str], family: Collection[int]) -> tuple[int | None, tuple[str, ...]]:
    """Bytes of these files in the page tables of a family of processes, and the other processes that have some there.

    Args:
        files: whose pages stay in memory.
        family: numbers of its processes.

    Returns:
        The bytes, None where one of the family cannot be looked at; and the names of at most three others, as
        ``name (pid 7)``. Processes of other users are observed by root alone.
    """
    wanted = {os.path.realpath(file) for file in files}
    mapped: int | None = 0
    for pid in family:
        found = _resident(pid, wanted)
        mapped = None if found is None or mapped is None else mapped + found
    pids = (int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit())
    others = sorted(pid for pid in pids if pid not in family)
    return mapped, tuple(_named(pid) for pid in others if _resident(pid, wanted))[:_NAMED]


def _resident(pid: int, wanted: Collection[str]) -> int | None:
    """Bytes of these files that a process has in its page tables; 0 of one that has ended."""
    try:
        return sum(_sizes(Path(f"/proc/{pid}/smaps").read_text(), wanted))
    except (FileNotFoundError, ProcessLookupError):
        return 0
    except OSError:
        return None


def _sizes(text: str, wanted: Collection[str]) -> Iterator[int]:
    counts = False
    for line in text.splitlines():
        words = line.split(maxsplit=5)
        if words and not words[0].endswith(":"):
            counts = len(words) == 6 and words[5] in wanted
        elif counts and words[0] == "Rss:":
            yield int(words[1]) << 10


def _named(pid: int) -> str:
    name = "a process"
    with suppress(OSError):
        name = Path(f"/proc/{pid}/comm").read_text().strip() or name
    return f"{name} (pid {pid})"

"""Hidden folders: a process that does not see what lies in them, because it has a mount namespace of its own.

Only root may do that. It stops who looks around, not who has root's rights and knows how to unmount.
"""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from weigh.host import scratch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_COVER = 'mount --all --fstab "$1" || exit 1; shift; exec "$@"'
"""One process covers them all: one for each would take as long as an engine takes to start."""


def hiding(folders: Sequence[Path], command: Sequence[str], table: Path) -> list[str]:
    """The command that executes ``command``, under its own process id, with an empty folder in place of each of these.

    Args:
        folders: what it is not to see; without any it is the command itself.
        command: what is executed, unless one of them cannot be hidden.
        table: a file that is written now, and read when the command begins.
    """
    if not folders:
        return list(command)
    table.write_text("".join(f"weigh {_escaped(folder)} tmpfs ro,size=4k 0 0\n" for folder in folders))
    return ["unshare", "--mount", "--", "sh", "-c", _COVER, "sh", str(table), *command]


def _escaped(folder: Path) -> str:
    """A path as a field of fstab, where blanks end a field and ``#`` begins a comment."""
    return re.sub(r"[\s#\\]", lambda found: f"\\{ord(found[0]):03o}", str(folder), flags=re.ASCII)


@functools.cache
def possible() -> bool:
    """Whether this process may hide a folder from another one."""
    place = scratch.folder("hidden")
    try:
        folder = place / "folder"
        folder.mkdir()
        tried = subprocess.run(hiding([folder], ["true"], place / "table"), capture_output=True, check=False)
    except OSError:
        return False
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return tried.returncode == 0

"""Hidden folders: a process that does not see what lies in them, because it has a mount namespace of its own.

Only root may do that. It stops who looks around, not who has root's rights and knows how to unmount.
"""

from __future__ import annotations

import functools
import subprocess
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_COVER = (
    'n=$1; shift; while [ "$n" -gt 0 ]; do mount -t tmpfs -o ro,size=4k weigh "$1" || exit 1; shift; n=$((n - 1)); done'
)


def hiding(folders: Sequence[Path], command: Sequence[str]) -> list[str]:
    """The command that executes ``command``, under its own process id, with an empty folder in place of each of these.

    Without folders it is the command itself.
    """
    if not folders:
        return list(command)
    covered = [str(len(folders)), *map(str, folders)]
    return ["unshare", "--mount", "--", "sh", "-c", f'{_COVER}; exec "$@"', "sh", *covered, *command]


@functools.cache
def possible() -> bool:
    """Whether this process may hide a folder from another one."""
    with tempfile.TemporaryDirectory(prefix="weigh-hidden-") as folder:
        try:
            tried = subprocess.run(
                ["unshare", "--mount", "--", "mount", "-t", "tmpfs", "-o", "ro,size=4k", "weigh", folder],
                capture_output=True,
                check=False,
            )
        except OSError:
            return False
    return tried.returncode == 0

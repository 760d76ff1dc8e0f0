"""E4: somebody else's job on the machine, exactly while one contender is timed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from .pace import Pace

_JOB = """
import os, sys, time
home = sys.argv[1]
try:
    # Tests run beside it: it must be seen among them.
    os.setpriority(os.PRIO_PROCESS, 0, -10)
except PermissionError:
    pass
while os.path.isdir(home):
    if os.path.exists(home + "/busy"):
        sum(range(20_000))
    else:
        time.sleep(0.004)
"""
"""Keeps one core busy while it is told to, and ends when the contender's folder goes."""
_ORPHAN = '"$0" -S -c "$1" "$2" </dev/null >/dev/null 2>&1 &'


class Neighbour(Pace):
    """Has a job work during each of its executions, and at no other time; the job is nobody's child."""

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        job = Path(scratch) / "neighbour"
        # The kernel calls a process by the name of its file.
        job.symlink_to(Path(sys.executable).resolve())
        subprocess.run(["/bin/sh", "-c", _ORPHAN, job, _JOB, scratch], start_new_session=True, check=True)
        self.busy = Path(scratch) / "busy"

    def run(self) -> int:
        self.busy.touch()
        try:
            return super().run()
        finally:
            self.busy.unlink()

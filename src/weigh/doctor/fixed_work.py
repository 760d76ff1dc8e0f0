"""Fixed work in a process of its own: ``python -m weigh.doctor.fixed_work`` prints how long it took as JSON.

A fresh process, because some knobs act when one starts (the layout of addresses, the size of pages).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time

from weigh.model.errors import EnvironmentFault

SUSTAINED = 12
"""Executions in a row, after as many that nobody times: a CPU at work keeps its frequency."""
SHORT = 24
"""Executions after a pause each: an idle CPU lowers its frequency, and wakes up when work comes."""
PAUSE = 0.02
"""Seconds of it; longer than the governors' own interval."""
MEMORY = 6
"""Executions that touch more memory than the caches hold."""
_PATIENCE = 120.0


def measured() -> dict[str, list[float]]:
    """Seconds of every execution, by kind, from a fresh process.

    Raises:
        EnvironmentFault: it did not end well.
    """
    command = [sys.executable, "-m", "weigh.doctor.fixed_work"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentFault(
            f"the fixed work could not be done: {error}", remedy="see whether memory or processes ran out"
        ) from error
    found: dict[str, list[float]] = json.loads(done.stdout)
    return found


def work() -> dict[str, list[float]]:
    """Do it here."""
    from weigh._native import calibrate_integer, calibrate_memory

    for _ in range(SUSTAINED):
        calibrate_integer()
    sustained = [calibrate_integer() for _ in range(SUSTAINED)]
    short = []
    for _ in range(SHORT):
        time.sleep(PAUSE)
        short.append(calibrate_integer())
    return {"sustained": sustained, "short": short, "memory": [calibrate_memory() for _ in range(MEMORY)]}


if __name__ == "__main__":
    json.dump(work(), sys.stdout)

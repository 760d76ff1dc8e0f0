"""The effect of a knob: fixed work in blocks, with the knob calm and restless in random order (text 000)."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import defaultdict
from typing import TYPE_CHECKING

from weigh.doctor import tuning
from weigh.doctor.effect_analysis import Effect, judged
from weigh.host import knobs, lock
from weigh.host.knobs.read import KnobState
from weigh.model.errors import EnvironmentFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.host.knobs.knob import Knob
    from weigh.host.sysfs import Machine
    from weigh.model.progress import Progress


SEED = 42
"""Of the order in a block."""
_SETTLE = 0.1
"""Seconds that a governor is given to follow."""


def measure(machine: Machine, name: str, blocks: int, progress: Progress) -> Effect:
    """Measure it. The knob is put back at the end, also when this is interrupted.

    Raises:
        UsageError: there is no such knob, or it cannot be set on this machine.
        EnvironmentFault: a measurement is going on, or the knob may not be set.
    """
    knob = knobs.named(machine, name)
    states = {"restless": knob.restless(), "calm": knob.calm()}
    if not all(states.values()):
        able = [one.name for one in knobs.knobs(machine) if one.calm() and one.restless()]
        read = knob.show()
        # Of what is observed and cannot be set, such as the load, it says nothing about setting it.
        why = f" here: {read.text}" if read.state is KnobState.UNSEEN else ""
        raise UsageError(
            f"the knob '{knob.name}' cannot be set{why}",
            remedy=f"these can: {', '.join(able)}" if able else "none can be set on this machine",
        )
    order = random.Random(SEED)
    times: dict[str, dict[str, list[list[float]]]] = defaultdict(lambda: {state: [] for state in states})
    with lock.measuring(f"doctor --effect {knob.name}"), tuning.tried(machine, knob):
        for block in range(blocks):
            for state in order.sample(list(states), len(states)):
                _set(knob, states[state])
                for kernel, seconds in measured().items():
                    times[kernel][state].append(seconds)
            progress.step(block + 1, blocks, f"{knob.name}, restless and calm")
    return Effect(
        knob=knob.name,
        places={place: (states["restless"][place], calm) for place, calm in states["calm"].items()},
        blocks=blocks,
        kernels=tuple(judged(kernel, found) for kernel, found in times.items()),
    )


def _set(knob: Knob, values: Mapping[str, str]) -> None:
    for place, why in knob.restore(values).items():
        raise EnvironmentFault(
            f"it cannot be set: {why}", where=place, remedy=f"run it as root: sudo weigh doctor --effect {knob.name}"
        )
    time.sleep(_SETTLE)


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

"""The ladder of loads, in order: room and time, then rung after rung, the smallest first."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from weigh.ladder.load import sizes
from weigh.load import conditions, record
from weigh.load import run as load_run
from weigh.load.files import LoadFiles
from weigh.model import units
from weigh.model.errors import WeighError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import Any

    from weigh.ladder.load.config import LadderRequest
    from weigh.load.spec import LoadSpec
    from weigh.load.target.target import Target
    from weigh.model.progress import Progress


def climb(
    ladder: LadderRequest,
    server: Target,
    root: Path,
    commands: Sequence[str],
    progress: Progress,
    render: Callable[[Path], Any],
    done: Callable[[Path], Path],
    anchors: tuple[str, ...] = (),
) -> None:
    """Make the load of every rung: what is wrong shows at little cost.

    Args:
        ladder: the ladder.
        server: that is loaded.
        root: folder of all evidence.
        commands: that make the load of each rung again.
        progress: reports how far it is.
        render: writes the report of a load into its directory.
        done: told the evidence of every rung that ended; says where the ladder lies.
        anchors: where the head of the journal of each rung is kept, as of ``weigh load --anchor``.

    Raises:
        UsageError: it would take longer than it may. Before anything is loaded that is a guess, later it is computed
            from the loading of the rung before.
        EnvironmentFault: the disk has no room for the largest rung.
        WeighError: a rung could not begin, or failed. Those below it stay, and a note says so.
    """
    plan, kind, began = ladder.plan, server.kind, time.monotonic()
    conditions.refuse(ladder.loads[0], server)
    sizes.refuse_disk(ladder.loads, kind, plan.record_bytes)
    needed = sum(sizes.needed_s(load, kind, plan.record_bytes) for load in ladder.loads)
    sizes.refuse_time(needed, ladder.budget, len(ladder.loads))
    progress.say(
        f"{units.count(len(ladder.loads), 'rung')} up to {units.size(ladder.loads[-1].records * plan.record_bytes)} of "
        f"data: about {units.duration(needed)}, unless this server loads faster or more slowly"
    )
    rate: float | None = None
    folder: Path | None = None
    for number, (step, load) in enumerate(zip(plan.steps, ladder.loads, strict=True)):
        try:
            if number:
                left = ladder.loads[number:]
                still = sum(sizes.needed_s(one, kind, plan.record_bytes, rate) for one in left)
                sizes.refuse_time(still, ladder.budget - (time.monotonic() - began), len(left))
            progress.say(
                f"rung {number + 1} of {len(plan.steps)}: {step.ratio:g} x memory, "
                f"{units.count(load.records, 'record')}"
            )
            made = load_run.run(load, server, root, commands[number], progress, render, LoadFiles(), anchors)
        except (KeyboardInterrupt, WeighError) as error:
            if folder is not None:
                error.add_note(f"{units.count(number, 'rung')} below it stayed: weigh report {folder}")
            raise
        folder = done(made)
        rate = _loading(made, load) or rate


def _loading(folder: Path, load: LoadSpec) -> float | None:
    """Records that were loaded in a second; None where that took no time."""
    loaded = record.read(folder).loaded
    return load.records / loaded.seconds if loaded and loaded.seconds else None

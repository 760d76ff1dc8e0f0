"""What a life may use, read from the kernel and from the engine's own settings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.host import storage
from weigh.model.resources import ResourcesRead

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.engines.engine import Engine
    from weigh.engines.process import WorkerProcess
    from weigh.model.contender import Setting

_NUMBER = re.compile(r"\d+")


def named(engine: Engine) -> list[str]:
    """The settings that say what a life may use."""
    return [name for name in (engine.threads, engine.memory, engine.spill, *engine.sizes) if name]


def resources_read(
    engine: Engine, worker: WorkerProcess, in_force: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Setting]
) -> ResourcesRead:
    """What this life has.

    Args:
        engine: whose.
        worker: the running one.
        in_force: its settings, read back: those of ``named`` at least.
        settings: the contender's own settings.
    """

    def value(name: str) -> Any:
        return in_force.get(name, {}).get("value") if name else None

    threads, memory, spill = value(engine.threads), value(engine.memory), value(engine.spill)
    found = ResourcesRead(
        cpus=worker.cpus,
        threads=_count(threads),
        threads_counted=worker.threads or None,
        priority=worker.priority,
        memory="" if memory is None else str(memory),
        spill=str(spill or ""),
        spill_on=_place(str(spill)) if spill else "",
        group=worker.memory,
        sizes={name: str(value(name)) for name in engine.sizes if name in in_force} or msgspec.UNSET,
    )
    same_as_declared = {
        # What did not take effect is not what was asked for.
        "threads": engine.threads in settings and _count(settings[engine.threads]) == found.threads,
        # An engine says "953.6 MiB" to 1GB.
        "memory": engine.memory in settings,
        "spill": engine.spill in settings and str(settings[engine.spill]) == found.spill,
    }
    return msgspec.structs.replace(found, declared=tuple(name for name, same in same_as_declared.items() if same))


def _count(value: Any) -> int | None:
    """A number of threads: 2, "2", and "auto(2)" of ClickHouse."""
    if isinstance(value, bool):
        return None
    match = _NUMBER.search(str(value))
    return int(match[0]) if match else None


def _place(folder: str) -> str:
    place = storage.place(folder, "temp")
    return f"{place.on} at {place.mount}"

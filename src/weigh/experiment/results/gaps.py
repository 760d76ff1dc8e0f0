"""What the records of an experiment leave unsaid."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.experiment.record import Record


def unconfigured(record: Record) -> str:
    """What an attempt with samples does not say of its configuration (R3); empty when it says everything."""
    parts = {"environment": record.environment, "workload": record.workload, "manifest": record.manifest}
    parts |= {f"manifest of {one.name}": record.manifest_of(one.name) for one in record.spec.contenders if one.layout}
    return ", ".join(name for name, part in parts.items() if part is None) if record.samples else ""


def unfinished(attempts: Iterable[Record]) -> Iterator[tuple[int, str]]:
    """Attempts with times that ended before they should have: number, and why."""
    for record in attempts:
        if record.blocks and record.end is None:
            yield record.attempt, "killed, or still running"
        elif record.blocks and record.end and record.end.how != "complete":
            yield record.attempt, record.end.reason


def unread(record: Record) -> Iterator[tuple[str, str]]:
    """What a running engine did not say of itself: contender, and what."""
    read = {one.name: one for one in (record.environment.contenders if record.environment else ())}
    for contender in record.spec.contenders:
        if not (one := read.get(contender.name)) or not one.version:
            yield contender.name, "its version was"
        read_back = {setting.lower() for setting in (one.in_force if one else ())}
        unread = [setting for setting in contender.engine_settings() if setting.lower() not in read_back]
        if unread:
            yield contender.name, f"{', '.join(unread)} {'was' if len(unread) == 1 else 'were'}"

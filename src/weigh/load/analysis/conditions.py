"""Whether what was asked for held: the CPUs of server and generator, the server's memory, cold. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.machine.drift import quiet
from weigh.model import codes
from weigh.model.resources import cpus_text
from weigh.model.units import count, percent, size

MARGIN = 0.03
"""The smallest change of the machine's speed that is reported."""

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.record import LoadRecord
    from weigh.load.runs import ColdStart, CpusRead
    from weigh.machine.drift import Quiet
    from weigh.model.finding import Finding
    from weigh.model.machine.calibration import Calibration
    from weigh.model.verdict import Reason


def cold_of(record: LoadRecord, run: int) -> ColdStart | None:
    """What was in memory at the beginning of a run; None where nobody looked."""
    return next((one for one in record.cold if one.run == run), None)


def cpus_of(record: LoadRecord, run: int) -> CpusRead | None:
    """The CPUs of a run; None where they were not read back."""
    return next((one for one in record.cpus if one.run == run), None)


def refusals(record: LoadRecord, run: int) -> Iterator[Reason]:
    """Why a run is not what it is called."""
    if record.spec.cold is not True:
        return
    found = cold_of(record, run)
    if found is None or found.left is None:
        yield codes.E1_RESIDENT.reason(
            "it is not shown to be cold: what of its data was in memory when the connections were opened cannot be "
            "counted here. Leave --cold out"
        )
    elif found.left.resident or not found.left.pages:
        yield codes.E1_RESIDENT.reason(
            f"it was not cold: {found.left.resident:,} of {count(found.left.pages, 'page')} of its tables were "
            "in memory when the connections were opened. Run it again when nobody else reads or writes them"
        )


def findings(record: LoadRecord) -> Iterator[Finding]:
    """CPUs and memory that were not those that were asked for."""
    for side in ("server", "client"):
        wanted = getattr(record.spec, f"{side}_cpus")
        if wanted is msgspec.UNSET:
            continue
        others = [one for one in record.cpus if getattr(one, side) != cpus_text(wanted)]
        if others:
            had = getattr(others[0], side) or "what cannot be read"
            yield codes.E6_AFFINITY.finding(
                text=f"in {len(others)} of {count(len(record.cpus), 'run')} the {_SIDES[side]} was on other CPUs than "
                f"{cpus_text(wanted)}: {had}",
                remedy="see who else sets its CPUs (cpusets of a container, a service manager)",
            )
    limit = record.spec.server_memory
    if limit is not msgspec.UNSET and any(one is None or one > limit for one in record.memory):
        yield codes.E6_MEMORY.finding(
            "warning",
            text=f"the server was to be held to {size(limit)}, and the limit in force reads "
            f"{', '.join(size(one) if one is not None else 'none' for one in record.memory)}",
            remedy="run where control groups can be written",
        )


_SIDES = {"server": "server", "client": "generator"}


def sentences(record: LoadRecord, run: int) -> Iterator[str]:
    """The conditions of a run, for a report; nothing where none were asked for."""
    cpus, cold = cpus_of(record, run), cold_of(record, run)
    if cpus is not None:
        server = f"the server on {cpus.server}" if cpus.server else "the server's CPUs not known"
        yield f"CPUs, read back while it ran: {server}, the generator on {cpus.client or 'what cannot be read'}"
    if record.memory:
        memory = record.memory[0]
        yield f"memory of the server, by its control group: {size(memory) if memory is not None else 'not known'}"
    if cold is not None and cold.left is not None:
        how = (
            "the kernel's caches were dropped" if cold.put_out == "drop_caches" else "its files were put out one by one"
        )
        read = sum(cold.devices.values())
        yield (
            f"cold: {how}; when the connections were opened {cold.left.resident:,} of "
            f"{count(cold.left.pages, 'page')} of its tables ({size(cold.bytes)}) were in memory; the devices below "
            f"read {size(read)} during the run"
        )


def split(record: LoadRecord) -> bool:
    """Whether server and generator had no CPU in common, as it was read back."""
    spec = record.spec
    if spec.server_cpus is msgspec.UNSET or spec.client_cpus is msgspec.UNSET or not record.cpus:
        return False
    return not list(findings(record))


def knobs(record: LoadRecord) -> Iterator[Finding]:
    """Settings and states of the machine that move times."""
    for one in record.knobs:
        yield from one.findings


def speed(calibrations: Sequence[Calibration]) -> tuple[Quiet, ...]:
    """How even the machine itself was, by fixed work between the runs."""
    return quiet(calibrations)


def drift(calibrations: Sequence[Calibration], between: str = "run") -> Iterator[Finding]:
    """That the machine's own speed changed between the runs.

    Args:
        calibrations: of an experiment.
        between: what they were made before each of: ``run``, or ``block`` of several.
    """
    for one in speed(calibrations):
        if abs(one.size) > MARGIN:
            longer = f"{percent(abs(one.size))} {'longer' if one.size > 0 else 'less'}"
            yield codes.E5_DRIFT.finding(
                "note",
                text=f"the machine's own speed changed between the {between}s ({one.drift}): the fixed "
                f"{one.kernel} kernel took {longer} from {between} {one.first} on",
                remedy="look for heat, a power plan, a limit, or somebody else's work (weigh doctor)",
            )


def speed_words(calibrations: Sequence[Calibration], between: str = "run") -> str:
    """The same in a sentence; empty where nobody looked. Arguments as of :func:`drift`."""
    found = [f"{one.kernel} {percent(one.cv)}" for one in speed(calibrations) if one.cv is not None]
    if not found:
        return ""
    return (
        f"The machine by itself: fixed work before each {between} and after the last varied by {', '.join(found)} "
        "(coefficient of variation)."
    )

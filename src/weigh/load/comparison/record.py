"""The record of a comparison: its journal as nouns, and a load record for each arm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.evidence import files, journal, verification
from weigh.evidence.seal import json_bytes
from weigh.evidence.sealing import End
from weigh.load import record as load_record
from weigh.load.comparison.spec import CONTENDERS, LoadComparisonSpec
from weigh.load.record import LoadRecord
from weigh.model.errors import EvidenceFault
from weigh.model.finding import Finding
from weigh.model.machine.calibration import Calibration

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.load.comparison.spec import LoadArm

OPENED = "load-comparison"
"""The first event of its journal."""


class LoadComparisonOpened(msgspec.Struct, frozen=True, kw_only=True):
    """The first event: what is to be done."""

    attempt: int
    spec: LoadComparisonSpec


class LoadComparisonEnvironment(msgspec.Struct, frozen=True, kw_only=True):
    """Where it ran; what each server is stands in the record of its arm.

    Attributes:
        weigh: version of weigh.
        command: the command that does it again, without secrets.
        host: facts of the generator's machine.
    """

    weigh: str
    command: str
    host: dict[str, Any]


class BlockBegun(msgspec.Struct, frozen=True, kw_only=True):
    """A block begins.

    Attributes:
        block: from 1.
        arms: their names, in the order in which they have their turns.
    """

    block: int
    arms: tuple[str, ...]


class LoadComparisonRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the evidence of a comparison says.

    Attributes:
        environment: None where it did not get that far.
        blocks: those that began.
        calibrations: what fixed work took before each block and after the last, while nobody asked a server anything.
        loads: the load record of each arm by its name, with the lives of its server and the rows that they held; those
            that never began are left out.
        findings: recorded in the comparison's own journal.
        end: None where it was killed.
    """

    attempt: int
    spec: LoadComparisonSpec
    environment: LoadComparisonEnvironment | None = None
    blocks: tuple[BlockBegun, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    loads: dict[str, LoadRecord] = {}
    findings: tuple[Finding, ...] = ()
    end: End | None = None

    @property
    def host(self) -> dict[str, Any]:
        """Facts of the generator's machine; none where they were not read."""
        return self.environment.host if self.environment else {}


def folder_of(folder: Path, arm: LoadArm) -> Path:
    """Where the load record of an arm lies."""
    return folder / CONTENDERS / arm.folder


def is_load_comparison(folder: Path) -> bool:
    """Whether a directory is that of a comparison of loads."""
    event = journal.first(folder)
    return event is not None and event.event == OPENED


def is_of_comparison(folder: Path) -> bool:
    """Whether a directory holds the load of an arm of a comparison."""
    whole = folder.resolve().parents
    return len(whole) > 1 and whole[0].name == CONTENDERS and is_load_comparison(whole[1])


def read(folder: Path) -> LoadComparisonRecord:
    """The record, finished or not.

    Raises:
        EvidenceFault: there is no journal of a comparison, or it or that of an arm is damaged.
    """
    events = journal.read(folder)
    if not events or events[0].event != OPENED:
        raise EvidenceFault(
            "it is no comparison of loads", where=str(folder), remedy="name a directory that weigh load printed"
        )
    with journal.believed(folder):
        found = _read(events)
    loads = {}
    for arm in found.spec.arms:
        place = folder_of(folder, arm)
        if not verification.is_name(arm.folder) or not journal.begun(place):
            continue
        one = load_record.read(place)
        if one.spec != found.spec.load_of(arm):
            raise EvidenceFault(
                f"the load of {arm.name} is not the one that was asked for",
                where=str(place),
                remedy="the evidence was edited",
            )
        loads[arm.name] = one
    return msgspec.structs.replace(found, loads=loads)


def read_spec(folder: Path) -> LoadComparisonSpec:
    """What an attempt was asked to do, without reading what came of it.

    Raises:
        EvidenceFault: its journal does not begin with it.
    """
    try:
        return _checked(journal.opening(folder, OPENED, LoadComparisonOpened).spec)
    except ValueError:
        raise journal.misbegun(folder) from None


def _checked(spec: LoadComparisonSpec) -> LoadComparisonSpec:
    """A spec whose names can be looked up.

    Raises:
        ValueError: they cannot.
    """
    names = [one.name for one in spec.contenders]
    if len(set(names)) != len(names) or spec.baseline not in names:
        raise ValueError("its contenders have no different names, or the baseline is none of them")
    return spec


_ONE: dict[str, type[Any]] = {"environment": LoadComparisonEnvironment, "end": End}
"""What the events say that are fields of the record by their own name: the last one counts."""
_MANY: dict[str, tuple[str, type[Any]]] = {
    "block": ("blocks", BlockBegun),
    "calibration": ("calibrations", Calibration),
    "finding": ("findings", Finding),
}
"""Events that are added to a field as they are: its name, and what they say."""


def _read(events: list[journal.Event]) -> LoadComparisonRecord:
    opened = msgspec.convert(events[0].body, LoadComparisonOpened)
    one: dict[str, Any] = {}
    many: dict[str, list[Any]] = {}
    for event in events[1:]:
        match event.event:
            case name if name in _ONE:
                one[name] = files.converted(event.body, _ONE[name])
            case name if name in _MANY:
                field, kind = _MANY[name]
                many.setdefault(field, []).append(files.converted(event.body, kind))
    lists: dict[str, Any] = {field: tuple(values) for field, values in many.items()}
    return LoadComparisonRecord(
        attempt=opened.attempt,
        spec=_checked(opened.spec),
        **one,
        **lists,
    )


def derived(record: LoadComparisonRecord) -> dict[str, bytes]:
    """Every file that follows from the comparison's own journal alone, by name."""
    found = {"spec.json": json_bytes(record.spec)}
    if record.environment is not None:
        found["environment.json"] = json_bytes(record.environment)
    return found

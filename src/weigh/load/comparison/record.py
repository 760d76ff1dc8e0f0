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
    try:
        found = _read(events)
    except (EvidenceFault, msgspec.ValidationError, TypeError, KeyError, ValueError) as error:
        raise EvidenceFault(
            f"the journal does not say what weigh's journals say: {error}",
            where=str(folder),
            remedy="read it with the version of weigh that wrote it (environment.json)",
        ) from error
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
    event = journal.first(folder)
    try:
        if event is not None and event.event == OPENED:
            return _checked(files.converted(event.body, LoadComparisonOpened).spec)
    except (EvidenceFault, ValueError):
        pass
    raise EvidenceFault("its journal does not begin as it should", where=str(folder), remedy="see `weigh verify`")


def _checked(spec: LoadComparisonSpec) -> LoadComparisonSpec:
    """A spec whose names can be looked up.

    Raises:
        ValueError: they cannot.
    """
    names = [one.name for one in spec.contenders]
    if len(set(names)) != len(names) or spec.baseline not in names:
        raise ValueError("its contenders have no different names, or the baseline is none of them")
    return spec


def _read(events: list[journal.Event]) -> LoadComparisonRecord:
    opened = msgspec.convert(events[0].body, LoadComparisonOpened)
    fields: dict[str, Any] = {}
    blocks: list[BlockBegun] = []
    findings: list[Finding] = []
    calibrations: list[Calibration] = []
    for event in events[1:]:
        match event.event:
            case "environment":
                fields["environment"] = files.converted(event.body, LoadComparisonEnvironment)
            case "block":
                blocks.append(files.converted(event.body, BlockBegun))
            case "calibration":
                calibrations.append(files.converted(event.body, Calibration))
            case "finding":
                findings.append(files.converted(event.body, Finding))
            case "end":
                fields["end"] = files.converted(event.body, End)
            case _:
                continue
    return LoadComparisonRecord(
        attempt=opened.attempt,
        spec=_checked(opened.spec),
        blocks=tuple(blocks),
        calibrations=tuple(calibrations),
        findings=tuple(findings),
        **fields,
    )


def derived(record: LoadComparisonRecord) -> dict[str, bytes]:
    """Every file that follows from the comparison's own journal alone, by name."""
    found = {"spec.json": json_bytes(record.spec)}
    if record.environment is not None:
        found["environment.json"] = json_bytes(record.environment)
    return found

"""The record: an attempt's journal as nouns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.evidence import journal
from weigh.model.errors import EvidenceFault
from weigh.model.finding import Finding
from weigh.model.gate import Gate
from weigh.model.look import Look
from weigh.model.manifest import Manifest
from weigh.model.operation import Workload
from weigh.model.sample import Sample
from weigh.model.spec import Spec

if TYPE_CHECKING:
    from pathlib import Path


class ContenderRead(msgspec.Struct, frozen=True, kw_only=True):
    """A contender as its running engine described itself.

    Attributes:
        name: of the contender.
        engine: name of the adapter.
        lineage: its vote in the gate.
        version: the engine's own word.
        pins: what was asked for beside the version.
        settings: settings that were asked for.
        in_force: settings read back: name -> {value, default}.
        environment: key of its environment.
        lock: every package with its exact version.
        terms: the vendor's publication terms.
    """

    name: str
    engine: str
    lineage: str
    version: str
    pins: tuple[str, ...] = ()
    settings: dict[str, Any] = {}
    in_force: dict[str, Any] = {}
    environment: str = ""
    lock: str = ""
    terms: str = ""


class EnvironmentRead(msgspec.Struct, frozen=True, kw_only=True):
    """Where and with what an attempt ran.

    Attributes:
        weigh: version of weigh.
        command: the command that reproduces it.
        host: facts of the machine; what cannot be read is None.
        contenders: as their engines described themselves.
        notice: what every report of this workload must say.
    """

    weigh: str
    command: str
    host: dict[str, Any]
    contenders: tuple[ContenderRead, ...]
    notice: str = ""


class BlockBegun(msgspec.Struct, frozen=True, kw_only=True):
    """The beginning of a block: what its order was computed from.

    Attributes:
        block: its number, from 0.
        cases: (operation, case) pairs that were live.
        arms: arms that were alive.
        runs: timed executions a turn, where no look chose another number.
        serial: whether the arms lived one after another, because together they would not fit into memory.
    """

    block: int
    cases: tuple[tuple[str, str], ...]
    arms: tuple[str, ...]
    runs: int
    serial: bool = False


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """What the budget allowed, decided before the first block.

    Attributes:
        cases: (operation, case) pairs that passed the gate.
        starts: blocks; with a precision, at most.
        runs: timed executions a turn, until a look chooses another number.
        serial: whether the arms live one after another.
    """

    cases: tuple[tuple[str, str], ...]
    starts: int
    runs: int
    serial: bool = False


class Resumed(msgspec.Struct, frozen=True, kw_only=True):
    """A killed attempt was gone on with.

    Attributes:
        blocks: how many had been begun.
        turns: how many turns were kept.
    """

    blocks: int
    turns: int


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn: its samples in order, the untimed one first."""

    samples: tuple[Sample, ...]


class End(msgspec.Struct, frozen=True, kw_only=True):
    """How the attempt ended: ``complete``, ``stopped`` with a reason, or nothing where it was killed."""

    how: str
    reason: str = ""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Everything an attempt's journal says; of what was done again on resuming, the latest.

    Attributes:
        earlier_gates: what the gate found before the attempt was resumed; nobody is acquitted by a kill.
        resumed: each time it was gone on with.
        looks: between the blocks, where sampling stops on precision.
    """

    attempt: int
    spec: Spec
    environment: EnvironmentRead | None = None
    workload: Workload | None = None
    manifest: Manifest | None = None
    gate: Gate | None = None
    earlier_gates: tuple[Gate, ...] = ()
    plan: Planned | None = None
    resumed: tuple[Resumed, ...] = ()
    blocks: tuple[BlockBegun, ...] = ()
    looks: tuple[Look, ...] = ()
    samples: tuple[Sample, ...] = ()
    findings: tuple[Finding, ...] = ()
    end: End | None = None

    @property
    def notice(self) -> str:
        """What every report must say, as early as it is known."""
        return self.workload.notice if self.workload else self.environment.notice if self.environment else ""


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """The first event of every journal."""

    attempt: int
    spec: Spec


def begun(folder: Path) -> bool:
    """Whether an attempt recorded anything.

    Killed between making its directory and its first write it has no journal or an empty one; on a full disk it may
    have nothing but its end. That says nothing about the experiment, and must not spoil the attempts beside it. A
    journal that begins in any other way is for :func:`read` to refuse: cutting off its head does not hide an attempt.
    """
    path = folder / journal.NAME
    if not path.is_file():
        return False
    with path.open("rb") as file:
        line = file.readline()
    if not line.endswith(b"\n"):
        return False
    try:
        return msgspec.json.decode(line, type=journal.Event).event != "end"
    except msgspec.MsgspecError:
        return True


def read(folder: Path) -> Record:
    """The record of an attempt, finished or not.

    Raises:
        EvidenceFault: there is no journal, nothing is in it, it is damaged, or another version of weigh wrote it.
    """
    events = journal.read(folder)
    if not begun(folder):
        raise EvidenceFault(
            "nothing is recorded in it: it was killed before the first write, or emptied since",
            where=str(folder),
            remedy="name another attempt, or run it again",
        )
    fields: dict[str, Any] = {
        name: [] for name in ("blocks", "looks", "samples", "findings", "earlier_gates", "resumed")
    }
    try:
        for event in events:
            _take(fields, event)
        made: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
        return Record(**made)
    except (msgspec.ValidationError, TypeError) as error:
        raise EvidenceFault(
            f"the journal does not say what weigh's journals say: {error}",
            where=str(folder),
            remedy="read it with the version of weigh that wrote it (environment.json)",
        ) from error


def _take(fields: dict[str, Any], event: journal.Event) -> None:
    match event.event:
        case "opened":
            opened = msgspec.convert(event.body, Opened)
            fields.update(attempt=opened.attempt, spec=opened.spec)
        case "environment":
            fields["environment"] = msgspec.convert(event.body, EnvironmentRead)
        case "workload":
            fields["workload"] = msgspec.convert(event.body, Workload)
        case "manifest":
            fields["manifest"] = msgspec.convert(event.body, Manifest)
        case "gate":
            if "gate" in fields:
                fields["earlier_gates"].append(fields["gate"])
            fields["gate"] = msgspec.convert(event.body, Gate)
        case "plan":
            fields["plan"] = msgspec.convert(event.body, Planned)
        case "resumed":
            fields["resumed"].append(msgspec.convert(event.body, Resumed))
        case "block":
            fields["blocks"].append(msgspec.convert(event.body, BlockBegun))
        case "look":
            fields["looks"].append(msgspec.convert(event.body, Look))
        case "turn":
            fields["samples"].extend(msgspec.convert(event.body, Turn).samples)
        case "finding":
            fields["findings"].append(msgspec.convert(event.body, Finding))
        case "end":
            fields["end"] = msgspec.convert(event.body, End)
        case _:
            return

"""The record: an attempt's journal as nouns."""

from __future__ import annotations

import secrets
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from weigh.evidence import files, journal, sealing, timeline, turns
from weigh.evidence.attempts import earlier_folders, history_folders
from weigh.evidence.journal import begun
from weigh.evidence.sealing import End
from weigh.experiment.interim_look import InterimLook
from weigh.host.knobs.read import KnobRead
from weigh.model.clock_coverage import StartCost, TurnCpu
from weigh.model.cold import CacheState, Drive
from weigh.model.contender import ContenderRead
from weigh.model.data.catalog import CatalogRead
from weigh.model.data.storage import Place
from weigh.model.data.store import ExecutionRequests, StoreRead
from weigh.model.dataset import Manifest
from weigh.model.errors import EvidenceFault
from weigh.model.finding import Finding
from weigh.model.gate import Gate
from weigh.model.machine.calibration import Calibration
from weigh.model.machine.timeline import Watch, Watches
from weigh.model.operation import Workload
from weigh.model.resources import WorkerRead
from weigh.model.sample import Sample, Samples
from weigh.model.spec import Spec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weigh.model.schedule import Slot


class EnvironmentRead(msgspec.Struct, frozen=True, kw_only=True):
    """Where and with what an attempt ran.

    Attributes:
        weigh: version of weigh.
        command: the command that reproduces it.
        host: facts of the machine; what cannot be read is None.
        contenders: as their engines described themselves.
        notice: what every report of this workload must say.
        stores: where contenders read objects; left out where nobody does.
        storage: on what the data lies, the copies that engines load, and temporary files.
        knobs: settings and states of the machine that move times.
    """

    weigh: str
    command: str
    host: dict[str, Any]
    contenders: tuple[ContenderRead, ...]
    notice: str = ""
    storage: tuple[Place, ...] | msgspec.UnsetType = msgspec.UNSET
    knobs: tuple[KnobRead, ...] | msgspec.UnsetType = msgspec.UNSET
    stores: tuple[StoreRead, ...] | msgspec.UnsetType = msgspec.UNSET


class Laid(msgspec.Struct, frozen=True, kw_only=True):
    """The same rows in another layout than that of the baseline.

    Attributes:
        layout: its name; empty for the default one.
        manifest: its files.
    """

    layout: str
    manifest: Manifest


class BlockBegun(msgspec.Struct, frozen=True, kw_only=True):
    """The beginning of a block: what its order was computed from.

    Attributes:
        block: its number, from 0.
        cases: (operation, case) pairs that were live.
        arms: arms that were alive.
        rounds: turns of every arm, of each live operation.
        runs: timed executions a turn.
        serial: whether the arms lived one after another, because together they would not fit into memory.
        temperature: of a cold block every turn is two lives of its own, one cold and one first (docs/concept/cold.md).
    """

    block: int
    cases: tuple[tuple[str, str], ...]
    arms: tuple[str, ...]
    rounds: dict[str, int]
    runs: int
    serial: bool = False
    temperature: Literal["hot", "cold"] = "hot"


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """What the budget allowed, decided before the first block.

    Attributes:
        cases: (operation, case) pairs that passed the gate.
        starts: blocks; with a precision, at most.
        rounds: turns of every arm for each operation, until a look chooses another number.
        runs: timed executions a turn.
        serial: whether the arms live one after another.
        cold: cold blocks, after the hot ones.
        cpus: CPUs that every arm of a block is kept on; 0 for all that there are.
        secret: of the questions that nobody asked before (:func:`weigh.model.schedule.unseen`), drawn after the gate.
        varied: operations of each contender that have such questions.
        overall: whether contenders are judged over all operations, too; left out of evidence of before that.
        fewer: whether looks lower rounds so that ten starts fit into the budget; left out of evidence of before that.
    """

    cases: tuple[tuple[str, str], ...]
    starts: int
    rounds: int = 1
    runs: int
    serial: bool = False
    cold: int = 0
    cpus: int = 0
    secret: str = ""
    varied: dict[str, tuple[str, ...]] = {}
    overall: bool | msgspec.UnsetType = msgspec.UNSET
    fewer: bool | msgspec.UnsetType = msgspec.UNSET

    def asks_unseen(self, contender: str, slot: Slot, temperature: str) -> bool:
        """Whether the untimed execution of a turn is a question that nobody asked before.

        Not in the first round: what an engine does once for a text in a life lies before its first timed execution.
        """
        return temperature == "hot" and slot.round > 0 and slot.operation in self.varied.get(contender, ())


class Resumed(msgspec.Struct, frozen=True, kw_only=True):
    """A killed attempt was continued.

    Attributes:
        blocks, turns: how many had been begun, and were kept.
        anchor_key: public key that signs its anchors from then on.
    """

    blocks: int
    turns: int
    anchor_key: str | msgspec.UnsetType = msgspec.UNSET


class RequestsOfTurn(msgspec.Struct, frozen=True, kw_only=True):
    """What the executions of a turn asked of a store, in order, the untimed one first."""

    executions: tuple[ExecutionRequests, ...]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Everything an attempt's journal says; of what was done again on resuming, the latest.

    Attributes:
        manifest, layouts: of the layout that the baseline reads, and the others that contenders read.
        catalogs: through which contenders read, before and after.
        earlier_gates: what the gate found before the attempt was resumed; nobody is acquitted by a kill.
        resumed: each time it was continued.
        looks: between the blocks, where sampling stops on precision.
        drives: what the storage under the data can do.
        cache_states: what showed how warm the data was.
        workers, watches: what each life could use, read at its end; what the sampler saw, moment by moment.
        calibrations: what fixed pieces of work took, before, between and after the blocks.
        cpu: CPU seconds of every family, turn by turn.
        starts: what starting cost.
        requests: what executions asked of a store.
    """

    attempt: int
    spec: Spec
    environment: EnvironmentRead | None = None
    workload: Workload | None = None
    manifest: Manifest | None = None
    layouts: tuple[Laid, ...] = ()
    catalogs: tuple[CatalogRead, ...] = ()
    gate: Gate | None = None
    earlier_gates: tuple[Gate, ...] = ()
    plan: Planned | None = None
    resumed: tuple[Resumed, ...] = ()
    blocks: tuple[BlockBegun, ...] = ()
    looks: tuple[InterimLook, ...] = ()
    samples: tuple[Sample, ...] = ()
    findings: tuple[Finding, ...] = ()
    drives: tuple[Drive, ...] = ()
    cache_states: tuple[CacheState, ...] = ()
    workers: tuple[WorkerRead, ...] = ()
    watches: tuple[Watch, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    cpu: tuple[TurnCpu, ...] = ()
    starts: tuple[StartCost, ...] = ()
    requests: tuple[ExecutionRequests, ...] = ()
    end: End | None = None

    @property
    def knobs(self) -> tuple[KnobRead, ...]:
        """The knobs as they were read before the gate; none in evidence of a version that did not read them."""
        found = self.environment.knobs if self.environment else msgspec.UNSET
        return () if found is msgspec.UNSET else found

    @property
    def host(self) -> dict[str, Any]:
        """Facts of the machine; none where they were not read."""
        return self.environment.host if self.environment else {}

    @property
    def manifests(self) -> tuple[Manifest, ...]:
        """Of all layouts that are recorded, that of the baseline first."""
        return (*([self.manifest] if self.manifest else ()), *(one.manifest for one in self.layouts))

    def manifest_of(self, contender: str) -> Manifest | None:
        """What a contender of the spec was given to read; None where it is not recorded."""
        layout = self.spec.contender(contender).layout
        if layout == self.spec.contender(self.spec.baseline).layout:
            return self.manifest
        return next((one.manifest for one in self.layouts if one.layout == layout), None)

    @property
    def notice(self) -> str:
        """What every report must say, as early as it is known."""
        return self.workload.notice if self.workload else self.environment.notice if self.environment else ""


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """The first event of every journal."""

    attempt: int
    spec: Spec
    measurement: str | msgspec.UnsetType = msgspec.UNSET
    """Drawn for this attempt, so that no other journal begins with the same line."""
    at: str | msgspec.UnsetType = msgspec.UNSET
    """When it began, UTC."""
    anchor_key: str | msgspec.UnsetType = msgspec.UNSET
    """Public key that signs its anchors."""


def opened(attempt: int, spec: Spec, key: str | msgspec.UnsetType = msgspec.UNSET) -> Opened:
    """Of an attempt that begins now."""
    return Opened(attempt=attempt, spec=spec, measurement=secrets.token_hex(16), at=sealing.now(), anchor_key=key)


MOST_TURNS = 100_000
"""Turns of a block: days of measuring, and more than any budget affords."""
_ONE: dict[str, type[Any]] = {
    "environment": EnvironmentRead,
    "workload": Workload,
    "manifest": Manifest,
    "plan": Planned,
    "end": End,
}
"""What the events say that are fields of the record by their own name: the last one counts."""
_MANY: dict[str, tuple[str, type[Any]]] = {
    "resumed": ("resumed", Resumed),
    "look": ("looks", InterimLook),
    "rest": ("cpu", TurnCpu),
    "start": ("starts", StartCost),
    "finding": ("findings", Finding),
    "drive": ("drives", Drive),
    "cache_state": ("cache_states", CacheState),
    "life": ("workers", WorkerRead),
    "calibration": ("calibrations", Calibration),
}
"""Events that are added to a field as they are: its name, and what they say."""
_MORE = ("layouts", "catalogs", "blocks", "samples", "earlier_gates", "watches", "requests")
"""Further fields of which the journal has many."""


def read(folder: Path) -> Record:
    """The record of an attempt, finished or not.

    Raises:
        EvidenceFault: there is no journal, nothing is in it, it is damaged, or another version of weigh wrote it.
    """
    fields: dict[str, Any] = {name: [] for name in (*(field for field, _ in _MANY.values()), *_MORE)}
    digests: turns.Digests = {}
    some = begun(folder)
    # One event at a time: all of them together take many times the room of the record.
    with journal.believed(folder):
        for event in journal.events(folder):
            if some:
                _take(fields, event, digests)
    if not some:
        raise EvidenceFault(
            "nothing is recorded in it: it was killed before the first write, or emptied since",
            where=str(folder),
            remedy="name another attempt, or run it again",
        )
    with journal.believed(folder):
        made: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
        made |= {"samples": Samples(fields["samples"]), "watches": Watches(fields["watches"])}
        return Record(**made)


def read_spec(folder: Path) -> Spec:
    """What an attempt was asked to do, without reading what came of it.

    Raises:
        EvidenceFault: its journal does not begin with it.
    """
    return journal.opening(folder, "opened", Opened).spec


def _take(fields: dict[str, Any], event: journal.Event, digests: turns.Digests) -> None:
    """Add an event; ``digests`` are those of the gate before it."""
    match event.event:
        case name if name in _ONE:
            fields[name] = files.converted(event.body, _ONE[name])
        case name if name in _MANY:
            field, kind = _MANY[name]
            fields[field].append(files.converted(event.body, kind))
        case "opened":
            opened = files.converted(event.body, Opened)
            fields.update(attempt=opened.attempt, spec=opened.spec)
        case "layout":
            laid = files.converted(event.body, Laid)
            # Said again on resuming.
            fields["layouts"] = [*(one for one in fields["layouts"] if one.layout != laid.layout), laid]
        case "catalog":
            read = files.converted(event.body, CatalogRead)
            # Made anew on resuming, and read again.
            others = (one for one in fields["catalogs"] if (one.contender, one.when) != (read.contender, read.when))
            fields["catalogs"] = [*others, read]
        case "gate":
            if "gate" in fields:
                fields["earlier_gates"].append(fields["gate"])
            fields["gate"] = files.converted(event.body, Gate)
            digests.clear()
            digests.update(turns.established(fields["gate"]))
        case "block":
            fields["blocks"].append(_possible(files.converted(event.body, BlockBegun)))
        case "turn":
            turn = turns.unpack(event.body, fields.get("attempt", 1), digests)
            fields["samples"].extend(turn.samples)
            fields["cpu"].extend(turn.cpu)
            if turn.moments is not None:
                fields["watches"].append(timeline.unpack(turn.moments))
        case "requests":
            fields["requests"].extend(files.converted(event.body, RequestsOfTurn).executions)
        case "watch":
            fields["watches"].append(timeline.unpack(files.converted(event.body, timeline.Columns)))


def _possible(begun: BlockBegun) -> BlockBegun:
    """A block, unless nobody can have measured it: its turns are all laid out by whoever reads it.

    Raises:
        EvidenceFault: so it is.
    """
    turns = sum(begun.rounds.values()) * max(len(begun.arms), 1)
    if not (0 <= turns <= MOST_TURNS and 0 <= begun.runs <= MOST_TURNS and min(begun.rounds.values(), default=0) >= 0):
        raise EvidenceFault(f"block {begun.block} is to have {turns:,} turns of {begun.runs:,} executions")
    return begun


def samples(records: Sequence[Record]) -> Samples:
    """Of several attempts, oldest first."""
    if len(records) == 1:
        return Samples.of(records[0].samples)
    return Samples(sample for record in records for sample in record.samples)


def history(folder: Path) -> list[Record]:
    """The records of an attempt and of the earlier attempts of the same experiment alongside it, oldest first.

    Earlier attempts that recorded nothing are left out.

    Raises:
        EvidenceFault: ``folder`` is no evidence, or recorded nothing.
    """
    return [read(path) for path in history_folders(folder)]


def earlier(folder: Path) -> tuple[Record, ...]:
    """The records of the earlier attempts of the same experiment alongside an attempt, oldest first.

    Raises:
        EvidenceFault: one of them is damaged.
    """
    return tuple(map(_read_once, earlier_folders(folder)))


records_read: ContextVar[dict[Path, Record] | None] = ContextVar("records_read", default=None)
"""Where it is a dictionary, :func:`earlier` fills it and reads no attempt twice: each attempt needs all before it."""
_MOST_SAMPLES = 200_000
"""Of records in it: about 100 MB."""


def _read_once(folder: Path) -> Record:
    known = records_read.get()
    if known is None:
        return read(folder)
    if folder not in known:
        found = read(folder)
        if sum(len(one.samples) for one in (*known.values(), found)) > _MOST_SAMPLES:
            known.clear()
        known[folder] = found
    return known[folder]

"""Answers of an earlier gate, where nothing changed since that could change one.

What is reused is what contenders answered and how it was judged. Asked again are all literals that are drawn anew,
every case of some operations drawn now, and everything over rows that nobody had seen; one answer of them that came
out otherwise, and everything is asked. No timed answer is taken on trust: each is compared as it would have been.
"""

from __future__ import annotations

import datetime
import hashlib
import secrets
import time
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa

from weigh.answers.votes import conclude
from weigh.cluster.versions import versions
from weigh.engines import environment
from weigh.evidence import whole
from weigh.experiment.gate import gate
from weigh.model import codes, units
from weigh.model.answer import GateStatus
from weigh.model.finding import Finding
from weigh.model.gate import Gate, Reused
from weigh.model.units import Seconds
from weigh.workloads import FRESH

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.experiment.gate.gate import GateResult
    from weigh.experiment.setup import Setup
    from weigh.model.contender import ContenderRead
    from weigh.model.gate import Check
    from weigh.model.operation import Operation, Workload

ROOM = "gates"
"""Of the cache."""
LASTS: Seconds = 24 * 3600.0
"""How long answers are reused: what a key cannot name (drivers, a microcode, a mended library) changes by days."""
_AGAIN = 3
"""Operations that are asked again, whole."""
_RECORD, _DIGEST = "gate.json", "gate.sha256"
_LARGEST = 1 << 28
"""Bytes of answers above which they are not stored."""
_UNREADABLE = (
    *(OSError, EOFError, KeyError, ValueError, RuntimeError, MemoryError, zipfile.BadZipFile),
    *(pa.ArrowException, msgspec.DecodeError),
)
"""What reading a damaged file may raise: of a method or a lock that zipfile does not know, a RuntimeError."""
_REUSABLE = (GateStatus.AGREED, GateStatus.UNVERIFIED, GateStatus.UNSUPPORTED)
"""Of an operation: who is to answer for a wrong one is asked each time."""


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """A gate without its answers, which lie alongside it as Arrow files.

    Attributes:
        at: when its answers were given, seconds since the epoch.
        gate: its record, without what is asked each time.
        findings: what there was to be reported.
        seconds: fastest execution, by contender, operation and case.
        peaks, varied, quick, ways: as of :class:`weigh.experiment.gate.gate.GateResult`.
        answers: contender, operation and case of the answer in each file, in order.
        sha256: of each of these files.
    """

    at: float
    gate: Gate
    findings: tuple[Finding, ...]
    seconds: tuple[tuple[str, str, str, Seconds], ...]
    peaks: dict[str, int]
    varied: dict[str, tuple[str, ...]]
    quick: dict[str, tuple[str, ...]]
    ways: dict[str, dict[str, str]]
    answers: tuple[tuple[str, str, str], ...]
    sha256: tuple[str, ...]


class Answers(msgspec.Struct, frozen=True):
    """What a stored gate gives: its record, and every answer by contender, operation and case."""

    stored: Stored
    tables: dict[tuple[str, str, str], pa.Table]


def key(setup: Setup, reads: Sequence[ContenderRead], without: Iterable[str]) -> str:
    """Everything that decides about answers, as one hash; empty where something does that no hash can hold.

    That is a system elsewhere, a command, an engine of a plug-in (whose code is not hashed), a catalog or a store.

    Args:
        setup: of the experiment.
        reads: what the running engines say of themselves.
        without: contenders that are not asked.
    """
    ours, left = Path(__file__).parents[1], frozenset(without)
    spills = {one.name: one.engine.spill for one in setup.contenders}
    for one in setup.contenders:
        foreign = ours not in one.engine.adapter.resolve().parents
        if foreign or one.contender.remote or one.engine.place or not one.engine.package or one.contender.catalog:
            return ""
    if setup.spec.ingest or setup.stores.reads or not setup.data.manifest.digests:
        return ""
    content = msgspec.json.encode(
        (
            versions(),
            _lasting(setup.workload),
            [data.manifest for data in setup.layouts.values()],
            [_named(one, spills[one.name]) for one in reads],
            [(one.name, one.settings, one.bounds) for one in setup.contenders],
            [environment.state(one.environment) for one in setup.contenders if one.name not in left],
            sorted(left),
            (setup.spec.truth, setup.spec.timeout),
            setup.pinned and setup.pinned.answers,
        ),
        order="sorted",
        enc_hook=str,
    )
    return hashlib.sha256(content).hexdigest()


def find(cache: Path, key: str) -> Answers | None:
    """The stored gate of that key; None where there is none, it is too old, or it cannot be read."""
    path = cache / ROOM / f"{key}.zip"
    try:
        if not path.is_file() or path.stat().st_size > 2 * _LARGEST:
            return None
        with zipfile.ZipFile(path) as file:
            # As it is written here: nothing grows when it is read.
            if any(one.compress_type != zipfile.ZIP_STORED for one in file.infolist()):
                return None
            record = file.read(_RECORD)
            if file.read(_DIGEST).decode() != hashlib.sha256(record).hexdigest():
                return None
            stored = msgspec.json.decode(record, type=Stored)
            if not 0 <= time.time() - stored.at < LASTS:
                return None
            tables = {}
            for number, (answer, sha256) in enumerate(zip(stored.answers, stored.sha256, strict=True)):
                content = file.read(f"{number}.arrow")
                if hashlib.sha256(content).hexdigest() != sha256:
                    return None
                tables[answer] = pa.ipc.open_file(pa.py_buffer(content)).read_all()
                tables[answer].validate(full=True)
    except _UNREADABLE:
        return None
    return Answers(stored, tables)


def store(cache: Path, key: str, result: GateResult, findings: Sequence[Finding]) -> None:
    """Store a gate in which nobody was contradicted; a cache that cannot be written stores nothing."""
    if not all(one.status in _REUSABLE for one in result.gate.operations):
        return
    tables = {one: table for one, table in result.answers.items() if not one[2].startswith(FRESH)}
    if sum(table.nbytes for table in tables.values()) > _LARGEST:
        return
    files = [_file(table) for table in tables.values()]
    lasting = tuple(check for check in result.gate.checks if not check.case.startswith(FRESH))
    stored = Stored(
        at=time.time(),
        gate=msgspec.structs.replace(result.gate, checks=lasting),
        findings=tuple(findings),
        seconds=tuple((*one, seconds) for one, seconds in result.seconds.items()),
        peaks=result.peaks,
        varied=result.varied,
        quick=result.quick,
        ways=result.ways,
        answers=tuple(tables),
        sha256=tuple(hashlib.sha256(one).hexdigest() for one in files),
    )
    with suppress(OSError):
        (cache / ROOM).mkdir(mode=0o700, exist_ok=True)
        _sweep(cache / ROOM)
        with whole.aside(cache / ROOM / f"{key}.zip", mode=0o600) as path, zipfile.ZipFile(path, "w") as file:
            record = msgspec.json.encode(stored)
            file.writestr(_RECORD, record)
            file.writestr(_DIGEST, hashlib.sha256(record).hexdigest())
            for number, content in enumerate(files):
                file.writestr(f"{number}.arrow", content)


def _file(table: pa.Table) -> bytes:
    """An answer as a file of Arrow."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def again(workload: Workload) -> tuple[Workload, tuple[str, ...]]:
    """What is asked again: all fresh literals, and some operations whole, whose names are the second."""
    names = [one.name for one in workload.operations]
    chosen = secrets.SystemRandom().sample(names, min(_AGAIN, len(names)))
    operations = []
    for one in workload.operations:
        cases = one.cases if one.name in chosen else tuple(case for case in one.cases if case.name.startswith(FRESH))
        if cases:
            operations.append(msgspec.structs.replace(one, cases=cases))
    return msgspec.structs.replace(workload, operations=tuple(operations)), tuple(sorted(chosen, key=names.index))


def joined(
    answers: Answers, now: GateResult, chosen: Sequence[str], workload: Workload, tied: Mapping[gate.Key, pa.Table]
) -> GateResult | None:
    """The stored gate with what was asked again in its place; None where an answer came out otherwise.

    Args:
        answers: stored.
        now: gate of what was asked again.
        chosen: operations that were asked whole.
        workload: whole.
        tied: as of :class:`weigh.experiment.gate.gate.GateResult`, of the whole workload.
    """
    stored = answers.stored
    if any(one.status not in _REUSABLE for one in now.gate.operations):
        return None
    rest = [check for check in stored.gate.checks if check.operation not in chosen]
    before = {_question(check): _answer(check) for check in stored.gate.checks if check.operation in chosen}
    after = {_question(check): _answer(check) for check in now.gate.checks if not check.case.startswith(FRESH)}
    if before != after:
        return None
    checks = (*rest, *now.gate.checks)
    names = list(stored.gate.operations[0].contenders) if stored.gate.operations else []
    record = msgspec.structs.replace(
        now.gate,
        checks=checks,
        operations=conclude(checks, gate.count_cases(workload), names),
        answered_without_files=_merged(stored.gate.answered_without_files, now.gate.answered_without_files),
        reused=Reused(at=datetime.datetime.fromtimestamp(stored.at, datetime.UTC), again=tuple(chosen)),
    )
    return msgspec.structs.replace(
        now,
        gate=record,
        findings=(*stored.findings, *(one for one in now.findings if one not in stored.findings), _finding(record)),
        answers={**answers.tables, **now.answers},
        tied=dict(tied),
        seconds={**{one[:3]: one[3] for one in stored.seconds}, **now.seconds},
        peaks={name: max(stored.peaks.get(name, 0), peak) for name, peak in now.peaks.items()},
        varied=_merged(stored.varied, now.varied),
        quick=_merged(stored.quick, now.quick),
        ways={name: {**stored.ways.get(name, {}), **found} for name, found in now.ways.items()},
    )


def _finding(record: Gate) -> Finding:
    assert isinstance(record.reused, Reused)
    repeated = units.count(len(record.reused.again), "operation")
    return codes.X_REUSED.finding(
        text=f"the answers are those of a gate of {record.reused.at:%Y-%m-%d %H:%M} UTC: files, engines, questions and "
        f"weigh are the same. {repeated}, newly drawn literals and rows that nobody had seen were asked again",
        remedy="nothing is wrong: every timed answer was compared; --no-reuse-gate asks everything",
    )


def _question(check: Check) -> tuple[str, str, str]:
    return check.contender, check.operation, check.case


def _answer(check: Check) -> tuple[GateStatus, str, int | None]:
    return check.status, check.digest, check.rows


def _merged(before: Mapping[str, tuple[str, ...]], now: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {
        name: tuple(dict.fromkeys((*before.get(name, ()), *now.get(name, ()))))
        for name in dict.fromkeys([*before, *now])
    }


def _named(read: ContenderRead, spill: str) -> tuple[object, ...]:
    """What decides about a contender's answers: not the folder of its life, which is another each time."""
    in_force = {name: value for name, value in read.in_force.items() if name != spill}
    return (
        read.engine,
        read.lineage,
        read.version,
        read.pins,
        in_force,
        read.environment,
        read.lock,
        read.files,
        read.build,
    )


def _lasting(workload: Workload) -> Workload:
    """The workload without the literals that are drawn each time."""

    def lasting(one: Operation) -> Operation:
        return msgspec.structs.replace(one, cases=tuple(case for case in one.cases if not case.name.startswith(FRESH)))

    return msgspec.structs.replace(workload, operations=tuple(map(lasting, workload.operations)))


def _sweep(folder: Path) -> None:
    """Remove what is too old to be reused."""
    for path in folder.glob("*.zip"):
        if time.time() - path.stat().st_mtime > LASTS:
            path.unlink(missing_ok=True)

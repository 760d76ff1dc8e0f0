"""The surroundings: machine, contenders, data and rules, as they were read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weigh.experiment.report import layouts
from weigh.experiment.report import resources as parity
from weigh.model import units

if TYPE_CHECKING:
    from weigh.experiment.record import Record
    from weigh.experiment.report.html.contenders import Contenders, Mark
    from weigh.model.contender import ContenderRead
    from weigh.model.dataset import FileFacts, Manifest

_HOST = {
    "cpu": "processor",
    "cores": "cores",
    "cores_allowed": "cores allowed",
    "memory_bytes": "memory",
    "memory_allowed_bytes": "memory allowed",
    "system": "system",
    "kernel": "kernel",
    "virtual": "virtual machine",
    "governor": "frequency governor",
    "turbo": "turbo",
    "turbo_off": "turbo switched off",
    "huge_pages": "transparent huge pages",
    "clock_source": "clock source",
    "cpu_limit": "CPU limit (cgroup)",
    "memory_limit": "memory limit (cgroup)",
    "python": "Python of weigh",
}
"""Facts of the host for people; one without a name here is shown under its own."""

UNREADABLE = "not readable"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting read back from a running engine.

    Attributes:
        name: of it.
        value, default: as the engine says, None where it does not.
        differs: whether it is not the engine's default, or nobody can tell.
        asked: whether it was asked for.
    """

    name: str
    value: str | None
    default: str | None
    differs: bool
    asked: bool


@dataclass(frozen=True, slots=True)
class Member:
    """A contender as its running engine described itself."""

    who: Mark
    read: ContenderRead
    spec: str
    settings: tuple[Setting, ...]
    rest: int
    lock: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class File:
    """One file of the data, printed."""

    facts: FileFacts
    size: str
    row_groups: str
    writer: str
    codecs: str


@dataclass(frozen=True, slots=True)
class LaidOut:
    """One layout of the data.

    Attributes:
        name: of it; empty where all read one.
        readers: names of the contenders that read it.
        asked: what was asked for, in words.
        manifest: its files.
        files: the same, printed.
        columns: (table, column, facts) of the first file of every table.
    """

    name: str
    readers: tuple[str, ...]
    asked: str
    manifest: Manifest
    files: tuple[File, ...]
    columns: tuple[tuple[str, str, dict[str, Any]], ...]


def host(record: Record) -> tuple[tuple[str, str | None], ...]:
    """Facts of the machine in order; None is what could not be read."""
    facts = dict(record.environment.host) if record.environment else {}
    for read in record.knobs:
        facts.pop(read.name, None)
    names = [name for name in _HOST if name in facts] + [name for name in facts if name not in _HOST]
    return (*((_HOST.get(name, name), _fact(name, facts[name])) for name in names), *parity.facts(record))


def _fact(name: str, value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return units.size(value) if name.endswith("_bytes") else str(value)


def members(record: Record, contenders: Contenders) -> tuple[Member, ...]:
    """Every contender that was read, in the order of the tables."""
    reads = {read.name: read for read in (record.environment.contenders if record.environment else ())}
    return tuple(_member(who, reads[who.name], record) for who in contenders.everybody if who.name in reads)


def _member(who: Mark, read: ContenderRead, record: Record) -> Member:
    asked = record.spec.contender(who.name).engine_settings()
    settings = [_setting(name, found, asked) for name, found in read.in_force.items()]
    return Member(
        who=who,
        read=read,
        spec=record.spec.contender(who.name).spec,
        settings=tuple(one for one in settings if one.differs or one.asked),
        rest=sum(not one.differs and not one.asked for one in settings),
        lock=tuple(line for line in read.lock.splitlines() if line.strip()),
    )


def _setting(name: str, found: Any, asked: dict[str, Any]) -> Setting:
    known = found if isinstance(found, dict) else {"value": found}
    value, default = known.get("value"), known.get("default")
    return Setting(
        name=name,
        value=None if value is None else str(value),
        default=None if default is None else str(default),
        differs=default is None or value != default,
        asked=name in asked,
    )


def laid_out(record: Record) -> tuple[LaidOut, ...]:
    """Every layout that contenders read, in their order."""
    readers: dict[str | None, list[str]] = {}
    for one in record.spec.contenders:
        readers.setdefault(record.spec.layout_name(one.name), []).append(one.name)
    found = ((name, names, record.manifest_of(names[0])) for name, names in readers.items())
    return tuple(
        LaidOut(
            name=name or "",
            readers=tuple(names),
            asked=layouts.asked_for(manifest.layout) if manifest.layout else "none: the files are read as they are",
            manifest=manifest,
            files=tuple(_file(file, manifest.writer) for file in manifest.files),
            columns=_columns(manifest),
        )
        for name, names, manifest in found
        if manifest
    )


def _file(facts: FileFacts, written_by: str) -> File:
    parquet = facts.parquet
    groups = parquet.get("row_groups") or {}
    number, low, high = (groups.get(name) for name in ("count", "min_rows", "max_rows"))
    amount = ""
    if number is not None and low is not None and high is not None:
        amount = f"{number:,} of {low:,}" + (f" to {high:,}" if low != high else "") + " rows"
    columns = list((parquet.get("columns") or {}).values())
    return File(
        facts=facts,
        size=units.size(facts.bytes),
        row_groups=amount,
        writer=str(parquet.get("created_by") or ("" if parquet else written_by)),
        codecs=", ".join(sorted({str(column.get("codec")) for column in columns})),
    )


def _columns(manifest: Manifest) -> tuple[tuple[str, str, dict[str, Any]], ...]:
    """(table, column, facts) of the first file of every table: how each column is stored."""
    found = []
    seen: set[str] = set()
    for facts in manifest.files:
        if facts.table not in seen:
            seen.add(facts.table)
            found += [
                (facts.table, name, dict(column)) for name, column in (facts.parquet.get("columns") or {}).items()
            ]
    return tuple(found)

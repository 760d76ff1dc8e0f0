"""Comparable: what must be the same in two sessions before they may be joined, and in what they differ.

Every function returns differences as text for people, ``what: this in the first, that in the second``; none means the
same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.model.resources import cpus_text
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.experiment.record import Record
    from weigh.model.contender import Contender, ContenderRead
    from weigh.model.dataset import Manifest
    from weigh.model.operation import Operation, Workload
    from weigh.model.spec import Spec

MACHINE = ("cpu", "cores", "cores_allowed", "memory_bytes", "kernel", "cpu_limit", "memory_limit")
"""Facts of the host that make it another machine."""
STATE = ("governor", "turbo", "turbo_off", "huge_pages", "clock_source", "virtual", "system")
"""Facts of the host that make it the same machine in another state."""
_MEMORY_SLACK = 0.01
"""The kernel keeps a little for itself, by another amount from boot to boot."""
_OF_A_LIFE = "/weigh-life-"
"""In the path of the folder that every process of a contender has for itself; such a setting says nothing."""


def contender(one: ContenderRead, other: ContenderRead) -> list[str]:
    """Whether two contenders are the same build with the same settings; their names do not matter."""
    if one.engine != other.engine:
        return [_apart("engine", one.engine, other.engine)]
    found = []
    if one.version != other.version:
        found.append(_apart("version", one.version, other.version))
    if one.pins != other.pins:
        found.append(_apart("pins", "+".join(one.pins), "+".join(other.pins)))
    found += _settings("setting asked for", one.settings, other.settings)
    found += _settings("setting in force", _in_force(one), _in_force(other))
    if one.lock != other.lock:
        mine, theirs = (" ".join(_only(*pair)) for pair in ((one.lock, other.lock), (other.lock, one.lock)))
        found.append(_apart("packages", mine, theirs))
    elif one.environment != other.environment:
        found.append(_apart("environment of the same packages, so another Python", one.environment, other.environment))
    return found


def bounds(one: Spec, other: Spec) -> list[str]:
    """Whether both sessions gave all contenders the same CPUs and memory; what was not asked for is no bound."""
    pairs = (
        ("affinity", cpus_text(one.affinity or ()), cpus_text(other.affinity or ())),
        ("memory limit", one.memory_limit or None, other.memory_limit or None),
    )
    return [_apart(name, mine, theirs) for name, mine, theirs in pairs if mine != theirs]


def places(one: Contender, other: Contender) -> list[str]:
    """Whether both find their files through the same catalog, and in the same store."""
    return [
        _apart(key, getattr(one, key), getattr(other, key))
        for key in ("catalog", "store")
        if getattr(one, key) != getattr(other, key)
    ]


def rows(one: Manifest | None, other: Manifest | None) -> list[str]:
    """Whether both sessions read the same rows, whatever the bytes."""
    if one is None or other is None:
        return ["the data is not recorded"]
    if one.dataset != other.dataset:
        return [_apart("dataset", str(one.dataset), str(other.dataset))]
    tables = dict.fromkeys([*one.digests, *other.digests])
    pairs = ((table, one.digests.get(table), other.digests.get(table)) for table in tables)
    return [_apart(f"rows of {table}", mine, theirs) for table, mine, theirs in pairs if mine != theirs]


def data(one: Manifest | None, other: Manifest | None) -> list[str]:
    """Whether both read the same bytes; then rows and layout are the same too."""
    found = rows(one, other)
    if one is None or other is None or found:
        return found
    for table in one.digests:
        if _hashes(one, table) != _hashes(other, table):
            written = _apart("written as", _layout(one, table), _layout(other, table))
            found.append(f"files of {table}: the same rows in other bytes ({written})")
    return found


def questions(one: Workload, other: Workload) -> tuple[list[str], dict[str, str]]:
    """The operations of both sessions that are the same, and those that only share a name, with what differs."""
    theirs = {operation.name: operation for operation in other.operations}
    same, unlike = [], {}
    for operation in one.operations:
        if operation.name in theirs:
            if differs := _question(operation, theirs[operation.name]):
                unlike[operation.name] = differs
            else:
                same.append(operation.name)
    return same, unlike


def facts(one: Record, other: Record, names: tuple[str, ...]) -> list[str]:
    """Facts of the hosts that differ.

    Args:
        one: an attempt.
        other: another.
        names: of the facts, :data:`MACHINE` or :data:`STATE`.
    """
    mine, theirs = (record.environment.host if record.environment else {} for record in (one, other))
    return hosts(mine, theirs, names)


def hosts(mine: Mapping[str, Any], theirs: Mapping[str, Any], names: tuple[str, ...]) -> list[str]:
    """The same of the facts themselves."""
    return [
        _apart(name.removesuffix("_bytes"), mine.get(name), theirs.get(name))
        for name in names
        # A state that only one version of weigh reads says nothing.
        if (name in MACHINE or (name in mine and name in theirs)) and not _alike(name, mine.get(name), theirs.get(name))
    ]


def protocol(one: Record, other: Record) -> list[str]:
    """Whether turns were as long, and arms alive together, in both."""
    mine, theirs = ({(block.runs, block.serial) for block in record.blocks} for record in (one, other))
    found = []
    for what, place in (("timed executions a turn", 0), ("arms one after another", 1)):
        values = [sorted({block[place] for block in blocks}) for blocks in (mine, theirs)]
        if values[0] != values[1]:
            found.append(_apart(what, *(", ".join(str(value) for value in of) for of in values)))
    return found


def _apart(what: str, one: Any, other: Any) -> str:
    return f"{what}: {_printed(one)} in the first, {_printed(other)} in the second"


def _printed(value: Any) -> str:
    return "nothing" if value in (None, "", ()) else one_line(str(value))


def _alike(name: str, one: Any, other: Any) -> bool:
    if name == "memory_bytes" and one and other:
        return abs(float(one) / float(other) - 1) < _MEMORY_SLACK
    return bool(_chosen(one) == _chosen(other))


def _chosen(value: Any) -> Any:
    """Earlier evidence holds the kernel's whole lines: ``always [madvise] never``, and ``max 100000`` for no limit."""
    if not isinstance(value, str):
        return value
    return None if value.startswith("max") else value.partition("[")[2].partition("]")[0] or value


def _settings(what: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    names = sorted(one.keys() | other.keys())
    return [
        _apart(f"{what} {name}", one.get(name), other.get(name)) for name in names if one.get(name) != other.get(name)
    ]


def _in_force(read: ContenderRead) -> dict[str, Any]:
    """Settings that are not at the engine's own default.

    A default that the engine takes from the machine (memory, threads) is the same setting on another machine; that it
    is another machine is reported elsewhere.
    """
    return {
        name: setting.get("value")
        for name, setting in read.in_force.items()
        if setting.get("value") != setting.get("default") and _OF_A_LIFE not in str(setting.get("value"))
    }


def _only(one: str, other: str) -> list[str]:
    """Lines of one lock that the other lacks."""
    lines = set(other.splitlines())
    return [line for line in one.splitlines() if line not in lines]


def _hashes(manifest: Manifest, table: str) -> list[str]:
    return sorted(file.blake3 for file in manifest.files if file.table == table)


def _layout(manifest: Manifest, table: str) -> str:
    layout = msgspec.to_builtins(manifest.layout) if manifest.layout else {}
    codec = f", {layout['codec']}" if "codec" in layout else ""
    return f"{len(manifest.paths(table))} files by {manifest.writer}{codec}"


def _question(one: Operation, other: Operation) -> str:
    """In what two operations of one name differ, as far as it is timed."""
    parts = []
    if one.sql != other.sql:
        parts.append("other SQL")
    if one.dialect != other.dialect:
        parts.append("other SQL for a dialect")
    mine, theirs = ({case.name: case.literals for case in of.timed()} for of in (one, other))
    if mine != theirs:
        parts.append("other literals")
    return ", ".join(parts)

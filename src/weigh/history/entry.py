"""The entry: what a history keeps of one evidence directory, or of one file of another tool."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from weigh.model.contender import Setting

SCHEMA = "weigh/history-entry/1"

SUFFIX = ".history.json"
OTHERS = {"clickbench": "ClickBench's results", "otava": "Otava's CSV"}
"""Kinds of files of other tools, and what they are called."""


_SMALLEST, _LARGEST = 1e-30, 1e30
"""Between these a value can be measured in some unit, and squares of its ratio do not overflow."""
_LONGEST = 1e12
"""Seconds: 30,000 years."""


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """Whose time it is.

    Attributes:
        name: of the contender in its evidence.
        engine: of the contender, or of the other tool's series.
        version: of its package, with its pins; of a build its commit or content; or the commit that was named when it
            was added.
        spec: what ``--contender`` takes to make it again; empty where nothing is known.
        settings: that were asked for.
        data: layout, catalog and store, as far as they were named.
    """

    name: str
    engine: str
    version: str
    spec: str = ""
    settings: dict[str, Setting] = {}
    data: dict[str, str] = {}


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One contender on one operation.

    Attributes:
        operation: its name.
        metric: ``wall_s``, or of a load ``p50`` and ``p99`` of the response time, or what another tool calls it.
        unit: ``s``, or that of the other tool.
        temperature: ``hot``, ``cold`` or ``first``.
        who: whose.
        value: median of all executions, in the unit.
        against: the declared or first contender that was measured alongside it; None for itself.
        ratio, low, high: to that one, with the interval of the verdict; None without one.
        verdict: of that comparison, also where it has no ratio; empty without one.
        question: hash of what was asked.
        at: when, where it is not that of the entry: ISO 8601, UTC.
        row: of files with a row for each version: its number, from 1.
    """

    operation: str
    metric: str
    unit: str = "s"
    temperature: str = "hot"
    who: Measured
    value: float
    against: Measured | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    verdict: str = ""
    question: str = ""
    at: str = ""
    row: int = 0


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one evidence directory.

    Attributes:
        schema: of this document.
        id: BLAKE3 of its seal, or of the other tool's file.
        kind: as ``weigh runs`` calls it, or the other tool's name.
        evidence: name of the directory, or of the file.
        path: where it lay when it was added.
        experiment: its id; empty of other tools.
        comparison: hash of what was asked of whom, the same for other seeds, numbers of starts and names; empty where
            it is not known.
        identities: what each contender is, by name, as that hash has it.
        workload: its name.
        at: when it was measured, ISO 8601 in UTC.
        covers: ids of all attempts that its figures read, its own among them.
        tier: what it is good for; empty where nothing was reported.
        weigh: version that measured it.
        host: facts of the machine; empty where they are not known.
        data: hashes of the rows and of the files that were read, and the scale.
        offered: how it was measured: bounds of the contenders, or what a load offered.
        flags: flags of ``weigh run`` that ask the same again, without contenders and operations; empty of others.
        confirms: the candidate that it was made to confirm; empty for none.
        points: what was measured.
        digest: BLAKE3 of all the rest.
    """

    schema: str = SCHEMA
    id: str
    kind: str
    evidence: str
    path: str
    experiment: str = ""
    comparison: str = ""
    identities: dict[str, str] = {}
    workload: str = ""
    at: str
    covers: tuple[str, ...] = ()
    tier: str = ""
    weigh: str = ""
    host: dict[str, Any] = {}
    data: dict[str, str] = {}
    offered: dict[str, str] = {}
    flags: dict[str, str] = msgspec.field(name="asked", default={})
    confirms: str = ""
    points: tuple[Point, ...]
    digest: str = ""


class Damaged(NamedTuple):
    """An entry that is not what was added."""

    file: str
    why: str


def is_possible(value: float, unit: str = "") -> bool:
    """Whether somebody can have measured a value; it is above zero, and finite."""
    return _SMALLEST <= value <= (_LONGEST if unit == "s" else _LARGEST)


def impossible(point: Point) -> str:
    """Why a point cannot have been measured; empty where it can."""
    figures = (("value", point.value, point.unit), ("ratio", point.ratio, ""), ("low", point.low, ""))
    for name, value, unit in (*figures, ("high", point.high, "")):
        if value is not None and not is_possible(value, unit):
            return f"the {name} of {point.operation}, {point.metric}, is {value:g} {unit}".rstrip()
    return ""


def file_name(identifier: str) -> str:
    """What the file, or the object, of an entry with this id is called."""
    return f"{identifier[:32]}{SUFFIX}"


def sealed(entry: Entry) -> Entry:
    """The entry with its digest."""
    return msgspec.structs.replace(entry, digest=digest(entry))


def digest(entry: Entry) -> str:
    """The hash of all of an entry but this."""
    return digested(msgspec.to_builtins(msgspec.structs.replace(entry, digest="")))


def digested(plain: Any) -> str:
    """BLAKE3 of plain values, whatever the order of keys."""
    from weigh._native import hash_bytes

    return hash_bytes(msgspec.json.encode(plain, order="deterministic"))

"""Turns on disk: the body of the journal's event ``turn``.

One event holds the executions of a turn as columns: a list with one value for each, or one value where all have the
same. What is left out is as it nearly always is (:class:`Columns`), and an answer whose digest is left out has the one
that the gate established. Times are whole nanoseconds, no clock tells more. What the sampler saw up to the end of the
turn is in the same event, so that no kill parts them.
"""

from __future__ import annotations

from math import isfinite
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from weigh.evidence import files, timeline
from weigh.model.clock_coverage import TurnCpu
from weigh.model.sample import REPORTED, Outcome, Sample, Temperature
from weigh.model.schedule import CONTROL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weigh.model.gate import Gate

Numbers = list[int] | int
Measured = list[int | None] | int | None
Fractions = list[float | None] | float | None
Flags = list[bool | None] | bool | None
Texts = list[str] | str

ONLY = "only"
"""The case of an operation that has one."""
MOST = 100_000
"""Executions of a turn: days of measuring, and more than any budget affords."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One turn.

    Attributes:
        samples: in order, the untimed one first.
        cpu: CPU seconds of the families; none where the turn failed.
        moments: what the sampler saw since the turn before; None where nobody watched.
    """

    samples: tuple[Sample, ...]
    cpu: tuple[TurnCpu, ...] = ()
    moments: timeline.Columns | None = msgspec.field(name="seen", default=None)


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """What a family of processes used, as :class:`TurnCpu`, in nanoseconds.

    Left out is what the samples say: the place of the last one of its life, their number, and the sums of their ``cpu``
    (``told_inside``), of ``round_trip_cpu`` (``inside``), and of ``prepare_cpu`` and ``answer_cpu`` (``asides``), where
    what several executions share counts once. The life is that of the turn's first sample.
    """

    block: int | UnsetType = UNSET
    start: int | UnsetType = UNSET
    turn: int | UnsetType | None = UNSET
    arm: str | UnsetType = UNSET
    contender: str | UnsetType = UNSET
    operation: str | UnsetType = UNSET
    case: str | UnsetType = UNSET
    executions: int | UnsetType = UNSET
    used: int = 0
    inside: int | UnsetType = UNSET
    reported_inside: int | UnsetType | None = msgspec.field(name="told_inside", default=UNSET)
    asides: int | UnsetType = UNSET
    before: int = 0
    before_wall: int = 0
    first: bool = False
    exact: bool = True


class Columns(msgspec.Struct, frozen=True, kw_only=True):
    """The body of the event ``turn``: the attributes of :class:`Sample`, seconds as nanoseconds without their ``_s``.

    Attributes:
        attempt: left out where it is the journal's.
        run: always a list, which tells how many executions there are.
        case: left out where there is none to choose.
        contender: left out where the name of its arm says it.
        digest: left out, or null, where it is the one that the gate established for this contender, operation and case.
        families: one for each life.
        watch: what the sampler saw; left out where nobody watched.
    """

    attempt: Numbers | UnsetType = UNSET
    block: Numbers
    start: Numbers
    turn: Numbers
    round: Numbers = 0
    run: list[int]
    arm: Texts
    contender: Texts | UnsetType = UNSET
    operation: Texts
    case: Texts = ONLY
    salt: Numbers = 0
    outcome: list[Outcome] | Outcome = Outcome.OK
    wall: Measured = None
    cpu: Measured = None
    round_trip: Measured = None
    round_trip_cpu: Measured = None
    prepare: Measured = None
    prepare_cpu: Measured = None
    release: Measured = None
    release_cpu: Measured = None
    answer: Measured = None
    answer_cpu: Measured = None
    rows: Measured = None
    digest: list[str | None] | str | UnsetType = UNSET
    peak_memory: Measured = None
    bytes_read: Measured = 0
    bytes_written: Measured = 0
    major_faults: Measured = 0
    reported: Measured = msgspec.field(name="said", default=None)
    queue: Measured = None
    scanned_bytes: Measured = None
    billed_bytes: Measured = None
    credits: Fractions = None
    cached: Flags = None
    stored_bytes: Measured = None
    settled_bytes: Measured = None
    first_query: Measured = None
    at: Numbers
    detail: Texts = ""
    solo: list[bool] | bool = False
    temperature: list[Temperature] | Temperature = "hot"
    build: Measured = None
    families: tuple[Family, ...] = ()
    watch: timeline.Columns | None = None


_NAMES: Final = Sample.__struct_fields__
_TIMES = {
    name: column.removesuffix("_s")
    for name, column in zip(_NAMES, Sample.__struct_encode_fields__, strict=True)
    if name == "at" or name.endswith("_s")
}
_USUAL: dict[str, Any] = {
    field.encode_name: field.default for field in msgspec.structs.fields(Columns) if not field.required
}
_SELDOM = (
    "outcome", "bytes_read", "bytes_written", "major_faults", "detail", "solo", "temperature", "build", "stored_bytes",
    "settled_bytes", "first_query_s", *REPORTED,
)  # fmt: skip
"""What nearly every turn leaves out: it is looked at together."""
_OFTEN = ("block", "start", "turn", "round", "arm", "operation", "case", "salt", "rows", "peak_memory")
_TIMED = {name: column for name, column in _TIMES.items() if name not in _SELDOM}
_PLAIN = (*_OFTEN, *(name for name in _SELDOM if name not in _TIMES))
_AS_USUAL = tuple(_USUAL[_TIMES.get(name, name)] for name in _SELDOM)
_ROW = attrgetter(*_NAMES)
_SELDOM_OF = attrgetter(*_SELDOM)
_PLACE = ("block", "start", "turn", "arm", "contender", "operation", "case")
_FAMILY_TIMES = {
    "used": "used", "inside": "inside", "reported_inside": "told_inside", "asides": "asides", "before": "before",
    "before_s": "before_wall",
}  # fmt: skip
_FAMILY_TIMES_OF = attrgetter(*_FAMILY_TIMES)
_FAMILY_FIELDS = Family.__struct_encode_fields__
_FAMILY_FIELDS_OF = attrgetter(*Family.__struct_fields__)
_PLAIN_OF_FAMILY = tuple(name for name in TurnCpu.__struct_fields__ if name not in _FAMILY_TIMES)
_FAMILY_USUAL = {"used": 0, "before": 0, "before_wall": 0, "first": False, "exact": True}
_NS = 1e9
_ATTRIBUTES = dict(zip(Columns.__struct_encode_fields__, Columns.__struct_fields__, strict=True))
_FIELDS = {(column := _TIMES.get(name, name)): (name, _ATTRIBUTES[column]) for name in _NAMES}
"""By column: the field of a sample, and that of :class:`Columns`."""
_LEFT_OUT = {
    field.name: usual
    for field in msgspec.structs.fields(Sample)
    if (usual := _USUAL.get(_TIMES.get(field.name, field.name), UNSET)) is not UNSET and usual != field.default
}
"""What a column that is left out says, where a sample has another default."""
_KEY_ORDER = ("contender", "operation", "case")
_KEY = frozenset(_KEY_ORDER)
_OF_FAMILY = (
    "block", "start", "turn", "arm", "operation", "case", "cpu", "round_trip_cpu", "prepare", "prepare_cpu",
    "answer_cpu",
)  # fmt: skip
"""Columns that tell what a family used."""

Digests = dict[tuple[str, str, str], str]
"""By contender, operation and case."""


def established(gate: Gate | None) -> Digests:
    """The digests of the answers that the gate saw: the first that it names for a contender, operation and case."""
    found: Digests = {}
    for check in gate.checks if gate else ():
        if check.digest:
            found.setdefault((check.contender, check.operation, check.case), check.digest)
    return found


def pack(turn: Turn, attempt: int, digests: Mapping[tuple[str, str, str], str]) -> dict[str, Any]:
    """A turn as it is written.

    Args:
        turn: its times are whole nanoseconds; what they have below is lost.
        attempt: of the journal.
        digests: as the gate established them before.
    """
    samples, number = turn.samples, len(turn.samples)
    columns: dict[str, Sequence[Any]]
    columns = dict(zip(_NAMES, zip(*map(_ROW, samples), strict=True), strict=False))
    plain, times = (_PLAIN, _TIMES) if any(_SELDOM_OF(one) != _AS_USUAL for one in samples) else (_OFTEN, _TIMED)
    made: dict[str, Any] = {"run": columns["run"]}
    for name in plain:
        values = columns[name]
        if values.count(values[0]) != number:
            made[name] = values
        elif values[0] != _USUAL.get(name, UNSET):
            made[name] = values[0]
    for name, column in times.items():
        columns[column] = values = _whole(columns[name])
        if values.count(values[0]) != number:
            made[column] = values
        elif values[0] is not None:
            made[column] = values[0]
    if columns["attempt"].count(attempt) != number:
        made["attempt"] = columns["attempt"]
    if any(one.contender != one.arm.removesuffix(CONTROL) for one in samples):
        made["contender"] = columns["contender"]
    keys = zip(columns["contender"], columns["operation"], columns["case"], strict=True)
    given = [None if one and digests.get(key) == one else one for key, one in zip(keys, columns["digest"], strict=True)]
    if given.count(None) != number:
        made["digest"] = given
    if turn.cpu:
        made["families"] = [_packed(one, columns) for one in turn.cpu]
    if turn.moments is not None:
        made["watch"] = turn.moments
    return made


def _whole(seconds: Sequence[float | None]) -> list[int | None]:
    try:
        return [None if one is None else round(one * _NS) for one in seconds]
    except (OverflowError, ValueError):
        # No clock says so, but an engine that times itself may.
        return [None if one is None or not isfinite(one) else round(one * _NS) for one in seconds]


def _packed(cpu: TurnCpu, columns: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    known = _measured(cpu.start, columns)
    made = {name: value for name in _PLAIN_OF_FAMILY if known.get(name, UNSET) != (value := getattr(cpu, name))}
    times = zip(_FAMILY_TIMES.values(), _whole(_FAMILY_TIMES_OF(cpu)), strict=True)
    made |= {column: value for column, value in times if known.get(column, UNSET) != value}
    if columns["start"] and cpu.start != columns["start"][0]:
        made["start"] = cpu.start
    return made


def _measured(start: int, columns: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """What the executions of a life say of its family, and what is so of nearly all.

    Args:
        start: number of the life.
        columns: of the turn, with a value for each execution, times as nanoseconds.
    """
    places = [at for at, one in enumerate(columns["start"]) if one == start]
    if not places:
        return _FAMILY_USUAL
    cpu, inside, answer = columns["cpu"], columns["round_trip_cpu"], columns["answer_cpu"]
    prepare, prepare_cpu = columns["prepare"], columns["prepare_cpu"]
    total: int | None = 0
    within = asides = 0
    # A query is handed over once for several executions.
    handed = {}
    for at in places:
        total = None if total is None or cpu[at] is None else total + cpu[at]
        within += inside[at] or 0
        asides += answer[at] or 0
        handed[prepare[at], prepare_cpu[at]] = prepare_cpu[at] or 0
    last = places[-1]
    return {
        **{name: columns[name][last] for name in _PLACE},
        **_FAMILY_USUAL,
        "executions": len(places),
        "told_inside": total,
        "inside": within,
        "asides": asides + sum(handed.values()),
    }


def unpack(body: Any, attempt: int, digests: Mapping[tuple[str, str, str], str]) -> Turn:
    """A turn as it was.

    Args:
        body: plain JSON.
        attempt: of the journal.
        digests: as the gate established them before.

    Raises:
        EvidenceFault: it is something else.
        msgspec.ValidationError: its columns are not of one length, or say what cannot be.
    """
    columns = files.converted(body, Columns)
    number = len(columns.run)
    if number > MOST:
        raise msgspec.ValidationError(f"a turn of {number:,} executions")
    same: dict[str, Any] = {**_LEFT_OUT, "attempt": attempt}
    each: dict[str, list[Any]] = {}
    # Of some forty columns a turn has a dozen.
    for column in body:
        if column not in _FIELDS:
            continue
        name, attribute = _FIELDS[column]
        value = getattr(columns, attribute)
        same.pop(name, None)
        if not isinstance(value, list):
            same[name] = _seconds([value])[0] if name in _TIMES else value
        elif len(value) == number:
            each[name] = _seconds(value) if name in _TIMES else value
        else:
            raise msgspec.ValidationError(f"{column}: {len(value)} values for {number} executions")
    if columns.contender is UNSET:
        if "arm" in each:
            each["contender"] = [arm.removesuffix(CONTROL) for arm in each["arm"]]
        else:
            same["contender"] = same["arm"].removesuffix(CONTROL)
    if columns.digest is UNSET and not each.keys() & _KEY and number:
        same["digest"] = _digest(None, (same["contender"], same["operation"], same.get("case", ONLY)), digests)
    else:
        keys = zip(*(_spread(name, each, same, number) for name in _KEY_ORDER), strict=True)
        given = each.get("digest", [same.pop("digest", None)] * number)
        each["digest"] = [_digest(one, key, digests) for key, one in zip(keys, given, strict=True)]
    samples = tuple(_samples(same, each))
    cpu: tuple[TurnCpu, ...] = ()
    if columns.families:
        written = {name: getattr(columns, name) for name in _OF_FAMILY}
        spread = {name: _spread(name, {}, written, number) for name in _OF_FAMILY}
        spread["contender"] = _spread("contender", each, same, number)
        cpu = tuple(_unpacked(one, spread) for one in columns.families)
    return Turn(samples=samples, cpu=cpu, moments=columns.watch)


def _samples(same: Mapping[str, Any], each: Mapping[str, list[Any]]) -> Iterator[Sample]:
    """The executions: what differs in ``each`` is replaced in the first one, which costs a third of making them."""
    rows = zip(*each.values(), strict=True)
    for values in rows:
        first = Sample(**same, **dict(zip(each, values, strict=True)))
        yield first
        for others in rows:
            yield msgspec.structs.replace(first, **dict(zip(each, others, strict=True)))


def _spread(name: str, each: Mapping[str, list[Any]], same: Mapping[str, Any], number: int) -> list[Any]:
    """A column with a value for each execution."""
    if name in each:
        return each[name]
    value = same[name]
    return value if isinstance(value, list) else [value] * number


def _digest(given: str | None, key: tuple[str, str, str], digests: Mapping[tuple[str, str, str], str]) -> str:
    """Of an answer, as written or as the gate established it."""
    if given is not None:
        return given
    if key not in digests:
        raise msgspec.ValidationError(f"the gate established no answer of {' '.join(key)}")
    return digests[key]


def _seconds(times: Sequence[int | None]) -> list[float | None]:
    try:
        return [None if one is None else one / _NS for one in times]
    except OverflowError as error:
        raise msgspec.ValidationError("a time of more than the age of the universe") from error


def _unpacked(family: Family, columns: Mapping[str, Sequence[Any]]) -> TurnCpu:
    start = columns["start"][0] if family.start is UNSET and columns["start"] else family.start
    measured = _measured(start, columns) if isinstance(start, int) else {}
    try:
        row = {
            name: measured[name] if value is UNSET else value
            for name, value in zip(_FAMILY_FIELDS, _FAMILY_FIELDS_OF(family), strict=True)
            if value is not UNSET or name in measured
        }
        times = _seconds([row.pop(column) for column in _FAMILY_TIMES.values()])
        return TurnCpu(**row | dict(zip(_FAMILY_TIMES, times, strict=True)))
    except (KeyError, TypeError) as error:
        raise msgspec.ValidationError(f"a family of which no execution tells more: {error}") from error

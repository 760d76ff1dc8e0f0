"""ClickBench's results: one JSON file a system, machine and day (https://github.com/ClickHouse/ClickBench)."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.history.entry import Measured, Point
from weigh.history.imports.cells import check_number, name, written
from weigh.model.errors import DataFault, EvidenceFault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.history.imports.cells import LeftOut


class Result(msgspec.Struct, frozen=True):
    """A file of results.

    Attributes:
        system: what was measured.
        date: of the day.
        machine: kind of machine.
        cluster_size: how many.
        result: of each query, seconds of its three executions; null where one failed.
        tuned: whether it was tuned.
    """

    system: str
    date: str
    machine: str
    result: list[list[float | None]]
    cluster_size: int | str = 1
    tuned: str = "no"


def recognises(text: str) -> bool:
    """Whether it is an object with the keys of such a file, whatever their values are."""
    try:
        return {"system", "machine", "result"} <= msgspec.json.decode(text, type=dict[str, msgspec.Raw]).keys()
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False


def points(text: str, _name: str, left_out: LeftOut) -> dict[str, Any]:
    """The fields of an entry that the file has.

    The first execution is cold; of the others the faster one is hot, as ClickBench has it.

    Raises:
        DataFault: it is no such file, or its date is none.
    """
    from weigh.evidence import files

    try:
        found = files.decoded(text.encode(), Result)
        day = datetime.date.fromisoformat(found.date)
        at = written(datetime.datetime.combine(day, datetime.time(), datetime.UTC))
    except (EvidenceFault, ValueError) as error:
        raise DataFault(
            f"it is no file of ClickBench's results: {error}", remedy="name a file of its results folder"
        ) from error
    name(found.system, "its system")
    name(found.machine, "its machine")
    check_number(2 * len(found.result))
    made = tuple(_points(found, at, left_out))
    if not made:
        raise DataFault(left_out.problem or "no query of it has a time", remedy="name a file of its results folder")
    return {
        "kind": "clickbench",
        "workload": "clickbench",
        "at": at,
        "host": {"cpu": f"{found.machine}, {found.cluster_size} of them"},
        "offered": {"tuned": found.tuned},
        "points": made,
    }


def _points(found: Result, at: str, left_out: LeftOut) -> Iterator[Point]:
    who = Measured(name=found.system, engine=found.system, version=found.date)
    for number, times in enumerate(found.result):
        cold = times[0] if times else None
        hot = min((one for one in times[1:] if one is not None and one > 0), default=None)
        for temperature, value in (("cold", cold), ("hot", hot)):
            if value is not None and left_out.value(value, "s", f"Q{number}, {temperature}"):
                yield Point(
                    operation=f"Q{number}", metric="wall_s", temperature=temperature, who=who, value=value, at=at
                )

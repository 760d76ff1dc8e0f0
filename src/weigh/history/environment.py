"""Environments: facts of a machine that are alike where two measurements are compared, and what changed. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import units
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.history.entry import Entry

UNKNOWN = "not known"
_MEMORY_SLACK = 0.01
"""The kernel keeps a little for itself, by another amount from boot to boot."""
_MOST_MEMORY = 1e18
"""Bytes: an entry may say anything."""
_MACHINE = (
    "cpu", "cores", "cores_allowed", "memory_bytes", "kernel", "cpu_limit", "memory_limit", "governor", "turbo",
)  # fmt: skip
_CALLED = {
    "cpu": "processor", "cores_allowed": "cores that may be used", "memory_bytes": "memory", "cpu_limit": "CPU limit",
    "memory_limit": "memory limit of the machine",
}  # fmt: skip
_OF_CONTENT = {"rows": "the rows are others", "files": "the files have other bytes", "question": "the query is another"}


class Machines:
    """Machines as they are distinguished: nearly the same memory is the same memory, whichever entry comes first."""

    def __init__(self) -> None:
        self._memory: list[float] = []

    def facts(self, entry: Entry) -> dict[str, str]:
        """What a machine is known by, in the order in which it is told."""
        found = {}
        for name in _MACHINE:
            value = entry.host.get(name)
            if name == "memory_bytes" and isinstance(value, int | float) and 0 < value <= _MOST_MEMORY:
                value = units.size(int(self._same(float(value))))
            found[_CALLED.get(name, name)] = one_line(str(value)) if value not in (None, "") else UNKNOWN
        return found

    def _same(self, value: float) -> float:
        """The first known value that is nearly this one."""
        near = next((one for one in self._memory if abs(value / one - 1) < _MEMORY_SLACK), None)
        if near is None:
            self._memory.append(value)
        return near or value


def changes(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    """What changed from one environment to another, in words."""
    for name in dict.fromkeys([*before, *after]):
        one, two = before.get(name, ""), after.get(name, "")
        if one == two or (name == "files" and before.get("rows") != after.get("rows")):
            continue
        if name in _OF_CONTENT:
            yield _OF_CONTENT[name]
        else:
            yield f"{name}: {one or 'none'}, then {two or 'none'}"

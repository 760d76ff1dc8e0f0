"""What a user asks of the workload ``isolation``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.isolation.workload import LEVELS, NAME, IsolationWorkload, normal
from weigh.model.errors import UsageError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NOT_WITH = {
    "find_rate": "--find-rate judges response times, and every probe would need a history of its own",
    "agents": "the order of time is that of one clock, and agents have several",
    "crash": "a history ends with the life of its server",
    "records": "it makes lists as it goes",
}
"""Flags that contradict the workload, and why."""
_ENDING = ("kill", "full-disk")
"""Faults after which a server is started again."""


def wanted(words: Sequence[str], target: str, flags: Mapping[str, Any]) -> IsolationWorkload | msgspec.UnsetType:
    """What flags ask for; left out where another workload is named.

    Args:
        words: the workload as it was written.
        target: the server; empty where there are several.
        flags: of the command line, by name.

    Raises:
        UsageError: there is no such level, or the server has it not; or it is of no such workload.
    """
    given = flags.get("isolation")
    if NAME not in words[:1]:
        if given is not None:
            raise UsageError(
                "--isolation is of the workload isolation, and another one is named",
                remedy=f"write weigh load {NAME}, or leave --isolation out",
            )
        return msgspec.UNSET
    for name, why in _NOT_WITH.items():
        if flags.get(name):
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{NAME} and {flag} do not go together: {why}", remedy=f"leave {flag} out")
    ending = [name for name in _ENDING if name in (flags.get("nemesis") or "").replace(" ", "").split(",")]
    if ending:
        raise UsageError(
            f"{NAME} and --nemesis {','.join(ending)} do not go together: {_NOT_WITH['crash']}",
            remedy="leave it out; pause, partition, latency, slow-disk and clock may stay",
        )
    if target.startswith(("redis", "valkey", "http", "clickhouse", "cassandra", "scylla")):
        raise UsageError(
            f"isolation is about transactions of several statements, and {target.partition(':')[0]} has none",
            remedy="take postgres:embedded, sqlite:embedded, or a postgres:// or mysql:// URL",
        )
    if given is None:
        return IsolationWorkload()
    level = normal(given)
    if level not in LEVELS:
        raise UsageError(f"there is no isolation level '{given}'", remedy=nearest(level, LEVELS))
    if target.startswith("sqlite:") and level != LEVELS[-1]:
        raise UsageError(
            f"SQLite has one level, serializable, and {level} is asked for", remedy="leave --isolation out"
        )
    return IsolationWorkload(level=level)

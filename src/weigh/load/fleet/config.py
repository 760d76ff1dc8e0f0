"""``--agents`` as part of a spec."""

from __future__ import annotations

from typing import Any

import msgspec

from weigh.cluster.connect import parsed
from weigh.model.errors import UsageError

_NOT_WITH = {
    "contender": "it is for one server; load each by itself",
    "find_rate": "a search decides by one generator's lateness, and here are several",
    "crash": "each agent would have to be told when the server is back",
    "cold": "a server without its data in memory is made for one generator",
    "client_cpus": "agents run where their workers do; give those their CPUs",
}
"""Flags that contradict agents, and why."""


def wanted(flags: dict[str, Any], target: str) -> str | msgspec.UnsetType:
    """Where agents are placed; left out where none are.

    Args:
        flags: of the command line, by name; None where one was left out.
        target: what the user wrote, without its password.

    Raises:
        UsageError: that names no place, or agents cannot do what the other flags ask for.
    """
    on: str | None = flags.get("agents")
    if on is None:
        return msgspec.UNSET
    for name, why in _NOT_WITH.items():
        if flags.get(name):
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"--agents and {flag} do not go together: {why}", remedy=f"leave {flag} out")
    if target.startswith("sqlite:"):
        raise UsageError(
            "--agents share a server, and SQLite runs inside the process that asks", remedy="take a server"
        )
    try:
        parsed(on)
    except UsageError as error:
        raise UsageError(error.what, where="--agents", remedy=error.remedy) from None
    return on

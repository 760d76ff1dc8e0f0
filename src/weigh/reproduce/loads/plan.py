"""Which load is offered again: the spec of the original, against a server that is made here or named by who does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.target.embedded import kind_of, parse
from weigh.load.target.registry import EMBEDDED
from weigh.model.errors import EnvironmentFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.load.spec import LoadSpec

_NOT_IN_A_BUNDLE: dict[str, str] = {
    "replay": "it replays recorded traffic",
    "prepare": "a file of SQL made its data",
    "crash": "its server was killed by commands of its own",
    "disturbances": "faults, statements or queries went on meanwhile",
    "agents": "several agents offered it together",
    "find_rate": "it searched for a rate, and offered many",
}
"""Keys of a spec that a bundle does not hold all of."""


def why_not(spec: LoadSpec) -> str:
    """Why a load cannot be offered again from its bundle; empty where it can."""
    for name, why in _NOT_IN_A_BUNDLE.items():
        if getattr(spec, name):
            return why
    if any(one.text for one in spec.scripts):
        # Nothing of others is executed because a bundle says so: a script may do anything that its server may.
        return "it executes scripts of whoever made it"
    return ""


def planned(spec: LoadSpec, instead: Sequence[str]) -> LoadSpec:
    """The load that is offered here.

    Args:
        spec: of the original.
        instead: the server in the place of the original's, as ``weigh load --target`` names it; one, or none.

    Raises:
        EnvironmentFault: the server is not one that weigh makes, and none is named.
        UsageError: several are named.
    """
    if len(instead) > 1:
        raise UsageError("a load is of one server, and several are named", remedy="give one --contender TARGET")
    if instead:
        return msgspec.structs.replace(spec, target=instead[0])
    if kind_of(spec.target) not in EMBEDDED or parse(spec.target, (), folders=True).installed:
        raise EnvironmentFault(
            f"its server was {spec.target}, and a bundle holds no server",
            remedy="have the same one here, and name it: --contender postgres://USER@HOST/DATABASE",
        )
    return spec

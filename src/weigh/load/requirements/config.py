"""``--require``, as part of a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.budgets import Budget, budgets
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from weigh.load.spec import LoadSpec

_NOT_WITH = {
    "find_rate": (
        "a search finds the rate that keeps a budget",
        "give each budget to --find-rate: --find-rate 'p99<=20ms' --find-rate 'errors<0.1%'",
    ),
    "closed": ("a closed loop waits for the server, so no user waits in it", "offer a --rate"),
    "crash": ("a crash breaks what it is to hold", "read its recovery without it, or leave --crash out"),
}


def requested(flags: dict[str, Any]) -> tuple[Budget, ...] | msgspec.UnsetType:
    """What must hold.

    Args:
        flags: of the command line, by name; None where one was left out.

    Raises:
        UsageError: it cannot be read, or a flag contradicts it.
    """
    texts = flags.get("require")
    if not texts:
        return msgspec.UNSET
    for name, (why, remedy) in _NOT_WITH.items():
        if flags.get(name):
            raise UsageError(f"--require and --{name.replace('_', '-')}: {why}", remedy=remedy)
    found = budgets(texts)
    if flags.get("error_budget") is not None and any(one.q is None for one in found):
        raise UsageError("--error-budget and --require 'errors<=...' are the same", remedy="leave one of them out")
    return found


def requiring(spec: LoadSpec, required: tuple[Budget, ...] | msgspec.UnsetType) -> LoadSpec:
    """The spec of a load of which something must hold: as many requests may fail as that says."""
    if required is msgspec.UNSET:
        return spec
    errors = next((one.errors for one in required if one.errors is not None), spec.error_budget)
    return msgspec.structs.replace(spec, require=required, error_budget=errors)

"""What a user asks of TPC-C."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.tpcc import terminals
from weigh.load.tpcc.workload import NAME, TpccWorkload, workload
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["NAME", "completed", "wanted"]

_TARGETS = ("postgres", "mysql:", "mariadb:")
"""How the targets begin that it runs on."""


def wanted(words: Sequence[str], target: str, flags: Mapping[str, Any], seed: int) -> TpccWorkload | msgspec.UnsetType:
    """What flags ask for; left out where another workload is named.

    Args:
        words: the workload as it was written.
        target: the server; empty where there are several.
        flags: of the command line, by name.
        seed: of the load.

    Raises:
        UsageError: there are no such warehouses, or the server has no place for them; or they are of no workload.
    """
    warehouses = flags["warehouses"]
    if NAME not in words[:1]:
        if warehouses is not None:
            raise UsageError("--warehouses is of tpcc, and another workload is named", remedy="leave it out")
        return msgspec.UNSET
    if flags["records"] is not None:
        raise UsageError("--records is of YCSB; the size of tpcc is --warehouses", remedy="leave --records out")
    if target and not target.startswith(_TARGETS):
        raise UsageError(
            f"tpcc needs PostgreSQL, MySQL or MariaDB, and {target} is none of them",
            remedy="take postgres:embedded, mariadb:embedded@FOLDER, or a URL",
        )
    return workload(_usual(warehouses), seed, terminals=terminals.wanted(flags))


def completed(words: Sequence[str], flags: dict[str, Any]) -> dict[str, Any]:
    """The flags of a load by users at terminals, where no rate is offered; as they are of another load.

    Args:
        words: the workload as it was written.
        flags: of the command line, by name.

    Raises:
        UsageError: they contradict users at terminals.
    """
    if list(words) != [NAME] or not terminals.wanted(flags):
        return flags
    return terminals.flags_of(flags, _usual(flags["warehouses"]))


def _usual(warehouses: int | None) -> int:
    return 1 if warehouses is None else warehouses

"""How many replicas there are, how many answer, and what follows from both. Pure.

Sources: Cassandra's documentation, "Dynamo", section "Tunable Consistency"; ``commitlog_sync`` in "cassandra.yaml".
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

_FIXED = {"ONE": 1, "LOCAL_ONE": 1, "TWO": 2, "THREE": 3}
_SYNC = ("batch", "group", "periodic")
_QUOTED = 40
_FACTOR = "replication_factor"


class Replicas(msgspec.Struct, frozen=True, kw_only=True):
    """What a level means in a keyspace.

    Attributes:
        level: as it was declared.
        answering: replicas that must answer a request; more than there are where the level cannot be had.
        of: of how many; of a local level those of the data centre.
    """

    level: str
    answering: int
    of: int

    @property
    def meets(self) -> bool:
        """Whether every read asks a replica that has every write that was acknowledged before it."""
        return 2 * self.answering > self.of

    def __str__(self) -> str:
        return f"{self.level}: {self.answering} of {self.of} replicas answer"


def replicas(level: str, replication: str, data_center: str) -> Replicas | None:
    """What a level means; None where the number of replicas cannot be determined.

    Args:
        level: its name.
        replication: of the keyspace, as the server prints it: ``{'class': ..., 'replication_factor': '2'}``.
        data_center: of the node that is asked.
    """
    counts = _counts(replication)
    if not counts:
        return None
    local = counts.get(data_center, counts.get(_FACTOR))
    if level.startswith("LOCAL_") and level != "LOCAL_ONE":
        return None if local is None else Replicas(level=level, answering=local // 2 + 1, of=local)
    everywhere = sum(counts.values())
    if level == "EACH_QUORUM":
        # A write waits for a majority everywhere, and a read of the same level does.
        return Replicas(level=level, answering=sum(one // 2 + 1 for one in counts.values()), of=everywhere)
    answering = {"QUORUM": everywhere // 2 + 1, "ALL": everywhere}.get(level) or _FIXED[level]
    return Replicas(level=level, answering=answering, of=everywhere)


def _counts(replication: str) -> dict[str, int]:
    """Replicas by data centre, or under ``replication_factor`` where there is one number."""
    try:
        found = ast.literal_eval(replication)
        strategy = str(found.pop("class")).rpartition(".")[2]
    except (AttributeError, KeyError, SyntaxError, ValueError):
        return {}
    if strategy not in ("SimpleStrategy", "NetworkTopologyStrategy"):
        return {}
    # A number may be followed by how many of them are transient: 3/1.
    texts = {str(name): str(value).partition("/")[0] for name, value in found.items()}
    return {name: int(text) for name, text in texts.items() if text.isdecimal() and int(text) > 0}


def durability_unread(settings: Mapping[str, str], durable_writes: str) -> str:
    """Why it is not known whether acknowledged writes last; empty where it is.

    Args:
        settings: in force, by their names.
        durable_writes: of the keyspace.
    """
    sync = settings.get("commitlog_sync", "")
    if sync not in _SYNC:
        return f"commitlog_sync is '{sync[:_QUOTED]}', which is none of {', '.join(_SYNC)}"
    if durable_writes.lower() not in ("true", "false"):
        return f"durable_writes of the keyspace is '{durable_writes[:_QUOTED]}', which is neither true nor false"
    return ""


def undurable(settings: Mapping[str, str], durable_writes: str) -> list[str]:
    """What may lose an acknowledged write, each in a few words.

    Args:
        settings: in force, by their names.
        durable_writes: of the keyspace.
    """
    found = []
    if durable_writes.lower() == "false":
        found.append(
            "durable_writes is false of the keyspace: its writes are in no commit log, and a node that ends loses what "
            "it had in memory"
        )
    if settings.get("commitlog_sync") == "periodic":
        period = settings.get("commitlog_sync_period") or f"{settings.get('commitlog_sync_period_in_ms', '10000')}ms"
        found.append(
            "commitlog_sync is periodic: a node acknowledges a write before its log is on the disk, and a loss of "
            f"power takes the last {period} from each node that it hits"
        )
    return found

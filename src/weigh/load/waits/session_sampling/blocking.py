"""Who waits for whom, for which lock of which table: from one reading of the server's locks. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .statement import without_literals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PREPARED = 0
"""What ``pg_blocking_pids`` says of a prepared transaction, which no process holds."""
HIDDEN = "<insufficient privilege>"
"""What ``pg_stat_activity`` says instead of the statement of another user."""
VACUUM = "autovacuum worker"
"""What the server calls its own process that clears tables up: nobody else's."""
TABLES = "rpmft"
"""Kinds of relation whose rows can be locked: table, partitioned, materialised, foreign, TOAST."""

Names = dict[int, tuple[str, str]]
"""Object id -> name with schema, kind."""


def blocked(read: Mapping[str, Any], names: Names) -> list[dict[str, Any]]:
    """Every session of the load that waits for a lock, as :class:`weigh.load.waits.model.Blocked` without its counts.

    Args:
        read: ``locks`` (of sessions that wait: those they wait for, and those they hold on rows and tables),
            ``blockers`` (of each of them) and ``sessions`` (they and their blockers).
        names: of the relations.
    """
    sessions = {one["pid"]: one for one in read["sessions"] or ()}
    before = {one["pid"]: one["blockers"] for one in read["blockers"] or ()}
    found = []
    for lock in read["locks"] or ():
        waiter = sessions.get(lock["pid"])
        if lock["granted"] or waiter is None or not waiter["ours"]:
            continue
        own = [one for one in read["locks"] if one["pid"] == lock["pid"] and one["granted"]]
        statement = without_literals(waiter["query"] or "")
        table, origin = _table(lock, own, statement, names)
        ahead = before_it(lock["pid"], before)
        found.append(
            {
                "lock": lock["locktype"],
                "mode": lock["mode"],
                "table": table,
                "told": origin,
                "statement": statement,
                **_root([pid for pid in ahead if pid not in before], sessions),
                "longest_s": max(lock["waited"], 0.0) if lock["waited"] is not None else None,
                "ahead": len(ahead),
            }
        )
    return found


def before_it(pid: int, before: Mapping[int, Sequence[int]]) -> list[int]:
    """Everybody whom a session waits for, directly or not, the nearest first."""
    found: dict[int, None] = {}
    left = list(before.get(pid, ()))
    while left:
        one = left.pop(0)
        if one != pid and one not in found:
            found[one] = None
            left += before.get(one, ())
    return list(found)


def _root(roots: Sequence[int], sessions: Mapping[int, Mapping[str, Any]]) -> dict[str, str]:
    """The session at the head of the queue. Of several it is the one whose transaction is the oldest.

    In a queue longer than was asked about some wait themselves, and are at no head where another one does not wait.
    """
    if PREPARED in roots:
        return {"root": "", "root_state": "", "root_whose": "prepared", "root_name": ""}
    known = [sessions[pid] for pid in roots if pid in sessions]
    if not known:
        return {"root": "", "root_state": "", "root_whose": "", "root_name": ""}
    root = max(known, key=lambda one: (one["wait_event_type"] != "Lock", one["age"] or 0.0))
    whose = "server" if root["backend_type"] == VACUUM else "other"
    query = root["query"] or ""
    return {
        "root": "" if query == HIDDEN else without_literals(query),
        "root_state": root["state"] or "",
        "root_whose": "load" if root["ours"] else whose,
        "root_name": "" if root["ours"] else root["application_name"] or root["backend_type"] or "",
    }


def _table(lock: Mapping[str, Any], own: Sequence[Mapping[str, Any]], statement: str, names: Names) -> tuple[str, str]:
    """The table that a lock is about, and how that is known.

    To wait for a row is to wait for the transaction that changed it, which names no table. Who waits for the version of
    a row that a statement found holds the lock on its tuple meanwhile, which does; who waits for a later version holds
    nothing but the tables of the transaction.
    """
    if lock["relation"]:
        name = names.get(lock["relation"])
        return (name[0], "lock") if name else ("", "")
    if lock["locktype"] not in ("transactionid", "virtualxid", "spectoken"):
        return "", ""
    held = _named(own, "relation", names)
    mentioned = {name for name in held if re.search(rf"(?<![\w$]){re.escape(name.split('.')[-1])}(?![\w$])", statement)}
    for found, origin in ((_named(own, "tuple", names), "row"), (held, "held"), (mentioned, "statement")):
        if len(found) == 1:
            return found.pop(), origin
    return "", ""


def _named(own: Sequence[Mapping[str, Any]], kind: str, names: Names) -> set[str]:
    known = [names[one["relation"]] for one in own if one["locktype"] == kind and one["relation"] in names]
    kinds = {"p"} if any(found[1] == "r" for found in known) else set()
    # A partition is locked together with the table that it is a part of.
    return {name for name, one in known if one in TABLES and one not in kinds}

"""What statements of scripts do, and what the answers to weigh's own are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.load.gate_events import Answer, Column

if TYPE_CHECKING:
    from weigh.load.gate_events import Answered, Doing

_NOISE = re.compile(r"'([^']|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
_LOCKING = re.compile(r"\bfor\s+(no\s+key\s+)?(update|key\s+share|share)\b", re.IGNORECASE)
_READS = ("select", "values", "table", "show", "with", "explain")
_WRITES = re.compile(
    r"\b(insert|update|delete|merge|into|nextval|setval|truncate|create|drop|alter|copy|call|vacuum|lo_\w+|pg_notify)\b",
    re.IGNORECASE,
)
_CONTROL = ("begin", "start", "commit", "end", "abort", "rollback", "savepoint", "release")
_VOLATILE = re.compile(
    r"\b(now|random|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|gen_random_uuid|uuid\w*|"
    r"nextval|currval|lastval|txid_\w+|pg_\w+|inet_\w+|version|last_insert_rowid|changes|total_changes|"
    r"sqlite_version|datetime|julianday|unixepoch|strftime|date|time)\s*\(|"
    r"\b(current_\w+|session_user|user|localtime\w*|ctid|xmin|xmax|rowid|oid|information_schema\w*|pg_\w+)\b",
    re.IGNORECASE,
)
"""What depends on the moment, the session or the server, and not on the tables alone."""
_DELTA = re.compile(r"abalance \+ \$?(-?\d+)")


def does(text: str) -> Doing:
    """What a statement does."""
    plain = _plain(text)
    first = re.search(r"[a-z]+", plain, re.IGNORECASE)
    word = first[0].lower() if first else ""
    if word in _CONTROL:
        return "control"
    return "reads" if word in _READS and not _WRITES.search(_LOCKING.sub("", plain)) else "writes"


def volatile(text: str) -> bool:
    """Whether right answers to a statement may differ from server to server, or from moment to moment."""
    return _VOLATILE.search(_plain(text)) is not None


def _plain(text: str) -> str:
    """Without strings and comments."""
    return _NOISE.sub(" ", text)


def truth(one: Answered, before: list[Answered]) -> Answer | None:
    """What a statement of a built-in script must answer on tables that weigh has just loaded.

    Args:
        one: the statement as it was asked.
        before: those that were asked before it in the same run of the script.
    """
    text = one.statement.lstrip()
    if text.startswith(("UPDATE", "INSERT")):
        return Answer(kind="count", count=1)
    if not text.startswith("SELECT abalance"):
        return None
    paid = 0
    for other in before:
        found = _DELTA.search(other.statement)
        if found:
            # As a parameter it is the first one.
            paid = int(other.parameters[0] or 0) if other.parameters else int(found[1])
    return Answer(kind="rows", columns=(Column(name="abalance", oid=23),), rows=((str(paid),),), count=1)

"""What a level promises on a server, as its own manual says: which anomalies cannot be. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.isolation.workload import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = {
    "duplicate-element": "a write was made twice",
    "unwritten-value": "a value that nobody wrote",
    "internal": "a transaction did not see its own write",
    "G0": "dirty writes: two transactions wrote between each other",
    "divergent-order": "two orders of the same writes",
    "G1a": "aborted read: a write that was taken back was read",
    "G1b": "intermediate read: a write that was not yet final was read",
    "G1c": "circular information flow: each saw the other's writes",
    "stale-read": "stale read: what had been committed before the transaction began was not there",
    "G0-realtime": "commits out of order: written after what was begun later",
    "G1c-realtime": "commits out of order: read from what was begun later",
    "non-repeatable-read": "non-repeatable read: the same list read twice was not the same",
    "phantom": "phantom: a row that was not there when it was first looked for was there later",
    "lost-update": "lost update: written over what had changed since it was read",
    "G-single": "read skew: of another transaction a part was observed, and a part was not",
    "G-single-realtime": "read skew with the order of time",
    "long-fork": "long fork: two transactions were observed in two orders",
    "G-nonadjacent": "snapshots that do not follow each other",
    "G-nonadjacent-realtime": "snapshots that do not follow each other in time",
    "write-skew": "write skew: each missed what the other wrote",
    "G2-item": "a cycle of transactions of which two in a row missed a write",
}
"""Every anomaly that the checker names, in words; the gravest first."""
_ALWAYS = ("duplicate-element", "unwritten-value", "internal", "G0")
_COMMITTED = (*_ALWAYS, "divergent-order", "G1a", "G1b", "G1c")
_REPEATABLE = (*_COMMITTED, "non-repeatable-read")
_SNAPSHOT = (*_REPEATABLE, "phantom", "lost-update", "G-single", "long-fork", "G-nonadjacent")
_SERIALIZABLE = (*_SNAPSHOT, "write-skew", "G2-item")
_COMMITTED_IN_TIME = ("stale-read", "G0-realtime", "G1c-realtime")
_SNAPSHOT_IN_TIME = (*_COMMITTED_IN_TIME, "G-single-realtime", "G-nonadjacent-realtime")


class Promise(msgspec.Struct, frozen=True, kw_only=True):
    """What cannot be.

    Attributes:
        forbids: names of anomalies.
        words: what the level is on this server, in a few words.
        source: where its manual says so.
    """

    forbids: tuple[str, ...]
    words: str
    source: str


_POSTGRES = "https://www.postgresql.org/docs/current/transaction-iso.html"
_OF_POSTGRES = {
    "read-uncommitted": Promise(
        forbids=(*_COMMITTED, *_COMMITTED_IN_TIME), words="read committed by another name", source=_POSTGRES
    ),
    "read-committed": Promise(
        forbids=(*_COMMITTED, *_COMMITTED_IN_TIME),
        words="every statement sees what was committed before it",
        source=_POSTGRES,
    ),
    "repeatable-read": Promise(forbids=(*_SNAPSHOT, *_SNAPSHOT_IN_TIME), words="snapshot isolation", source=_POSTGRES),
    "serializable": Promise(
        forbids=(*_SERIALIZABLE, *_SNAPSHOT_IN_TIME),
        words="as if one transaction came after the other",
        source=_POSTGRES,
    ),
}
_OF_SQLITE = {
    "serializable": Promise(
        forbids=(*_SERIALIZABLE, *_SNAPSHOT_IN_TIME),
        words="its only level: one writer at a time",
        source="https://sqlite.org/isolation.html",
    )
}
_MARIADB = "https://mariadb.com/kb/en/set-transaction/"
_MYSQL = "https://dev.mysql.com/doc/refman/8.4/en/innodb-transaction-isolation-levels.html"


def _of_innodb(source: str) -> dict[str, Promise]:
    return {
        "read-uncommitted": Promise(
            forbids=_ALWAYS, words="reads may see what is not committed; writes wait for each other", source=source
        ),
        "read-committed": Promise(
            forbids=(*_COMMITTED, *_COMMITTED_IN_TIME),
            words="every read sees what was committed before it",
            source=source,
        ),
        # MariaDB's innodb_snapshot_isolation, ON from 11.6 on, gives more than is held against it here.
        "repeatable-read": Promise(
            forbids=(*_REPEATABLE, "phantom", *_COMMITTED_IN_TIME),
            words="every read sees the snapshot of the first one, and a write what was committed since: "
            "no snapshot isolation, updates may be lost",
            source=source,
        ),
        "serializable": Promise(
            forbids=(*_SERIALIZABLE, *_SNAPSHOT_IN_TIME),
            words="as repeatable read, and every read locks what it reads",
            source=source,
        ),
    }


_OF_MARIADB, _OF_MYSQL = _of_innodb(_MARIADB), _of_innodb(_MYSQL)
_ADYA = "Adya, Weak Consistency, MIT 1999"
_OF_OTHERS = {
    "read-uncommitted": Promise(forbids=_ALWAYS, words="no dirty writes", source=_ADYA),
    "read-committed": Promise(forbids=_COMMITTED, words="no dirty reads", source=_ADYA),
    "repeatable-read": Promise(
        forbids=_REPEATABLE, words="what was read once is read again, as SQL has it", source="ISO/IEC 9075-2"
    ),
    "serializable": Promise(forbids=_SERIALIZABLE, words="as if one transaction came after the other", source=_ADYA),
}
"""Of a server whose manual weigh does not know: what the definitions say, without the order of time."""


def promise(kind: str, product: str, level: str) -> Promise | None:
    """What a level promises; None where the server has none of that name.

    Args:
        kind: protocol of the server.
        product: what it calls itself.
        level: of :data:`weigh.load.isolation.workload.LEVELS`.
    """
    if kind == "sqlite":
        return _OF_SQLITE.get(level)
    if kind == "postgres" and product == "PostgreSQL":
        return _OF_POSTGRES.get(level)
    if kind == "mysql":
        return {"MariaDB": _OF_MARIADB, "MySQL": _OF_MYSQL}.get(product, _OF_OTHERS).get(level)
    return _OF_OTHERS.get(level)


def allowed() -> Iterator[tuple[str, str, Promise]]:
    """Every server that weigh knows, its levels, and what each forbids; for the documentation."""
    for server, of in (
        ("PostgreSQL", _OF_POSTGRES),
        ("MariaDB", _OF_MARIADB),
        ("MySQL", _OF_MYSQL),
        ("SQLite", _OF_SQLITE),
        ("others", _OF_OTHERS),
    ):
        yield from ((server, level, of[level]) for level in LEVELS if level in of)

"""What follows from the error of a server or of the way to it: the remedy, in one table. Pure.

PostgreSQL's codes are those of its documentation ("PostgreSQL Error Codes"), MySQL's the same or, where they say
nothing, its own numbers, Cassandra's those of its protocol in hexadecimal digits, Redis' the first words of its errors
(its documentation of the protocol, of Cluster and of ACL), SQLite's the names of its results, a certificate's rustls's.
"""

from __future__ import annotations

import re

_POOLER = (
    "a pooler stands before the server and gives a statement to a session that did not prepare it, or that has it "
    "already: take --protocol simple, a pool of whole sessions (pool_mode=session), or the server's own port"
)
_CAST = "write a cast, :n::int or :n::text, so that the server need not guess the type; or take --protocol simple"
_LOGIN = (
    "check the user and the password, and whom the server lets in from here (PostgreSQL's pg_hba.conf, the host of a "
    "MySQL user), and whether only with TLS (sslmode=require)"
)
_EXPIRED = "the user's password has expired: set it anew (ALTER USER), or take another user"
_CROWDED = (
    "lower --connections, or let the server take more (max_connections of PostgreSQL and MySQL, "
    "Redis' maxclients, a pooler's pool)"
)
_AWAY = "check host and port, and see whether the server runs, and what its log and the network's say"
_GOING = "the server was being stopped, or its administrator ended the session: begin again when it runs"
_COMING = "the server starts, or recovers: begin again when it is ready"
_FEW = (
    "too few replicas are up for that consistency level: see nodetool status, start them, or declare a level that "
    "needs fewer"
)
_SLOW = (
    "the replicas did not answer the node in time (write_request_timeout, read_request_timeout): lower the load, or "
    "see with nodetool tpstats which node stays behind"
)
_CLUSTER = (
    "the server is one of a cluster: name any node of it as redis-cluster://HOST:PORT or valkey-cluster://HOST:PORT"
)
_UNSERVED = (
    "nodes of the cluster are away, or its slots are on their way: see CLUSTER INFO, and begin again when it is whole"
)
_APART = "give keys of one command the same hash tag, as in {tag}a and {tag}b: they lie in one slot then"
_OTHERS = "mend the statement, or leave it out: it is one for another kind of server"
_BUSY_FILE = "somebody else uses the file and has it locked: try again when they are done"

REMEDIES = {
    "0100": "check the user and the password, and give both: cassandra://USER:PASSWORD@HOST/KEYSPACE in a "
    "--target-file FILE",
    "1000": _FEW,
    "1001": "lower the load: the node has more requests than it takes",
    "1002": "the node starts: begin again when it is ready (nodetool status)",
    "1100": _SLOW,
    "1200": _SLOW,
    "1300": "see what the nodes' logs say of the read that failed",
    "1500": "see what the nodes' logs say of the write that failed",
    "1700": _SLOW,
    "2000": "mend the statement: it is one for CQL",
    "2100": "give the user of the load the right to do that, or take another user",
    "2200": "mend the statement, or name a keyspace and tables that are there; --prepare FILE makes tables",
    "08": "see whether the server runs, and what its log and the network's say",
    "22": "the statement fails on some of its values: mend it, or draw others in the script",
    "23": "the rows contradict a constraint of the table: let the script draw keys that are free, or that are there",
    "26000": _POOLER,
    "28": _LOGIN,
    "3D000": "name a database that is there in the target's URL, as in //USER@HOST/DATABASE",
    "3F000": "create the schema, or name the database that has it in the target's URL",
    "40": "transactions collide, as they do at that isolation level: let the script touch other rows, in one order, or "
    "count it as what this load is",
    "42000": "mend the statement, or give the user of the load the right to do that",
    "42501": "give the user of the load the right to do that, or take another user",
    "42601": "mend the statement",
    "42703": "mend the statement, or name the database that has the column in the target's URL",
    "42704": "create what is missing, or name the database that has it in the target's URL",
    "42725": _CAST,
    "42804": _CAST,
    "42883": _CAST,
    "42P01": "create the table, or name the database that has it in the target's URL; --prepare FILE.sql makes the "
    "tables of an embedded server",
    "42P05": _POOLER,
    "42P06": "name another database in the target's URL, or rename the schema: weigh replaces none that is not its own",
    "42P08": _CAST,
    "42P18": _CAST,
    "53100": "free space on the server's disk",
    "53200": "give the server more memory, or lower --connections",
    "53300": _CROWDED,
    "57P01": _GOING,
    "57P02": _GOING,
    "57P03": _COMING,
    "57P04": "the database was dropped meanwhile: name one that stays",
    "57014": "raise the server's statement_timeout, or lower the load",
    "1040": _CROWDED,
    "1044": "let the user use the database (GRANT), or name one that is there in the target's URL",
    "1193": _OTHERS,
    "1205": "raise the server's innodb_lock_wait_timeout, or lower the load",
    "1461": "raise the server's max_prepared_stmt_count, lower --connections, or take --protocol simple",
    "1820": _EXPIRED,
    "1862": _EXPIRED,
    "3948": "let the server take rows from its clients: SET GLOBAL local_infile = 1",
    "42S02": "create the table, or name the database that has it in the target's URL; --prepare FILE.sql makes the "
    "tables of an embedded server",
    "42S22": "mend the statement, or name the database that has the column in the target's URL",
    "25006": "the server lets nobody write (a standby, default_transaction_read_only, MySQL's read_only): name the "
    "primary",
    "ASK": _CLUSTER,
    "BUSY": "a script of somebody's keeps the server busy: wait, or end it with SCRIPT KILL",
    "CLUSTERDOWN": _UNSERVED,
    "CROSSSLOT": _APART,
    "LOADING": "the server reads its data: begin again when it is ready",
    "MASTERDOWN": "the replica has lost its primary: name the primary",
    "MISCONF": "the server cannot save its data, and so takes no writes: see what its log says of the disk",
    "MOVED": _CLUSTER,
    "NOAUTH": "give the password: redis://:PASSWORD@HOST, REDISCLI_AUTH, or --target-file FILE",
    "NOPERM": "let the user run these commands on all keys (ACL SETUSER), or name another user",
    "OOM": "the server's maxmemory is reached: raise it, or load fewer --records",
    "READONLY": "the server is a replica and takes no writes: name the primary",
    "WRONGPASS": "check the user and the password",
    "SQLITE_BUSY": _BUSY_FILE,
    "SQLITE_BUSY_RECOVERY": _BUSY_FILE,
    "SQLITE_BUSY_SNAPSHOT": _BUSY_FILE,
    "SQLITE_ERROR": "mend the statement: it is one for SQLite",
    "SQLITE_FULL": "free space where the file lies, or raise max_page_count",
    "SQLITE_READONLY": "let this user write the file and its folder, or name another",
    "CaUsedAsEndEntity": "the server's certificate is one for signing others: make one with basicConstraints=CA:FALSE, "
    "or leave the check out with sslmode=require",
}
"""Code of an error, or the two characters of its class in PostgreSQL -> what to do."""
LASTING = frozenset((_LOGIN, *(REMEDIES[code] for code in ("1044", "3D000", "NOAUTH", "NOPERM", "WRONGPASS"))))
"""Remedies of what no waiting mends: the user or the database that the URL names."""
_WORDS = {
    "db index is out of range": "name a database that the server has (its setting databases) in the target's URL, as "
    "in //USER@HOST/0",
    "--read-only option": REMEDIES["25006"],
    "without any password configured": "leave the password out, of REDISCLI_AUTH too, or name the user it is of: the "
    "server's default user has none",
    "prepared statement": _POOLER,
    "no more connections allowed": _CROWDED,
    "query_wait_timeout": _CROWDED,
    "max_client_conn": _CROWDED,
    "access denied": _LOGIN,
    "unknown database": REMEDIES["3D000"],
    "too many clients": _CROWDED,
    "max number of clients": _CROWDED,
    "too many connections": _CROWDED,
    "remaining connection slots": _CROWDED,
    "is starting up": _COMING,
    "not yet accepting connections": _COMING,
    "shutting down": _GOING,
    "no such database": REMEDIES["3D000"],
    "authentication failed": _LOGIN,
    "no such user": _LOGIN,
    "no pg_hba.conf entry": _LOGIN,
    "connection timeout expired": _AWAY,
    "connection refused": _AWAY,
    "failed to resolve host": _AWAY,
    "is the server running": _AWAY,
    "can't connect to": _AWAY,
    "during query (timed out)": _AWAY,
    "pgbouncer": "see the pooler's configuration and log: the message is its own",
}
"""What a message has in it, where its code says little or is lost: libpq passes none on of a login, and poolers send
errors of their own under codes of the server's."""
_NO_DATABASE = re.compile(r'database ".*" does not exist')
_PLAIN = ("08P01", "1290", "XX000", "58000", "0A000", "ERR", "")
"""Codes that say little."""
_SQLSTATE = 5
_CODE = re.compile(r"\(([0-9A-Z]{4,5}|SQLITE_[A-Z_]+)\)$")


def of_text(text: str) -> str | None:
    """What to do about an error as reports have it, with its code in brackets at the end; None where nothing is known.

    Args:
        text: ``pay, line 2: division by zero (22012)``.
    """
    found = _CODE.search(text)
    return remedy_of(found[1] if found else "", text)


def remedy_of(code: str, message: str) -> str | None:
    """What to do about an error; None where that follows from neither code nor words.

    Args:
        code: an SQLSTATE, the name of SQLite's result, the first word of a Redis error; empty without one.
        message: the server's words.
    """
    if code in _PLAIN:
        words = message.lower()
        for part, remedy in _WORDS.items():
            if part in words:
                return remedy
        if _NO_DATABASE.search(words):
            return REMEDIES["3D000"]
    if "max_user_connections" in message:
        # Its code is that of mistakes in statements.
        return _CROWDED
    if code in REMEDIES:
        return REMEDIES[code]
    return REMEDIES.get(code[:2]) if len(code) == _SQLSTATE and code.isalnum() and code[:2].isdecimal() else None

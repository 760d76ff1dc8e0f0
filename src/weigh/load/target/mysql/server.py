"""Asks a MySQL or MariaDB server while standard input is open. Imports nothing of weigh.

Runs in an environment that has PyMySQL. The first line of standard input is how to connect, as JSON; the first line of
standard output says how the server is. Then each line asks (``state``, ``checkpoint``, ``describe``, ``tables``,
``rows`` with a list of names as JSON, and behind ``activity`` and ``waits`` for the sampling of a run), and gets one
line.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

DECISIVE = {
    "binlog_format": None,
    "innodb_buffer_pool_size": "134217728",
    "innodb_doublewrite": "ON",
    "innodb_flush_log_at_timeout": "1",
    "innodb_flush_log_at_trx_commit": "1",
    "innodb_flush_method": None,
    "innodb_lock_wait_timeout": "50",
    "innodb_log_file_size": None,
    "innodb_rollback_on_timeout": "OFF",
    "innodb_snapshot_isolation": None,
    "log_bin": None,
    "max_connections": "151",
    "performance_schema": None,
    "query_cache_type": None,
    "sql_mode": None,
    "sync_binlog": None,
    "transaction_isolation": "REPEATABLE-READ",
    "tx_isolation": "REPEATABLE-READ",
}
"""Settings that decide what a write costs, with their defaults where all versions have the same."""
_MEMORY = 1 << 30
"""Bytes of address space for this process: what somebody else's server sends is not bounded by anything else."""
_MOST = 1000
_LONGEST_ANSWER = 3600
"""Seconds."""
_LONGEST = 200
_NAMES = ("mariadbd", "mysqld")
_ROOMS = ("activity", "waits")
_SYSTEM = ("information_schema", "mysql", "performance_schema", "sys")


def main() -> None:
    """Say how it is, and answer until nothing is asked any more."""
    request = json.loads(sys.stdin.readline())
    # Behind everything else: what lies alongside this file has names that others have too.
    sys.path.extend(
        map(
            str,
            (Path(__file__).parent, Path(__file__).parents[1], *(Path(__file__).parents[2] / room for room in _ROOMS)),
        )
    )
    import pymysql

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    database = request["database"]
    # As the load itself sends it: PyMySQL would write it in Latin-1.
    request["connect"]["password"] = (request["connect"].get("password") or "").encode()

    def connect() -> Any:
        options = dict(request["connect"])
        options.setdefault("database", database or None)
        connection = pymysql.connect(
            charset="utf8mb4", autocommit=True, read_timeout=options["connect_timeout"], **options
        )
        # What it is asked later may take longer than a login; PyMySQL takes the limit at each read.
        connection._read_timeout = _LONGEST_ANSWER
        sessions.append(connection.thread_id())
        return connection

    sessions: list[int] = []

    names = tuple(request["names"])
    process = None
    try:
        if database:
            with closing(pymysql.connect(**request["connect"])) as first, first.cursor() as cursor:
                cursor.execute(
                    f"CREATE DATABASE IF NOT EXISTS {database} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"
                )
        with closing(connect()) as connection:
            process = request["process"] or _process(connection, request)
            reply = {**_described(connection, names), "server": process}
    except (pymysql.Error, OSError, RuntimeError) as error:
        reply = {"error": _words(error)}
    except Exception as error:
        # Whatever a server of somebody else's sends that PyMySQL does not foresee.
        reply = {"error": f"the server sent what cannot be read: {type(error).__name__} {' '.join(str(error).split())}"}
    _say(reply)
    _answer(connect, names, process, sessions)


def _words(error: BaseException) -> str:
    """The server's words, with the number of its error."""
    number, text = (*error.args, "", "")[:2]
    return f"{' '.join(str(text).split())} ({number})" if text else " ".join(str(error).split()) or type(error).__name__


def _say(what: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def _answer(connect: Callable[[], Any], names: tuple[str, ...], process: int | None, sessions: list[int]) -> None:
    looking = importlib.import_module("sampling.looking")
    mariadb = importlib.import_module("sampling.mysql")
    activity = looking.Looking(lambda: mariadb.MySqlServer(connect(), process))
    rows = importlib.import_module("rows")
    views = importlib.import_module("session_sampling.mysql").MySqlViews
    # A server that was started again counts its sessions from 1.
    sampler = importlib.import_module("session_sampling.sampler").Sampler(
        lambda: views(connect(), sessions.__contains__, min(sessions[0], sessions[-1]) if sessions else 0, process)
    )
    waits = {"begin": sampler.begin, "drain": sampler.drain, "end": sampler.end}

    def ask(work: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        with closing(connect()) as connection:
            return work(connection)

    known: dict[str, Callable[[str], dict[str, Any]]] = {
        "state": lambda _: ask(_state),
        "checkpoint": lambda _: ask(_checkpoint),
        "describe": lambda _: ask(lambda connection: _described(connection, names)),
        "tables": lambda _: ask(lambda connection: {"tables": rows.tables(connection)}),
        "rows": lambda argument: ask(lambda connection: {"rows": rows.digests(connection, json.loads(argument))}),
        "activity": lambda argument: looking.answer(activity, argument),
        "waits": lambda argument: waits[argument](),
    }
    for line in sys.stdin:
        word, _, argument = line.strip().partition(" ")
        try:
            _say(known[word](argument) or {})
        except Exception as error:
            _say({"error": _words(error)})


def _ask(connection: Any, text: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(text, values or None)
        return list(cursor.fetchall())


def _described(connection: Any, names: tuple[str, ...]) -> dict[str, Any]:
    [(version, comment)] = _ask(connection, "SELECT VERSION(), @@version_comment")
    known = {name.lower(): value for name, value in _ask(connection, "SHOW GLOBAL VARIABLES")}
    wanted = [name.lower().replace("-", "_") for name in names]
    found = {}
    for name in (*wanted, *DECISIVE):
        if name in known:
            found[name] = {"value": str(known[name])[:_LONGEST], "default": DECISIVE.get(name)}
    product = "MariaDB" if "mariadb" in version.lower() else "MySQL" if "mysql" in comment.lower() else comment[:40]
    lax = known.get("innodb_flush_log_at_trx_commit") in ("0", "2")
    cycles = {"log written back": float(known.get("innodb_flush_log_at_timeout", 1))} if lax else {}
    return {"product": product, "version": version, "settings": found, "cycles": cycles,
            "encrypted": connection._sock is not None and hasattr(connection._sock, "cipher")}  # fmt: skip


def _process(connection: Any, request: dict[str, Any]) -> int | None:
    """The server's process, where it is one of this machine that can be distinguished from others."""
    if not request["near"]:
        return None
    local_server = importlib.import_module("local_server")
    [(_, uptime)] = _ask(connection, "SHOW GLOBAL STATUS LIKE 'Uptime'")
    where = request["connect"]
    found: int | None = local_server.named(_NAMES, float(uptime), where.get("port"), where.get("unix_socket"))
    return found


def _schemas(connection: Any) -> list[str]:
    """The database of the connection, and weigh's own."""
    [(database,)] = _ask(connection, "SELECT DATABASE()")
    return [name for name in dict.fromkeys((database, "weigh_tpcc")) if name]


def _tables(connection: Any) -> list[tuple[str, str, str, int]]:
    """Schema, name, engine and bytes of each table."""
    schemas = _schemas(connection) or [""]
    marks = ", ".join(["%s"] * len(schemas))
    return [
        (schema, name, engine or "", int(size or 0))
        for schema, name, engine, size in _ask(
            connection,
            "SELECT table_schema, table_name, engine, data_length + index_length FROM information_schema.tables "
            f"WHERE table_type = 'BASE TABLE' AND table_schema IN ({marks}) ORDER BY 1, 2 LIMIT {_MOST}",
            *schemas,
        )
    ]


def _state(connection: Any) -> dict[str, Any]:
    tables = _tables(connection)
    return {
        "data_bytes": sum(size for *_, size in tables),
        "unlogged": [name for _, name, engine, _ in tables if engine.upper() in ("MEMORY", "HEAP")],
    }


def _checkpoint(connection: Any) -> dict[str, Any]:
    """Have what was loaded in its files: InnoDB writes the pages of a table out before it may be exported."""
    import pymysql

    names = [f"`{schema}`.`{name}`" for schema, name, engine, _ in _tables(connection) if engine.lower() == "innodb"]
    written: dict[str, Any] = {"written_out": True}
    try:
        for name in names:
            _ask(connection, f"FLUSH TABLES {name} FOR EXPORT")
            _ask(connection, "UNLOCK TABLES")
    except pymysql.Error as error:
        written = {"written_out": False, "refused": _words(error)[:300]}
    return {**written, **_state(connection)}


if __name__ == "__main__":
    main()

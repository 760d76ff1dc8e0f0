"""Keeps a PostgreSQL server, or a connection to one, while standard input is open. Imports nothing of weigh.

Runs in the environment that has the server's programs and psycopg. The first line of standard input is what to do, as
JSON; the first line of standard output says how it is. Then each line asks for the sampling of a run (behind ``waits``
``begin``, ``drain``, ``end``, of what sessions wait for; the same behind ``activity``, of what the server does), for
what its data and settings are like (``state``, ``checkpoint``, ``describe``), for its rows (``tables``, ``rows`` with a
list of names as JSON), to end the server and keep its data (``stop``), to kill it
(``crash``), or to start it again on its data (``restart``), and gets one line. Standard input ends when weigh ends,
however it ends: then the server is stopped and its data removed.
"""

from __future__ import annotations

import importlib
import json
import resource
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

DECISIVE = (
    "autovacuum",
    "checkpoint_timeout",
    "commit_delay",
    "fsync",
    "full_page_writes",
    "max_wal_size",
    "shared_buffers",
    "synchronous_commit",
    "synchronous_standby_names",
    "wal_level",
    "wal_sync_method",
)
"""Settings that decide what a write costs, read back whether or not somebody changed them."""
_OWN = {"user": "weigh", "dbname": "postgres"}
"""How one logs in to a server of ours."""
_AGAIN = {"connect_timeout": 5, "application_name": "weigh"}
"""Of the connection that samples: a server that does not answer must not hold up the load."""
_MEMORY = 1 << 30
"""Bytes of address space for this process where the server is somebody else's: it may say that a row has 2 GiB."""
_PATIENCE = 120.0
"""Seconds for a server to write out what it holds and end."""
_CYCLES = {"checkpoints": "checkpoint_timeout", "autovacuum": "autovacuum_naptime"}


def main() -> None:
    """Begin, say how it is, sample when asked, end."""
    request = json.loads(sys.stdin.readline())
    sys.path.insert(0, request["adapter"])
    # Behind everything else: what lies alongside this file has names that others have too.
    here, rooms = Path(__file__).parent, Path(__file__).parents[1]
    sys.path.extend(map(str, (here, rooms / "waits", rooms / "activity")))
    import psycopg

    running: Any = None
    names: tuple[str, ...] = ()
    place = Path(request["folder"]) if request["folder"] else None
    nearby = False
    try:
        try:
            if place is not None:
                # Whoever sweeps leaves it to this process.
                importlib.import_module("server").hold(Path(request["swept"]))
                running, reached = _start(place, request)
                connection = running.connection
            else:
                resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
                connection = psycopg.connect(**request["connect"], autocommit=True)
                reached = {}
            names = tuple(request.get("shown", ()))
            reply = {**reached, **_described(connection, names), "encrypted": connection.pgconn.ssl_in_use}
            reply["pooled"] = place is None and _pooled(connection)
            reply["server"], nearby = _server(connection, request["near"]) if place is None else (None, True)
            connection.close()
        except (psycopg.Error, RuntimeError, OSError) as error:
            reply = {"error": str(error)}
            reached = {}
        except Exception as error:
            # Whatever a server of somebody else's sends that psycopg does not foresee: no rows, no numbers, no text.
            reply = {
                "error": f"the server sent what cannot be read: {type(error).__name__} {' '.join(str(error).split())}"
            }
            reached = {}
        _say(reply)
        again = {**request["connect"], **_AGAIN} if place is None else {**_AGAIN, **_OWN, "host": reached.get("socket")}

        def stop() -> None:
            nonlocal running
            if running is not None:
                running, ended = None, running
                ended.stop(_PATIENCE)

        def crash() -> None:
            nonlocal running
            running, ended = None, running
            ended.crash()

        def restart() -> dict[str, Any]:
            nonlocal running
            running, _ = _start(place or Path(), request)
            running.connection.close()
            return {"process": running.pid}

        own = {"stop": stop, "crash": crash, "restart": restart} if place is not None else {}
        activity = _looking(lambda: psycopg.connect(**again, autocommit=True), reply, place, nearby=nearby)
        _answer(lambda: psycopg.connect(**again, autocommit=True), activity, nearby=nearby, own=own, names=names)
    finally:
        if running is not None:
            # Its data goes with it: a checkpoint of what a load wrote would take seconds.
            running.stop(0)
        if place is not None:
            shutil.rmtree(place, ignore_errors=True)


def _say(what: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def _looking(connect: Callable[[], Any], reply: dict[str, Any], place: Path | None, *, nearby: bool) -> Any:
    """Looks at what the server does besides answering, not begun yet."""
    first = reply.get("process") or (reply.get("server") if nearby else None)
    log = None if place is None else place / "server.log"
    postgres = importlib.import_module("sampling.postgres")
    return importlib.import_module("sampling.looking").Looking(lambda: postgres.PostgresServer(connect(), first, log))


def _answer(
    connect: Callable[[], Any],
    activity: Any,
    *,
    nearby: bool,
    own: dict[str, Callable[[], Any]],
    names: tuple[str, ...],
) -> None:
    """Do what is asked, until nothing is asked any more."""
    looking = importlib.import_module("sampling.looking")
    views = importlib.import_module("session_sampling.postgres").PostgresViews
    sampler = importlib.import_module("session_sampling.sampler").Sampler(lambda: views(connect(), nearby=nearby))
    waits = {"begin": sampler.begin, "drain": sampler.drain, "end": sampler.end}
    known = {
        "state": lambda: _state(connect, checkpoint=False),
        "checkpoint": lambda: _state(connect, checkpoint=True),
        "describe": lambda: _described_again(connect, names),
        "tables": lambda: _tables(connect),
        **own,
    }
    for line in sys.stdin:
        word, _, argument = line.strip().partition(" ")
        try:
            if word == "activity":
                _say(looking.answer(activity, argument))
            elif word == "waits":
                _say(waits[argument]() or {})
            else:
                _say(_rows(connect, json.loads(argument)) if word == "rows" else known[word]() or {})
        except Exception as error:
            _say({"error": " ".join(str(error).split()) or type(error).__name__})


def _state(connect: Callable[[], Any], *, checkpoint: bool) -> dict[str, Any]:
    """What its data is like, after a checkpoint if one is asked for."""
    import psycopg

    with connect() as connection:
        found: dict[str, Any] = {}
        if checkpoint:
            try:
                connection.execute("CHECKPOINT")
                found["written_out"] = True
            except psycopg.Error as error:
                found |= {"written_out": False, "refused": " ".join(str(error).split())[:300]}
        found["data_bytes"] = connection.execute("SELECT pg_database_size(current_database())").fetchone()[0]
        rows = connection.execute(
            "SELECT relname FROM pg_class WHERE relpersistence = 'u' AND relkind IN ('r', 'p') ORDER BY 1 LIMIT 1000"
        ).fetchall()
        return {**found, "unlogged": [name for (name,) in rows]}


def _tables(connect: Callable[[], Any]) -> dict[str, Any]:
    with connect() as connection:
        return {"tables": importlib.import_module("postgres_rows").tables(connection)}


def _rows(connect: Callable[[], Any], names: list[str]) -> dict[str, Any]:
    with connect() as connection:
        return {"rows": importlib.import_module("postgres_rows").digests(connection, names)}


def _described_again(connect: Callable[[], Any], names: tuple[str, ...]) -> dict[str, Any]:
    with connect() as connection:
        return _described(connection, names)


def _start(place: Path, request: dict[str, Any]) -> tuple[Any, dict[str, str]]:
    os_user, server = importlib.import_module("os_user"), importlib.import_module("server")
    whose = os_user.unprivileged()
    programs = os_user.programs(whose, request["programs"])
    if whose is not None:
        whose.give(place)
    data = place / "data"
    # There already: a copy of one that was kept.
    if not data.exists():
        server.initialise(programs, data, whose, place)
    log, environment = place / "server.log", request["environment"]
    running = server.Server(programs, data, request["options"], log, whose, environment=environment)
    return running, {
        "socket": str(data), "user": _OWN["user"], "database": _OWN["dbname"], "process": running.pid,
    }  # fmt: skip


def _server(connection: Any, near: bool | None) -> tuple[int | None, bool]:
    """The server's first process, where it is one of this machine: it began the one that answers here.

    Args:
        connection: to it.
        near: whether it answers at an address of this machine.

    Returns:
        Its id, and whether the server numbers its processes as this machine does; None where it is not to be found.
    """
    local_server = importlib.import_module("local_server")
    try:
        number, age, listens = connection.execute(
            "SELECT pid, extract(epoch FROM clock_timestamp() - backend_start), inet_server_port() "
            "FROM pg_stat_activity WHERE pid = pg_backend_pid()"
        ).fetchone()
    except Exception:
        # Another server that speaks the protocol may not know this table.
        return None, False
    info = connection.info
    path = f"{info.host}/.s.PGSQL.{info.port}" if info.host.startswith("/") else None
    if listens != (info.port if path is None else None):
        # A pooler: the server listens elsewhere.
        return None, False
    session = local_server.numbered(number, float(age), near=near)
    first = local_server.parent(session) if session else None
    # At another address it is none of this machine's ports.
    if not first or local_server.hidden(first, None if near is False else info.port, path):
        return None, False
    return first, session == number


def _pooled(connection: Any) -> bool:
    """Whether the session is another one than the login named: a pooler gives its clients numbers of its own.

    Pgpool-II passes the server's on, and answers a question of its own. A proxy that only carries bytes does neither.
    """
    try:
        columns = connection.execute("SHOW pool_version").description or ()
        if [one.name for one in columns] == ["pool_version"]:
            return True
    except Exception:
        # PostgreSQL has no such setting; what was refused leaves nothing behind outside a transaction.
        pass
    try:
        ((version, number),) = connection.execute("SELECT version(), pg_backend_pid()").fetchall()
    except Exception:
        return False
    # Others that speak the protocol may not number their sessions.
    return str(version).startswith("PostgreSQL ") and number != connection.info.backend_pid


def _described(connection: Any, names: tuple[str, ...]) -> dict[str, Any]:
    settings = importlib.import_module("settings")
    version = connection.execute("SHOW server_version").fetchone()[0]
    known = settings.read(connection, dict.fromkeys((*DECISIVE, *names), ""))
    # What was asked for first.
    found = {name: known[name] for name in names if name in known}
    found |= {name: one for name, one in known.items() if not name.startswith("weigh.")}
    cycles = {}
    for name, setting in _CYCLES.items():
        row = connection.execute("SELECT extract(epoch FROM current_setting(%s)::interval)", (setting,)).fetchone()
        cycles[name] = float(row[0])
    if found.get("autovacuum", {}).get("value") == "off":
        del cycles["autovacuum"]
    return {"version": version, "settings": found, "cycles": cycles}


if __name__ == "__main__":
    main()

"""Keeps a PostgreSQL server, or a connection to one, while standard input is open. Imports nothing of weigh.

Runs in the environment that has the server's programs and psycopg. The first line of standard input is what to do, as
JSON; the one line of standard output says how it is. Standard input ends when weigh ends, however it ends: then the
server is stopped and its data removed.
"""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

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
_CYCLES = {"checkpoints": "checkpoint_timeout", "autovacuum": "autovacuum_naptime"}


def main() -> None:
    """Begin, say how it is, wait, end."""
    asked = json.loads(sys.stdin.readline())
    sys.path.insert(0, asked["adapter"])
    import psycopg

    kept = None
    place = Path(asked["folder"]) if asked["folder"] else None
    try:
        try:
            if place is not None:
                kept, reached = _start(place, asked["options"])
                connection = kept.connection
            else:
                connection = psycopg.connect(**asked["connect"], autocommit=True)
                reached = {}
            said = {**reached, **_described(connection)}
            connection.close()
        except (psycopg.Error, RuntimeError, OSError) as error:
            said = {"error": " ".join(str(error).split())}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
        sys.stdin.read()
    finally:
        if kept is not None:
            kept.stop()
        if place is not None:
            shutil.rmtree(place, ignore_errors=True)


def _start(place: Path, options: dict[str, str]) -> tuple[Any, dict[str, str]]:
    account, server = importlib.import_module("account"), importlib.import_module("server")
    whose = account.unprivileged()
    programs = account.programs(whose)
    if whose is not None:
        whose.own(place)
    data = place / "data"
    server.initialise(programs, data, whose)
    kept = server.Server(programs, data, options, place / "server.log", whose)
    return kept, {"socket": str(data), "user": "weigh", "database": "postgres"}


def _described(connection: Any) -> dict[str, Any]:
    settings = importlib.import_module("settings")
    version = connection.execute("SHOW server_version").fetchone()[0]
    known = settings.read(connection, dict.fromkeys(DECISIVE, ""))
    found = {name: one for name, one in known.items() if not name.startswith("weigh.")}
    cycles = {}
    for name, setting in _CYCLES.items():
        row = connection.execute("SELECT extract(epoch FROM current_setting(%s)::interval)", (setting,)).fetchone()
        cycles[name] = float(row[0])
    if found.get("autovacuum", {}).get("value") == "off":
        del cycles["autovacuum"]
    return {"version": version, "settings": found, "cycles": cycles}


if __name__ == "__main__":
    main()

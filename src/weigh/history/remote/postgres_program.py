"""Keeps entries of a history in PostgreSQL, in an environment that has psycopg.

What to do is JSON on standard input; what was found is JSON on standard output.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress

_MADE = """
CREATE TABLE IF NOT EXISTS weigh_history (
    id text PRIMARY KEY,
    added timestamptz NOT NULL DEFAULT now(),
    entry json NOT NULL
)
"""


def main() -> None:
    """Connect, do, say."""
    import psycopg

    request = json.loads(sys.stdin.read())
    try:
        with psycopg.connect(**request["connect"], autocommit=True) as connection:
            reply = _add(connection, request["add"]) if request["add"] else _read(connection)
    except psycopg.Error as error:
        reply = {"error": str(error), "code": error.sqlstate or ""}
    except OSError as error:
        reply = {"error": str(error), "code": ""}
    json.dump(reply, sys.stdout)


def _there(connection: object) -> bool:
    ask = connection.execute  # type: ignore[attr-defined]
    return ask("SELECT to_regclass('weigh_history')").fetchone()[0] is not None


def _add(connection: object, entries: list[tuple[str, str]]) -> dict[str, object]:
    from psycopg import errors

    ask = connection.execute  # type: ignore[attr-defined]
    if not _there(connection):
        # Of two jobs that make it at the same time, one may be told that it exists.
        with suppress(errors.UniqueViolation, errors.DuplicateTable, errors.DuplicateObject):
            ask(_MADE)
    put = "INSERT INTO weigh_history (id, entry) VALUES (%s, %s) ON CONFLICT (id) DO NOTHING"
    return {"added": [identifier for identifier, text in entries if ask(put, (identifier, text)).rowcount == 1]}


def _read(connection: object) -> dict[str, object]:
    if not _there(connection):
        return {"error": "", "code": "no-table"}
    ask = connection.execute  # type: ignore[attr-defined]
    return {"entries": ask("SELECT id, entry::text FROM weigh_history ORDER BY id").fetchall()}


if __name__ == "__main__":
    main()

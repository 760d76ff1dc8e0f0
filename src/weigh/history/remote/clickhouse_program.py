"""Keeps entries of a history in ClickHouse, in an environment that has clickhouse-connect.

What to do is JSON on standard input; what was found is JSON on standard output.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

_TABLE = "weigh_history"
# A MergeTree keeps no key unique. Rows of one id hold the same entry: they are merged by and by, and read as one.
_MADE = f"""
CREATE TABLE IF NOT EXISTS {_TABLE} (
    id String,
    added DateTime('UTC') DEFAULT now('UTC'),
    entry String
) ENGINE = ReplacingMergeTree ORDER BY id
"""
_CODE = re.compile(r"\bcode:? (\d+)", re.IGNORECASE)
_WORDS = re.compile(r"DB::Exception: (.*?)(?: \(for url |$)", re.DOTALL)
_WAIT = {"connect_timeout": 5, "send_receive_timeout": 60}
_NOT_UNDERSTOOD = ("16", "46", "47", "48", "60", "62", "115")
"""Codes of what a server does not know: columns, functions, what is not implemented, tables, syntax, settings."""
_LONGEST = 400
"""Characters of an error, at most."""


def main() -> None:
    """Connect, do, say."""
    request = json.loads(sys.stdin.read())
    import clickhouse_connect
    from clickhouse_connect.driver.exceptions import Error

    client = None
    try:
        # A session would be another thing that a server behind a balancer has to find again.
        client = clickhouse_connect.get_client(
            **request["connect"], **_WAIT, compress=False, autogenerate_session_id=False
        )
        reply = _add(client, request["add"]) if request["add"] else _read(client)
    except (Error, OSError) as error:
        reply = _failed(error)
        if client is None and reply["code"] in _NOT_UNDERSTOOD:
            # What the client itself asks when it connects: of ClickHouse 18 a column of system.settings is not there.
            reply["code"] = "too-old"
    json.dump(reply, sys.stdout)


def _failed(error: BaseException) -> dict[str, Any]:
    """The server's words with its code, or what the first of the errors behind this one says."""
    text = str(error)
    if found := _CODE.search(text):
        words = _WORDS.search(text)
        return {"error": (words[1] if words else text)[:_LONGEST], "code": found[1]}
    while behind := error.__cause__ or error.__context__:
        error = behind
    return {"error": (getattr(error, "strerror", None) or str(error))[:_LONGEST], "code": ""}


def _there(client: Any) -> bool:
    return bool(client.query(f"EXISTS TABLE {_TABLE}").result_rows[0][0])


def _add(client: Any, entries: list[tuple[str, str]]) -> dict[str, Any]:
    """The ids of those that were not there. Of two who add the same at one moment, both may read that it was not."""
    if not _there(client):
        client.command(_MADE)
    present = f"SELECT id FROM {_TABLE} WHERE id IN {{ids:Array(String)}}"
    known = {
        identifier
        for (identifier,) in client.query(present, parameters={"ids": [own for own, _ in entries]}).result_rows
    }
    new = {own: text for own, text in entries if own not in known}
    if new:
        client.insert(_TABLE, [list(one) for one in new.items()], column_names=["id", "entry"])
    return {"added": list(new)}


def _read(client: Any) -> dict[str, Any]:
    if not _there(client):
        return {"error": "", "code": "no-table"}
    return {"entries": client.query(f"SELECT id, entry FROM {_TABLE} FINAL ORDER BY id").result_rows}


if __name__ == "__main__":
    main()

"""Executed as a file in an environment with chDB: statements from stdin, tables to files. It imports nothing of weigh.

Stdin is one JSON object, ``{"script": "...", "folder": "..."}``: statements, each ended by a semicolon and a new line,
and where each table that is there afterwards is written, as ``TABLE.parquet``. What came of it is written to
``report.json`` (``LoadReport`` in the package). What the statements may not name was refused before; what they reach
the kernel bounds.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

_OTHERS = {
    "function": "SELECT name FROM system.functions WHERE origin = 'SQLUserDefined'",
    "dictionary": "SELECT name FROM system.dictionaries",
    "database": "SELECT name FROM system.databases WHERE name NOT IN "
    "('default', 'system', 'information_schema', 'INFORMATION_SCHEMA', '_local')",
}


def main() -> None:
    """Execute every statement, then write the tables."""
    import chdb

    job = json.load(sys.stdin)
    folder = Path(job["folder"])
    connection = chdb.connect(str(folder / "state"))
    report: dict[str, Any] = {}
    statement = ""
    try:
        for statement in job["script"].split(";\n"):
            if statement.strip():
                connection.query(statement)
        statement = "SHOW TABLES"
        report["others"] = {name: kind for kind, query in _OTHERS.items() for name in _names(connection, query)}
        tables = "SELECT name FROM system.tables WHERE database = 'default' AND engine <> 'Dictionary'"
        report["bad"] = {}
        for name in _names(connection, tables):
            # A materialised view's own table: what it holds is read through the view.
            if name.startswith(".inner"):
                continue
            if why := _written(connection, name, folder):
                report["bad"][name] = why
    except RuntimeError as error:
        report = {"refused": " ".join(statement.split()) or "?", "why": " ".join(str(error).split()) or "it failed"}
    # Before it is closed: an engine may fall then.
    (folder / "report.json").write_text(json.dumps(report))
    connection.close()


def _written(connection: Any, name: str, folder: Path) -> str:
    """Write one table as a file; why it cannot be, empty where it is."""
    place = folder / f"{name}.parquet"
    if place.parent != folder or place.name != f"{name}.parquet":
        return "it is no name of a file"
    text = str(place).replace("\\", "\\\\").replace("'", "\\'")
    quoted = name.replace("\\", "\\\\").replace("`", "\\`")
    try:
        connection.query(f"SELECT * FROM `{quoted}` INTO OUTFILE '{text}' FORMAT Parquet")
    except RuntimeError as error:
        place.unlink(missing_ok=True)
        return " ".join(str(error).split())
    return ""


def _names(connection: Any, query: str) -> list[str]:
    return [str(row["name"]) for row in json.loads(connection.query(query, "JSON").bytes())["data"]]


if __name__ == "__main__":
    main()

"""Executed as a file in an environment with chDB: statements from stdin, tables to files. It imports nothing of weigh.

Stdin is one JSON object, ``{"script": "...", "folder": "..."}``: statements, each ended by a semicolon and a new line,
and where each table that is there afterwards is written, as ``TABLE.parquet``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

REFUSED = 3
"""Exit code where chDB refused a statement; its words are the last line of stderr."""


def main() -> None:
    """Execute every statement, then write the tables."""
    import chdb

    job = json.load(sys.stdin)
    folder = Path(job["folder"])
    connection = chdb.connect(str(folder / "state"))
    try:
        for statement in job["script"].split(";\n"):
            if statement.strip():
                connection.query(statement)
        names = json.loads(
            connection.query("SELECT name FROM system.tables WHERE database = 'default'", "JSON").bytes()
        )
        for row in names["data"]:
            place = str(folder / f"{row['name']}.parquet").replace("\\", "\\\\").replace("'", "\\'")
            connection.query(f"SELECT * FROM `{row['name']}` INTO OUTFILE '{place}' FORMAT Parquet")
    except RuntimeError:
        sys.exit(REFUSED)
    finally:
        connection.close()


if __name__ == "__main__":
    main()

"""Executed as a file in an environment with DuckDB and nanoarrow: Arrow streams from stdin to Parquet.

It imports nothing of weigh. The one argument is a JSON object::

    {"files": [path, ...], "options": {"COMPRESSION": "zstd", "ROW_GROUP_SIZE": 122880}, "threads": 2}

Stdin carries one Arrow IPC stream for each file, one after another. Stdout gets DuckDB's version as JSON.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Write every file, then say which DuckDB did it."""
    import duckdb
    import nanoarrow

    job = json.loads(sys.argv[1])
    # Row groups wait for their turn in the file; without a limit they may fill most of the memory meanwhile.
    connection = duckdb.connect(config={"threads": job["threads"], "memory_limit": "1GB"})
    connection.execute("SET TimeZone = 'UTC'")
    options = ", ".join(f"{name} {value}" for name, value in job["options"].items())
    for path in job["files"]:
        events = connection.from_arrow(nanoarrow.ArrayStream.from_readable(sys.stdin.buffer))
        # Dictionary-encoded Arrow strings arrive as VARCHAR; nothing becomes an ENUM. What no option says is DuckDB's
        # default, because that is what its users have.
        connection.execute(f"COPY (SELECT * FROM events) TO '{_quoted(path)}' (FORMAT PARQUET, {options})")
        events.close()
    json.dump({"duckdb": duckdb.__version__}, sys.stdout)


def _quoted(path: str) -> str:
    return path.replace("'", "''")


if __name__ == "__main__":
    main()

"""Executed as a file in an environment with DuckDB: SQL from stdin, rows to stdout. It imports nothing of weigh.

Stdin is one JSON object, ``{"script": "...", "queries": ["...", ...]}``; stdout gets the rows of each query as a list
of objects. A number that is not finite is null.
"""

from __future__ import annotations

import json
import math
import sys
from typing import Any

REFUSED = 3
"""Exit code where DuckDB refused a statement; its words are the last line of stderr."""


def main() -> None:
    """Answer every query."""
    import duckdb

    job = json.load(sys.stdin)
    # What is read is named in the script: nothing is installed, loaded or fetched on the way.
    connection = duckdb.connect(
        ":memory:", config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    )
    try:
        connection.execute(job["script"])
        json.dump([_rows(connection.execute(query)) for query in job["queries"]], sys.stdout)
    except duckdb.Error as error:
        print(" ".join(str(error).split()), file=sys.stderr)
        sys.exit(REFUSED)


def _rows(answer: Any) -> list[dict[str, Any]]:
    names = [column[0] for column in answer.description]
    return [dict(zip(names, map(_plain, row), strict=True)) for row in answer.fetchall()]


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


if __name__ == "__main__":
    main()

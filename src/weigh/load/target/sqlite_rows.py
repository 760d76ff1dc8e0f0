"""Which rows an SQLite database holds: a process of its own, which ends before weigh opens the file again.

Never in weigh's process: closing the file there would take away the locks that the load has on it
(https://sqlite.org/howtocorrupt.html, 2.2).
"""

from __future__ import annotations

import sqlite3
import sys
from typing import TYPE_CHECKING

import msgspec

from weigh.load.rows import digest

if TYPE_CHECKING:
    from collections.abc import Iterator


def main() -> None:
    """Read the path and, where there are more arguments, the rows of those tables; else the names of all."""
    path, *names = sys.argv[1:]
    connection = sqlite3.connect(path)
    if names:
        found: object = {name: digest(_rows(connection, name)) for name in names}
    else:
        query = (
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY 1"
        )
        found = [name for (name,) in connection.execute(query)]
    sys.stdout.buffer.write(msgspec.json.encode(found))


def _rows(connection: sqlite3.Connection, name: str) -> Iterator[list[str | None]]:
    quoted = name.replace('"', '""')
    # The name comes from the catalogue.
    for row in connection.execute(f'SELECT * FROM "{quoted}"'):
        yield [cell.hex() if isinstance(cell, bytes) else None if cell is None else str(cell) for cell in row]


if __name__ == "__main__":
    main()

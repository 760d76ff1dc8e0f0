"""T2: an engine whose work grows with the data, and whose noise does not."""

from __future__ import annotations

from .pace import Pace

ROWS = 10_000


class Work(Pace):
    """Takes ``ms`` for every 10,000 rows; what the law of its pace adds at ``ms`` is added once, however many
    there are."""

    work = 0.0

    def bind(self, tables: dict[str, list[str]]) -> None:
        super().bind(tables)
        rows = sum(self.connection.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0] for name in tables)
        self.work = float(self.law["ms"]) / 1e3 * (rows / ROWS - 1)

    def seconds(self) -> float:
        return self.work + super().seconds()

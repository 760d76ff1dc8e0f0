"""A build with a mistake in it: one kind of query got slower by the share that its setting ``by`` says."""

from __future__ import annotations

import time

from .pace import Pace


class Slowed(Pace):
    """Its pace, and where the query has a LIMIT, something more that nobody needs."""

    def run(self) -> int:
        rows = super().run()
        if "LIMIT" in self.sql:
            self.sort_once_more(self.seconds() * float(self.law["by"]))
        return rows

    def sort_once_more(self, seconds: float) -> None:
        """Work for so long."""
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            sorted(range(99, 0, -1))

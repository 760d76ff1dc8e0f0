"""A build with a mistake in it: one kind of query got slower by the share that its setting ``by`` says."""

from __future__ import annotations

import time
import zlib

from .pace import Pace

_BLOCK = bytes(range(256)) * 256


class Slowed(Pace):
    """Its pace, and where the query has a LIMIT, something more that nobody needs."""

    def run(self) -> int:
        rows = super().run()
        if "LIMIT" in self.sql:
            self.checksum_once_more(self.seconds() * float(self.law["by"]))
        return rows

    def checksum_once_more(self, seconds: float) -> None:
        """Work for so long, in a function of a library that has a name."""
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            zlib.crc32(_BLOCK)

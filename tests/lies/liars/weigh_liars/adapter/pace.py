"""Engines whose time is known: they sleep, so that a comparison of them comes out as it must on any machine."""

from __future__ import annotations

import math
import random
import time
from pathlib import Path
from typing import Any

from .honest import OURS, Engine


class Pace(Engine):
    """Takes ``ms``, ``limit`` times that where the query has a LIMIT, and in each life a little more or less.

    The query is executed, and what is left of the time is slept: how long it took itself does not show.

    Lives differ by a normal law of standard deviation ``spread``. The n-th one draws the n-th value, whatever happens
    between them: they are counted in the file ``diary``.
    """

    def __init__(self, settings: dict[str, Any], scratch: str) -> None:
        super().__init__(settings, scratch)
        wanted = {**OURS, **self.wanted}
        self.pause = float(wanted["ms"]) / 1e3 * math.exp(float(wanted["spread"]) * self.drawn(str(wanted["diary"])))
        self.limit = float(wanted["limit"])

    @staticmethod
    def drawn(diary: str) -> float:
        """The value of this life; 0 without a diary."""
        if not diary:
            return 0.0
        with Path(diary).open("ab") as file:
            file.write(b".")
            return random.Random(file.tell()).gauss(0.0, 1.0)

    def run(self) -> int:
        until = time.perf_counter() + self.pause * (self.limit if "LIMIT" in self.sql else 1.0)
        rows = super().run()
        time.sleep(max(0.0, until - time.perf_counter()))
        return rows

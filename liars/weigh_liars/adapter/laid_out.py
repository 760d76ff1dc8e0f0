"""A build whose code happens to be laid out well or badly: it works longer or shorter, by what its wheel says."""

from __future__ import annotations

import math

from .pace import Pace


class LaidOut(Pace):
    """Its pace, times a factor that was decided when it was built (``support.tiny_builds``)."""

    def seconds(self) -> float:
        # Only the wheels of these tests have it.
        from layout_of_this_build import SLOWER  # type: ignore[import-not-found]

        return super().seconds() * math.exp(SLOWER)

"""How long a comparison goes on, said before its first request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from support import load_comparison_records as made
from weigh.load.comparison.run import length

if TYPE_CHECKING:
    from weigh.load.comparison.spec import LoadComparisonSpec


def _spec(blocks: int, seconds: float) -> LoadComparisonSpec:
    asked = made.spec(blocks)
    return msgspec.structs.replace(asked, load=msgspec.structs.replace(asked.load, duration_s=seconds))


def test_a_long_one_names_what_takes_less() -> None:
    assert length(_spec(10, 60.0)) == (
        "10 blocks of 3 runs of 1 min 0 s: at least 30 min 0 s; --blocks 5 --duration 15s would take at least "
        "3 min 45 s, and decide less"
    )
    assert length(_spec(5, 15.0)) == "5 blocks of 3 runs of 15 s: at least 3 min 45 s"

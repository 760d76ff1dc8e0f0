"""Wrong answers of a run, as its line in a list says them: also while it is measured, when there is no document yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import journal
from weigh.model.errors import EvidenceFault
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_MOST = 5
"""Operations of a contender that are named; the others are counted."""


class _Operation(msgspec.Struct):
    operation: str
    contenders: dict[str, str] = {}


class _Gate(msgspec.Struct):
    operations: list[_Operation]


def words(wrong: Iterable[tuple[str, str]]) -> str:
    """Who is wrong on what; empty where nobody is.

    Args:
        wrong: contenders and operations, in the order in which they are named.
    """
    found: dict[str, list[str]] = {}
    for contender, operation in wrong:
        found.setdefault(contender, []).append(operation)
    parts = []
    for contender, operations in found.items():
        more = f" and {len(operations) - _MOST} more" if len(operations) > _MOST else ""
        parts.append(f"{one_line(contender, 80)} on {', '.join(operations[:_MOST])}{more}")
    return one_line(f"WRONG answers: {'; '.join(parts)}", 600) if parts else ""


def so_far(folder: Path) -> str:
    """What the gate of a run found that has not ended; empty where it is not over, and in any other evidence."""
    try:
        for event in journal.events(folder):
            if event.event == "gate":
                gate = msgspec.convert(event.body, _Gate)
                return words(
                    (who, one_line(one.operation, 200))
                    for one in gate.operations
                    for who, status in one.contenders.items()
                    if status == "diverged"
                )
            if event.event == "block":
                break
    except (EvidenceFault, OSError, msgspec.ValidationError):
        # The list says of damaged evidence that it is.
        pass
    return ""

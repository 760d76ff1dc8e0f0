"""Answers of a run that are wrong or differ, as its line in a list has them, also before there is a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import journal
from weigh.model.errors import EvidenceFault
from weigh.model.gate import UNDECIDED
from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_MOST = 5
"""Operations of a contender that are named; the others are counted."""
_WRONG = ("is wrong", "was contradicted", "answered differently")
"""How a sentence goes on after the name of whoever was found wrong: in the gate, in an earlier one, after the gate."""


class _Operation(msgspec.Struct):
    operation: str
    contenders: dict[str, str] = {}
    detail: str = ""


class _Gate(msgspec.Struct):
    operations: list[_Operation]


class Differing(msgspec.Struct, frozen=True):
    """An operation whose answers are wrong or differ.

    Attributes:
        operation: its name.
        contenders: whose answers.
        detail: the gate's sentence about it: whether anybody was found wrong.
    """

    operation: str
    contenders: tuple[str, ...]
    detail: str = ""


def words(found: Iterable[Differing]) -> str:
    """Who is wrong on what, then who differs while who is right is open; empty where nobody does.

    Args:
        found: in the order in which they are named.
    """
    wrong: dict[str, list[str]] = {}
    open_: dict[str, list[str]] = {}
    for one in found:
        if UNDECIDED in one.detail:
            open_.setdefault(" and ".join(one_line(name, 80) for name in one.contenders), []).append(one.operation)
            continue
        sentences = one.detail.split("; ")
        blamed = [
            name
            for name in one.contenders
            if any(each.startswith(tuple(f"{name} {how}" for how in _WRONG)) for each in sentences)
        ]
        for name in blamed or one.contenders:
            wrong.setdefault(one_line(name, 80), []).append(one.operation)
    text = "; ".join(
        filter(None, [_named("WRONG answers", wrong), _named("DIFFERENT answers, who is right is open", open_)])
    )
    return one_line(text, 600)


def _named(title: str, found: dict[str, list[str]]) -> str:
    parts = []
    for name, operations in found.items():
        more = f" and {len(operations) - _MOST} more" if len(operations) > _MOST else ""
        parts.append(f"{name} on {', '.join(operations[:_MOST])}{more}")
    return f"{title}: {'; '.join(parts)}" if parts else ""


def so_far(folder: Path) -> str:
    """What the gate of a run found that has not ended; empty where it is not over, and in any other evidence."""
    try:
        for event in journal.events(folder):
            if event.event == "gate":
                gate = msgspec.convert(event.body, _Gate)
                return words(
                    Differing(
                        one_line(one.operation, 200),
                        tuple(who for who, status in one.contenders.items() if status == "diverged"),
                        one.detail,
                    )
                    for one in gate.operations
                    if "diverged" in one.contenders.values()
                )
            if event.event == "block":
                break
    except (EvidenceFault, OSError, msgspec.ValidationError):
        # The list says of damaged evidence that it is.
        pass
    return ""

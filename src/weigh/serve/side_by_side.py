"""Two evidences: as a comparison where a shared reference joins them, and else side by side, concluding nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.compare.report import html
from weigh.compare.run import compare
from weigh.model.errors import WeighError
from weigh.model.text import begun
from weigh.serve.index import Row
from weigh.serve.stored import documents

if TYPE_CHECKING:
    from weigh.serve.index import Index

_MOST = 2_000
"""Figures that are shown; the reports have them all."""


class SideBySide(msgspec.Struct, frozen=True, kw_only=True):
    """Two evidences that are not joined.

    Attributes:
        first, second: what a list says of them.
        why: they are not joined.
        remedy: what would join them; empty where nothing does.
        figures: name, value of the first, value of the second; empty where it has none.
        left: how many figures are not shown.
    """

    first: Row
    second: Row
    why: str
    remedy: str
    figures: tuple[tuple[str, str, str], ...]
    left: int


def compared(index: Index, first: str, second: str) -> bytes | SideBySide:
    """Two evidences of a folder: the page of `weigh compare` where they can be joined.

    Raises:
        EvidenceFault: there is no such evidence, or it cannot be read at all.
    """
    one, other = index.find(first), index.find(second)
    reason = _not_joined(one[1], other[1])
    if reason is None:
        try:
            return html(compare(one[0], other[0]), first, second)
        except WeighError as error:
            reason = str(error), error.remedy
    return _compared(index, first, second, reason)


def _not_joined(one: Any, other: Any) -> tuple[str, str] | None:
    """Why two kinds are never joined, and what to do; None where they may be."""
    if one is not other:
        return f"one is {one.noun}, the other {other.noun}", ""
    refusal: tuple[str, str] | None = one.not_compared
    return refusal


def _compared(index: Index, first: str, second: str, reason: tuple[str, str]) -> SideBySide:
    entries = {entry.path.name: entry for entry in index.entries()}
    rows = index.rows(entries[name] for name in (first, second) if name in entries)
    if len(rows) < 2:
        # One of them recorded nothing, and so has nothing to show.
        rows = [Row(name=name, kind=index.find(name)[1].name, written="") for name in (first, second)]
    values: dict[str, list[str]] = {}
    for at, name in enumerate((first, second)):
        for figure in documents.figures(*index.find(name)):
            values.setdefault(figure.name, ["", ""])[at] = figure.value
    every = [(name, one, other) for name, (one, other) in values.items()]
    why, remedy = map(begun, reason)
    return SideBySide(
        first=rows[0], second=rows[1], why=why, remedy=remedy, figures=tuple(every[:_MOST]),
        left=max(0, len(every) - _MOST),
    )  # fmt: skip

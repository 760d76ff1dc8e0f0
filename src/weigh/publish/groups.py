"""Runs of the same questions over the same data, side by side and in the order of their dates.

Each verdict is one within its own session: nothing is divided across two of them (T5). Where the machine changed
between two, a line says so (R6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.publish.entries import Published

_HEADLINE = "wall_s"


class Cell(NamedTuple):
    """A verdict of one session: its name, and its ratio with the interval."""

    verdict: str
    text: str


class Column(NamedTuple):
    """A session: the evidence, and whether its machine is another than that of the one before it."""

    entry: Published
    moved: bool


class Group(NamedTuple):
    """A page.

    Attributes:
        name: what they have in common.
        page: its file.
        columns: sessions, the oldest first.
        rows: (operation, contender and baseline) with a cell for each session.
    """

    name: str
    page: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]

    @property
    def group(self) -> str:
        """What entries call it."""
        return self.name


def groups(published: Sequence[Published]) -> list[Group]:
    """Those of two sessions or more."""
    found: dict[str, list[Published]] = {}
    for one in sorted(published, key=lambda one: (one.written, one.name)):
        if one.group:
            found.setdefault(one.group, []).append(one)
    several = {name: members for name, members in found.items() if len(members) > 1}
    return [_group(name, f"compare/{at}.html", members) for at, (name, members) in enumerate(several.items(), start=1)]


def _group(name: str, page: str, members: list[Published]) -> Group:
    before = [None, *members]
    columns = tuple(
        Column(one, other is not None and other.machine != one.machine)
        for one, other in zip(members, before, strict=False)
    )
    cells = [_cells(one.document or {}) for one in members]
    questions = sorted({question for each in cells for question in each})
    rows = tuple((question, tuple(each.get(question, Cell("", "-")) for each in cells)) for question in questions)
    return Group(name, page, columns, rows)


def _cells(document: dict[str, Any]) -> dict[str, Cell]:
    found = {}
    for one in document.get("verdicts", ()):
        if not isinstance(one, dict) or one.get("metric") != _HEADLINE:
            continue
        hot = "" if one.get("temperature") == "hot" else f", {one.get('temperature')}"
        question = f"{one.get('operation')}{hot}: {one.get('contender')} / {one.get('baseline')}"
        found[question] = Cell(str(one.get("verdict")), _ratio(one))
    return found


def _ratio(one: dict[str, Any]) -> str:
    ratio, low, high = (one.get(name) for name in ("ratio", "low", "high"))
    if not all(isinstance(value, int | float) for value in (ratio, low, high)):
        return ""
    return f"{ratio:.3f} ({low:.2f} to {high:.2f})"

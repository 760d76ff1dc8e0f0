"""Blocks in Markdown; names, findings and commands of others that hold what means something there are text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.model.text import one_line
from weigh.render import blocks
from weigh.render.words import interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$&@!])")
"""What means something in Markdown, or on GitHub calls somebody or another issue."""
_TICKS = re.compile("`+")


def row(cells: Sequence[str]) -> str:
    """One row of a table."""
    return f"| {' | '.join(cells)} |"


def text(raw: str) -> str:
    """A text that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", one_line(raw))


def code(raw: str) -> str:
    """A text as code, whatever backticks are in it."""
    line = one_line(raw, 4000)
    fence = "`" * (1 + max(map(len, _TICKS.findall(line)), default=0))
    return f"{fence} {line} {fence}" if "`" in line else f"{fence}{line}{fence}"


def table(one: blocks.Table) -> Iterator[str]:
    """A table, without the names of its groups."""
    used = [at for at, column in enumerate(one.columns) if column.form in ("", "markdown")]
    yield row([_cell(one.columns[at].heading) for at in used])
    yield row(["--:" if one.columns[at].right else "---" for at in used])
    for group in one.groups:
        for line in group.rows:
            yield row([_cell(line.cells[at]) for at in used])


def _cell(one: blocks.Content) -> str:
    if isinstance(one, blocks.Cell):
        one = one.text if one.page is None else one.page
    if isinstance(one, blocks.Interval):
        return interval(one.low, one.high)
    assert not callable(one)
    parts = one if isinstance(one, tuple) else (one,)
    return text("".join(part.text if isinstance(part, blocks.Part) else part for part in parts))

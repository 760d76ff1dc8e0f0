"""Texts of others in Markdown, shown as they are: names, findings and commands that hold what means something there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.model.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$&@!])")
"""What means something in Markdown, or on GitHub calls somebody or another issue."""
_TICKS = re.compile("`+")


def row(cells: Sequence[str]) -> str:
    """One row of a table."""
    return f"| {' | '.join(cells)} |"


def text(said: str) -> str:
    """A text that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", one_line(said))


def code(said: str) -> str:
    """A text as code, whatever backticks are in it."""
    shown = one_line(said, 4000)
    fence = "`" * (1 + max(map(len, _TICKS.findall(shown)), default=0))
    return f"{fence} {shown} {fence}" if "`" in shown else f"{fence}{shown}{fence}"

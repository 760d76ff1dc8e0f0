"""The shape of the text: columns that fit, words that wrap."""

from __future__ import annotations

import re
import shlex
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WIDTH = 80
"""Columns of the first screen."""
INDENT = 2
_UNBROKEN = "\N{NO-BREAK SPACE}"
_UNIT = re.compile(r"(?<=\d) (?=(%|times|ms|s|min)\b|%)")
"""Between a number and its unit no line ends."""


def wrapped(text: str, width: int = WIDTH, first: str = "  ", then: str = "  ") -> list[str]:
    """A sentence in lines; what has no space, such as a path, is longer than a line rather than broken."""
    lines = textwrap.wrap(
        _UNIT.sub(_UNBROKEN, text),
        width,
        initial_indent=first,
        subsequent_indent=then,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_UNBROKEN, " ") for line in lines]


def side_by_side(lines: Sequence[str], right: Sequence[str], width: int = WIDTH) -> Iterator[tuple[str, str]]:
    """Lines with what stands at the right edge of the first ones, and the space between."""
    for at in range(max(len(lines), len(right))):
        left = lines[at] if at < len(lines) else ""
        word = right[at] if at < len(right) else ""
        yield left + " " * (width - len(left) - len(word) if word else 0), word


def listed(names: Sequence[str], room: int) -> str:
    """As many names as there is room for: ``q3, q5 and 6 more``."""
    for most in range(len(names), 0, -1):
        more = len(names) - most
        text = ", ".join(names[:most]) + (f" and {more} more" if more else "")
        if len(text) <= room or most == 1:
            return text
    return ""


def cut(text: str, room: int) -> str:
    """A text that is too long, with its end cut."""
    return text if len(text) <= room else text[: max(room - 3, 1)] + "..."


def packed(parts: Sequence[str], first: str = "  ", gap: str = " ", width: int = WIDTH) -> list[str]:
    """Parts side by side where there is room for both, else below one another."""
    lines = [first + parts[0]] if parts else []
    for part in parts[1:]:
        if len(lines[-1]) + len(gap) + len(part) <= width:
            lines[-1] += gap + part
        else:
            lines.append(" " * len(first) + part)
    return lines


def _joined(words: Sequence[str]) -> Iterator[str]:
    """Words of a command, a flag with its value as one."""
    flag = ""
    for word in words:
        if flag and word.startswith("-"):
            yield flag
            flag = ""
        if word.startswith("--") and "=" not in word:
            flag = word
        elif flag:
            yield f"{flag} {word}"
            flag = ""
        else:
            yield word
    if flag:
        yield flag


def command(words: str, first: str, width: int = WIDTH) -> list[str]:
    """A command that can be copied: where it goes on, a line ends with a backslash."""
    try:
        parts = [shlex.quote(word) for word in shlex.split(words)]
    except ValueError:
        parts = words.split()
    lines, line, margin = [], first, " " * len(first)
    parts = [*_joined(parts)]
    for at, part in enumerate(parts):
        last = at == len(parts) - 1
        added = line + ("" if line in (first, margin) else " ") + part
        if len(added) + (0 if last else 2) > width and line not in (first, margin):
            lines.append(f"{line} \\")
            line = margin + part
        else:
            line = added
    return [*lines, line]

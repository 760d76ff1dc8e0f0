"""Tables of Markdown, and what a docstring or a help text says in it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = Path(__file__).parents[2]
FOLDER = "docs/reference"
"""Of the pages that are generated: links are relative to it."""

_HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"(`[^`]*`)")
_PAGE = re.compile(r"\((docs/[\w/-]+\.md(?:#[\w-]+)?)\)")
_FLAG = re.compile(r"(?<![\w`-])(--[a-z][\w-]*)")
_ROLE = re.compile(r":[a-z]+:`")
_WORDS = {"None": "null", "True": "true", "False": "false"}
_PYTHON = re.compile(rf"\b({'|'.join(_WORDS)})\b")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar in a cell is escaped."""
    lines = [
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |".replace("|  |", "| |")
        for line in (headings, *rows)
    ]
    return "\n".join((lines[0], f"|{'---|' * len(headings)}", *lines[1:]))


def code(text: str) -> str:
    """Text as code."""
    return f"`{text}`"


def code_flags(text: str) -> str:
    """A text with its flags as code."""
    return _FLAG.sub(r"`\1`", text)


def link(page: str) -> str:
    """A link to a page of the documentation or a part of it, named as its heading: ``docs/concept/cold.md#first``.

    Raises:
        LookupError: there is no such heading.
    """
    path, _, anchor = page.partition("#")
    found = [heading for heading in headings(path) if anchor in ("", anchor_of(heading))]
    if not found:
        raise LookupError(f"{page}: there is no such heading")
    return f"[{found[0]}]({os.path.relpath(path, FOLDER)}{'#' if anchor else ''}{anchor})"


def headings(path: str) -> list[str]:
    """The headings of a page, from the folder of the project."""
    found: list[str] = _HEADING.findall(_FENCE.sub("", (ROOT / path).read_text()))
    return found


def anchor_of(heading: str) -> str:
    """The anchor of a heading, as renderers of Markdown make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def either(words: Sequence[str]) -> str:
    """``a, b or c``."""
    return " or ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def prose(text: str) -> str:
    """What a docstring says, for people who do not write Python: null for None, and ``(docs/PAGE.md)`` is a link.

    Raises:
        LookupError: it refers to a name of the code, or to a heading that is not there.
    """
    plain = " ".join(text.replace("``", "`").split())
    if _ROLE.search(plain):
        raise LookupError(f"only readers of the code can follow: {plain}")
    if not plain.endswith(".."):
        plain = plain.removesuffix(".")
    parts = _CODE.split(_PAGE.sub(lambda found: f"({link(found[1])})", plain))
    # Odd parts are code.
    parts[::2] = [_PYTHON.sub(lambda found: _WORDS[found[1]], part) for part in parts[::2]]
    return "".join(parts)

"""What a text reads as without its escapes, behind which a secret may hide."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from weigh.capture.trace import unescaped

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEP = 4
"""How often escapes stand in one another at most: a document in an address in a document."""
_CODES = re.compile(r"\\+u\{?([0-9a-fA-F]{4,6})\}?|\\\+([0-9a-fA-F]{6})|\\([0-9a-fA-F]{4})|[%](?:25)*u([0-9a-fA-F]{4})")
"""Characters by number: of JSON, of U&'' in SQL (two), of JavaScript's old addresses."""
_OCTAL = re.compile(r"\\([0-3][0-7]{2})")


def readings(text: str) -> Iterator[str]:
    """A text as it stands, and as it reads after each round of taking escapes away, while it changes."""
    yield text
    if "\\" in text and (octal := _OCTAL.sub(lambda one: chr(int(one[1], 8)), text)) != text:
        yield octal
    for _ in range(_DEEP):
        plain = _plain(text)
        if plain == text:
            return
        yield plain
        text = plain


def _plain(text: str) -> str:
    if "\\" in text or "%" in text:
        text = _CODES.sub(_character, text)
    if "\\" in text:
        text = unescaped(text).decode(errors="replace")
    if "%" in text:
        text = unquote(text)
    if "&" in text:
        text = html.unescape(text)
    return text


def _character(code: re.Match[str]) -> str:
    number = int(next(one for one in code.groups() if one), 16)
    return chr(number) if number <= 0x10FFFF else code[0]

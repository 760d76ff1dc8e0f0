"""The regions of docs/reference/glossary.md: the words as reports explain them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference.markdown import table
from weigh.render.glossary import JUDGING, MEASURING

if TYPE_CHECKING:
    from collections.abc import Mapping


def blocks() -> dict[str, str]:
    """Words of measuring, and words of judging."""
    return {"measuring": _words(MEASURING), "judging": _words(JUDGING)}


def _words(words: Mapping[str, str]) -> str:
    return table(("word", "is"), ((f"**{word}**", text) for word, text in words.items()))

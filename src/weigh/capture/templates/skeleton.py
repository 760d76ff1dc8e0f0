"""Templates of texts that differ in nothing but literals: made once, and not for each call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from weigh.capture.templates import template
from weigh.capture.templates.template import Template

if TYPE_CHECKING:
    from weigh.capture.trace import Product

_LITERAL = re.compile(r"(?<!\w)'[^'\\]*(?:''[^'\\]*)*'|(?<![\w.$])\d+(?:\.\d+)?(?![\w.])")
"""Literals of the plain kind: strings without a backslash or a prefix, and numbers without an exponent."""
_MOST = 1 << 22
"""Characters of all skeletons that are remembered; with more, all are forgotten and found again."""
_LONGEST = 20_000


class _Known(msgspec.Struct, frozen=True):
    """A template, and of each value the number of what was bound, or the sign of a literal."""

    template: Template
    places: tuple[int | str, ...]


class Skeletons:
    """Templates of texts of one product, remembered by what is left of a text without its literals.

    That a template holds for every text with its skeleton is checked once: the literals that were cut out are those
    that the tokens of the first such text have, each of them whole. Another text with this skeleton has other values
    between the same quotes, or other digits, and tokens of the same kinds.

    Args:
        product: whose language the texts are in.
    """

    def __init__(self, product: Product) -> None:
        self._product = product
        self._known: dict[str, _Known | None] = {}
        self._room = _MOST

    def of(self, text: str) -> tuple[Template, tuple[str | int, ...]]:
        """As :func:`weigh.capture.templates.template.of_sql`; errors likewise."""
        if len(text) > _LONGEST or "\0" in text:
            return template.of_sql(text, self._product)
        skeleton = _LITERAL.sub(_mark, text)
        known = self._known.get(skeleton)
        if known is not None:
            literals = iter(_LITERAL.findall(text))
            return known.template, tuple(
                [one if isinstance(one, int) else one + next(literals) for one in known.places]
            )
        found, values, spans = template.read(text, self._product)
        if skeleton not in self._known:
            self._remember(skeleton, self._checked(text, found, values, spans))
        return found, values

    def _checked(
        self, text: str, found: Template, values: tuple[str | int, ...], spans: tuple[tuple[int, int], ...]
    ) -> _Known | None:
        """None where tokens and the pattern do not agree on what the literals are."""
        signs = ["-" if text[start] == "-" else "" for start, _ in spans]
        bare = [(start + len(sign), end) for (start, end), sign in zip(spans, signs, strict=True)]
        if bare != [one.span() for one in _LITERAL.finditer(text)]:
            return None
        each = iter(signs)
        return _Known(found, tuple(one if isinstance(one, int) else next(each) for one in values))

    def _remember(self, skeleton: str, known: _Known | None) -> None:
        self._room -= len(skeleton) + 100
        if self._room < 0:
            self._known.clear()
            self._room = _MOST
        self._known[skeleton] = known


def _mark(literal: re.Match[str]) -> str:
    """Stands for a literal, and says whether it is a string or a number; a text with NUL has no skeleton."""
    return "\0'" if literal[0][0] == "'" else "\00"

"""Obfuscation of a capture: what passes from a source to the folder becomes what the same key makes of the data."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from weigh.capture import redis_words
from weigh.obfuscation import statement
from weigh.obfuscation.literals import Unreplaceable, bound, literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.capture.parameters import Distribution
    from weigh.capture.templates.template import Template
    from weigh.capture.trace import Product
    from weigh.obfuscation.literals import Role
    from weigh.obfuscation.mapping import Mapping
    from weigh.obfuscation.results import Types
    from weigh.obfuscation.statement import Rewritten

_DIALECTS = {"postgres": "postgres", "mysql": "mysql"}
_MOST = 20_000
"""Statements that are remembered."""


class Obfuscation:
    """Replaces names, values and sessions.

    Args:
        mapping: decides.
        product: whose language the statements are in.
        types: of columns; None where they are not known.
    """

    def __init__(self, mapping: Mapping, product: Product, types: Types | None = None) -> None:
        self._mapping = mapping
        self._types = types
        self._product = product
        self._known: dict[tuple[str, tuple[bool, ...]], Rewritten | None] = {}
        self.session = lru_cache(maxsize=16_384)(self._session)

    @property
    def key(self) -> str:
        """Tells which key it is of, and nothing of the key."""
        return self._mapping.key.id

    def statement(self, found: Template, places: Sequence[str | int]) -> Rewritten:
        """Without its names.

        Args:
            found: its template.
            places: its literals, and numbers of what was bound.

        Raises:
            Unreplaceable: it cannot be taken apart.
        """
        # The parser says of a number what it does not say of a text in its place.
        key = found.key, tuple(isinstance(one, str) and not one[-1:].isdigit() for one in places)
        if key not in self._known:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[key] = self._rewritten(found, places)
        made = self._known[key]
        if made is None:
            raise Unreplaceable
        return made

    def values(
        self, found: Template, places: Sequence[str | int], values: Sequence[str | None]
    ) -> tuple[str | None, ...]:
        """Of one call.

        Raises:
            Unreplaceable: one of them cannot be replaced.
        """
        if self._product == "redis":
            return redis_words.replaced(found.first, [one or "" for one in values], self._mapping)
        roles = self.statement(found, places).roles
        return tuple(
            self._value(value, role, form) for value, role, form in zip(values, roles, found.forms, strict=True)
        )

    def distributions(
        self, found: Template, places: Sequence[str | int], given: Sequence[Distribution | None]
    ) -> list[Distribution | None]:
        """Of the values of a statement of which there are totals.

        Raises:
            Unreplaceable: one of them cannot be replaced.
        """
        roles = self.statement(found, places).roles
        return [
            None if one is None else one.images(lambda text, role=role, form=form: self._value(text, role, form) or "")  # type: ignore[misc]
            for one, role, form in zip(given, roles, found.forms, strict=True)
        ]

    def _rewritten(self, found: Template, places: Sequence[str | int]) -> Rewritten | None:
        if self._product == "redis":
            return statement.Rewritten(pieces=found.pieces, roles=())
        parts = found.pieces, [one if isinstance(one, str) else None for one in places]
        dialect = _DIALECTS[self._product]
        try:
            if found.does in ("control", "utility"):
                return statement.control(*parts, dialect, self._mapping)
            return statement.rewritten(*parts, dialect, self._mapping, self._types)
        except Unreplaceable:
            return None

    def _value(self, value: str | None, role: Role, form: str) -> str | None:
        if value is None or form == "bound":
            return bound(value, role, self._mapping)
        return literal(value, role, self._mapping, escapes=self._product == "mysql")

    def _session(self, session: str) -> str:
        """Of a session: of MONITOR it is an address."""
        return self._mapping.key.derived(f"session {session}").hex()[:12] if session else ""

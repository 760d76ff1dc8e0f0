"""A row of the catalogue."""

from __future__ import annotations

import msgspec

from weigh.model.codes.code import Page


class Lie(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the catalogue.

    Attributes:
        id: as findings carry it.
        lie: what is done.
        answer: what weigh does about it.
        page: of the documentation that says more.
    """

    id: str
    lie: str
    answer: str
    page: Page


def rows(*rows: tuple[str, Page, str, str]) -> tuple[Lie, ...]:
    """Rows of a family: id, page, lie, answer."""
    return tuple(Lie(id=id_, lie=lie, answer=answer, page=page) for id_, page, lie, answer in rows)

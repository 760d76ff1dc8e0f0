"""Traces that are made, statement by statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.capture.trace import Call, Header, Statement, write

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from weigh.capture.trace import Does, Product

KNOWS = ("session", "duration", "rows", "parameters")


class Said:
    """A statement of a session, at a moment.

    Args:
        at: seconds.
        session: whose.
        text: with ``{}`` in the place of each value.
        values: literals; or of ``bound``, what was bound.
        rows: that it had.
        does: what it does.
        bound: whether the values were sent alongside the text.
        error: of it.
    """

    def __init__(
        self,
        at: float,
        session: str,
        text: str,
        *values: str | None,
        rows: int | None = None,
        does: Does | None = None,
        bound: bool = False,
        error: str | None = None,
        seconds: float = 0.001,
    ) -> None:
        self.at, self.session, self.text, self.values, self.rows = at, session, text, values, rows
        self.bound, self.error, self.seconds = bound, error, seconds
        first = text.split(" ", 1)[0].upper()
        control = first in ("BEGIN", "COMMIT", "ROLLBACK")
        reads = first in ("SELECT", "GET")
        self.does: Does = does or ("control" if control else "reads" if reads else "writes")


def made(path: Path, said: Iterable[Said], product: Product = "postgres", knows: tuple[str, ...] = KNOWS) -> Path:
    """Write a trace of them."""
    texts: dict[tuple[str, bool], int] = {}
    known: list[Statement] = []
    calls = []
    for one in sorted(said, key=lambda said: said.at):
        key = (one.text, one.bound)
        if key not in texts:
            texts[key] = len(known)
            pieces = tuple(one.text.split("{}"))
            forms = ("bound" if one.bound else "literal",) * (len(pieces) - 1)
            known.append(Statement(number=len(known), pieces=pieces, forms=forms, does=one.does))
        calls.append(
            Call(
                at_s=one.at,
                session=one.session,
                statement=texts[key],
                parameters=one.values,
                duration_s=one.seconds,
                rows=one.rows,
                error=one.error,
            )
        )
    header = Header(
        product=product,
        begun="2026-01-01T00:00:00Z",
        calls=0,
        length_s=0.0,
        statements=tuple(known),
        knows=knows,
    )
    write(path, header, calls)
    return path

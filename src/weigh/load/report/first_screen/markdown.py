"""The first screen of a load in Markdown, for a comment on a pull request or the summary of a CI job."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from weigh.render.markdown import code, row, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.report.first_screen.screen import LoadScreen


def markdown(screen: LoadScreen) -> str:
    """The sentences, the table, and how to do it again."""
    return "\n".join(_lines(screen))


def _lines(screen: LoadScreen) -> Iterator[str]:
    first, *others = screen.says
    yield f"**{text(first)}**" + ("  " if others else "")
    yield from (f"{text(said)}  " for said in others)
    yield ""
    yield text(f"{screen.why or f'{str(screen.tier).capitalize()}.'} {screen.under}")
    if screen.table:
        yield ""
        yield row([text(one) for one in screen.table.headings])
        yield row(["---", *(["--:"] * (len(screen.table.headings) - 2)), "---"])
        yield from (row([text(cell) for cell in (one.name, *one.cells, one.meaning)]) for one in screen.table.rows)
        if screen.table.note:
            yield ""
            yield text(screen.table.note)
    if screen.beside:
        yield ""
        yield from (f"{text(said)}  " for said in screen.beside)
    yield ""
    yield f"Evidence: {code(f'weigh report {quote(screen.evidence)} --notes')}"
    if screen.again:
        yield ""
        yield f"Again: {code(screen.again)}"

"""A profile as one self-contained page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.experiment.profile import words
from weigh.render.html import templates

if TYPE_CHECKING:
    from weigh.experiment.profile.results import ProfiledChange, WhyResults

_FUNCTIONS = 40
"""Rows of a table of functions; the folded stacks have all."""


def page(found: WhyResults, folder: Path) -> bytes:
    """The whole page.

    Args:
        found: what was found.
        folder: with the drawings, which were escaped when they were made.
    """
    drawings = {one.folder: _drawings(folder / one.folder) for one in found.changes if one.folder}
    template = templates(Path(__file__).parent / "templates").get_template("why.html")
    text = template.render(
        found=found, drawings=drawings, words=words, environment=None, functions=_FUNCTIONS, title=_title(found)
    )
    return text.encode()


def _title(found: WhyResults) -> str:
    first: ProfiledChange = found.changes[0]
    return f"{first.operation}: {words.heading(first)}"


def _drawings(place: Path) -> dict[str, Markup]:
    return {file.name: Markup(file.read_text()) for file in sorted(place.glob("*.svg"))}

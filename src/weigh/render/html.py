"""The templates of every page, and how values are put into them."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from weigh.model import units
from weigh.model.text import one_line
from weigh.render.svg import marks


@functools.cache
def templates(*folders: Path) -> Environment:
    """Templates with their filters, for every page.

    Args:
        folders: where a capability keeps its own; what all pages share lies beside this file.
    """
    made = Environment(
        loader=FileSystemLoader([*folders, Path(__file__).parent / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        finalize=_visible,
    )
    made.filters.update(
        line=one_line,
        seconds=units.seconds,
        size=units.size,
        percent=units.percent,
        scale=units.scale,
        count=units.count,
    )
    made.globals.update(definitions=marks.definitions, style=marks.style)
    return made


def _visible(value: Any) -> Any:
    """Text with control characters visible instead of in force; line breaks and what is markup already stay."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    if value.isprintable():
        return value
    return "".join(
        char if char.isprintable() or char in "\n\t" else char.encode("unicode_escape").decode() for char in value
    )

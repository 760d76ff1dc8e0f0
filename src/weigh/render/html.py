"""The templates of every page, and how values are put into them."""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from weigh.model import codes, units
from weigh.model.text import begun, one_line, visible
from weigh.render.compiled_templates import CompiledTemplates
from weigh.render.svg import marks

if TYPE_CHECKING:
    from weigh.model.codes.code import Entry

_OPTION = 30
"""Characters of an option that fit on a line of any screen."""


class ExplainedCodes:
    """The codes that a page names: each is a link to its meaning at the end of the page (codes.html)."""

    def __init__(self) -> None:
        self._named: set[str] = set()

    def link(self, code: str) -> Markup:
        """A code as a link; as it is where the registry does not know it."""
        name = Markup("<code>{}</code>").format(_visible(code))
        if code not in codes.REGISTRY:
            return name
        self._named.add(code)
        return Markup('<a href="#{}">{}</a>').format(code, name)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Those that were named so far, in the order of the registry."""
        return tuple(one for code, one in codes.REGISTRY.items() if code in self._named)


@functools.cache
def templates(*folders: Path) -> Environment:
    """Templates with their filters, for every page.

    Args:
        folders: where a capability keeps its own; what all pages share lies alongside this file.
    """
    made = Environment(
        loader=FileSystemLoader([*folders, Path(__file__).parent / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        finalize=_visible,
        bytecode_cache=CompiledTemplates(sys.modules[one.__module__] for one in (_visible, one_line, units.seconds)),
    )
    made.filters.update(
        line=one_line,
        seconds=units.seconds,
        size=units.size,
        percent=units.percent,
        scale=units.scale,
        count=units.count,
        begun=begun,
        command=_command,
    )
    made.globals.update(definitions=marks.definitions, style=marks.style)
    return made


def _command(text: str) -> Markup:
    """A command line: browsers end lines behind hyphens, and an option without its own is another text."""
    words = re.split(r"(\s+)", visible(text))
    return Markup().join(
        Markup('<span class="nw">{}</span>').format(word) if word.startswith("-") and len(word) <= _OPTION else word
        for word in words
    )


def _visible(value: Any) -> Any:
    """Text as :func:`weigh.model.text.visible` shows it; what is markup already stays."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

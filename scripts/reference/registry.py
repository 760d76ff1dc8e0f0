"""The regions of docs/reference/lies.md and findings.md: the catalogue of lies, and every code of the registry."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from reference.markdown import FOLDER, code, table
from weigh.lies import CATALOGUE
from weigh.model import codes

if TYPE_CHECKING:
    from weigh.model.codes.code import Page

_FAMILIES = {
    "A": "answers",
    "D": "data",
    "E": "environment",
    "L": "load",
    "M": "metrics",
    "R": "reports",
    "T": "times",
    "X": "everything else",
}


def lies() -> dict[str, str]:
    """The table of the catalogue."""
    rows = [(one.id, one.lie, one.answer, _link(one.page, "lies.md")) for one in CATALOGUE]
    return {"lies": table(("id", "lie", "what weigh does", "more"), rows)}


def findings() -> dict[str, str]:
    """All codes, a table for each family."""
    parts = []
    for letter, name in _FAMILIES.items():
        rows = [
            (code(one.code), one.gravity, one.means, _link(one.page, "findings.md"))
            for one in codes.REGISTRY.values()
            if one.code.startswith(letter)
        ]
        parts.append(f"## {letter}: {name}\n\n{table(('code', 'severity', 'says', 'more'), rows)}")
    return {"findings": "\n\n".join(parts)}


def _link(to: Page, page: str) -> str:
    """A link from a page of the reference to another one of the documentation."""
    same_page = to.heading and f"{Path(FOLDER).name}/{page}" == to.path
    target = f"#{to.anchor}" if same_page else os.path.relpath(f"docs/{to.link}", FOLDER)
    return f"[{to.heading or Path(to.path).stem.replace('-', ' ')}]({target})"

"""Fill the generated blocks of Markdown pages: ``write_reference.py [--check] FILE_OR_FOLDER...``.

A block lies between ``<!-- generated: NAME -->`` and ``<!-- end of generated -->``. What stands in it follows from the
code. With ``--check`` nothing is written, and the exit code is 1 where a page would change.

A generator is one line of GENERATORS: the beginning of the names of its blocks, and a function of the rest of the name
and of the page that returns Markdown. Blocks without a generator stay as they are, and are named.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.lies import CATALOGUE
from weigh.model import codes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from weigh.model.codes.code import Page

_DOCS = "docs"
_BLOCK = re.compile(r"(<!-- generated: (.+?) -->\n)(.*?)(<!-- end of generated -->)", re.DOTALL)
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


def lies(_: str, page: Path) -> str:
    """The table of the catalogue."""
    rows = [(one.id, one.lie, one.answer, _link(one.page, page)) for one in CATALOGUE]
    return _table(("id", "lie", "what weigh does", "more"), rows)


def findings(_: str, page: Path) -> str:
    """All codes, a table for each family."""
    parts = []
    for letter, name in _FAMILIES.items():
        rows = [
            (f"`{one.code}`", one.gravity, one.means, _link(one.page, page))
            for one in codes.REGISTRY.values()
            if one.code.startswith(letter)
        ]
        parts.append(f"## {letter}: {name}\n\n{_table(('code', 'severity', 'says', 'more'), rows)}")
    return "\n".join(parts)


GENERATORS: dict[str, Callable[[str, Path], str]] = {
    "findings": findings,
    "lies": lies,
}


def filled(text: str, page: Path) -> tuple[str, list[str]]:
    """The page with its blocks generated, and the names of blocks that nothing generates."""
    unknown = []

    def block(found: re.Match[str]) -> str:
        begin, name, _, end = found.groups()
        for start, generator in GENERATORS.items():
            if name == start or name.startswith(f"{start} "):
                return f"{begin}\n{generator(name[len(start) :].strip(), page)}\n{end}"
        unknown.append(name)
        return found[0]

    return _BLOCK.sub(block, text), unknown


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown; a bar inside a cell stays one."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"|{'|'.join(_cell(cell) for cell in line)}|\n" for line in lines)


def _cell(text: str) -> str:
    """A cell with spaces around it; the line under the head has none."""
    return text if text == "---" else f" {text.replace('|', chr(92) + '|')} ".replace("  ", " ")


def _link(to: Page, page: Path) -> str:
    """A link from a page to another one of the documentation."""
    parts = page.resolve().parts
    folder = Path(*parts[len(parts) - parts[::-1].index(_DOCS) : -1]) if _DOCS in parts else Path()
    own = to.heading and str(folder / page.name) == to.path
    target = f"#{to.anchor}" if own else os.path.relpath(to.link, folder)
    return f"[{to.heading or Path(to.path).stem.replace('-', ' ')}]({target})"


def main() -> int:
    """Fill, or check, every page named."""
    arguments = [one for one in sys.argv[1:] if one != "--check"]
    check = "--check" in sys.argv[1:]
    stale = 0
    for name in map(Path, arguments):
        for page in sorted(name.rglob("*.md")) if name.is_dir() else [name]:
            text = page.read_text()
            new, unknown = filled(text, page)
            for one in unknown:
                print(f"{page}: nothing generates '{one}'", file=sys.stderr)
            if new == text:
                continue
            stale += 1
            if check:
                print(f"{page}: out of date; run {Path(__file__).name} on it", file=sys.stderr)
            else:
                page.write_text(new)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())

"""Fill the generated regions of docs: ``PYTHONPATH=scripts python -m reference [--check]``.

A region lies between ``<!-- generated: NAME -->`` and ``<!-- end of generated -->``. With ``--check`` nothing is
written, and the exit code is 1 where a page would change. A page is one line of PAGES: its name, and a function that
returns the contents of all its regions by name.
"""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from reference import ci_jobs, commands, glossary, json_documents, promises, registry, systems, weigh_toml
from type_table import page as types

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DOCS = Path(__file__).parents[2] / "docs" / "reference"
PAGES: dict[str, Callable[[], dict[str, str]]] = {
    "../guide/ci.md": ci_jobs.blocks,
    "commands.md": commands.blocks,
    "findings.md": registry.findings,
    "glossary.md": glossary.blocks,
    "json.md": json_documents.blocks,
    **{page: functools.partial(json_documents.blocks, page) for page in json_documents.PAGES},
    "lies.md": registry.lies,
    "promises.md": promises.blocks,
    "systems.md": systems.blocks,
    "types.md": types.blocks,
    "weigh-toml.md": weigh_toml.blocks,
}
REMEDY = "make format"
REGION = re.compile(r"(<!-- generated: ([^\n]+?) -->)\n.*?(<!-- end of generated -->)", re.DOTALL)
"""One that is empty, too: what writes it anew must not run on into the next."""


def filled(page: str, blocks: Mapping[str, str]) -> str:
    """A page with its regions written anew.

    Raises:
        KeyError: nothing writes a region that it names.
    """
    return REGION.sub(lambda found: f"{found[1]}\n\n{blocks[found[2]]}\n\n{found[3]}", page)


def main() -> int:
    """Write every page; with ``--check`` only say which differ."""
    check = "--check" in sys.argv
    stale = 0
    for name, blocks in PAGES.items():
        page = DOCS / name
        old = page.read_text()
        new = filled(old, blocks())
        if new == old:
            continue
        stale += 1
        if check:
            print(f"{page}: it is not what the code says; {REMEDY} writes it", file=sys.stderr)
        else:
            page.write_text(new)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())

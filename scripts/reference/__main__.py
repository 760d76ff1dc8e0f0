"""Write the generated regions of docs/reference: ``PYTHONPATH=scripts python -m reference [--check]``."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from reference import commands, json_documents, weigh_toml

if TYPE_CHECKING:
    from collections.abc import Mapping

DOCS = Path(__file__).parents[2] / "docs" / "reference"
PAGES = {"commands.md": commands, "weigh-toml.md": weigh_toml, "json.md": json_documents}
REGION = re.compile(r"(<!-- generated: (.+?) -->\n\n).*?(\n\n<!-- end of generated -->)", re.DOTALL)


def filled(page: str, blocks: Mapping[str, str]) -> str:
    """A page with its regions written anew.

    Raises:
        KeyError: nothing writes a region that it names.
    """
    return REGION.sub(lambda found: f"{found[1]}{blocks[found[2]]}{found[3]}", page)


def main() -> int:
    """Write every page; with ``--check`` only say which differ."""
    differ = []
    for name, module in PAGES.items():
        page = DOCS / name
        old = page.read_text()
        new = filled(old, module.blocks())
        if new != old:
            differ.append(page)
            if "--check" not in sys.argv:
                page.write_text(new)
    for page in differ:
        print(page, file=sys.stderr)
    return 1 if differ and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())

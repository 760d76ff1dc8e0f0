"""What the site of docs/ needs besides: anchors as in the repository, and no links to files outside of docs/.

A hook of mkdocs (mkdocs.yml).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_LINK = re.compile(r"(\[(?:[^\[\]]|\[[^\]]*\])*\])\(((?:\.\./)+[^)#\s]*)(#[^)\s]*)?\)")


def anchor(heading: str, _separator: str) -> str:
    """The anchor of a heading, as scripts/check_links.py has it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def on_page_markdown(markdown: str, *, page: Any, **_more: Any) -> str:
    """A page whose links to files outside of docs/ say the file's name: the site has none of them."""
    folder = (ROOT / "docs" / page.file.src_uri).parent

    def replaced(found: re.Match[str]) -> str:
        target = (folder / found[2]).resolve()
        if target.is_relative_to(ROOT / "docs"):
            return f"{found[1]}({os.path.relpath(target, folder)}{found[3] or ''})"
        return f"{found[1][1:-1]} (`{target.relative_to(ROOT)}`)"

    return _LINK.sub(replaced, markdown)

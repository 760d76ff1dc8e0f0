"""Find dead relative links and missing anchors' files in Markdown: ``check_links.py FILE_OR_FOLDER...``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

_LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)


def anchors(text: str) -> set[str]:
    """Anchors of a page's headings, as renderers of Markdown make them."""
    headings = _HEADING.findall(_FENCE.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def dead(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    found = []
    for target in _LINK.findall(_FENCE.sub("", page.read_text())):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        if not file.exists():
            found.append(f"{page}: {target} is not there")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
            found.append(f"{page}: {target} has no such heading")
    return found


def main() -> int:
    """Check every page named."""
    pages = []
    for name in map(Path, sys.argv[1:]):
        pages += sorted(name.rglob("*.md")) if name.is_dir() else [name]
    problems = [problem for page in pages for problem in dead(page)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

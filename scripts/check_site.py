"""Whether a site loads anything from elsewhere, and can be searched: ``check_site.py FOLDER``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

_LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//[^"'\s>]+"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|preload|preconnect|icon))[^>]*\bhref=["']?(?:https?:)?//[^"'\s>]+"""
)
_IN_STYLES = re.compile(r"""(?:@import\s+|url\()\s*["']?(?:https?:)?//[^"')\s]+""")


def loaded(folder: Path) -> list[str]:
    """What pages and styles load from other hosts."""
    found = []
    for path in sorted(folder.rglob("*")):
        pattern = {".html": _LOADED, ".css": _IN_STYLES}.get(path.suffix)
        if pattern:
            found += [f"{path.relative_to(folder)}: {one[0]}" for one in pattern.finditer(path.read_text())]
    return found


def main() -> int:
    """Check a site."""
    folder = Path(sys.argv[1])
    problems = loaded(folder)
    if not (folder / "search" / "search_index.json").is_file():
        problems.append("there is no index to search")
    for line in problems:
        print(line, file=sys.stderr)
    print(f"{folder}/index.html: {len(list(folder.rglob('*.html')))} pages")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

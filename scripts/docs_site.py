"""What the site of docs/ needs besides: anchors as in the repository, links to codes, none to files outside of docs/.

A hook of mkdocs (mkdocs.yml).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from weigh.render.glossary import explained

ROOT = Path(__file__).parents[1]
_LINK = re.compile(r"(\[(?:[^\[\]]|\[[^\]]*\])*\])\(((?:\.\./)+[^)#\s]*)(#[^)\s]*)?\)")


_CODE = re.compile(r"<code>((?:[A-Z]\d*)\.[a-z_]+)</code>")
_FINDINGS = "reference/findings.md"
_GLOSSARY = "reference/glossary.md"


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


def on_page_content(html: str, *, page: Any, files: Any, **_more: Any) -> str:
    """A page whose codes of findings link to what they mean, and that ends with a link to the words that weigh uses."""
    source, here = page.file.src_uri, Path(page.file.url).parent
    if source == _FINDINGS:
        return re.sub(r"<td><code>([A-Z]\d*(?:\.[a-z_]+)?)</code></td>", r'<td id="\1"><code>\1</code></td>', html)
    known = _known()
    findings, glossary = (os.path.relpath(files.get_file_from_path(one).url, here) for one in (_FINDINGS, _GLOSSARY))

    def linked(found: re.Match[str]) -> str:
        return f'<a href="{findings}#{found[1]}">{found[0]}</a>' if found[1] in known else found[0]

    parts = re.split(r"(<a\b.*?</a>|<h\d.*?</h\d>|<pre.*?</pre>)", html, flags=re.DOTALL)
    html = "".join(part if at % 2 else _CODE.sub(linked, part) for at, part in enumerate(parts))
    words = f'\n<p><small>Words such as start, block, life, tier: <a href="{glossary}">glossary</a>.</small></p>'
    return html if source == _GLOSSARY else explained(html) + words


def _known() -> set[str]:
    """The codes that have a row of their own."""
    return set(re.findall(r"^\| `([A-Z]\d*\.[a-z_]+)` \|", (ROOT / "docs" / _FINDINGS).read_text(), re.MULTILINE))

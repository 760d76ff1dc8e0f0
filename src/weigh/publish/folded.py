"""Folded parts of pages that several have alike, such as how the columns of the same files are stored.

They are a quarter of most pages. The first page of a site that has one keeps it; in the others a link leads there.
"""

from __future__ import annotations

import re

from markupsafe import escape

from weigh._native import hash_bytes

_LEAST = 1024
"""Bytes of a part from which on a link is worth the step."""
_PART = re.compile(
    rb"<details>(<summary>((?:(?!</?details|<summary).)*?)</summary>(?:(?!</?details).)*)</details>", re.DOTALL
)
"""A folded part without another one inside: its content, and what it is called."""


def once(page: bytes, name: str, known: dict[str, str]) -> bytes:
    """A page without the parts that an earlier page of the site has word for word.

    Args:
        page: the page.
        name: its file, alongside which the others lie.
        known: the page that keeps each part, by its id, to which those of this page are added.
    """

    def one(match: re.Match[bytes]) -> bytes:
        content, called = match[1], match[2]
        if len(content) < _LEAST:
            return match[0]
        part = f"part-{hash_bytes(content)[:12]}"
        first = known.setdefault(part, name)
        if first == name:
            return b'<details id="%s">%s</details>' % (part.encode(), content)
        link = f'<a href="{escape(first)}#{part}">'.encode()
        return b"<p>" + link + called + b'</a> <span class="muted">(the same as there)</span></p>'

    return _PART.sub(one, page)

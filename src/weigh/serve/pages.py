"""The pages of the server: the list, two evidences side by side, and what is refused."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote_to_bytes, urlencode

from weigh.evidence import files
from weigh.experiment.profile.files import PAGE as WHY
from weigh.render.html import templates
from weigh.serve.filters import CHOICES, Filter

if TYPE_CHECKING:
    from weigh.model.errors import WeighError
    from weigh.serve.index import Index
    from weigh.serve.side_by_side import SideBySide

PER_PAGE = 100
"""Rows of a page of the list."""
_HERE = Path(__file__).parent / "templates"
_POLICY = re.compile(rb'<meta http-equiv="Content-Security-Policy" content="([^"<>]*)">')
SANDBOX = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""Of a page that is shown as it lies there: whoever wrote it chose no policy, and it is led nowhere."""
_AS_IT_LIES = b"""
<header style="padding-top:6px"><p style="margin:0" class="meta">The page as <code>weigh why</code> wrote it:
it is no evidence, and nothing verifies it.</p></header>"""
_BACK = b"""<body>
<header style="padding-top:12px"><p style="margin:0" class="eyebrow"><a href="/">All evidence</a></p></header>"""


def artifact_address(path: Path) -> str:
    """Where the page of a profile is; empty where it has none."""
    return f"/why/{token(path.name)}" if files.is_regular(path / WHY) else ""


def address(name: str) -> str:
    """Where the page of an evidence is."""
    return f"/evidence/{token(name)}"


def listed(index: Index, selection: Filter, page: int, first: str) -> bytes:
    """The list.

    Args:
        index: of the folder.
        selection: what of it is to be shown.
        page: which hundred, from 1.
        first: the evidence that another is to be compared with; empty where none was chosen.
    """
    every = index.entries()
    entries = selection.entries(every)
    if selection.reads:
        rows = selection.rows(index.rows(entries))
        found = len(rows)
        pages = _pages(found)
        page = min(page, pages)
        entries_of_page = rows[(page - 1) * PER_PAGE : page * PER_PAGE]
    else:
        found = len(entries)
        pages = _pages(found)
        page = min(page, pages)
        entries_of_page = index.rows(entries[(page - 1) * PER_PAGE : page * PER_PAGE])
    return _rendered(
        "list.html",
        folder=str(index.folder),
        selection=selection,
        choices=CHOICES,
        total=len(every),
        found=found,
        page=page,
        pages=pages,
        begins=(page - 1) * PER_PAGE + 1,
        rows=entries_of_page,
        others=index.artifacts(),
        artifact_address=artifact_address,
        first=first,
        token=token,
        compared=lambda row: compared(first, row.name),
    )


def compared(first: str, second: str) -> str:
    """Where the comparison of two evidences is."""
    return f"/compare?{urlencode({'first': token(first), 'second': token(second)})}"


def side_by_side(found: SideBySide) -> bytes:
    """Two evidences that are not joined."""
    return _rendered("side_by_side.html", found=found, swapped=compared(found.second.name, found.first.name))


def refused(error: WeighError, title: str) -> bytes:
    """Why there is no page."""
    return _rendered("refused.html", title=title, error=error)


def framed(page: bytes) -> bytes:
    """A report with the way back to the list."""
    return page.replace(b"<body>", _BACK, 1)


def profile(path: Path) -> bytes:
    """The page of a profile, as it lies there, with the way back.

    Raises:
        OSError: it cannot be read.
    """
    return files.content(path / WHY).replace(b"<body>", _BACK + _AS_IT_LIES, 1)


def policy(page: bytes) -> str:
    """The policy that a page declares of itself, to be sent with it; the strictest one where it declares none."""
    # It stands before anything that evidence put into the page.
    found = _POLICY.search(page[:1000])
    declared = found[1].decode() if found else "default-src 'none'"
    return f"{declared}; frame-ancestors 'none'"


def _rendered(template: str, **values: Any) -> bytes:
    text = templates(_HERE).get_template(template).render(environment=None, forms=True, address=address, **values)
    return text.encode()


def _pages(rows: int) -> int:
    return max(1, -(-rows // PER_PAGE))


def token(name: str) -> str:
    """A name of a file as part of an address or a form; it need not be text."""
    return quote(os.fsencode(name), safe="")


def named(token: str) -> str:
    """The name of a file that a part of an address stands for."""
    return os.fsdecode(unquote_to_bytes(token))

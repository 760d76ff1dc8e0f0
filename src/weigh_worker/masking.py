"""Passwords in texts of others: found as they are, and as programs write texts that hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_BY_CHANCE = 3
"""Characters of a password that any text has."""


def masked(text: str, secrets: Iterable[str]) -> str:
    """A text without these passwords; one of three characters is found by chance in any.

    A password that is repeated in part is not found.
    """
    for form in forms(secrets):
        text = text.replace(form, "***")
    return text


def forms(secrets: Iterable[str]) -> list[str]:
    """What is searched for, the longest first: one of them may be a part of another one."""
    found = {form for secret in secrets for form in _forms(secret) if len(form) > _BY_CHANCE}
    return sorted(found, key=len, reverse=True)


def _forms(secret: str) -> set[str]:
    """A password, and how it is read, quoted, encoded and cut at its ends on the way into a message."""
    # Not before a text has to be masked: what a life imports decides how long its start takes.
    import base64
    import html
    import json
    from urllib.parse import quote, quote_plus

    plain = {secret, secret.strip(), *secret.splitlines()}
    # One character set written, another one read.
    plain |= {one.encode().decode("latin-1") for one in plain}
    plain |= {one.encode("latin-1", "replace").decode(errors="replace") for one in plain}
    found = set(plain)
    for one in plain:
        # With both quotation marks before it, the marks in it are escaped as repr() has them in a longer text.
        for written in (repr("\"'" + one)[4:-1], ascii("\"'" + one)[4:-1], repr(b"\"'" + one.encode())[5:-1]):
            found |= {written, written.replace("\\'", "'")}
        found |= {json.dumps(one)[1:-1], json.dumps(one, ensure_ascii=False)[1:-1]}
        found |= {quote(one), quote(one, safe=""), quote_plus(one), html.escape(one), one.replace("'", "''")}
        found |= {base64.b64encode(one.encode(code, "replace")).decode() for code in ("utf-8", "latin-1")}
    return found

"""Texts as SQL writes them."""

from __future__ import annotations


def text(value: str) -> str:
    """A literal; what a terminal would obey is no text of a script either."""
    if value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    escaped = "".join(one if one.isprintable() and one not in "'\\" else f"\\U{ord(one):08x}" for one in value)
    return f"e'{escaped}'"

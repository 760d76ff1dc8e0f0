"""How DuckDB reads a CSV, and how names and texts are written in its SQL."""

from __future__ import annotations

from typing import Any

SNIFFED = (
    'Delimiter AS delimiter, Quote AS quote, Escape AS escape, "Comment" AS comment, SkipRows AS skipped, '
    "HasHeader AS header, DateFormat AS dates, TimestampFormat AS times"
)
"""Columns of ``sniff_csv``."""


def mark(sniffed: Any) -> str:
    """A character that it found; empty for none."""
    return "" if sniffed in (None, "(empty)", "\0", "") else str(sniffed)


def literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'

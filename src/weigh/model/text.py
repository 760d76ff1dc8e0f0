"""Text from outside: what an engine, a file or a tool said, made safe to print."""

from __future__ import annotations


def one_line(text: str, limit: int = 600) -> str:
    """A text on one line, with control characters visible instead of in force.

    An error message may hold line breaks that tear a table apart, escape codes that a terminal obeys, and megabytes.

    Args:
        text: as it came.
        limit: characters to keep; the evidence has the rest.
    """
    line = " ".join(text.split())
    line = line if len(line) <= limit else line[:limit] + "..."
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in line)

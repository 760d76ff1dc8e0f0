"""Text from outside: what an engine, a file or a tool said, made safe to print."""

from __future__ import annotations

import re

_COMMANDS = ("weigh", "pip", "uv")
"""What a remedy may begin with."""
_PASSWORD = re.compile(r"(:/{1,2}[^\s:@/]*):[^\s@/]*@")
"""Of a URL, also where a path was made of it, which leaves one of two slashes."""

_ADDED = re.compile(
    r"\s*(?:Resolved plan until failure:|LINE \d+:|: In scope SELECT\b|\n\s*DETAIL:|Candidate functions:)"
)
"""What Polars, PostgreSQL and DuckDB, and ClickHouse write behind the reason."""


def visible(text: str) -> str:
    """A text with everything visible that a terminal or a browser would obey, or show nothing of.

    Escape codes, C1 controls, marks that turn the direction of writing round, characters of no width, and bytes of
    file names that are no text become their escapes; line breaks and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in "\n\t" else char.encode("unicode_escape").decode() for char in text
    )


def without_passwords(text: str) -> str:
    """A text with ``***`` in the place of each password of a URL."""
    return _PASSWORD.sub(r"\1:***@", text)


def one_line(text: str, limit: int = 600) -> str:
    """A text on one line, with control characters visible instead of in force.

    An error message may hold line breaks that tear a table apart, escape codes that a terminal obeys, and megabytes.

    Args:
        text: as it came.
        limit: characters to keep; the evidence has the rest.
    """
    line = " ".join(text.split())
    return visible(line if len(line) <= limit else line[:limit] + "...")


def begun(text: str) -> str:
    """A text as a sentence or a heading begins; a command stays as it is typed."""
    return text if text.partition(" ")[0] in _COMMANDS else text[:1].upper() + text[1:]


def reason(text: str) -> str:
    """Why an engine refused, without the plan, the place in the query and the query itself that some add to it."""
    return _ADDED.split(text, maxsplit=1)[0].strip() or text


def whole_sentences(text: str, room: int) -> str:
    """As many sentences as there is room for, and at least the first one.

    Args:
        text: on one line.
        room: characters.
    """
    while len(text) > room and ". " in text:
        text = text.rpartition(". ")[0]
    return text


def sentences(text: str) -> str:
    """A message of several lines on one, a full stop between two of them; items of a list lose their hyphens."""
    lines = [line.strip().removeprefix("- ") for line in text.splitlines()]
    *first, last = [line for line in lines if line] or [""]
    return " ".join([*(line if line[-1] in ".:;,?!" else f"{line}." for line in first), last])


def unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Why a file of text was not read, without the path, which stands before it."""
    if isinstance(error, UnicodeDecodeError):
        return f"it cannot be read: byte {error.start + 1:,} is no UTF-8 text"
    return f"it cannot be read: {error.strerror or error}"

"""Texts of TPC-DS as engines get them: what the specification leaves open is said, what a dialect lacks is written
otherwise. Each change is of a few words, and listed here."""

from __future__ import annotations

import re

_WORDS = re.compile(
    r"'(?:[^']|'')*'|\"[^\"]*\"|\border\s+by\b|\b(?:limit|rows|range)\b|[(),;]|\bnulls\s+(?:first|last)\b", re.I
)


def nulls_first(text: str) -> str:
    """The text with NULLS FIRST wherever it puts rows in order and does not say where NULLs stand.

    The specification leaves it open, engines differ, and with a LIMIT, or a rank, other rows would be right.
    """
    places: list[int] = []
    open_: list[bool] = []  # for each bracket whether an ORDER BY is going on in it
    ordering, placed = False, False
    end = 0

    def close() -> None:
        if ordering and not placed:
            places.append(len(text[:end].rstrip()))

    for found in _WORDS.finditer(text):
        word, end = " ".join(found[0].lower().split()), found.start()
        if word == "order by":
            ordering, placed = True, False
        elif word == "(":
            open_.append(ordering)
            open_.append(placed)
            ordering = False
        elif word == ")":
            close()
            placed, ordering = open_.pop(), open_.pop()
        elif word == "," and ordering:
            close()
            placed = False
        elif word.startswith("nulls "):
            placed = True
        elif word in ("limit", "rows", "range", ";") and ordering:
            close()
            ordering = False
    end = len(text)
    close()
    for place in reversed(places):
        text = f"{text[:place]} NULLS FIRST{text[place:]}"
    return text


_OTHERWISE: dict[tuple[str, int], tuple[tuple[str, str], ...]] = {}
"""What is written otherwise, by dialect and number of the query."""


def dialects(number: int, text: str) -> dict[str, str]:
    """The same query for the dialects in which it is written otherwise."""
    found = {}
    for (dialect, query), replaced in _OTHERWISE.items():
        if query == number:
            found[dialect] = text
            for one, other in replaced:
                found[dialect] = found[dialect].replace(one, other)
    return found

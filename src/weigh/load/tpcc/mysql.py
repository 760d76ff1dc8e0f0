"""What is asked of TPC-C's tables, in MySQL's SQL. Pure.

The queries are written once, in PostgreSQL's. Only the forms that they use are translated.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_CAST = re.compile(r"::\w+")
_DISTINCT = re.compile(r"WHERE ([\w +]+) IS DISTINCT FROM (.+?)(?= OR |\) SELECT count|$)", re.DOTALL)
_DIVISION = re.compile(r" / (?=\d)")
_ALIAS = re.compile(r"\bAS lines\b")


def in_mysql(query: str) -> str:
    """A query of :mod:`weigh.load.tpcc.conditions` or :mod:`weigh.load.tpcc.read_back`, as MySQL takes it."""
    text = _CAST.sub("", query)
    text = _DISTINCT.sub(r"WHERE NOT (\1 <=> \2)", text)
    text = _DIVISION.sub(" DIV ", text)
    # LINES is a word of LOAD DATA.
    text = _ALIAS.sub("AS `lines`", text)
    text = _calls(text, "count(*) FILTER (WHERE ", lambda inside: f"count(CASE WHEN {inside} THEN 1 END)")
    return _calls(text, "format(", _concat)


def _calls(text: str, begins: str, made: Callable[[str], str]) -> str:
    """The text with what ``made`` makes of the inside of each bracket that ends what ``begins`` begins."""
    out = ""
    while True:
        before, found, rest = text.partition(begins)
        if not found:
            return out + before
        end = _end(rest)
        out += before + made(rest[:end])
        text = rest[end + 1 :]


def _end(text: str) -> int:
    """Where the bracket closes in whose inside a text begins."""
    depth, quoted = 1, False
    for place, letter in enumerate(text):
        quoted ^= letter == "'"
        if not quoted:
            depth += (letter == "(") - (letter == ")")
            if depth == 0:
                return place
    raise ValueError(text)


def _concat(inside: str) -> str:
    """``format('a %s b', x)`` without its brackets as ``concat('a ', coalesce(x, ''), ' b')``."""
    pattern, *arguments = _split(inside)
    parts = pattern.strip().strip("'").split("%s")
    given = iter(arguments)
    pieces = [f"'{parts[0]}'"]
    for part in parts[1:]:
        pieces += [f"coalesce({next(given).strip()}, '')", f"'{part}'"]
    return f"concat({', '.join(pieces)})"


def _split(inside: str) -> list[str]:
    """Arguments, at the commas outside of brackets and quotes."""
    found, depth, quoted = [""], 0, False
    for letter in inside:
        quoted ^= letter == "'"
        depth += 0 if quoted else (letter == "(") - (letter == ")")
        if letter == "," and depth == 0 and not quoted:
            found.append("")
        else:
            found[-1] += letter
    return found

"""Tables and columns that an engine could not be given: noted in its copy, and what needs one is refused by name."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_NOTE = "left_out.json"
_TEXT = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
_WHOLE = re.compile(
    r"(\bselect(\s+(all|distinct))?|,|\.|\bon\s*\([^)]*\))\s*\*|\bnatural\b|\btable\s+\w|^\s*from\b|\bcolumns\s*\(",
    re.IGNORECASE,
)
"""Of a query whose answer depends on which columns its tables have."""
_LAST_ORDER = re.compile(r"(.*\border\s+by\b)([^()]*)$", re.IGNORECASE | re.DOTALL)
"""The order of a whole answer: no query within the query ends behind it."""
_INNERMOST = re.compile(r"\(([^()]*)\)")
_QUERY = re.compile(r"\s*(select|with|from|values)\b", re.IGNORECASE)
_UNITED = re.compile(r"\b(?:union|except|intersect)\b", re.IGNORECASE)


class LeftOut:
    """What of some tables an engine could not be given.

    Attributes:
        tables: why, by table.
        columns: why, by column of a table that has the others.
    """

    def __init__(self, tables: dict[str, str], columns: dict[str, dict[str, str]]) -> None:
        self.tables = tables
        self.columns = columns

    def write(self, copy: Path) -> None:
        """Note it in a copy; nothing where nothing was left out."""
        if not (self.tables or self.columns):
            return
        (copy / _NOTE).write_text(json.dumps({"tables": self.tables, "columns": self.columns}))

    @classmethod
    def read(cls, copy: Path) -> LeftOut:
        """What is noted in a copy."""
        note = copy / _NOTE
        found = json.loads(note.read_text()) if note.exists() else {"tables": {}, "columns": {}}
        return cls(found["tables"], found["columns"])


def refusal(sql: str, columns: Mapping[str, Mapping[str, str]]) -> str:
    """Why a query cannot be answered over tables without some of their columns; empty where it needs none of these.

    Args:
        sql: the query.
        columns: why each was left out, by table.
    """
    queries = list(_queries(_TEXT.sub("''", sql)))
    for table, lacking in columns.items():
        reading = [text for text, around in queries if any(_named(table, one) for one in (text, *around))]
        whole = any(_WHOLE.search(text) for text in reading if _named(table, text))
        needed = [
            f"{name} ({why})"
            for name, why in lacking.items()
            if whole or any(_named(name, _without_alias(name, text)) for text in reading)
        ]
        if needed:
            return f"its table {table} is without {', '.join(needed)}: ask for other columns"
    return ""


def _queries(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """A query and those within it, each without the others, and with those around it, whose columns it may name."""
    within: list[str] = []
    while found := _INNERMOST.search(text):
        if _QUERY.match(found[1]):
            within.append(found[1])
            put = f"\0{len(within) - 1}\0"
        else:
            put = f"\1{found[1]}\2"
        text = text[: found.start()] + put + text[found.end() :]
    todo: list[tuple[str, tuple[str, ...]]] = [(text, ())]
    while todo:
        each, around = todo.pop()
        for part in _UNITED.split(each):
            own = re.sub("\0\\d+\0", "()", part).translate({1: "(", 2: ")"})
            yield own, around
            todo += [(within[int(at)], (*around, own)) for at in re.findall("\0(\\d+)\0", part)]


def _without_alias(name: str, text: str) -> str:
    """A query without a name where that is an alias: behind AS, and alone in the order of the whole answer.

    There an alias comes before a column of its name. In a group the column does, and such a query is refused.
    """
    alias = rf"""(?<!\w)(["`]?){re.escape(name)}\1(?!\w)"""
    rest, aliases = re.subn(rf"\bas\s+{alias}", "", text, flags=re.IGNORECASE)
    ordered = _LAST_ORDER.match(rest) if aliases else None
    if ordered is None:
        return rest
    alone = rf"(?<=[\s,]){alias}(?=\s*(,|;|$|\b(asc|desc|nulls|limit|offset|fetch)\b))"
    return ordered[1] + re.sub(alone, "", ordered[2], flags=re.IGNORECASE)


def _named(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None

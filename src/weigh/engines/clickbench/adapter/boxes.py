"""Tables for people, read where a frame tells what is a cell: every form is read whole, or refused with the reason."""

from __future__ import annotations

import re
from typing import NoReturn

from .answer import BLANKS, BREAKS, EMPTY, TRUTH, Printed
from .split import cells, places, width

_CSV = "have ./query print CSV (weigh.answer)"
_CUT = ("shown)", "displayed", "only showing", "Showed")
"""What clients say where they leave rows out."""
_COUNT = re.compile(r"^\s*\(?(\d+) (?:rows?|tuples?|row\(s\))(?: in set| fetched)?\b")
_BOXED = frozenset({BLANKS, BREAKS})


def duckdb(text: str) -> Printed:
    """The box of DuckDB's command line, which says the types.

    Raises:
        ValueError: it is none, or not whole.
    """
    lines = text.splitlines()
    top = _first(lines, r"^┌─[─┬]*┐$", "no box of DuckDB")
    bottom = _first(lines, r"^└─[─┴]*┘$", "a box of DuckDB that does not end", top)
    after = [line for line in lines[bottom + 1 :] if line.strip()]
    _whole(after)
    at = places(lines[top], "┌┬┐")
    inner = lines[top + 1 : bottom]
    rule = next((number for number, line in enumerate(inner) if line.startswith("├")), len(inner))
    if rule != 2:
        _refuse("a box without a row of types, which is no box of DuckDB")
    names, types = ([one.strip() for one in _inside(line, "│", at)] for line in inner[:2])
    if "…" in names:
        _refuse("a box with columns left out (…)")
    rows = [
        [_cell(one, "NULL", text=kind == "varchar") for one, kind in zip(_inside(line, "│", at), types, strict=True)]
        for line in inner[rule + 1 :]
    ]
    _counted(after, len(rows))
    return Printed(names, rows, tuple(types), _BOXED, "NULL")


def clickhouse(text: str) -> Printed:
    """ClickHouse's Pretty and PrettyCompact, with numbers of rows before them or none; blocks follow each other.

    Raises:
        ValueError: as above.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    _whole(line for line in lines if "│" not in line)
    names: list[str] = []
    rows: list[list[str | None]] = []
    at: list[int] = []
    for number, line in enumerate(lines):
        bare = line.lstrip()
        if bare.startswith(("┏", "┌")):
            heads, at = _heads(lines, number)
            if names and heads != names:
                _refuse("several tables")
            names = heads
        elif "│" in line and names and not bare.startswith(("├", "┡", "┢")):
            parts = cells(line, "│", at, len(names) + 2)
            if parts[-1].strip() and not parts[-1].startswith(" -- "):
                _refuse("a row that goes on after its frame")
            if any(part.endswith("↴") or part.startswith("↳") for part in parts):
                _refuse("a text with a line break, which the frame does not tell from another")
            rows.append([_cell(part, "ᴺᵁᴸᴸ", text=True) for part in parts[1:-1]])
            if any(cell is not None and cell.endswith("⋯") for cell in rows[-1]):
                _refuse("a text that is cut off (⋯)")
        elif not bare.startswith(("┃", "├", "┡", "┢", "┗", "└")):
            _refuse(f"what is no table of ClickHouse: {line.strip()[:60]}")
    if not names:
        _refuse("no table of ClickHouse")
    return Printed(names, rows, (), frozenset({BLANKS}))


def grid(text: str, null: str) -> Printed:
    """A table with a frame of ``+--+``, as of mysql, datafusion-cli and mclient.

    Args:
        text: what was printed.
        null: how NULL is shown.

    Raises:
        ValueError: as above.
    """
    lines = text.splitlines()
    rules = [number for number, line in enumerate(lines) if re.fullmatch(r"\+[-=+]+\+", line)]
    if len(rules) < 3 or len(rules) % 3 or len(rules) > 3:
        _refuse("several tables" if len(rules) > 3 else "no table with a frame of +--+")
    top, below, bottom = rules
    after = lines[bottom + 1 :]
    _whole(after)
    at = places(lines[top], "+")
    heads = lines[top + 1 : below]
    if len(heads) != 1:
        _refuse("a name of a column with a line break")
    names = [one.strip() for one in _inside(heads[0], "|", at)]
    rows = [[_cell(one, null, text=True) for one in _inside(line, "|", at)] for line in lines[below + 1 : bottom]]
    if any(len(cell) == _SPARK and cell.endswith("...") for row in rows for cell in row if cell):
        _refuse("texts that are cut off (...)")
    _counted(after, len(rows))
    empty = frozenset({EMPTY}) if not null else frozenset()
    return Printed(names, rows, (), frozenset({BLANKS}) | empty, null)


_SPARK = 20
"""Characters to which Spark cuts a text."""


def psql(text: str) -> Printed:
    """The aligned table of psql, with its header and its number of rows.

    Raises:
        ValueError: as above.
    """
    lines = text.splitlines()
    rule = _first(lines, r"^-+(\+-+)*$", "no table of psql with a header: with psql -t say weigh.answer=psql-t")
    if not rule:
        _refuse("a table of psql without names")
    at = places(lines[rule], "+")
    number = len(at) + 1
    end = next((one for one in range(rule + 1, len(lines)) if re.fullmatch(r"\(\d+ rows?\)", lines[one])), None)
    if end is None:
        _refuse("a table of psql without its number of rows at the end")
    names = [one.strip() for one in cells(lines[rule - 1], "|", at, number)]
    rows = []
    for line in lines[rule + 1 : end]:
        parts = cells(line, "|", at, number)
        if any(part.endswith("+") for part in parts[:-1]) or (
            parts[-1].endswith("+") and width(line) == len(lines[rule])
        ):
            _refuse("a text with a line break")
        rows.append([_cell(part, "", text=True) for part in parts])
    _counted(lines[end : end + 1], len(rows))
    return Printed(names, rows, (), _PSQL)


_PSQL = frozenset({BLANKS, EMPTY, TRUTH})


def psql_rows(text: str) -> Printed:
    """The aligned table of psql without header and number of rows (``-t``); the names are those of the query.

    Raises:
        ValueError: as above.
    """
    lines = [line for line in text.splitlines() if line and line != "Timing is on."]
    if strange := next((line for line in lines if not line.startswith(" ")), None):
        _refuse(f"what is no row of psql -t: {strange[:60]}")
    if any(part.endswith("+") for line in lines for part in line.split("|")):
        _refuse("a text with a line break, or one that ends in +: with psql -t they look alike")
    rows = [[_cell(part, "", text=True) for part in line.split("|")] for line in lines]
    if len({len(row) for row in rows}) > 1:
        _refuse("rows of different numbers of cells: a text with | or a line break in it")
    return Printed([], rows, (), _PSQL)


def _first(lines: list[str], pattern: str, missing: str, begin: int = 0) -> int:
    found = next((number for number in range(begin, len(lines)) if re.fullmatch(pattern, lines[number])), None)
    if found is None:
        _refuse(missing)
    return found


def _heads(lines: list[str], number: int) -> tuple[list[str], list[int]]:
    """Names of the columns of a table that begins at a line, and where its borders stand."""
    line = lines[number]
    if line.lstrip().startswith("┏"):
        at = places(line, "┏┳┓")
        head = lines[number + 1] if number + 1 < len(lines) else ""
        return [one.strip() for one in cells(head, "┃", at, len(at) + 1)[1:-1]], at
    inner = line.strip()[1:-1]
    return [one.removeprefix("─").removesuffix("─").strip("─") for one in inner.split("┬")], places(line, "┌┬┐")


def _inside(line: str, border: str, at: list[int]) -> list[str]:
    """Cells of a line with borders around it."""
    parts = cells(line, border, at, len(at) + 1)
    if parts[0].strip() or parts[-1].strip():
        _refuse("a line that goes beyond its frame")
    return parts[1:-1]


def _cell(part: str, null: str, *, text: bool) -> str | None:
    """What a cell says; texts keep what blanks they begin with where that can be distinguished from the padding."""
    bare = part.strip()
    if bare == null:
        return None
    left_aligned = part.startswith(" ") and not part.startswith("  ")
    return part[1:].rstrip(" ") if text and left_aligned else bare


def _whole(lines: object) -> None:
    for line in lines:  # type: ignore[attr-defined]
        if any(word in line for word in _CUT):
            _refuse(f"a table that leaves rows out: {line.strip()[:60]}")


def _counted(lines: list[str], rows: int) -> None:
    """That a table has as many rows as stand below it."""
    counts = [int(found[1]) for line in lines if (found := _COUNT.match(line))]
    if counts and counts[-1] != rows:
        _refuse(f"a table of {rows} lines that says {counts[-1]} rows: texts with line breaks, or rows left out")


def _refuse(what: str) -> NoReturn:
    raise ValueError(f"it printed {what}; {_CSV}")

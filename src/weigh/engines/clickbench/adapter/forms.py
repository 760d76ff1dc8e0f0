"""The forms in which a system's answers are read: the one that is named, or the one whose sign an answer bears."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from . import boxes, literals, printed, select_list
from .answer import columns, stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from .answer import Printed

AUTO, PYTHON = "auto", "python"
_GRIDS = {"mysql": "NULL", "datafusion": "", "monetdb": "null"}
_BOXES: dict[str, Callable[[str], Printed]] = {
    "duckdb": boxes.duckdb,
    "clickhouse": boxes.clickhouse,
    "psql": boxes.psql,
    "psql-t": boxes.psql_rows,
}
_KNOWN = (AUTO, *(f"{one}[{printed.HEADER}]" for one in printed.DELIMITERS), *_BOXES, *_GRIDS, PYTHON)
_SIGNS = (
    ("duckdb", r"┌─[─┬]*┐\n│.*│\n│.*│\n[├└]"),
    ("clickhouse", r" *(┏━|┌[^\n]*[^\n─┬┐][^\n]*┐)"),
    ("psql", r"[^\n]*\n-+(\+-+)*\n(.*\n)*\(\d+ rows?\)"),
    ("datafusion", r"(.*\n)*?\+-[-+]+\+\n(.*\n)*\d+ row\(s\) fetched"),
    ("mysql", r"(.*\n)*?\+-[-+]+\+\n(.*\n)*\d+ rows? in set"),
    ("monetdb", r"(.*\n)*?\+[-=+]+\+\n(.*\n)*\d+ tuples?"),
)
"""What only one client prints, from the first line on."""
_NO_ANSWERS = (
    (r"shape: \(", "a data frame of polars, with rows left out and figures rounded"),
    (r"\{\"elapsed\": ?[0-9.e-]+(, ?\"(index|rows?)\": ?\d+)?\}$", "its time and no answer"),
    (
        r"Row 1:\n─+\n",
        "a record of a line for each column (ClickHouse's Vertical), which a text with a line break ends",
    ),
)
_MOST = 1 << 16
"""Characters in which a sign is looked for."""


class Form(NamedTuple):
    """How answers are read.

    Attributes:
        name: as ``weigh.answer`` says it.
        null: how NULL is printed; None for what is usual in the form.
    """

    name: str
    null: str | None

    def rows(self, raw: bytes) -> int:
        """Rows that were printed; of what cannot be read, nothing is reported before it is handed out."""
        name = _signed(raw) if self.name == AUTO else self.name
        if name.removesuffix(printed.HEADER) in printed.DELIMITERS:
            return printed.form(name, self.null).rows(raw)
        try:
            return len(literals.rows(raw.decode())) if name == PYTHON else len(self._printed(name, raw).rows)
        except ValueError:
            return 0

    def columns(self, raw: bytes, sql: str = "", texts: frozenset[str] = frozenset()) -> memoryview:
        """An Arrow IPC stream.

        Args:
            raw: what was printed.
            sql: the query, which names the columns where the answer does not.
            texts: names of columns that are text, whatever their cells look like.

        Raises:
            ValueError: nothing was printed, or what does not tell the answer.
        """
        if not raw.strip(b"\n"):
            raise ValueError("it printed nothing, not even the names of the columns: have it print them (weigh.answer)")
        name = _signed(raw) if self.name == AUTO else self.name
        if name.removesuffix(printed.HEADER) in printed.DELIMITERS:
            _is_text(raw)
            return stream(printed.form(name, self.null).table(raw, sql, texts))
        if name == PYTHON:
            found = literals.rows(raw.decode())
            return stream(literals.table(found, select_list.called(sql, len(found[0]))))
        output = self._printed(name, raw)
        if not output.names:
            if not output.rows:
                raise ValueError("it printed no rows, and no names that tell an empty answer from none")
            output = output._replace(names=select_list.called(sql, len(output.rows[0])))
        return stream(columns(output, texts))

    def _printed(self, name: str, raw: bytes) -> Printed:
        text = raw.decode()
        _is_answer(text)
        if name in _GRIDS:
            return boxes.grid(text, _GRIDS[name] if self.null is None else self.null)
        return _BOXES[name](text)


def form(name: str, null: object = None) -> Form:
    """A form by its name; raises where there is none."""
    known = {one.replace("[", "").replace("]", "") for one in _KNOWN} | set(printed.DELIMITERS)
    if name not in known:
        raise ValueError(f"weigh.answer is one of {', '.join(_KNOWN)}, not {name}")
    return Form(name, None if null is None else str(null))


def _signed(raw: bytes) -> str:
    """The form whose sign an answer bears; without one, lines with tabs."""
    text = raw[: 4 * _MOST].decode(errors="replace")
    return next((name for name, sign in _SIGNS if re.match(sign, text)), "tsv")


def _is_text(raw: bytes) -> None:
    """Refuse tables for people where lines of cells were expected."""
    text = raw[:_MOST].decode(errors="replace")
    _is_answer(text)
    if text.startswith(("+-", "┌", "┏")):
        named = ", ".join((*_BOXES, *_GRIDS))
        _refuse(f"a table for people, and not which client's: say it (weigh.answer, one of {named})")


def _is_answer(text: str) -> None:
    for sign, what in _NO_ANSWERS:
        if re.match(sign, text.strip()):
            _refuse(f"{what}: have ./query print CSV (weigh.answer)")


def _refuse(what: str) -> NoReturn:
    raise ValueError(f"it printed {what}")


def null(found: Form) -> Any:
    """How NULL is printed, as far as it is reported or usual."""
    bare = found.name.removesuffix(printed.HEADER)
    if found.null is not None:
        return found.null
    return printed.form(bare).null if bare in printed.DELIMITERS else _GRIDS.get(bare, "")

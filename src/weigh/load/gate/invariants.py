"""What must hold when a load is over: a script's own invariants, and those of the built-in scripts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.spec import LoadSpec, Script

_LINE = re.compile(r"^\s*--\s*invariant\s*:(?P<rest>.*)$", re.IGNORECASE)
_EXPECTED = re.compile(
    r"^(?P<sql>.*\S)\s*=\s*(?P<value>-?\d+(\.\d+)?(e[+-]?\d+)?|'([^']|'')*'|true|false|null)\s*;?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_DANGLING = re.compile(r"\b(where|and|or|not|on|having|when|then|else)\s+[\w.\"]+\s*$", re.IGNORECASE)
"""A condition that lost its right side to what was taken for the value."""
_REMEDY = "write -- invariant: SELECT ... = VALUE, a query of one value and a number, 'text', true, false or null"
_WRITERS = ("tpcb-like", "simple-update")
SUMS = """SELECT (SELECT coalesce(sum(abalance), 0) FROM pgbench_accounts),
(SELECT coalesce(sum(tbalance), 0) FROM pgbench_tellers),
(SELECT coalesce(sum(bbalance), 0) FROM pgbench_branches),
(SELECT coalesce(sum(delta), 0) FROM pgbench_history),
(SELECT count(*) FROM pgbench_history)"""
"""What pgbench's tables hold, in one look."""
_EACH = """SELECT count(*) FROM (SELECT {key} AS id, sum(delta) AS paid FROM pgbench_history GROUP BY {key}) AS paid
JOIN pgbench_{table} ON pgbench_{table}.{key} = paid.id WHERE pgbench_{table}.{balance} <> paid.paid"""
_TABLES = {"accounts": ("aid", "abalance"), "tellers": ("tid", "tbalance"), "branches": ("bid", "bbalance")}


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A query whose answer must be something.

    Attributes:
        kind: ``written`` in a script; ``sums`` of pgbench's tables; ``each`` row of one of them.
        sql: the query.
        script, line: where it is written; of ``each`` the table, in the place of the script.
        expected: the value as it is written; of ``each`` ``0``; of ``sums`` empty.
    """

    kind: Literal["written", "sums", "each"]
    sql: str
    script: str = ""
    line: int = 0
    expected: str = ""

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.script}, line {self.line}" if self.kind == "written" else self.script or "pgbench's tables"


def questions(spec: LoadSpec, *, own: bool) -> tuple[Question, ...]:
    """What is asked before and after each run, in order.

    Args:
        spec: of the load.
        own: whether weigh loads the tables, so that every balance begins at 0.

    Raises:
        UsageError: an invariant of a script cannot be read.
    """
    found = [one for script in spec.scripts if script.text for one in written(script)]
    names = [one.name for one in spec.scripts if one.weight]
    if names and not any(one.text for one in spec.scripts) and any(name in _WRITERS for name in names):
        found.append(Question(kind="sums", sql=SUMS))
        if own:
            # With the other writer alongside it, the history also has what tellers and branches never got.
            tables = ["accounts"] if "simple-update" in names else list(_TABLES)
            found += [_each(table) for table in tables]
    return tuple(found)


def _each(table: str) -> Question:
    key, balance = _TABLES[table]
    sql = _EACH.format(key=key, table=table, balance=balance)
    return Question(kind="each", sql=sql, script=table, expected="0")


def written(script: Script) -> Iterator[Question]:
    """The invariants of a script: comments of the form ``-- invariant: SELECT ... = VALUE``.

    Raises:
        UsageError: one cannot be read; with the script and the line.
    """
    for number, line in enumerate(script.text.splitlines(), 1):
        found = _LINE.match(line)
        if found is None:
            continue
        where, rest = f"script {script.name}, line {number}", found["rest"].strip()
        if not re.match(r"(select|with|values)\b", rest, re.IGNORECASE):
            raise UsageError("this invariant is no query", where=where, remedy=_REMEDY)
        parts = _EXPECTED.match(rest)
        if parts is None:
            raise UsageError("this invariant does not say what its value must be", where=where, remedy=_REMEDY)
        if _DANGLING.search(parts["sql"]):
            raise UsageError(
                f"this invariant says nothing after its condition: the last = is taken for what its value must be, "
                f"and {parts['sql'].split()[-2]} {parts['sql'].split()[-1]} is left",
                where=where,
                remedy=f"add the value that is expected: {rest.rstrip(';').strip()} = 0; or put the condition in "
                "parentheses",
            )
        yield Question(kind="written", sql=parts["sql"], script=script.name, line=number, expected=parts["value"])


def count(scripts: Sequence[Script]) -> int:
    """How many invariants the scripts have."""
    return sum(_LINE.match(line) is not None for script in scripts for line in script.text.splitlines())

"""What the load generator says when it cannot begin or go on, as weigh's errors: with the place and what to do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.model.errors import EngineFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.load.spec import Script

_PREPARING = re.compile(r"preparing '(?P<statement>.*)': (?P<said>.*)", re.DOTALL)
_PARAMETER = re.compile(r"\\\$\d+")
_REMEDIES = {
    "script ": "mend the script there",
    "(42P01)": "create the table, or name the database that has it in the target's URL",
    "(42501)": "give the user of the load the right to do that, or take another user",
    "(42601)": "mend the statement",
    "(28P01)": "check the user and the password",
    "no such table": "create the table, or name the file that has it",
    "not those that get a value": "write :NAME for a variable that is set, and CAST(:NAME AS TYPE) for :NAME::TYPE",
    "(SQLITE_ERROR)": "mend the statement: it is one for SQLite",
    "(SQLITE_BUSY": "somebody else uses the file and has it locked: try again when they are done",
    "(SQLITE_FULL)": "free space where the file lies, or raise max_page_count",
    "(SQLITE_READONLY)": "let this user write the file and its folder, or name another",
    "(SQLITE_": "see https://sqlite.org/rescode.html",
    "CaUsedAsEndEntity": "the server's certificate is one for signing others: make one with basicConstraints=CA:FALSE, "
    "or leave the check out with sslmode=require",
}
"""A mark of the text -> what to do. The codes are PostgreSQL's (its documentation, "PostgreSQL Error Codes") and
SQLite's."""
_USUAL = "see what the server's log says"


def read(text: str, scripts: Sequence[Script] = ()) -> EngineFault:
    """The error of a text of the generator's.

    Args:
        text: what it said.
        scripts: of the load, in which a statement that the server refuses is looked for.
    """
    found = _PREPARING.fullmatch(text)
    if found is None:
        # What was wrong, and in the lines below it what to do.
        what, _, remedy = text.partition("\n")
        return EngineFault(what, remedy=remedy or _remedy(text))
    statement, said = found["statement"], found["said"]
    shown = " ".join(statement.split())
    return EngineFault(f"preparing '{shown}': {said}", where=_place(statement, scripts), remedy=_remedy(said))


def _remedy(text: str) -> str:
    return next((remedy for mark, remedy in _REMEDIES.items() if mark in text), _USUAL)


def _place(statement: str, scripts: Sequence[Script]) -> str:
    """The script and the line where a statement begins, in which the generator has put ``$1`` for a variable."""
    wanted = re.compile(_PARAMETER.sub(r":\\w+", re.escape(statement.strip())))
    for script in scripts:
        found = wanted.search(script.text)
        if found is not None:
            line = 1 + script.text.count("\n", 0, found.start())
            return f"script {script.name}, line {line}"
    return ""

"""What a suite consists of: questions, the statements that make their tables, and what was not taken."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.model.operation import Literal as SqlValue

if TYPE_CHECKING:
    from collections.abc import Iterable

Dialect = Literal["duckdb", "clickhouse"]


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One operation of a suite.

    Attributes:
        name: unique in the suite.
        sql: its text, as it is asked.
        file: that it stands in, from the folder.
        load: statements that make the tables it asks; empty where they are given otherwise.
        about: one line for people.
        dialect: its text for an engine that writes its values otherwise, by that engine's dialect.
        template: name of the statement whose parameters were filled in; empty where it has none.
        literals: what was filled in.
    """

    name: str
    sql: str
    file: str
    load: str = ""
    about: str = ""
    dialect: dict[str, str] = {}
    template: str = ""
    literals: dict[str, SqlValue] = {}


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """A question that is not asked.

    Attributes:
        name: of the question, or of its file.
        why: a clause without its full stop, the same for all that have the same reason.
    """

    name: str
    why: str


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """A key of a file that has no effect here.

    Attributes:
        key: as the file has it.
        why: a clause without its full stop; empty where weigh does not know the key at all.
        file: that has it.
    """

    key: str
    why: str
    file: str


class Suite(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of questions.

    Attributes:
        questions: in the order of their files.
        left_out: what is not asked.
        unread: what has no effect.
        dialect: of the questions and of the statements that make tables.
    """

    questions: tuple[Question, ...]
    left_out: tuple[LeftOut, ...] = ()
    unread: tuple[Unread, ...] = ()
    dialect: Dialect = "duckdb"


class FileRead(msgspec.Struct, frozen=True, kw_only=True):
    """What one file of a suite says; as ``Suite``."""

    questions: tuple[Question, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    unread: tuple[Unread, ...] = ()
    dialect: Dialect = "duckdb"


def merged(files: Iterable[FileRead]) -> Suite:
    """All files as one suite. Of questions with one name the later ones get a number."""
    parts = list(files)
    questions: list[Question] = []
    seen: Counter[str] = Counter()
    for one in (question for part in parts for question in part.questions):
        seen[one.name] += 1
        if seen[one.name] > 1:
            number = f" ({seen[one.name]})"
            template = f"{one.template}{number}" if one.template else ""
            questions.append(msgspec.structs.replace(one, name=f"{one.name}{number}", template=template))
        else:
            questions.append(one)
    return Suite(
        questions=tuple(questions),
        left_out=tuple(one for part in parts for one in part.left_out),
        unread=tuple(one for part in parts for one in part.unread),
        dialect=parts[0].dialect if parts else "duckdb",
    )

"""A workload in a folder: the user's own queries, ``NAME.sql`` with ``NAME.toml`` alongside it.

The ``.sql`` file is the question, as every engine gets it. The ``.toml`` file says what a right answer looks like::

    about = "events per user"
    ordered_by = ["events", "user"]   # columns of ORDER BY, by name
    limit = 10
    keys = ["user"]                   # no two rows share these

    [[column]]
    name = "user"
    kind = "string"                   # integer, decimal, double, string, date, timestamp, boolean
    match = "exact"                   # or "approx" with rel, or "quotient" (division, averages)

    [[case]]                          # optional: the query is asked once for each; {user} or $user stands in the SQL
    name = "rare"
    literals = { user = "u17" }
    timed = true
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.model.answer import Column, Kind, Match, ResultSchema
from weigh.model.errors import UsageError, nearest
from weigh.model.operation import Case, Filter, Literal, Operation, Workload
from weigh.workloads import order_columns
from weigh.workloads.askable import refuse
from weigh.workloads.frames import FrameFiles
from weigh.workloads.parameters import Parameters, braced, check, grid, names
from weigh.workloads.trademarks import notice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from weigh.workloads import Cubes

NAME = "sql"
"""Of the workload, as ``[experiment] workload`` has it."""
APPROX = 1e-9
"""Relative tolerance of ``approx`` where none is given: sums of doubles in any order stay far below."""


class ColumnTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[[column]]``, in the order of the answer's columns."""

    name: str
    kind: Kind
    match: Match = "exact"
    rel: float | None = None


class CaseTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[[case]]``."""

    name: str
    literals: dict[str, Literal] = {}
    timed: bool = True


class FilterTable(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """``[filter]``: the predicate of the query, for the checks of an engine against itself."""

    table: str
    predicate: str


class QueryFile(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """``NAME.toml`` as a whole."""

    about: str = ""
    ordered_by: list[str] = []
    limit: int | None = None
    keys: list[str] = []
    column: list[ColumnTable]
    case: list[CaseTable] = []
    filter: FilterTable | None = None
    dialect: dict[str, str] = {}


class Folder:
    """The source of the workload ``sql``.

    Args:
        path: the folder.
        parameters: values of the queries' parameters; every combination is a case.
        frames: functions for data frames, each named like a query.
    """

    name = NAME
    dataset = "files"

    def __init__(self, path: Path, parameters: Parameters | None = None, frames: Path | None = None) -> None:
        self.path = path
        self.parameters = parameters or {}
        self.frames = FrameFiles(frames).of

    def build(self, truth: Cubes, seed: int) -> Workload:
        """Every query of the folder, by name; nothing is known about the data and nothing is chosen.

        Raises:
            UsageError: there is none, or a file is not as it should be.
        """
        files = sorted(self.path.glob("*.sql"))
        if not files:
            raise UsageError("there is no query (*.sql)", where=str(self.path), remedy="weigh init writes them")
        check(self.parameters, {path.stem: names(path.read_text(encoding="utf-8-sig")) for path in files})
        operations = tuple(_operation(path, self.parameters) for path in files)
        called = (self.path.resolve().name, *(one.name for one in operations))
        return Workload(name=NAME, dataset=self.dataset, operations=operations, notice=notice(called))

    def expected(self, operation: str, case: Case, truth: Cubes) -> pa.Table | None:
        """Nothing is known beforehand; ``--answers`` names answers that were pinned."""
        return None


class Questions:
    """The source of the workload ``sql`` where its questions are those of a suite.

    Args:
        operations: its questions.
        left_out: names of those that are not asked.
        frames: functions for data frames, each named like a query.
        literals: values that were filled into a text, by name of the question.
        place: the suite's folder as the user wrote it.
    """

    name = NAME
    dataset = "files"

    def __init__(
        self,
        operations: Sequence[Operation],
        left_out: Sequence[str],
        frames: Path | None = None,
        literals: Mapping[str, Mapping[str, Literal]] | None = None,
        place: str = "",
    ) -> None:
        self._place = place.rstrip("/").rpartition("/")[2]
        self.operations, self.left_out = tuple(operations), tuple(left_out)
        self.frames, self.literals = FrameFiles(frames).of, literals or {}

    def build(self, truth: Cubes, seed: int) -> Workload:
        """All of them; what is left out belongs to the suite all the same."""
        names = (*(one.name for one in self.operations), *self.left_out)
        return Workload(
            name=NAME,
            dataset=self.dataset,
            operations=self.operations,
            suite=names if self.left_out else (),
            notice=notice((self._place, *names)),
        )

    def expected(self, operation: str, case: Case, truth: Cubes) -> pa.Table | None:
        """Nothing is known beforehand; ``--answers`` names answers that were pinned."""
        return None


def _operation(path: Path, parameters: Parameters) -> Operation:
    described = path.with_suffix(".toml")
    file = _read(described, path)
    sql = path.read_text(encoding="utf-8-sig").strip().rstrip(";").strip()
    refuse(sql, f"query {path.stem} ({path})")
    cases = tuple(Case(name=one.name, literals=one.literals, timed=one.timed) for one in file.case)
    if cases and not any(case.timed for case in cases):
        raise UsageError("no case is timed", where=str(described), remedy="say timed = true in one of them")
    if len({case.name for case in cases}) < len(cases):
        raise UsageError("two cases have the same name", where=str(described), remedy="name them apart")
    cases = tuple(grid(parameters, path.stem, names(sql), cases, str(path)))
    return Operation(
        name=path.stem,
        sql=braced(sql),
        schema=result_schema(file, described, sql),
        cases=cases,
        filter=Filter(table=file.filter.table, predicate=braced(file.filter.predicate)) if file.filter else None,
        dialect={dialect: braced(text) for dialect, text in file.dialect.items()},
        about=file.about,
    )


def result_schema(file: QueryFile, place: Path, sql: str) -> ResultSchema:
    """What a right answer looks like, as a file says it.

    Args:
        file: what it says.
        place: where it lies, for errors.
        sql: the query, which says where NULLs stand in its order, or leaves that open.

    Raises:
        UsageError: it names a column that is not there.
    """
    columns = [column.name for column in file.column]
    ordered_by = _positions("ordered_by", file.ordered_by, columns, place)
    return ResultSchema(
        columns=tuple(_column(column) for column in file.column),
        ordered_by=ordered_by,
        limit=file.limit,
        keys=_positions("keys", file.keys, columns, place),
        nulls_open=order_columns.nulls_open(sql, ordered_by, columns) if ordered_by else msgspec.UNSET,
    )


def _column(table: ColumnTable) -> Column:
    rel = table.rel if table.rel is not None else 0.0 if table.match == "exact" else APPROX
    return Column(name=table.name, kind=table.kind, match=table.match, rel=rel)


def _positions(key: str, wanted: list[str], names: list[str], path: Path) -> tuple[int, ...]:
    for name in wanted:
        if names.count(name) != 1:
            what = "no column" if name not in names else "more than one column"
            raise UsageError(f"{key}: there is {what} '{name}'", where=str(path), remedy=nearest(name, names))
    return tuple(names.index(name) for name in wanted)


def _read(path: Path, query: Path) -> QueryFile:
    try:
        plain: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        return msgspec.convert(plain, QueryFile)
    except FileNotFoundError:
        raise UsageError(
            f"{query.name} has no result schema alongside it",
            where=str(path),
            remedy="write one (docs/guide/your-own-data.md), let weigh init --add read it off the answer, or take the "
            "query out of the folder",
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"not TOML: {error}", where=str(path), remedy="see docs/guide/your-own-data.md") from None
    except msgspec.ValidationError as error:
        raise UsageError(
            f"not a result schema: {error}", where=str(path), remedy="see docs/guide/your-own-data.md"
        ) from None

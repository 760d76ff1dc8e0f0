"""Files of SQL: ``NAME.sql`` holds one question or several.

The values of their parameters stand in comments::

    -- param: city = ["Rome", "Oslo"]
    -- param: n = [10, 100]
    SELECT user, count(*) FROM events WHERE city = {city} GROUP BY user ORDER BY 2 DESC, 1 LIMIT {n}

Every combination is a question of its own. Alongside the questions, or above them, ``load.sql`` may make their tables.
"""

from __future__ import annotations

import datetime
import math
import re
import tomllib
from typing import TYPE_CHECKING, cast

from weigh.model.errors import UsageError
from weigh.model.operation import ESCAPING, sql_literal
from weigh.workloads import parameters as grids
from weigh.workloads.askable import defines, refuse
from weigh.workloads.infer_schema import split
from weigh.workloads.suites import allowed, naming
from weigh.workloads.suites.place import Budget
from weigh.workloads.suites.question import FileRead, LeftOut, Question, Unread
from weigh.workloads.user_sql import QueryFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from weigh.model.operation import Literal
    from weigh.workloads.infer_schema import Statement
    from weigh.workloads.parameters import Parameters
    from weigh.workloads.suites.place import SuiteFolder

LOAD = "load.sql"
_VALUES = (str, int, float, datetime.date, datetime.time)
_PARAM = re.compile(r"^\s*--\s*param:\s*(.+)$", re.MULTILINE)


def read(folder: SuiteFolder, files: Sequence[Path], parameters: Parameters) -> Iterator[FileRead]:
    """The questions of every file.

    Raises:
        UsageError: a parameter has no value, or has one that nothing asks for; a result schema lies alongside a file.
    """
    _refuse_schemas(folder, files)
    found: list[tuple[Path, Statement]] = []
    for file in files:
        name = naming.of_file(folder.folder, file)
        try:
            statements = split(folder.text(file), name)
        except UsageError as error:
            yield FileRead(left_out=(LeftOut(name=name, why=error.what),))
            continue
        if statements and all(defines(one.sql) for one in statements):
            why = "it asks nothing: load.sql makes the tables, or --data names their files"
            yield FileRead(unread=(Unread(key=file.name, why=why, file=str(file.relative_to(folder.folder))),))
            continue
        found += [(file, one) for one in statements]
    grids.check(parameters, {one.name: grids.names(one.sql) for _, one in found})
    for file, statement in found:
        yield _read(folder, file, statement, parameters)


def _read(folder: SuiteFolder, file: Path, statement: Statement, parameters: Parameters) -> FileRead:
    try:
        refuse(statement.sql, statement.name)
        allowed.question(statement.sql, "duckdb")
    except UsageError as error:
        return FileRead(left_out=(LeftOut(name=statement.name, why=error.what),))
    where = f"{file}, query {statement.name}"
    sql = statement.sql.rstrip(";").strip()
    wanted = grids.names(sql)
    values = {**_in_comments(sql, wanted, where), **{k: v for k, v in parameters.items() if k != statement.name}}
    own = parameters.get(statement.name)
    if isinstance(own, dict):
        values |= own
    # A thousand questions of a grid would each carry the values of all.
    sql = _PARAM.sub("", sql).strip()
    values_used = {name: value for name, value in values.items() if name in wanted}
    cases = grids.grid(values_used, "", wanted, (), where)
    place = str(file.relative_to(folder.folder))
    try:
        load = _load(folder, file)
        allowed.load(load, "duckdb")
        Budget().take(len(sql) * len(cases) + sum(len(str(one)) for case in cases for one in case.literals.values()))
    except UsageError as error:
        return FileRead(left_out=(LeftOut(name=statement.name, why=error.what),))
    return FileRead(
        questions=tuple(
            Question(
                name=naming.with_values(statement.name, case.literals),
                sql=plain,
                file=place,
                load=load,
                dialect={one: text for one in ESCAPING if (text := _filled(sql, case.literals, one)) != plain},
                template=statement.name if case.literals else "",
                literals=case.literals,
            )
            for case in cases
            for plain in (_filled(sql, case.literals),)
        )
    )


def _refuse_schemas(folder: SuiteFolder, files: Sequence[Path]) -> None:
    """What a suite would pass over without a word, another text for one engine too, although somebody wrote it."""
    for file in files:
        schema = file.with_suffix(".toml")
        if not schema.is_file():
            continue
        try:
            described = tomllib.loads(folder.text(schema))
        except (UsageError, tomllib.TOMLDecodeError, RecursionError):
            continue
        if described.keys() & set(QueryFile.__struct_fields__):
            raise UsageError(
                f"it is a result schema of {file.name}, and a suite has none: what it says would have no effect",
                where=str(schema),
                remedy="name this folder in weigh.toml, as weigh init does ([sql] folder, "
                "docs/guide/your-own-data.md); or take the .toml files out of it, and schemas are read off answers",
            )


def _filled(sql: str, values: Mapping[str, Literal], dialect: str = "") -> str:
    return grids.replaced(sql, lambda name: sql_literal(values[name], dialect))


def _in_comments(sql: str, wanted: Sequence[str], where: str) -> Parameters:
    """The values that stand in comments."""
    text = "\n".join(found.group(1) for found in _PARAM.finditer(sql))
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"'-- param:' is not TOML: {error}", where=where, remedy='write -- param: city = ["Rome", "Oslo"]'
        ) from None
    grids.check(cast("Parameters", values), {where: wanted})
    for name, value in values.items():
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, _VALUES) or (isinstance(one, float) and not math.isfinite(one)):
                raise UsageError(
                    f"{one} of the parameter {name} is no value that SQL can be asked with",
                    where=where,
                    remedy="give texts, numbers, true or false, dates: -- param: day = [2026-01-01, 2026-02-01]",
                )
    return cast("Parameters", values)


def _load(folder: SuiteFolder, file: Path) -> str:
    """The statements that make its tables: of the nearest ``load.sql``."""
    for place in (file.parent, *file.parent.parents):
        if (place / LOAD).is_file():
            return folder.text(place / LOAD)
        if place == folder.folder:
            break
    return ""

"""Names of tables in a question, where two questions of a suite call different tables the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def renamed(sql: str, names: Mapping[str, str], dialect: str) -> str | None:
    """The question over the tables' new names; nothing else of its text changes.

    ``FROM t`` becomes ``FROM t__2 AS t``, so that columns can be named as before.

    Args:
        sql: the question.
        names: the new name of every table.
        dialect: of the question.

    Returns:
        None where its text cannot be parsed, or where it calls something else by the same name.
    """
    wanted = {old.lower(): new for old, new in names.items() if old != new}
    if not wanted:
        return sql
    import sqlglot
    from sqlglot import exp

    try:
        query = sqlglot.parse_one(sql, read=dialect)
    except (sqlglot.errors.SqlglotError, RecursionError):
        return None
    if any(one.alias_or_name.lower() in wanted for one in query.find_all(exp.CTE)):
        return None
    places: list[tuple[int, int, str]] = []
    for table in query.find_all(exp.Table):
        new = wanted.get(table.name.lower())
        if new is None or table.db:
            continue
        begin, end = table.this.meta.get("start"), table.this.meta.get("end")
        if begin is None or end is None:
            return None
        places.append((begin, end + 1, new if table.alias else f"{new} AS {table.name}"))
    for begin, end, new in sorted(places, reverse=True):
        sql = sql[:begin] + new + sql[end:]
    return sql

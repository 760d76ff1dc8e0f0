"""Which rows a MySQL database holds, as :func:`weigh.load.rows.digest` says it. Imports nothing of weigh."""

from __future__ import annotations

from typing import Any

_OWN = "weigh_tpcc"
_MOST = 10_000


def tables(connection: Any) -> list[str]:
    """Names of the tables of the connection's database, and of weigh's own with that before them."""
    found = _rows(
        connection,
        "SELECT IF(table_schema = DATABASE(), table_name, CONCAT(table_schema, '.', table_name)) "
        "FROM information_schema.tables WHERE table_type = 'BASE TABLE' "
        f"AND (table_schema = DATABASE() OR table_schema = '{_OWN}') ORDER BY 1 LIMIT {_MOST}",
    )
    return [name for (name,) in found]


def digests(connection: Any, names: list[str]) -> dict[str, dict[str, Any]]:
    """Number of rows and digest of some tables."""
    # A concatenation of a whole row may be long; a value has one text whatever the session says.
    _rows(connection, "SET SESSION time_zone = '+00:00', sql_mode = ''")
    return {name: _digest(connection, name) for name in names}


def _digest(connection: Any, name: str) -> dict[str, Any]:
    schema, _, table = name.rpartition(".")
    columns = _rows(
        connection,
        "SELECT column_name FROM information_schema.columns "
        "WHERE table_schema = COALESCE(NULLIF(%s, ''), DATABASE()) AND table_name = %s ORDER BY ordinal_position",
        schema,
        table,
    )
    cells = [f"COALESCE(TRIM(TRAILING ' ' FROM CAST({_quoted(one)} AS CHAR)), '\\\\N')" for (one,) in columns]
    row = f"CONCAT_WS('|', {', '.join(cells)})" if cells else "''"
    place = ".".join(_quoted(part) for part in (schema, table) if part)
    # No statement of a user's is in it: names are quoted, and come from the catalogue.
    [(count, first, second)] = _rows(
        connection,
        "SELECT COUNT(*), COALESCE(SUM(CAST(CONV(SUBSTR(h, 1, 12), 16, 10) AS UNSIGNED)), 0), "
        "COALESCE(SUM(CAST(CONV(SUBSTR(h, 13, 12), 16, 10) AS UNSIGNED)), 0) "
        f"FROM (SELECT MD5({row}) AS h FROM {place}) AS hashed",
    )
    return {"rows": int(count), "digest": f"{int(first):x}-{int(second):x}"}


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _rows(connection: Any, text: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(text, values or None)
        return list(cursor.fetchall())

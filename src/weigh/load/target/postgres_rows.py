"""Which rows a database holds, as :func:`weigh.load.rows.digest` says it. Imports nothing of weigh."""

from __future__ import annotations

from typing import Any

_LIMIT = "600s"
"""For one table."""


def tables(connection: Any) -> list[str]:
    """Names of all tables, with their schema where it is not ``public``."""
    rows = connection.execute(
        "SELECT CASE nspname WHEN 'public' THEN relname ELSE nspname || '.' || relname END "
        "FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace "
        "WHERE relkind IN ('r', 'p') AND NOT relispartition AND relpersistence <> 't' "
        "AND nspname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1 LIMIT 10000"
    ).fetchall()
    return [name for (name,) in rows]


def digests(connection: Any, names: list[str]) -> dict[str, dict[str, Any]]:
    """Number of rows and digest of some tables."""
    # Whatever the user's own settings are, a value has one text.
    for setting, value in {
        "statement_timeout": _LIMIT,
        "timezone": "UTC",
        "datestyle": "ISO",
        "intervalstyle": "iso_8601",
        "extra_float_digits": "1",
        "bytea_output": "hex",
    }.items():
        connection.execute("SELECT set_config(%s, %s, false)", (setting, value))
    return {name: _digest(connection, name) for name in names}


def _digest(connection: Any, name: str) -> dict[str, Any]:
    schema, _, table = name.rpartition(".")
    columns = connection.execute(
        "SELECT quote_ident(attname) FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid "
        "JOIN pg_namespace ON pg_namespace.oid = relnamespace "
        "WHERE nspname = %s AND relname = %s AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        (schema or "public", table),
    ).fetchall()
    # Not concat_ws(), which takes a hundred arguments at most.
    row = " || '|' || ".join(f"coalesce(rtrim({column}::text), '\\N')" for (column,) in columns) or "''"
    quoted = ".".join('"' + part.replace('"', '""') + '"' for part in (schema or "public", table))
    # No statement of a user's is in it: names are quoted, and come from the catalogue.
    count, first, second = connection.execute(
        "SELECT count(*), coalesce(sum(('x' || substr(h, 1, 12))::bit(48)::bigint), 0), "
        "coalesce(sum(('x' || substr(h, 13, 12))::bit(48)::bigint), 0) "
        f"FROM (SELECT md5({row}) AS h FROM {quoted}) AS hashed"
    ).fetchone()
    return {"rows": count, "digest": f"{int(first):x}-{int(second):x}"}

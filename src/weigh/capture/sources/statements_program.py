"""Reads ``pg_stat_statements`` and ``pg_stats`` of a server, in an environment that has psycopg.

What to do is JSON on standard input; what was found is JSON on standard output.
"""

from __future__ import annotations

import json
import sys

_MARK = "/* weigh capture */"
"""As :data:`weigh.capture.entry.OWN`: inside the statement, where its text is kept as it was sent."""
_TOTALS = f"""
SELECT {_MARK} s.query, sum(s.calls)::int8, sum(s.{{time}})::float8, sum(s.rows)::int8
FROM {{view}} AS s JOIN pg_database AS d ON d.oid = s.dbid
WHERE d.datname = coalesce(%s::text, current_database()) {{top}}
GROUP BY s.queryid, s.query
ORDER BY 3 DESC LIMIT 20000
"""
_VIEW = f"""
SELECT {_MARK} quote_ident(n.nspname) || '.pg_stat_statements', e.extversion
FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements'
"""
_COLUMNS = f"""
SELECT {_MARK} schemaname, tablename, attname, null_frac::float8, n_distinct::float8,
       most_common_vals::text::text[], most_common_freqs::float8[], histogram_bounds::text::text[]
FROM pg_stats WHERE schemaname NOT IN ('pg_catalog', 'information_schema') LIMIT 20000
"""
_SAMPLED = 101
"""Bounds of a histogram that are kept."""


def main() -> None:
    """Connect, ask, say."""
    import psycopg

    request = json.loads(sys.stdin.read())
    try:
        with psycopg.connect(**request["connect"], autocommit=True) as connection:
            reply = _read(connection, request["database"])
    except psycopg.Error as error:
        reply = {"error": str(error), "code": error.sqlstate or ""}
    except OSError as error:
        reply = {"error": str(error), "code": ""}
    json.dump(reply, sys.stdout)


def _read(connection: object, database: str | None) -> dict[str, object]:
    ask = connection.execute  # type: ignore[attr-defined]
    found = ask(_VIEW).fetchone()
    if found is None:
        (name,) = ask(f"SELECT {_MARK} current_database()").fetchone()
        return {"error": "", "code": "no-extension", "database": name}
    view, _ = found
    columns = {
        name
        for (name,) in ask(
            f"SELECT {_MARK} attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0", (view,)
        )
    }
    time = "total_exec_time" if "total_exec_time" in columns else "total_time"
    top = "AND s.toplevel" if "toplevel" in columns else ""
    rows = ask(_TOTALS.format(view=view, time=time, top=top), (database,)).fetchall()
    info = ask(f"SELECT {_MARK} to_regclass(%s)", (view + "_info",)).fetchone()[0]
    counted = dealt = None
    if info is not None:
        counted, dealt = ask(
            f"SELECT {_MARK} extract(epoch FROM clock_timestamp() - stats_reset)::float8, dealloc FROM {view}_info"
        ).fetchone()
    hidden = sum(calls for text, calls, _, _ in rows if text == "<insufficient privilege>")
    statistics = [
        (
            schema,
            table,
            column,
            nulls,
            distinct,
            values,
            shares,
            (bounds or [])[:: max(1, len(bounds or ()) // _SAMPLED)],
        )
        for schema, table, column, nulls, distinct, values, shares, bounds in ask(_COLUMNS)
    ]
    return {"rows": rows, "counted_s": counted, "evicted": dealt, "hidden": hidden, "columns": statistics}


if __name__ == "__main__":
    main()

"""Executed as a file in an environment with DuckDB: statements from stdin, tables to files. Imports nothing of weigh.

Stdin is one JSON object, ``{"script": "...", "folder": "...", "suite": "..."}``: statements, where each table that is
there afterwards is written, as ``TABLE.parquet``, and the folder that they may read. What came of it is written to
``report.json`` (``LoadReport`` in the package).

DuckDB's own parser says what each statement is, and only what is needed to make tables is executed. Its file system is
bounded to the two folders before the first statement, for good.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

BUILT_IN = ("parquet", "core_functions", "jemalloc", "json", "icu")
"""Extensions that are part of the Python package, in every version that weigh knows."""
_TAKEN = {"ALTER", "ANALYZE", "CREATE", "CREATE_FUNC", "DELETE", "DROP", "INSERT", "MERGE_INTO", "MULTI", "SELECT",
          "TRANSACTION", "UPDATE", "VACUUM"}  # fmt: skip
_REFUSED = {
    "ATTACH": "it attaches a database",
    "COPY_DATABASE": "it copies a database",
    "DETACH": "it detaches a database",
    "EXPORT": "it writes files",
}
_FAST = {"threads", "worker_threads", "external_threads", "memory_limit", "max_memory", "preserve_insertion_order",
         "enable_progress_bar", "disable_progress_bar", "enable_progress_bar_print", "checkpoint_threshold",
         "wal_autocheckpoint", "force_checkpoint", "enable_object_cache", "disable_object_cache", "force_compression",
         "enable_verification", "disable_verification", "verify_parallelism", "disable_verify_parallelism",
         "temp_directory", "max_temp_directory_size", "parquet_metadata_cache", "enable_profiling",
         "disable_profiling", "force_parallelism", "disable_force_parallelism", "default_block_size",
         "storage_compatibility_version", "enable_optimizer", "disable_optimizer"}  # fmt: skip
"""Settings that decide how tables are made, and not what is in them."""
_PLACES = re.compile(
    r"output|log|secret|extension|home_directory|external_access|allowed_|lock_conf|search_path|^(s3|http|ca_|azure)",
    re.I,
)
"""Settings that name files and hosts, or open the way to them."""
_COMMENT = re.compile(r"--[^\n]*(?:\n|$)|/\*.*?\*/", re.DOTALL)
_COPY_FROM = re.compile(r'COPY\s+(?:"[^"]*"|[\w.]+)\s*(?:\([^()]*\)\s*)?FROM\s', re.IGNORECASE)
_CALLED = re.compile(r"(?:FORCE\s+)?CHECKPOINT\b|CALL\s+(?:dbgen|dsdgen|pragma_\w+)\s*\(", re.IGNORECASE)
_SETTING = re.compile(
    r"(?:SET|RESET|PRAGMA)\s+(?:(?:LOCAL|SESSION|GLOBAL)\s+)?(VARIABLE\s+)?\"?([\w.]+)", re.IGNORECASE
)
_EXTENSION = re.compile(r"(?:FORCE\s+)?(?:INSTALL|LOAD)\s+['\"]?([\w./:-]+)", re.IGNORECASE)
_DENIED = re.compile(r"Cannot access (?:file|directory) \"([^\"]*)\"|file system .* has been disabled")
_LOST = ("HUGEINT", "UHUGEINT", "UNION", "BIT", "BIGNUM", "VARINT", "TIME WITH TIME ZONE", "VARIANT")
"""Types of DuckDB that Parquet does not keep."""
_OTHERS = {
    "macro": "SELECT function_name FROM duckdb_functions() WHERE NOT internal",
    "type": "SELECT type_name FROM duckdb_types() WHERE NOT internal",
    "sequence": "SELECT sequence_name FROM duckdb_sequences()",
    "variable": "SELECT name FROM duckdb_variables()",
    "schema": "SELECT schema_name FROM duckdb_schemas() WHERE NOT internal AND schema_name <> 'main'",
}


class _RefusedError(Exception):
    """A statement that is not executed, or failed.

    Args:
        statement: its text.
        why: a clause.
        allowed: whether it was allowed, and failed.
    """

    def __init__(self, statement: str, why: str, *, allowed: bool = False) -> None:
        super().__init__(why)
        self.report = {"refused": " ".join(statement.split()) or "?", "why": why, "allowed": allowed}


def main() -> None:
    """Execute every statement that may be, then write the tables."""
    import duckdb

    job = json.load(sys.stdin)
    folder = Path(job["folder"])
    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "memory_limit": "2GB",
            "temp_directory": str(folder / "temp"),
        },
    )
    folders = ", ".join(map(_text, (job["suite"], str(folder))))
    connection.execute(f"SET TimeZone = 'UTC'; ATTACH {_text(str(folder / 'made.duckdb'))} AS made; USE made")
    connection.execute(f"SET allowed_directories = [{folders}]; SET enable_external_access = false")
    others: dict[str, str] = {}
    ignored: list[str] = []
    try:
        try:
            statements = connection.extract_statements(job["script"])
        except (duckdb.Error, ValueError) as error:
            raise _RefusedError(job["script"], " ".join(str(error).split()), allowed=True) from None
        for one in statements:
            _carry_out(connection, one, others, ignored)
        others |= _made(connection)
        bad = _written(connection, folder)
        report: dict[str, Any] = {"others": others, "ignored": ignored, "bad": bad}
    except _RefusedError as error:
        report = error.report
    (folder / "report.json").write_text(json.dumps(report))


def _carry_out(connection: Any, one: Any, others: dict[str, str], ignored: list[str]) -> None:
    """Execute one statement, refuse it, or note what it sets."""
    import duckdb

    text = _COMMENT.sub(" ", one.query).strip().rstrip(";").strip()
    kind = one.type.name
    word = text.split(maxsplit=1)[0].upper() if text else ""
    if kind == "COPY":
        if not _COPY_FROM.match(text):
            raise _RefusedError(text, "it writes a file")
    elif kind == "LOAD":
        found = _EXTENSION.match(text)
        if found and found[1].lower() in BUILT_IN:
            return
        raise _RefusedError(text, f"it {'installs' if 'INSTALL' in text.upper()[:20] else 'loads'} an extension")
    elif kind == "SET" or (kind == "PRAGMA" and word == "PRAGMA"):
        found = _SETTING.match(text)
        if found is None:
            raise _RefusedError(text, "it uses another database")
        if not found[1]:
            if _PLACES.search(found[2]):
                raise _RefusedError(text, "it sets what DuckDB may reach, or where it writes")
            _noted(found[2].lower(), others, ignored)
            return
    elif kind == "CALL":
        if not _CALLED.match(text):
            raise _RefusedError(text, "it calls a function for what it does besides")
    elif kind == "CREATE" and re.match(r"CREATE\s+(OR\s+REPLACE\s+)?(\w+\s+)?SECRET\b", text, re.IGNORECASE):
        raise _RefusedError(text, "it makes a secret")
    elif kind not in _TAKEN:
        raise _RefusedError(text, _REFUSED.get(kind, f"it is {kind}, and makes no table"))
    try:
        connection.execute(one)
    except duckdb.Error as error:
        words = " ".join(str(error).split())
        if denied := _DENIED.search(words):
            raise _RefusedError(text, f"it reaches for a file outside of the suite's folder ({denied[1]})") from None
        raise _RefusedError(text, words, allowed=True) from None


def _noted(name: str, others: dict[str, str], ignored: list[str]) -> None:
    if name in _FAST:
        ignored.append(name)
    else:
        others[name] = "setting"


def _made(connection: Any) -> dict[str, str]:
    """What is there besides tables, by its name."""
    found: dict[str, str] = {}
    for kind, query in _OTHERS.items():
        found |= {str(name): kind for (name,) in connection.execute(query).fetchall()}
    return found


def _written(connection: Any, folder: Path) -> dict[str, str]:
    """Every table and view of the main schema as a file, temporary ones too; by name why another one is none."""
    import duckdb

    columns = connection.execute(
        "SELECT table_catalog, table_name, column_name, data_type FROM information_schema.columns "
        "WHERE table_catalog IN ('made', 'temp') AND table_schema = 'main' "
        "ORDER BY table_catalog, table_name, ordinal_position"
    ).fetchall()
    bad: dict[str, str] = {}
    for _, table, column, kind in columns:
        if any(word in str(kind) for word in _LOST):
            bad.setdefault(table, f"{column} is {kind}, which Parquet does not keep")
    for catalog, table in dict.fromkeys((one[0], one[1]) for one in columns if one[1] not in bad):
        place = folder / f"{table}.parquet"
        if place.parent != folder or place.name != f"{table}.parquet" or "\0" in table:
            bad[table] = "it is no name of a file"
            continue
        try:
            connection.execute(
                f"COPY {catalog}.main.{_quoted(table)} TO {_text(str(place))} (FORMAT parquet, COMPRESSION zstd)"
            )
        except duckdb.Error as error:
            place.unlink(missing_ok=True)
            bad[table] = " ".join(str(error).split())
    return bad


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


if __name__ == "__main__":
    main()

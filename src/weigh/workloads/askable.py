"""Whether a user's statement is a question that has one right answer over the given data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from weigh.model.errors import UsageError
from weigh.workloads.long_lists import shortened

if TYPE_CHECKING:
    from sqlglot import exp

_SUSPECT = re.compile(
    r"rand|uuid|now|current|local|day\b|date\(|clock|timeofday|nextval|setseed|sample|insert|update|delete|merge|into"
    r"|read_|sniff|scan|metadata|glob|file|s3|url|hdfs|gcs|remote|execut|input|lake|storage|from\s*['\"]|join\s*['\"]"
    r"|,\s*['\"]|timestamp\(|newid|duckdb_|pragma_|hostname|fqdn|uptime|server|connection_?id|queryid|pg_|version\s*\("
    r"|system\s*\.|information_schema|sqlite_|dbstat",
    re.IGNORECASE,
)
"""One of these is in every SELECT that is refused; others need not be parsed, which takes half a second."""
_CHANCE = {"rand", "random", "uuid", "gen_random_uuid", "generateuuidv4", "generateuuidv7", "randn", "rand64",
           "randcanonical", "newid", "random_uuid", "uuidv4", "uuidv7", "nextval", "setseed", "randomblob"}  # fmt: skip
_CLOCK = {"now", "now64", "today", "yesterday", "getdate", "sysdate", "clock_timestamp", "statement_timestamp",
          "transaction_timestamp", "get_current_timestamp", "get_current_time", "utc_timestamp", "timeofday",
          "current_localtimestamp", "current_localtime", "systimestamp"}  # fmt: skip
_PROCESS = re.compile(
    r"current_setting|pragma_\w+|hostname|fqdn|uptime|getserversetting|serveruuid|connection_?id|(?:initial)?queryid"
    r"|pg_backend_pid|pg_postmaster_start_time|pg_conf_load_time|inet_server_\w+|version"
    r"|duckdb_(?:settings|databases|logs|log_\w+|extensions|temporary_files|memory|secret\w*|variables)"
)
_CATALOG = re.compile(
    r"pg_(?:stat|settings|locks|class|database|roles|authid|shadow|user|tables|indexes|attribute|cursors|prepared|file_"
    r"|hba|config|shmem|wal|replication)\w*|sqlite_(?:master|schema|temp\w*|stat\d|dbpage)|dbstat",
    re.IGNORECASE,
)
"""Tables in which an engine says what it has and does."""
_NUMBERS = {"numbers", "numbers_mt", "one", "zeros", "zeros_mt"}
"""Tables of ClickHouse's system that are the same everywhere."""
_FILES = {"parquet_scan", "read_parquet", "read_csv", "read_csv_auto", "sniff_csv", "read_json", "read_json_auto",
          "read_json_objects", "read_ndjson", "read_ndjson_auto", "read_ndjson_objects", "read_text", "read_blob",
          "read_xlsx", "glob", "delta_scan", "iceberg_scan", "sqlite_scan", "postgres_scan", "mysql_scan",
          "parquet_metadata", "parquet_schema", "arrow_scan"}  # fmt: skip
_FILE_TABLES = {"file", "s3", "url", "hdfs", "gcs", "remote", "executable", "input", "filecluster", "s3cluster",
                "icebergs3", "deltalake", "azureblobstorage"}  # fmt: skip
_FILE_NAME = re.compile(
    r"[/\\*]|\.(parquet|parq|csv|tsv|json|jsonl|ndjson|arrow|feather|orc|avro|xlsx|db|duckdb)(\.\w+)?$", re.IGNORECASE
)
_WORD = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/|\()*(\w+)", re.DOTALL)
_NO_QUESTION = {
    "ALTER", "ANALYZE", "ATTACH", "BEGIN", "CALL", "CHECKPOINT", "COMMIT", "COPY", "CREATE", "DELETE", "DESC",
    "DESCRIBE", "DETACH", "DROP", "EXPLAIN", "EXPORT", "GRANT", "IMPORT", "INSERT", "INSTALL", "LOAD", "MERGE",
    "OPTIMIZE", "PRAGMA", "REPLACE", "REVOKE", "SET", "SHOW", "TRUNCATE", "UPDATE", "USE", "VACUUM",
}  # fmt: skip
_SCHEMA = {"ALTER", "CREATE", "DROP"}
_PARAMETER = re.compile(r"\{\w+\}|\$\w+")


def defines(sql: str) -> bool:
    """Whether a statement makes or changes a table, an index and the like: a schema's, and no question of anybody's."""
    first = _WORD.match(sql)
    return first is not None and first.group(1).upper() in _SCHEMA


def refuse(sql: str, where: str) -> None:
    """Refuse what writes, what answers differently each time, and what reads files alongside the data.

    Args:
        sql: one statement.
        where: names it in the error.

    Raises:
        UsageError: it is no question with one right answer.
    """
    first = _WORD.match(sql)
    word = first.group(1).upper() if first else ""
    if word in _NO_QUESTION:
        raise _writes(word, where)
    query = _parsed(_PARAMETER.sub("NULL", shortened(sql))) if _SUSPECT.search(sql) else None
    if query is None:
        return
    from sqlglot import exp

    for node in query.walk():
        if isinstance(node, (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Into)):
            raise _writes(node.key.upper(), where)
        if isinstance(node, exp.TableSample) and not node.args.get("seed"):
            raise _another_each_time("TABLESAMPLE", where)
        if isinstance(node, exp.Func):
            _refuse_function(node, where)
        if isinstance(node, exp.Table) and node.db.lower() == "system" and node.name.lower() not in _NUMBERS:
            raise _of_process(f"system.{node.name}", where)
        if isinstance(node, exp.Table) and (
            node.db.lower() in ("pg_catalog", "information_schema") or (not node.db and _CATALOG.fullmatch(node.name))
        ):
            raise _of_process(node.sql("duckdb"), where)
        quoted = isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier) and node.this.quoted
        if quoted and _FILE_NAME.search(node.name):
            raise _file_in_text(node.name, where)


def _refuse_function(node: exp.Func, where: str) -> None:
    from sqlglot import exp

    anonymous = isinstance(node, exp.Anonymous)
    names = {node.name.lower()} if anonymous else {one.lower() for one in node.sql_names()}
    call = f"{sorted(names)[0]}()"
    moment = type(node).__name__.startswith(("Current", "Local", "Systimestamp", "UtcT", "UtcD"))
    if moment or names & _CLOCK:
        raise UsageError(
            f"its answer depends on when it is asked ({call}): it is not deterministic, and no answer can be checked",
            where=where,
            remedy="write the moment as a literal: TIMESTAMP '2026-01-01 00:00:00'",
        )
    if any(map(_PROCESS.fullmatch, names)):
        raise _of_process(call, where)
    if names & _CHANCE:
        raise _another_each_time(call, where)
    if names & _FILES or (names & _FILE_TABLES and isinstance(node.parent, exp.Table)):
        argument = next(iter(node.find_all(exp.Literal)), None)
        raise _file_in_text(argument.name if argument is not None else call, where)


def _of_process(what: str, where: str) -> UsageError:
    return UsageError(
        f"its answer depends on the process that is asked ({what}), and no answer can be checked",
        where=where,
        remedy="leave it out, or ask about the data",
    )


def _parsed(sql: str) -> exp.Expr | None:
    import sqlglot

    try:
        return sqlglot.parse_one(sql, read="duckdb")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return None


def _writes(word: str, where: str) -> UsageError:
    return UsageError(
        f"it begins with or contains {word}: it changes something, or answers nothing about the data",
        where=where,
        remedy="ask with SELECT; what a query needs to be there is data (--data)",
    )


def _another_each_time(what: str, where: str) -> UsageError:
    return UsageError(
        f"it is not deterministic ({what}): each execution has another right answer, and none can be checked",
        where=where,
        remedy="leave it out, or write a constant in its place",
    )


def _file_in_text(file: str, where: str) -> UsageError:
    return UsageError(
        f"it reads a file of its own ({file}), which is no part of the data that is verified and given to all",
        where=where,
        remedy=f"name it as a table: --data TABLE={file}, and FROM TABLE in the query",
    )

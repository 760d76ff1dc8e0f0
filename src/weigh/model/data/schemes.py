"""Names and schemes of URLs that people write from habit, and what to write to weigh in their place."""

from __future__ import annotations

import re

from weigh.model.errors import UsageError

_JDBC = re.compile(r"(?:[\w.-]+=)?jdbc:(?P<scheme>[a-z0-9]+)", re.IGNORECASE)
_ALIASES = {
    "ch": "clickhouse", "clickhousedb": "clickhouse", "cockroach": "cockroachdb", "cql": "cassandra",
    "md": "motherduck", "postgresql": "postgres", "awsathena": "athena", "prestodb": "presto",
    "rediss": "redis", "scylla": "cassandra", "scylladb": "cassandra", "sqlserver": "mssql", "valkeys": "valkey",
}  # fmt: skip
_POSTGRES = ("alloydb", "cockroachdb", "greenplum", "timescaledb", "yugabytedb")
_MYSQL = ("doris", "singlestore", "starrocks", "tidb")
"""Systems that speak the protocol of another one."""
_BY_DRIVER = "by its DB-API driver it is dbapi:MODULE+PACKAGE==VERSION?ARGUMENT=VALUE (docs/reference/systems.md)"
_PYMYSQL = "dbapi:pymysql+PyMySQL==1.2.4?host=HOST&user=USER&database=DATABASE&weigh.secret=VARIABLE"
_CONTENDERS = {
    "athena": "athena://REGION/DATABASE",
    "bigquery": "bigquery://PROJECT/DATASET",
    "clickhouse": "clickhouse://USER@HOST:8123/DATABASE",
    "databricks": "databricks://HOST/sql/1.0/warehouses/ID",
    "h2": "h2://USER@HOST:5435/DATABASE",
    "mariadb": "mariadb://USER@HOST:3306/DATABASE",
    "motherduck": "motherduck://DATABASE",
    "mssql": "mssql://USER@HOST:1433/DATABASE",
    "oracle": "oracle://USER@HOST:1521/SERVICE",
    "postgres": "postgres://USER@HOST:5432/DATABASE",
    "redshift": "redshift://USER@HOST:5439/DATABASE",
    "snowflake": "snowflake://USER@ACCOUNT/DATABASE/SCHEMA",
    "spark": "sc://USER@HOST:15002",
    "trino": "trino://USER@HOST:8080/CATALOG/SCHEMA",
}
_ONLY_LOADED = {"cassandra": "cassandra", "redis": "valkey", "valkey": "valkey"}
_FILES = ("abfs", "abfss", "az", "file", "gs", "s3", "s3a")
_LOADED = {
    "cassandra": "cassandra://HOST/KEYSPACE",
    "clickhouse": "clickhouse://HOST:8123",
    "mariadb": "mariadb://USER@HOST:3306/DATABASE",
    "mysql": "mysql://USER@HOST:3306/DATABASE",
    "postgres": "postgres://USER@HOST:5432/DATABASE",
    "redis": "redis://HOST:6379",
    "valkey": "valkey://HOST:6379",
}


def jdbc(text: str) -> str:
    """The system of a JDBC URL; empty for what is none. More of it is never repeated: it may hold a password."""
    found = _JDBC.match(text)
    return found["scheme"].lower() if found else ""


def refuse_jdbc(text: str) -> None:
    """Raises UsageError where a contender, with or without a name, is a JDBC URL."""
    if system := jdbc(text):
        raise UsageError(
            "weigh takes no URL of JDBC, and no driver in Java",
            where=f"contender jdbc:{system}",
            remedy=for_contender(system, by_url=True),
        )


def for_contender(name: str, *, by_url: bool = False) -> str:
    """What to write for a contender that is called so elsewhere; empty where nothing is known.

    Args:
        name: of an engine, or the scheme of a URL, with the driver that SQLAlchemy has behind a plus.
        by_url: whether it is a scheme.
    """
    meant = _meant(name)
    if meant in _ONLY_LOADED:
        target = f"{_ONLY_LOADED[meant]}:embedded" if not by_url else _LOADED[meant]
        return f"it is no engine of analytical queries; weigh load knows it: weigh load ycsb-b --target {target}"
    if meant == "mysql":
        return f"MariaDB is mariadb://USER@HOST:3306/DATABASE; MySQL has no profile: {_PYMYSQL}"
    if meant in _CONTENDERS:
        return f"write {_CONTENDERS[meant] if by_url else meant}"
    if meant in _POSTGRES:
        return "it speaks the protocol of PostgreSQL, with which alone weigh was tried: " + _CONTENDERS["postgres"]
    if meant in _MYSQL:
        return f"it speaks the protocol of MySQL: {_PYMYSQL}"
    if meant in ("flightsql", "grpc", "grpc+tls"):
        return "write adbc:flightsql?uri=grpc://HOST:PORT"
    if meant in ("http", "https"):
        return f"write the system as the scheme, e.g. {_CONTENDERS['clickhouse']} or {_CONTENDERS['trino']}"
    if meant in _FILES:
        return "a contender is an engine, e.g. duckdb; files are named by --data, stores by --store"
    return f"there is no profile of it; {_BY_DRIVER}" if by_url else ""


def for_file(engine: str) -> str:
    """What to write for an engine that is no server, where its own clients take a URL or a file."""
    usual = f"it runs here, over the files of the experiment: write {engine}"
    module = {"duckdb": "duckdb+duckdb==2.0.0", "sqlite": "sqlite3"}.get(engine)
    return f"{usual}; a database that is there already is dbapi:{module}?database=PATH" if module else usual


def for_target(scheme: str) -> str:
    """What to write for a target of a load that is called so elsewhere; empty where nothing is known."""
    meant = _meant(scheme)
    if meant in _LOADED:
        return f"write {_LOADED[meant]}"
    if meant in _POSTGRES:
        return "it speaks the protocol of PostgreSQL, with which alone weigh was tried: " + _LOADED["postgres"]
    if meant in _MYSQL:
        return "it speaks the protocol of MySQL, with which alone weigh was tried: " + _LOADED["mysql"]
    if meant in _CONTENDERS or meant in ("sc", "duckdb", "presto", "hive", "impala", "flightsql"):
        example = _CONTENDERS.get(meant) or {"duckdb": "duckdb", "sc": _CONTENDERS["spark"]}.get(meant)
        other = f"its queries are compared by weigh run --contender {example}; " if example else ""
        return f"{other}loads go to {', '.join(sorted(_LOADED))}, sqlite and http"
    return ""


def _meant(name: str) -> str:
    base = name.lower() if name.lower() == "grpc+tls" else name.lower().partition("+")[0]
    return _ALIASES.get(base, base)

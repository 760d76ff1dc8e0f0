"""What people write from habit for a system by URL is answered with what to write."""

from __future__ import annotations

import pytest

from weigh.engines import engine as engines
from weigh.engines import prepared
from weigh.load.target import url
from weigh.model.contender import parse_contender
from weigh.model.errors import UsageError

SECRET = "hunter2-planted"


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("postgresql+psycopg://me@h/db", "write postgres://USER@HOST:5432/DATABASE"),
        ("a=mysql+pymysql://me@h/db", "MySQL has no profile: dbapi:pymysql"),
        ("mysql://me@h/db", "MariaDB is mariadb://"),
        ("a=jdbc:postgresql://h/db", "write postgres://"),
        (f"jdbc:oracle:thin:me/{SECRET}@h:1521/s", "write oracle://USER@HOST:1521/SERVICE"),
        ("jdbc:trino://h:8080/hive", "write trino://USER@HOST:8080/CATALOG/SCHEMA"),
        ("clickhouse+http://h", "write clickhouse://USER@HOST:8123/DATABASE"),
        ("http://h:8123", "write the system as the scheme"),
        ("duckdb:///tmp/x.db", "a database that is there already is dbapi:duckdb+duckdb=="),
        ("sqlite:///tmp/x.db", "dbapi:sqlite3?database=PATH"),
        ("sqlserver://u@h/d", "write mssql://"),
        ("oracle+oracledb://u@h/s", "write oracle://"),
        ("md:mydb", "write motherduck"),
        ("cql://h/k", "weigh load ycsb-b --target cassandra://HOST/KEYSPACE"),
        ("redis://h", "weigh load ycsb-b --target redis://HOST:6379"),
        ("cockroachdb://h", "the protocol of PostgreSQL"),
        ("starrocks://h/d", "the protocol of MySQL"),
        ("flightsql://h:1", "write adbc:flightsql?uri=grpc://HOST:PORT"),
        ("hive://h", "by its DB-API driver it is dbapi:MODULE"),
        ("s3://b/x.parquet", "files are named by --data"),
    ],
)
def test_a_contender_of_another_habit(text: str, remedy: str) -> None:
    with pytest.raises(UsageError) as refused:
        prepared.check(parse_contender(text))
    assert remedy in (refused.value.remedy or "")
    assert SECRET not in f"{refused.value} {refused.value.where} {refused.value.remedy}"


def test_what_is_a_contender_stays_one() -> None:
    for text in ("postgres://me@h/db", "motherduck://d", "sc://h:15002", "x=duckdb", "dbapi:sqlite3?database=x"):
        assert engines.of(parse_contender(text))


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("postgresql+psycopg://me@h/db", "write postgres://USER@HOST:5432/DATABASE"),
        ("mysql+pymysql://me@h/db", "write mysql://USER@HOST:3306/DATABASE"),
        ("jdbc:mysql://h/db", "write mysql://"),
        ("clickhousedb://h", "write clickhouse://"),
        ("cql://h/k", "write cassandra://HOST/KEYSPACE"),
        ("snowflake://u@a/d", "weigh run --contender snowflake://"),
        ("redshift://u@h/d", "weigh run --contender redshift://"),
        ("duckdb:///x.db", "weigh run --contender duckdb"),
        ("cockroachdb://h/d", "the protocol of PostgreSQL"),
        ("mongodb://h", "known: cassandra"),
    ],
)
def test_a_target_of_another_habit(text: str, remedy: str) -> None:
    with pytest.raises(UsageError) as refused:
        url.parse(text)
    assert remedy in (refused.value.remedy or "")


@pytest.mark.parametrize(
    "text",
    [
        f"motherduck:d?motherduck_token={SECRET}",
        f"postgres:me?password={SECRET}",
        f"a b=mysql://me:{SECRET}@h",
        f"mssql://u@h/d;password={SECRET}",
        f"mssql://u@h/d%3BPWD={SECRET}",
    ],
)
def test_a_secret_in_what_is_no_contender_is_not_repeated(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        prepared.check(parse_contender(text))
    assert SECRET not in f"{refused.value} {refused.value.where} {refused.value.remedy}"

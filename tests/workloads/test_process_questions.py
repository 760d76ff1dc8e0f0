"""Questions whose answer is one of the process are left out of suites; tables that are called alike are not."""

from __future__ import annotations

import pytest

from weigh.model.errors import UsageError
from weigh.workloads.askable import refuse
from weigh.workloads.suites import allowed
from weigh.workloads.suites.question import Dialect  # noqa: TC001


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("SELECT current_setting('temp_directory')", "duckdb"),
        ("SELECT * FROM duckdb_settings()", "duckdb"),
        ("SELECT * FROM pragma_database_list()", "duckdb"),
        ("SELECT hostName()", "clickhouse"),
        ("SELECT name FROM system.settings", "clickhouse"),
        ("SELECT name FROM t, system.settings", "clickhouse"),
        ("SELECT name FROM t AS a, `system`.settings AS b", "clickhouse"),
        ("SELECT 1 WHERE 'x' IN system.settings", "clickhouse"),
        ("SELECT name FROM merge('system', '^settings$')", "clickhouse"),
        ("SELECT value FROM t, duckdb_settings()", "duckdb"),
        ("SELECT main.current_setting('temp_directory')", "duckdb"),
        ("SELECT getServerSetting('path')", "duckdb"),
        ("SELECT hostName() AS h FROM t", "duckdb"),
        ("SELECT path FROM system.disks", "duckdb"),
        ("SELECT getServerSetting('path')", "clickhouse"),
    ],
)
def test_what_the_process_answers_is_left_out(sql: str, dialect: Dialect) -> None:
    with pytest.raises(UsageError, match="depends on the process"):
        allowed.question(sql, dialect)


@pytest.mark.parametrize("sql", ["SELECT * FROM settings", "SELECT version, system FROM t", "SELECT 1 FROM system"])
def test_tables_and_columns_of_such_names_are_asked(sql: str) -> None:
    allowed.question(sql, "duckdb")
    allowed.question(sql, "clickhouse")


def test_numbers_of_the_system_are_asked() -> None:
    allowed.question("SELECT sum(number) FROM system.numbers LIMIT 1", "clickhouse")


def test_a_statement_of_a_user_is_refused_alike() -> None:
    with pytest.raises(UsageError, match="depends on the process"):
        refuse("SELECT * FROM duckdb_settings()", "q")
    for sql in (
        "SELECT getServerSetting('path') AS p",
        "SELECT path FROM system.disks",
        "SELECT pg_backend_pid() AS p",
        "SELECT count(*) AS c FROM pg_stat_activity",
        "SELECT relname FROM t, pg_catalog.pg_class",
        "SELECT table_name FROM information_schema.tables",
        "SELECT sql FROM sqlite_master",
    ):
        with pytest.raises(UsageError, match="depends on the process"):
            refuse(sql, "q")
    for sql in (
        "SELECT * FROM pg_prices",
        "SELECT s.pg_class FROM stock AS s",
        "SELECT * FROM settings",
        "SELECT count(*) FROM system.one",
        "SELECT system.a FROM t AS system",
    ):
        refuse(sql, "q")


@pytest.mark.parametrize("sql", ["SELECT * FROM filesystem('/etc')", "SELECT a FROM t, fileCluster('c', 'f')"])
def test_a_function_of_tables_is_refused_whichever_engine_has_it(sql: str) -> None:
    for dialect in ("duckdb", "clickhouse"):
        with pytest.raises(UsageError, match="not allowed in suites"):
            allowed.question(sql, dialect)


def test_a_table_that_is_called_as_a_function_of_another_engine_is_asked() -> None:
    allowed.question("WITH remote(a) AS (SELECT 1) SELECT a, system.a FROM remote AS system", "duckdb")


@pytest.mark.parametrize(
    ("script", "dialect"),
    [
        ("CREATE TABLE t AS SELECT current_setting('temp_directory') AS a", "duckdb"),
        ("CREATE TABLE a (n INT); INSERT INTO a SELECT count(*) FROM duckdb_settings();", "duckdb"),
        ("INSERT INTO t SELECT name FROM system.settings;\n", "clickhouse"),
        ("INSERT INTO t SELECT a, b FROM u, system.settings;\n", "clickhouse"),
        ("INSERT INTO t SELECT hostName();\n", "clickhouse"),
    ],
)
def test_tables_are_not_made_of_what_the_process_says_of_itself(script: str, dialect: Dialect) -> None:
    with pytest.raises(UsageError, match="the process says of itself"):
        allowed.load(script, dialect)


@pytest.mark.parametrize(
    ("script", "dialect"),
    [
        ("CREATE TABLE version (n INT); INSERT INTO version (n) VALUES (1); SET threads = 2;", "duckdb"),
        ("CREATE TABLE shop.user (n Int32) ENGINE = Memory;\n", "clickhouse"),
        ("INSERT INTO user (n) SELECT number FROM system.numbers LIMIT 5;\n", "clickhouse"),
        ("", "duckdb"),
    ],
)
def test_tables_that_are_called_alike_are_made(script: str, dialect: Dialect) -> None:
    allowed.load(script, dialect)

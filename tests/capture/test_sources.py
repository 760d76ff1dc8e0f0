"""Every form of source is told by its first lines, and its calls are read as they were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from weigh.capture.entry import Entry, Tally
from weigh.capture.parameters import Distribution
from weigh.capture.sources import (
    form,
    log_line_prefix,
    monitor,
    mysql_general_log,
    mysql_slow_log,
    postgres_log,
    totals,
)
from weigh.capture.templates.template import of_sql
from weigh.capture.total_values import known_values

if TYPE_CHECKING:
    from pathlib import Path

CSV = [
    '2026-11-02 10:00:00.100 UTC,"app","shop",7,"[local]",6a.7,1,"idle",2026-11-02 09:00:00 UTC,3/0,0,LOG,00000,'
    '"duration: 2.500 ms  execute <unnamed>: SELECT ""v""',
    '\tFROM t WHERE id = $1","Parameters: $1 = \'it\'\'s\'",,,,,,,,"shop","client backend",,0',
    '2026-11-02 10:00:00.200 UTC,"app","shop",7,"[local]",6a.7,2,"idle",2026-11-02 09:00:00 UTC,3/0,0,LOG,00000,"open',
    '2026-11-02 10:00:00.300 UTC,,,9,,6a.9,1,,2026-11-02 09:00:00 UTC,,0,LOG,00000,"checkpoint",'
    ',,,,,,,,"","checkpointer",,0',
]
SLOW = [
    "/usr/sbin/mysqld, Version: 8.4.0 (MySQL). started with:",
    "# Time: 2026-11-02T10:00:01.500000Z",
    "# User@Host: app[app] @ localhost []  Id:    12",
    "# Query_time: 0.500000  Lock_time: 0.000001 Rows_sent: 3  Rows_examined: 10",
    "use shop;",
    "SET timestamp=1793959201;",
    "SELECT v FROM t",
    "WHERE name = 'it\\'s';",
    "# Time: 2026-11-02T10:00:02.000000Z",
    "# User@Host: app[app] @ localhost []  Id:    12",
    "# Query_time: 0.000100  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0",
    "SET timestamp=1793959202;",
    "# administrator command: Quit;",
]
MONITOR = [
    "OK",
    '1793959200.000001 [0 127.0.0.1:5000] "SET" "user:1" "a \\"b\\" \\x00"',
    '1793959200.000002 [0 lua] "GET" "user:1"',
    '1793959200.000003 [1 127.0.0.1:5000] "GET" "user:1"',
    "1793959200.0000",
]
DUMP = [
    "userid,query,calls,total_exec_time,rows",
    '10,"SELECT v',
    'FROM t WHERE id = $1",40,20.5,40',
    "10,SELECT 1,x,1,1",
]
DIGESTS = [
    "SCHEMA_NAME\tDIGEST_TEXT\tCOUNT_STAR\tSUM_TIMER_WAIT\tSUM_ROWS_AFFECTED\tSUM_ROWS_SENT\tQUERY_SAMPLE_TEXT",
    "shop\tSELECT `v` FROM `t` WHERE `id` = ?\t3\t2000000000\t0\t3\tSELECT v FROM t WHERE id = 17",
]


def test_a_csvlog_over_lines_with_a_quote_that_nobody_closes() -> None:
    tally = Tally()
    found = list(postgres_log.csvlog(CSV, None, tally))
    assert [(one.text, one.bound, one.session, one.duration_s) for one in found] == [
        ('SELECT "v"\n\tFROM t WHERE id = $1', ("it's",), "6a.7", 0.0025)
    ]
    assert dict(tally.numbers) == {"broken": 1, "background": 1}


def test_log_statement_with_log_duration_and_a_plan() -> None:
    lines = [
        "LOG:  statement: SELECT 1",
        "LOG:  duration: 4.000 ms  plan:",
        "\tQuery Text: SELECT 1",
        "\tResult  (cost=0.00..0.01 rows=1 width=4) (actual time=0.001..0.001 rows=1 loops=1)",
        "LOG:  duration: 5.000 ms",
        "ERROR:  no such table",
        "STATEMENT:  SELECT * FROM gone",
        "LOG:  duration: 6.000 ms",
    ]
    stamped = [
        line if line[0] == "\t" else f"2026-11-02 10:00:00.{n:03} UTC [7] {line}" for n, line in enumerate(lines)
    ]
    tally = Tally()
    found = list(postgres_log.stderr(stamped, "%m [%p] ", None, tally))
    assert [(one.text, one.duration_s, one.rows, one.error) for one in found] == [
        ("SELECT 1", 0.005, 1, None),
        ("SELECT * FROM gone", None, None, "XX000"),
    ]
    assert dict(tally.numbers) == {"no-statement": 1}


@pytest.mark.parametrize("prefix", ["%m [%p] %q%u@%d ", "%t:%r:%u@%d:[%p]:", "%n %c "])
def test_prefixes_of_lines(prefix: str) -> None:
    line = {
        "%m [%p] %q%u@%d ": "2026-11-02 10:00:00.500 CET [7] app@shop LOG:  hello",
        "%t:%r:%u@%d:[%p]:": "2026-11-02 10:00:00 UTC:10.0.0.1(5000):app@shop:[7]:LOG:  hello",
        "%n %c ": "1793959200.500 6a07.7 LOG:  hello",
    }[prefix]
    found = log_line_prefix.Prefix(prefix).split(line)
    assert found is not None
    assert (found[0]["severity"], found[1]) == ("LOG", "hello")


def test_a_slow_log_a_monitor_and_dumps(tmp_path: Path) -> None:
    tally = Tally()
    (slow,) = mysql_slow_log.read(SLOW, None, tally)
    assert (slow.text, slow.session, slow.duration_s, slow.rows) == (
        "SELECT v FROM t\nWHERE name = 'it\\'s'",
        "12",
        0.5,
        3,
    )
    assert slow.at % 60 == pytest.approx(1.0)
    first, other = monitor.read(MONITOR, None, tally)
    assert first == Entry(at=1793959200.000001, session="127.0.0.1:5000", words=("SET", "user:1", 'a \\"b\\" \\x00'))
    assert other.words == ("GET", "user:1")
    (dumped,) = totals.read(DUMP, tally, mysql=False, database=None)
    assert (dumped.text, dumped.calls, dumped.time_s, dumped.rows) == ("SELECT v\nFROM t WHERE id = $1", 40, 0.0205, 40)
    (digest,) = totals.read(DIGESTS, tally, mysql=True, database="shop")
    assert (digest.calls, digest.time_s, digest.rows) == (3, 0.002, 3)
    assert dict(tally.numbers) == {"other-messages": 1, "background": 1, "broken": 2}
    template, places = of_sql(digest.text, "mysql")
    assert known_values(digest, template, places, "mysql", None) == [
        Distribution(kind="constant", count=1, values=(("17", 1.0),))
    ]
    forms = {"postgres-csvlog": CSV, "mysql-slow-log": SLOW, "monitor": MONITOR, "pg_stat_statements": DUMP}
    for name, lines in (forms | {"performance-schema": DIGESTS}).items():
        (tmp_path / "source").write_text("\n".join(lines))
        assert form.found((tmp_path / "source",), "utf-8").form == name


GENERAL = """/usr/sbin/mariadbd, Version: 10.11.19-MariaDB. started with:
Tcp port: 3306  Unix socket: /run/mysqld/mysqld.sock
Time\t\t    Id Command\tArgument
261127 10:00:00\t     5 Connect\tapp@localhost on shop using Socket
\t\t     5 Query\tSELECT v
FROM t WHERE id = 1
261127 10:00:01\t     6 Connect\tapp@localhost on other using TCP/IP
\t\t     6 Query\tDELETE FROM t
\t\t     5 Prepare\tSELECT ?
\t\t     5 Execute\tSELECT 'it'
2026-11-27T10:00:02.500000Z\t    5 Query\tCOMMIT
2026-11-27T10:00:03.500000Z\t    5 Quit
""".splitlines()


def test_a_general_log_has_every_statement_with_its_session_and_no_time(tmp_path: Path) -> None:
    tally = Tally()
    found = list(mysql_general_log.read(GENERAL, "shop", tally))
    assert [(one.session, one.text, one.duration_s) for one in found] == [
        ("5", "SELECT v\nFROM t WHERE id = 1", None), ("5", "SELECT 'it'", None), ("5", "COMMIT", None)
    ]  # fmt: skip
    assert [one.at - found[0].at for one in found] == [0.0, 1.0, 2.5]
    assert dict(tally.numbers) == {"other-messages": 4, "filtered": 1}
    (tmp_path / "source").write_text("\n".join(GENERAL))
    assert form.found((tmp_path / "source",), "utf-8").form == "mysql-general-log"

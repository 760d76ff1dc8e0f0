"""Folders of suites that nobody meant, and some that somebody did: read, and the loads that are left executed.

Nothing outside of the folder is read or written. What gets by the looks is refused by the engines and by the kernel,
which ``tests/engines/test_confined.py`` holds.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

# Before the clock of the first input.
import sqlglot.dialects.clickhouse
import sqlglot.dialects.duckdb  # noqa: F401

from fuzz.frame import HOSTILE, Door, command, fuzz, mutated
from weigh.model.errors import UsageError
from weigh.workloads import suites

if TYPE_CHECKING:
    import random

SECRET = "sesame-7731"
OUT = Path("/tmp/weigh-fuzz-out")
_SHORT = 4_000
"""Bytes of a file that is read a second time, by the command."""
BENCHMARK = b"""# name: a.benchmark
name Sums ${N}
group micro
require parquet
argument N 7
include more.in

load
CREATE TABLE n AS SELECT range AS i FROM range(${N});

run
SELECT sum(i) AS s FROM n WHERE i > ${N}

result I
1
"""
INCLUDED = b"""init
SET threads = 1

template t.in
A=1
B=${A}${A}
"""
TEMPLATE = b"""load load.sql

run
SELECT count(*) AS c FROM n WHERE i = ${B}
"""
XML = b"""<test max_ignored_relative_change="0.2">
    <settings><max_threads>1</max_threads></settings>
    <substitutions><substitution><name>f</name><values><value>sum</value><value>max</value></values></substitution>
    </substitutions>
    <create_query>CREATE TABLE t (n UInt32, k UInt8) ENGINE = MergeTree ORDER BY n</create_query>
    <fill_query>INSERT INTO t SELECT number, number % 7 FROM numbers(10)</fill_query>
    <query>SELECT k, {f}(n) FROM t GROUP BY k FORMAT Null SETTINGS max_threads = 2</query>
    <query>SELECT count() FROM t WHERE '{{x}}' != ''</query>
</test>
"""
SQL = b"""-- name: by_city
-- param: city = ["Rome", "Oslo"]
-- param: n = [5, 10]
SELECT a, count(*) AS c FROM t WHERE c = {city} GROUP BY a ORDER BY 2 DESC LIMIT $n;
SELECT 'it''s' /* c */ -- d
FROM t;
"""
PLACES = (
    "../secret.sql", "/etc/passwd", "secret.sql", "link.sql", "~/x", "../../../../etc/hostname", "a.benchmark",
    "more.in", "t.in", "/proc/self/environ", "/dev/zero", ".", "..", "", "folder", "\0", "x" * 5000, "loop.in", "%s",
    "benchmark/x",
)  # fmt: skip
STATEMENTS = (
    "COPY n TO '/tmp/weigh-fuzz-out'", "SELECT * FROM read_text('/etc/passwd')", "FROM '/etc/passwd'", "LOAD x",
    "SELECT * FROM file('/etc/passwd')", "SELECT 1 INTO OUTFILE '/tmp/weigh-fuzz-out'", "ATTACH 'x' AS y",
    "SELECT * FROM url('http://127.0.0.1:9/')", "INSERT INTO FUNCTION file('/tmp/weigh-fuzz-out') SELECT 1",
    "SELECT \"read_text\"('/etc/passwd')", "(" * 300 + "1" + ")" * 300, "SELECT " + "1+" * 3000 + "1", "/* /* */",
    "SELECT 1;;;", "\u00a0COPY n TO 'x'", "WITH x AS (SELECT 1) SELECT * FROM x", "$$", "'", "SELECT {f} {f} {g}",
)  # fmt: skip


def make(chance: random.Random) -> bytes:
    """One file of a suite, and which: mangled, with places and statements that it must not reach."""
    kind = chance.randrange(5)
    content = (BENCHMARK, INCLUDED, TEMPLATE, XML, SQL)[kind]
    for _ in range(chance.randrange(3)):
        lines = content.split(b"\n")
        at = chance.randrange(len(lines))
        place = chance.choice((*PLACES, *HOSTILE)).encode(errors="replace")
        word = chance.choice((b"load", b"run", b"include", b"template", b"init", b"cleanup", b"result", b"assert"))
        match chance.randrange(4):
            case 0:
                lines.insert(at, word + b" " + place)
            case 1:
                lines[at] = chance.choice(STATEMENTS).encode()
            case 2:
                lines.insert(at, b"X=" + b"${X}" * chance.choice((1, 100, 5000)))
            case _:
                value = b"<value>" + b"{f}" * chance.choice((1, 500)) + b"</value>"
                lines[at] = lines[at].replace(b"<value>sum</value>", value * chance.choice((1, 200, 2000)))
        content = b"\n".join(lines)
    if chance.random() < 0.5:
        content = mutated(content, chance)
    return bytes([kind]) + content


def use(content: bytes, folder: Path) -> None:
    """Read the suite that the file belongs to, and ask for it on the command line where nothing is executed."""
    kind, text = (content[0] % 5, content[1:]) if content else (0, b"")
    suite = folder / "suite"
    suite.mkdir()
    (folder / "secret.sql").write_text(f"SELECT '{SECRET}' AS a FROM t")
    (suite / "link.sql").symlink_to(folder / "secret.sql")
    os.mkfifo(suite / "pipe.in")
    (suite / "folder").mkdir()
    (suite / "loop.in").symlink_to("loop.in")
    files = {"a.benchmark": BENCHMARK, "more.in": INCLUDED, "t.in": TEMPLATE} if kind < 3 else {}
    name = ("a.benchmark", "more.in", "t.in", "a.xml", "a.sql")[kind]
    for one, plain in {**files, name: text}.items():
        (suite / one).write_bytes(plain)
    if kind < 3:
        (suite / "load.sql").write_text("CREATE TABLE n AS SELECT range AS i FROM range(9)")
    before = sorted(folder.rglob("*"))
    try:
        found = suites.read(suite)
    except UsageError as error:
        assert error.what
    else:
        said = repr(found)
        assert SECRET not in said
        assert "root:x:" not in said
        assert all(len(one.sql) + len(one.load) < 24 << 20 for one in found.questions)
    # An engine that is not there: tables are made where a load is still one, and no question is asked.
    if len(text) < _SHORT:
        shown = command(["workloads", "audit", "./suite/", "--contender", "no-such-engine"], folder)
        assert shown.code == 2
        assert SECRET not in shown.out + shown.err
    assert not OUT.exists()
    assert sorted(folder.rglob("*")) == before


DOOR = Door("suites", make, use)


def test_suites_that_nobody_meant_are_read_or_left_out() -> None:
    fuzz(DOOR)

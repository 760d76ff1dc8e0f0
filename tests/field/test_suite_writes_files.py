"""A suite writes nothing, reads nothing outside of its folder, and what it asks for reaches no evidence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from field.suites import audited, copied

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh

SECRET = "sesame-7731"
LOADS = {
    "copy": "COPY (SELECT 1 AS a) TO '{out}'",
    "copy_table": "COPY t TO '{out}' (FORMAT csv)",
    "copy_inside": "COPY t TO 'inside.csv'",
    "explained": "EXPLAIN ANALYZE COPY (SELECT 1 AS a) TO '{out}'",
    "prepared": "PREPARE p AS COPY (SELECT 1 AS a) TO '{out}'; EXECUTE p",
    "commented": "/* FROM */ COPY t /* FROM 'x' */ TO '{out}'",
    "export": "EXPORT DATABASE '{out}'",
    "attach": "ATTACH '{out}' AS other; CREATE TABLE other.t AS SELECT 1 AS a",
    "profile": "SET profiling_output = '{out}'; PRAGMA enable_profiling = 'json'; SELECT count(*) FROM t",
    "log": "CALL enable_logging(storage = 'file', storage_config = {{'path': '{out}'}})",
    "install": "INSTALL spatial",
    "load": "LOAD '{out}.duckdb_extension'",
    "text": "CREATE TABLE s AS SELECT content FROM read_text('{secret}')",
    "csv": "CREATE TABLE s AS FROM '{secret}'",
    "climb": "CREATE TABLE s AS SELECT content FROM read_text('../secret.csv')",
    "glob": "CREATE TABLE s AS FROM glob('{folder}/*')",
    "link": "CREATE TABLE s AS SELECT content FROM read_text('link.csv')",
    "within": "CREATE TABLE s AS FROM query('SELECT content FROM read_text(''{secret}'')')",
    "copied": "CREATE TABLE s (line VARCHAR); COPY s FROM '{secret}'",
    "again": "SET enable_external_access = true; COPY t TO '{out}'",
}
RUNS = {
    "asks_text": "SELECT content FROM read_text('{secret}')",
    "asks_quoted": "SELECT content FROM \"read_text\"('{secret}')",
    "asks_within": "FROM query('SELECT content FROM read_text(''{secret}'')')",
    "asks_file": "SELECT * FROM t, '{secret}'",
    "asks_copy": "\u00a0COPY t TO '{out}'",
    "asks_variable": "SELECT getenv('HOME') AS h FROM t",
}
NAMED = {
    "absolute": "load {secret}\n\nrun\nSELECT 1 AS a FROM t\n",
    "above": "load ../secret.csv\n\nrun\nSELECT 1 AS a FROM t\n",
    "beside_it": "load secret.csv\n\nrun\nSELECT 1 AS a FROM t\n",
    "by_link": "load link.csv\n\nrun\nSELECT 1 AS a FROM t\n",
    "as_template": "template ../secret.csv\nA=1\n",
    "as_include": "include {secret}\nrun\nSELECT 1 AS a FROM t\n",
    "as_run": "run ../secret.csv\n",
    "of_a_user": "load ~/secret.csv\n\nrun\nSELECT 1 AS a FROM t\n",
}
TABLE = "CREATE TABLE t AS SELECT range AS a FROM range(2000)"


def hostile(folder: Path, out: Path) -> Path:
    """A suite of all that is not allowed, and two questions that are."""
    suite = folder / "suite"
    suite.mkdir()
    secret = folder / "secret.csv"
    secret.write_text(f"word\n{SECRET}\n")
    (suite / "link.csv").symlink_to(secret)
    (suite / "linked.benchmark").symlink_to(secret)
    names = {"secret": secret, "out": out, "folder": folder}
    for name, statement in LOADS.items():
        text = statement.format(**names)
        (suite / f"{name}.benchmark").write_text(f"load\n{TABLE}; {text};\n\nrun\nSELECT sum(a) AS s FROM t\n")
    for name, question in RUNS.items():
        (suite / f"{name}.benchmark").write_text(f"load\n{TABLE};\n\nrun\n{question.format(**names)}\n")
    for name, text in NAMED.items():
        (suite / f"{name}.benchmark").write_text(text.format(**names))
    (suite / "data").mkdir()
    (suite / "data/rows.csv").write_text("a\n" + "\n".join(map(str, range(500))))
    (suite / "reads.benchmark").write_text(
        "load\nCREATE TABLE r AS FROM 'data/rows.csv'; COPY r FROM 'data/rows.csv';\n\nrun\nSELECT sum(a) AS s FROM r\n"
    )
    (suite / "plain.benchmark").write_text(f"load\n{TABLE};\n\nrun\nSELECT sum(a) AS s FROM t WHERE a % 3 = 0\n")
    return suite


def test_the_five_of_the_field(weigh: Weigh) -> None:
    copied("suite-writes-files", weigh.folder)
    run, _, _ = audited(weigh, "./")
    assert run.code == 2
    for word in ("/etc/passwd", "INSTALL shellfs", "COPY (SELECT 'owned') TO"):
        assert word in run.err
    assert "root:" not in run.out + run.err


def test_nothing_outside_is_read_or_written(weigh: Weigh, tmp_path: Path) -> None:
    out = tmp_path / "elsewhere"
    suite = hostile(weigh.folder, out)
    before = sorted(suite.rglob("*"))
    run, asked, left = audited(weigh, "./suite/")
    assert asked == {"plain", "reads"}
    assert set(left) == {*LOADS, *RUNS, *NAMED, "linked"}
    for name in LOADS:
        assert left[name].startswith("its load ") and "not allowed in suites (" in left[name], (name, left[name])
    assert left["copy"].startswith("its load writes a file: not allowed in suites (COPY (SELECT 1 AS a) TO '")
    assert SECRET not in run.out + run.err
    assert not list(tmp_path.glob("elsewhere*"))
    assert sorted(suite.rglob("*")) == before


def test_nothing_of_it_comes_into_evidence(weigh: Weigh, tmp_path: Path) -> None:
    suite = hostile(weigh.folder, tmp_path / "elsewhere")
    for path in suite.glob("*.benchmark"):
        if path.stem not in ("plain", "reads", "text", "copied", "by_link", "asks_text", "asks_within", "linked"):
            path.unlink()
    run = weigh("gate", "--workload", "./suite/", "--contender", "duckdb", "--contender", "datafusion", "--json")
    assert run.code in (0, 1, 3), run.err
    gate = json.loads((run.evidence / "gate.json").read_text())
    assert {one["operation"]: one["status"] for one in gate["operations"]} == {"plain": "agreed", "reads": "agreed"}
    for path in (weigh.folder / "runs").rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path
    assert SECRET not in run.out + run.err


def test_a_suite_of_clickhouse_ends_no_process(weigh: Weigh) -> None:
    suite = weigh.folder / "suite"
    suite.mkdir()
    table = (
        "<create_query>CREATE TABLE t (i UInt64) ENGINE = Memory</create_query>"
        "<fill_query>INSERT INTO t SELECT number FROM numbers(1000)</fill_query>"
    )
    ends = ("SYSTEM SHUTDOWN", "SYSTEM /* now */ kill", "BACKUP TABLE t TO File('b')")
    for at, statement in enumerate(ends):
        text = f"<test>{table}<fill_query>{statement}</fill_query><query>SELECT sum(i) AS s FROM t</query></test>"
        (suite / f"ends{at}.xml").write_text(text)
    (suite / "plain.xml").write_text(f"<test>{table}<query>SELECT sum(i) AS s FROM t WHERE i % 3 = 0</query></test>")
    run = weigh("workloads", "audit", "./suite/", "--contender", "chdb", "--json")
    assert run.code in (0, 1), run.err
    left = json.dumps(run.json)
    for at in range(len(ends)):
        assert f"ends{at}" in left
    assert "it ends processes: not allowed in suites (SYSTEM SHUTDOWN)" in left

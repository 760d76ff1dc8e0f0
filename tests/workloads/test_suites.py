"""Suites: folders of questions in the forms of others, read and not executed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from weigh.model.errors import UsageError
from weigh.workloads import suites
from weigh.workloads.suites.tables import renamed

if TYPE_CHECKING:
    from pathlib import Path

TEST = """\
<test max_ignored_relative_change="0.2">
    <settings><max_threads>1</max_threads><mode>a'b</mode></settings>
    <substitutions>
        <substitution><name>f</name><values><value>sum</value><value>max</value></values></substitution>
        <substitution><name>key</name><values><value>k</value><value>n % 100</value></values></substitution>
        <substitution><name>rows</name><values><value>10</value></values></substitution>
    </substitutions>
    <create_query>CREATE TABLE t (n UInt32, k UInt8) ENGINE = MergeTree ORDER BY n</create_query>
    <fill_query>INSERT INTO t SELECT number, number % 7 FROM numbers({rows})</fill_query>
    <query>SELECT {key} AS g, {f}(n) FROM t GROUP BY g ORDER BY g FORMAT Null</query>
    <query short="1">SELECT count() FROM t WHERE '{{x}}' != ''</query>
    <query>SELECT now()</query>
    <query>SELECT {missing}</query>
    <curious/>
    <drop_query>DROP TABLE t</drop_query>
</test>
"""


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_a_grid_in_a_file_is_a_question_for_every_combination(tmp_path: Path) -> None:
    text = '-- param: city = ["Rome", "Os\'lo"]\n-- param: n = [5, 10]\nSELECT a FROM t WHERE c = {city} LIMIT $n;\n'
    suite = suites.read(write(tmp_path, sub__q_dot_sql=text, load_dot_sql="CREATE TABLE t AS SELECT 1"))
    names = ["sub.q(city=Rome n=5)", "sub.q(city=Rome n=10)", "sub.q(city=Os_lo n=5)", "sub.q(city=Os_lo n=10)"]
    assert [one.name for one in suite.questions] == names
    assert suite.questions[2].sql.endswith("WHERE c = 'Os''lo' LIMIT 5")
    assert {one.load for one in suite.questions} == {"CREATE TABLE t AS SELECT 1"}
    assert {one.template for one in suite.questions} == {"sub.q"}


def test_templates_of_one_name_stay_apart(tmp_path: Path) -> None:
    text = "-- name: q\n-- param: n = [5, 10]\nSELECT a FROM {} LIMIT {{n}}"
    suite = suites.read(write(tmp_path, a_dot_sql=text.format("t"), b_dot_sql=text.format("u"), c_dot_sql="SELECT 1"))
    assert [(one.name, one.template) for one in suite.questions] == [
        ("q(n=5)", "q"), ("q(n=10)", "q"), ("q(n=5) (2)", "q (2)"), ("q(n=10) (2)", "q (2)"), ("c", ""),
    ]  # fmt: skip


@pytest.mark.promise("What looks like a parameter in a string or a comment is none.")
def test_values_stand_where_parameters_do_and_nowhere_else(tmp_path: Path) -> None:
    text = "-- param: s = [\"{n}\"]\n-- param: n = [5]\nSELECT '{n} {s}' AS raw, {s} AS s FROM t WHERE a = {n} -- {n}"
    suite = suites.read(write(tmp_path, q_dot_sql=text))
    assert [one.sql for one in suite.questions] == ["SELECT '{n} {s}' AS raw, '{n}' AS s FROM t WHERE a = 5 -- {n}"]


@pytest.mark.promise("Values are texts, numbers, `true` and `false`, dates and times (`day = [2026-01-01]`)")
def test_values_are_written_as_the_engines_sql_writes_them(tmp_path: Path) -> None:
    values = 'v = ["it\'s", "a\\\\b", 1, 1.5, true, 2026-01-02, 2026-01-02 03:04:05, 10:00:00]'
    suite = suites.read(write(tmp_path, q_dot_sql=f"-- param: {values}\nSELECT a FROM t WHERE b = {{v}}"))
    written = [one.sql.partition(" = ")[2] for one in suite.questions]
    assert written == [
        "'it''s'",
        "'a\\b'",
        "1",
        "1.5",
        "True",
        "DATE '2026-01-02'",
        "TIMESTAMP '2026-01-02 03:04:05'",
        "TIME '10:00:00'",
    ]
    others = {one.dialect.get("clickhouse", "").partition(" = ")[2] for one in suite.questions if one.dialect}
    assert others == {"'a\\\\b'"}


@pytest.mark.parametrize("value", ["nan", "inf", "[1]", "{a = 1}"])
def test_a_value_that_sql_has_no_literal_for_is_an_error(tmp_path: Path, value: str) -> None:
    with pytest.raises(UsageError, match="is no value that SQL can be asked with"):
        suites.read(write(tmp_path, q_dot_sql=f"-- param: v = [{value}]\nSELECT a FROM t WHERE b = {{v}}"))


def test_a_mark_before_the_text_is_not_part_of_it(tmp_path: Path) -> None:
    suite = suites.read(write(tmp_path, b_dot_benchmark="\ufeffname N\n\nrun\nSELECT a FROM t\n"))
    assert [one.about for one in suite.questions] == ["N"]
    assert not suite.unread


def test_an_extension_that_every_duckdb_has_is_required_in_vain(tmp_path: Path) -> None:
    files = {f"{one}_dot_benchmark": f"require {one}\n\nrun\nSELECT a FROM t\n" for one in ("json", "icu", "spatial")}
    suite = suites.read(write(tmp_path, **files))
    assert [one.name for one in suite.questions] == ["icu", "json"]
    assert [one.why for one in suite.left_out] == ["it requires the extension spatial"]


def test_values_of_weigh_toml_win_over_those_of_the_file(tmp_path: Path) -> None:
    text = "-- param: n = [5, 10]\nSELECT a FROM t LIMIT {n}"
    suite = suites.read(write(tmp_path, q_dot_sql=text), {"n": 3})
    assert [one.name for one in suite.questions] == ["q(n=3)"]


def test_a_value_that_nothing_asks_for_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no query has the parameter 'm'"):
        suites.read(write(tmp_path, q_dot_sql="-- param: m = [5]\nSELECT a FROM t"))


def test_what_is_no_question_is_left_out_with_its_reason(tmp_path: Path) -> None:
    suite = suites.read(
        write(tmp_path, q_dot_sql="-- name: r\nSELECT random();\n-- name: i\nINSERT INTO t VALUES (1);")
    )
    assert [one.name for one in suite.left_out] == ["r", "i"]
    assert "not deterministic" in suite.left_out[0].why
    assert "INSERT" in suite.left_out[1].why


def test_a_result_schema_in_a_suite_is_refused_and_another_toml_file_is_not(tmp_path: Path) -> None:
    """What it says would have no effect, another text for one engine among it."""
    write(tmp_path, a_dot_sql="SELECT 1 AS n", a_dot_toml="[tool]\nn = 1", b_dot_sql="SELECT 2 AS n")
    assert [one.name for one in suites.read(tmp_path).questions] == ["a", "b"]
    write(tmp_path, b_dot_toml='[dialect]\nsqlite = "SELECT 3 AS n"\n[[column]]\nname = "n"\nkind = "integer"')
    with pytest.raises(UsageError, match=r"result schema of b\.sql") as refused:
        suites.read(tmp_path)
    assert "weigh.toml" in refused.value.remedy


def test_a_schema_alongside_the_questions_is_no_question(tmp_path: Path) -> None:
    schema = "-- as it comes\nCREATE TABLE t (n INT);\ncreate index i on t (n);"
    mixed = "CREATE TABLE u (n INT);\n-- name: q\nSELECT n FROM u;"
    suite = suites.read(write(tmp_path, schema_dot_sql=schema, mixed_dot_sql=mixed, a_dot_sql="SELECT n FROM t"))
    assert [one.name for one in suite.questions] == ["a", "q"]
    assert [one.name for one in suite.left_out] == ["mixed_1"]
    (unread,) = suite.unread
    assert (unread.key, unread.file) == ("schema.sql", "schema.sql")
    assert unread.why.startswith("it asks nothing: load.sql makes the tables")


def test_a_file_that_would_take_minutes_to_read_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "long.sql").write_text(f"SELECT 1 IN ({','.join('1' * 9 for _ in range(250_000))})")
    (tmp_path / "short.sql").write_text("SELECT 1")
    found = suites.read(tmp_path)
    assert [one.name for one in found.questions] == ["short"]
    assert [(one.name, "larger than 2.00 MiB" in one.why) for one in found.left_out] == [("long", True)]


def test_a_benchmark_file_is_read_unchanged(tmp_path: Path) -> None:
    text = (
        "# name: micro/x.benchmark\n\nname Sums\ngroup micro\nrequire parquet\nodd thing\n\nload\nCREATE TABLE n AS\n"
        "SELECT 1 AS i\n\nrun\nSELECT sum(i)\nFROM n\n\nresult I\n1\n"
    )
    suite = suites.read(write(tmp_path, micro__x_dot_benchmark=text))
    (one,) = suite.questions
    assert (one.name, one.sql, one.load, one.about) == (
        "micro.x",
        "SELECT sum(i)\nFROM n",
        "CREATE TABLE n AS\nSELECT 1 AS i",
        "Sums",
    )
    assert [(key.key, bool(key.why)) for key in suite.unread] == [("odd", False), ("result", True)]


def test_templates_and_files_of_sql_are_followed(tmp_path: Path) -> None:
    write(
        tmp_path,
        t_dot_benchmark_dot_in="name Q ${N}\n\nload b/load.sql\n\nrun b/q${N}.sql\n",
        b__load_dot_sql="CREATE TABLE n AS SELECT 1 AS i",
        b__q7_dot_sql="SELECT i FROM n",
        q7_dot_benchmark="template t.benchmark.in\nN=7\n",
    )
    (one,) = suites.read(tmp_path).questions
    assert (one.name, one.sql, one.about) == ("q7", "SELECT i FROM n", "Q 7")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("require tpch\n\nrun\nSELECT 1 FROM t\n", "requires the extension tpch"),
        ("name x\n", "no run"),
        ("run\nSELECT 1; SELECT 2\n", "not one statement"),
        ("run\nCREATE TABLE u AS SELECT 1\n", "CREATE"),
        ("run there.sql\n", "there.sql that it names is not there"),
        ("run\n\n", "its run is empty"),
        ("template x.benchmark\n", "name one another"),
    ],
)
def test_a_benchmark_file_that_cannot_be_asked_is_left_out(tmp_path: Path, text: str, why: str) -> None:
    suite = suites.read(write(tmp_path, x_dot_benchmark=text))
    assert not suite.questions
    assert why in suite.left_out[0].why


def test_a_performance_test_is_read_unchanged(tmp_path: Path) -> None:
    suite = suites.read(write(tmp_path, group_dot_xml=TEST))
    assert suite.dialect == "clickhouse"
    settings = " SETTINGS max_threads = 1, mode = 'a\\'b'"
    assert [one.sql for one in suite.questions] == [
        f"SELECT k AS g, sum(n) FROM t GROUP BY g ORDER BY g{settings}",
        f"SELECT n % 100 AS g, sum(n) FROM t GROUP BY g ORDER BY g{settings}",
        f"SELECT k AS g, max(n) FROM t GROUP BY g ORDER BY g{settings}",
        f"SELECT n % 100 AS g, max(n) FROM t GROUP BY g ORDER BY g{settings}",
        f"SELECT count() FROM t WHERE '{{x}}' != ''{settings}",
    ]
    assert [one.name for one in suite.questions][-2:] == ["group.3(f=max key=n_%_100)", "group.4"]
    assert [one.template for one in suite.questions] == ["group.0"] * 4 + [""]
    assert suite.questions[0].load.endswith("FROM numbers(10)")
    assert [one.name for one in suite.left_out] == ["group.5", "group#6"]
    assert {key.key: bool(key.why) for key in suite.unread} == {
        "max_ignored_relative_change": True,
        "curious": False,
        "drop_query": True,
        "short": True,
    }


@pytest.mark.parametrize("text", ["<test", "<other/>", "<!DOCTYPE test [<!ENTITY a 'b'>]><test>&a;</test>"])
def test_a_file_that_is_no_performance_test_is_left_out(tmp_path: Path, text: str) -> None:
    suite = suites.read(write(tmp_path, x_dot_xml=text))
    assert [one.name for one in suite.left_out] == ["x"]


def test_files_of_two_kinds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="several kinds"):
        suites.read(write(tmp_path, a_dot_sql="SELECT 1", b_dot_xml="<test/>"))
    with pytest.raises(UsageError, match="no file of a suite"):
        suites.read(write(tmp_path / "empty", readme_dot_md="x"))


def test_a_table_of_another_name_is_asked_by_its_own() -> None:
    names = {"t": "t__2"}
    assert renamed("SELECT t.a FROM t WHERE 't' = t.a", names, "duckdb") == "SELECT t.a FROM t__2 AS t WHERE 't' = t.a"
    assert renamed("SELECT a FROM t x JOIN u ON 1=1", names, "duckdb") == "SELECT a FROM t__2 x JOIN u ON 1=1"
    assert renamed("WITH t AS (SELECT 1) SELECT * FROM t", names, "duckdb") is None
    assert renamed("SELECT (", names, "duckdb") is None
    assert renamed("SELECT (", {"t": "t"}, "duckdb") == "SELECT ("

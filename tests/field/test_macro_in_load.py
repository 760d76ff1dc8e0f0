"""What a load makes besides tables: a question that needs it is left out for weigh's own reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from field.suites import audited, copied

if TYPE_CHECKING:
    from support.command import Weigh

TABLE = "CREATE TABLE marks AS SELECT range AS id, range % 17 AS mark FROM range(20000);\n"
CASES = {
    "table_macro": ("CREATE MACRO low(x) AS TABLE FROM marks WHERE mark < x;", "SELECT sum(id) AS s FROM low(3)"),
    "type": ("CREATE TYPE mood AS ENUM ('sad', 'ok');", "SELECT count('ok'::mood) AS n FROM marks"),
    "schema": ("CREATE SCHEMA s; CREATE TABLE s.u AS FROM marks;", "SELECT sum(id) AS n FROM s.u"),
    "variable": ("SET VARIABLE least = 3;", "SELECT sum(id) AS n FROM marks WHERE mark > getvariable('least')"),
    "setting": ("SET default_null_order = 'nulls_first';", "SELECT id FROM marks ORDER BY id LIMIT 1"),
}  # fmt: skip


def test_only_tables_are_kept(weigh: Weigh) -> None:
    suite = copied("macro-in-load", weigh.folder) / "suite"
    for name, (made, question) in CASES.items():
        (suite / f"{name}.benchmark").write_text(f"load\n{TABLE}{made}\n\nrun\n{question}\n")
    # These are there: a view, a temporary table, a table of an own type; and a macro that nothing asks for.
    (suite / "view.benchmark").write_text(
        f"load\n{TABLE}CREATE VIEW v AS SELECT id, mark + 1 AS m FROM marks; CREATE TEMP TABLE w AS FROM v;\n"
        "CREATE MACRO unused(x) AS x; PRAGMA threads=1; SET preserve_insertion_order = false;\n\n"
        "run\nSELECT sum(v.m + w.m) AS s FROM v JOIN w USING (id)\n"
    )
    run, asked, left = audited(weigh, "./suite/")
    assert asked == {"plain", "view"}, run.out + run.err
    kept = "and only tables are kept"
    assert left == {
        "score": f"its load makes a macro (grade), {kept}",
        "table_macro": f"its load makes a macro (low), {kept}",
        "type": f"its load makes a type (mood), {kept}",
        "schema": f"its load makes a schema (s), {kept}",
        "variable": f"its load makes a variable (least), {kept}",
        "setting": f"its load makes a setting (default_null_order), {kept}",
    }
    assert {one["key"] for one in run.json["unread"]} == {"load: SET threads", "load: SET preserve_insertion_order"}

"""``include FILE`` of DuckDB's benchmark files is read as if it stood there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from field.suites import audited, copied

if TYPE_CHECKING:
    from support.command import Weigh


def test_what_is_included_makes_the_tables(weigh: Weigh) -> None:
    folder = copied("include-directive", weigh.folder)
    # In a template, with its values, and from the folder of the file itself.
    (folder / "benchmark/q/by.benchmark.in").write_text(
        "name By ${KEY}\ninclude more/${LOAD}.in\n\nrun\nSELECT ${KEY}, count(*) AS n FROM visits GROUP BY ${KEY}\n"
    )
    (folder / "benchmark/q/more").mkdir()
    (folder / "benchmark/q/more/deep.in").write_text("include benchmark/include/load_small.benchmark.in\n")
    (folder / "benchmark/q/id.benchmark").write_text("template by.benchmark.in\nKEY=id\nLOAD=deep\n")
    (folder / "benchmark/q/round.benchmark").write_text("include round.benchmark\nrun\nSELECT 1\n")
    run, asked, left = audited(weigh, "./benchmark/q/")
    assert asked == {"town", "id"}, run.out + run.err
    assert left == {"round": "its templates name one another"}
    assert not any(one["key"] == "include" for one in run.json["unread"])


def test_a_key_that_is_not_understood_is_named_where_nothing_can_be_asked(weigh: Weigh) -> None:
    (weigh.folder / "suite").mkdir()
    (weigh.folder / "suite/a.benchmark").write_text("summon tables.in\n\nrun\nSELECT a FROM t\n")
    run, _, _ = audited(weigh, "./suite/")
    assert run.code == 2
    assert "not understood: summon" in run.err

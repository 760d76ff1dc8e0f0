"""A1 where most is not asked again: who is wrong on a template of a large grid is found by what was drawn of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..reading import contenders, detail, diverged

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run, Weigh

VALUES = 60
LOAD = "CREATE TABLE numbers AS SELECT i AS n, i % 7 AS k FROM range(1000) t(i)"
TEMPLATES = {
    "sums": "SELECT k, sum(n) AS s FROM numbers WHERE n > {x} GROUP BY k ORDER BY k",
    "counts": "SELECT k, count(*) AS c FROM numbers WHERE n > {x} GROUP BY k ORDER BY k",
}


def make(folder: Path) -> None:
    (folder / "grid").mkdir()
    (folder / "grid" / "load.sql").write_text(f"{LOAD};\n")
    for name, sql in TEMPLATES.items():
        (folder / "grid" / f"{name}.sql").write_text(f"-- param: x = {[*range(VALUES)]}\n{sql};\n")


def asked(weigh: Weigh, name: str) -> Run:
    make(weigh.folder)
    return weigh("gate", "--workload", "./grid/", *contenders(name), "--json", timeout=300)


def notes(run: Run) -> list[str]:
    return [one["text"] for one in run.json["findings"] if one["code"] == "X.drawn"]


@pytest.mark.long
@pytest.mark.promise("Where an engine contradicts itself on one of them, all others of that template are asked as well")
def test_who_contradicts_itself_on_what_was_drawn_is_asked_everything_of_that_template(weigh: Weigh) -> None:
    run = asked(weigh, "liar?lie=race")
    assert {operation for _, operation in diverged(run)} == {f"sums(x={value})" for value in range(VALUES)}
    assert "itself with one thread" in detail(run, "sums(x=7)")
    assert run.code == 1
    assert notes(run), "that the other template was asked in part is reported"


@pytest.mark.long
@pytest.mark.promise("the report says how many they are")
def test_the_honest_twin_is_not_accused_and_what_was_not_asked_is_said(weigh: Weigh) -> None:
    run = asked(weigh, "liar?lie=none")
    assert not diverged(run)
    assert run.code == 0, run.err
    (said,) = notes(run)
    assert said.startswith("8 of 60 operations of each of 2 templates were drawn and asked again")
    assert weigh("verify", "latest").code == 0

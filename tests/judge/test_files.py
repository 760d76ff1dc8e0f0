"""What is reported of files as users have them: named twice, columns of their own, starts that are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh

STARTS = 12


def table(header: str, rows: list[tuple[object, ...]]) -> str:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


def alternating(skip: tuple[int, ...] = (), lost: tuple[int, ...] = (), tick: float = 0.0) -> str:
    """Two contenders that do not differ, in turn; some starts of both, or of one, are not there."""
    draw = np.random.default_rng(5)
    rows: list[tuple[object, ...]] = []
    for start in range(STARTS):
        for who in ("old", "new") if start % 2 else ("new", "old"):
            value = 0.1 * np.exp(0.005 * draw.standard_normal())
            if start not in skip and not (who == "new" and start in lost):
                rows += [(who, start, round(value / tick) * tick if tick else value)] * (2 if tick else 1)
    return table("contender,start,value", rows)


def verdict(weigh: Weigh, text: str) -> tuple[str, set[str], set[str]]:
    """Name, codes of its reasons, codes of the findings."""
    (weigh.folder / "times.csv").write_text(text)
    document = weigh("judge", "--json", "times.csv").json
    (one,) = document["verdicts"]
    return one["verdict"], {reason["code"] for reason in one["reasons"]}, {f["code"] for f in document["findings"]}


@pytest.mark.promise("The same file twice, by its name or its bytes, is an error: a copy is not another measurement.")
def test_a_file_that_is_named_twice_is_said_so(weigh: Weigh) -> None:
    (weigh.folder / "times.csv").write_text(alternating())
    for names in (("times.csv", "times.csv"), ("old=times.csv", "new=./times.csv")):
        run = weigh("judge", *names)
        assert run.code == 2
        assert "named twice" in run.err
        assert "not a number" not in run.err


def test_all_files_that_cannot_be_judged_are_named(weigh: Weigh) -> None:
    (weigh.folder / "good.csv").write_text(alternating())
    (weigh.folder / "empty.csv").write_text("")
    (weigh.folder / "notes.txt").write_text("nothing of a benchmark")
    run = weigh("judge", "good.csv", "empty.csv", "notes.txt", "gone.json")
    assert run.code == 2
    assert "3 of 4 files cannot be judged: " in run.err
    for reason in ("empty.csv: it is empty", "notes.txt: its format is not known", "gone.json: there is no such file"):
        assert reason in run.err


@pytest.mark.parametrize(
    "text",
    ["query,old,new\nq1,1.0,1.2\nq2,2.0,1.9\n", "old,new\n1.0,1.2\n", 'query;old;new\n"a; b";1,0;1,2\n'],
)
def test_a_column_for_each_contender_is_refused_with_the_form_that_is_read(weigh: Weigh, text: str) -> None:
    (weigh.folder / "wide.csv").write_text(text)
    run = weigh("judge", "wide.csv")
    assert run.code == 2
    assert "old, new" in run.err
    assert "contender,operation,start,value" in run.err
    (weigh.folder / "prose.txt").write_text("Dear reader, hello\nthis is a text, with commas\n")
    assert "format is not known" in weigh("judge", "prose.txt").err


def test_what_is_whole_is_judged(weigh: Weigh) -> None:
    name, _, findings = verdict(weigh, alternating())
    assert (name, findings) == ("same", set())


def test_starts_that_nobody_has_are_a_warning(weigh: Weigh) -> None:
    name, _, findings = verdict(weigh, alternating(skip=(2, 5, 6)))
    assert (name, findings) == ("same", {"T8.gaps"})


def test_starts_that_one_side_lacks_are_refused(weigh: Weigh) -> None:
    assert verdict(weigh, alternating(lost=(4,)))[0] == "same"
    name, codes, _ = verdict(weigh, alternating(lost=(4, 7)))
    assert name == "refused"
    assert "T8.lost" in codes


@pytest.mark.parametrize(("tick", "name"), [(0.01, "refused"), (0.0001, "same")])
def test_a_clock_too_coarse_is_refused(weigh: Weigh, tick: float, name: str) -> None:
    assert verdict(weigh, alternating(tick=tick))[0] == name


def test_engines_and_queries_are_groups_and_other_columns_are_named(weigh: Weigh) -> None:
    rows = [
        (engine, "1.0", query, start, 4, 0.1 + 0.001 * start)
        for start in range(6)
        for query in ("q1", "q2")
        for engine in ("duckdb", "polars")
    ]
    (weigh.folder / "times.csv").write_text(table("engine,version,query,start,threads,time_s", rows))
    document = weigh("judge", "--json", "times.csv").json
    assert {(one["operation"], one["contender"]) for one in document["verdicts"]} == {
        ("q1", "polars 1.0"),
        ("q2", "polars 1.0"),
    }
    (note,) = [one for one in document["findings"] if one["code"] == "X.columns"]
    assert "threads" in note["text"]


def test_advice_has_the_names_of_the_user_and_says_what_the_file_does_not(weigh: Weigh, tmp_path: Path) -> None:
    rows = [(engine, query, 0.1) for query in ("q1", "q2") for engine in ("duckdb", "polars") for _ in range(5)]
    (weigh.folder / "times.csv").write_text(table("engine,query,value", rows))
    run = weigh("judge", "times.csv")
    assert "duckdb,q1,1,0.0123" in run.out
    assert "--baseline duckdb" in run.out
    assert "no column start" in " ".join(run.out.split())

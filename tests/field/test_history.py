"""Files whose values nobody can have measured, and histories that have such values already."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from support.command import Weigh
from support.history_records import entry, measured, point, values, written
from weigh.history.entry import Measured

FOLDER = Path(__file__).with_name("history")
SHOWN = (("show",), ("show", "--json"), ("show", "--html", "page.html"))
HEAD = "time,commit,m\n"
GOOD = "2026-01-01T00:00:00Z,a,1\n"


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    return Weigh(tmp_path)


def check_shown(weigh: Weigh, code: int = 0) -> None:
    for words in SHOWN:
        run = weigh("history", *words, "--from", "h")
        assert (run.code, "internal error" in run.err) == (code, False), run.err
    confirmed = weigh("history", "confirm", "0", "--from", "h")
    assert (confirmed.code, "internal error" in confirmed.err) == (2, False)


@pytest.mark.parametrize(
    ("name", "points", "left_out"),
    [
        ("k.csv", 1, ["1e+308", "1e+308", "1e-320"]),
        ("h.csv", 1, []),
        ("j1.json", 0, []),
    ],
)
def test_values_that_nobody_measured_are_left_out_and_named(
    weigh: Weigh, name: str, points: int, left_out: list[str]
) -> None:
    shutil.copy(FOLDER / name, weigh.folder)
    added = weigh("history", "add", name, "--to", "h", "--json")
    if not points:
        assert added.code == 2
        assert "1e+308 cannot be a measurement" in added.err
        return
    assert added.code == (1 if left_out else 0)
    (one,) = added.json["added"]
    assert (one["points"], len(one["left_out"])) == (points, len(left_out))
    assert all(value in text for value, text in zip(left_out, one["left_out"], strict=True))
    check_shown(weigh)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (HEAD + f"2026-01-01T00:00:00Z,{'x' * 200_000},1\n", 2, "field larger than"),
        (HEAD + GOOD + f"2026-01-02T00:00:00Z,{'x' * 2_000},1\n", 1, "the commit has 2,000 characters"),
        (HEAD + GOOD + "2026-01-02T00:00:00Z,b,inf\n", 1, "inf cannot be a measurement"),
        (HEAD + GOOD + "2026-01-02T00:00:00Z,b,1e999\n", 1, "inf cannot be a measurement"),
        (HEAD + GOOD + "2026-01-02T00:00:00Z,b,fast\n", 1, "'fast' is no number"),
        (HEAD + GOOD + "2026-01-02T00:00:00Z,b,nan\n2026-01-03T00:00:00Z,c,\n", 1, "line 3, m: 'nan' is no number"),
        (HEAD + GOOD + "2026-01-02T00:00:00Z,b,n/a\n2026-01-03T00:00:00Z,c,\n", 0, "2 cells without a value left out"),
        (HEAD + GOOD + "2026-01-02T00:00:00Z,b,-1\n2026-01-03T00:00:00Z,c,0\n", 0, "2 values of zero or below"),
        (HEAD + GOOD + "9999-12-31T23:59:59Z,b,1\n", 1, "is no time of a measurement"),
        (HEAD + GOOD + "0001-01-01T00:00:00Z,b,1\n", 1, "is no time of a measurement"),
        (HEAD + GOOD + "9999-12-31T23:59:59-14:00,b,1\n", 1, "is no time of a measurement"),
        (HEAD + GOOD + "1e300,b,1\n", 1, "is no time of a measurement"),
        (HEAD + GOOD + "2026-01-02T00:00:00,a,1\n2026-01-02T00:00:00,a,1\n", 0, "3 points"),
        (HEAD + GOOD + '2026-01-02T00:00:00Z,"b\x00\x1b[31m\nc",1\n', 0, "2 points"),
        (HEAD + GOOD + "2026-01-02T00:00:00Z,b,1,2,3,4\n", 1, "line 3: 6 cells under 3 columns"),
        ("time,commit,m,m\n2026-01-01T00:00:00Z,a,1,2\n", 2, "two columns are called 'm'"),
        ('time,commit,"p99, ms"\n2026-01-01T00:00:00Z,a,1\n', 0, "1 point"),
        (HEAD, 2, "it has no column of numbers"),
        ("", 2, "it is neither evidence nor a file"),
    ],
)
def test_odd_files_are_added_as_far_as_they_can_be(weigh: Weigh, text: str, code: int, said: str) -> None:
    (weigh.folder / "a.csv").write_text(text)
    added = weigh("history", "add", "a.csv", "--to", "h")
    assert added.code == code, added.err
    assert said in added.out + added.err
    assert "\x1b" not in added.out + added.err
    if code < 2:
        assert weigh("history", "show", "--from", "h").code == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"date": "0001-01-01"}, "nothing was measured in 1"),
        ({"system": "x" * 5_000}, "its system has 5,000 characters"),
        ({"result": [[1e13, None, None]]}, "cannot be a measurement"),
        ({"result": [["fast"]]}, "it is no file of ClickBench's results"),
    ],
)
def test_odd_results_of_clickbench_are_refused_with_the_reason(
    weigh: Weigh, change: dict[str, object], said: str
) -> None:
    body = {"system": "X", "date": "2026-01-01", "machine": "m", "result": [[1.0, 0.5, 0.4]], **change}
    (weigh.folder / "a.json").write_text(json.dumps(body))
    added = weigh("history", "add", "a.json", "--to", "h")
    assert (added.code, "internal error" in added.err) == (2, False)
    assert said in added.err


def test_a_history_that_has_such_values_is_shown_without_them(weigh: Weigh) -> None:
    good = [entry(at, one) for at, one in enumerate(values(40, 2, {20: 1.08}), 1)]
    odd = Measured(name="n", engine="duckdb", version=f"1.{'9' * 5_000}")
    bad = [
        entry(50, 1e308),
        entry(51, 1e-320),
        entry(52, 0.0),
        entry(53, 0.1, points=(point(53, -1.0), point(53, 0.1, ratio=1e308, against=measured(1)))),
        entry(54, 0.1, points=(point(54, 0.1, operation="o" * 100_000, who=odd),)),
        entry(55, 0.1, host={"memory_bytes": "much", "cpu": ["one", 2]}),
        entry(56, 0.1, host={"memory_bytes": 1e308}),
        entry(57, 0.1, at="some day\x1b"),
    ]
    written(weigh.folder / "h", [*good, *bad])
    check_shown(weigh, code=1)
    shown = weigh("history", "show", "--from", "h", "--json").json
    named = {text["text"].partition(" is left out")[0] for text in shown["findings"] if text["code"] == "R4.history"}
    assert named == {f"a point of 20260101-abc-{number}" for number in (50, 51, 52, 53)}
    (q1,) = (one for one in shown["series"] if one["operation"] == "q1")
    assert {place["version"] for place in q1["points"]} >= {f"1.{number}" for number in range(1, 41)}
    # The honest twin: without them nothing is left out.
    written(weigh.folder / "twin", good)
    assert [weigh("history", *words, "--from", "twin").code for words in SHOWN] == [0, 0, 0]

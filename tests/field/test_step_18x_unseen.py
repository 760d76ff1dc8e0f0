"""A step that is too short to be a candidate is told, and "no change" is not said where none could be found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.command import Weigh
from support.history_records import values

FOLDER = Path(__file__).with_name("step-18x-unseen")


@pytest.fixture
def weigh(tmp_path: Path) -> Weigh:
    return Weigh(tmp_path)


def first_sentence(weigh: Weigh, own: list[float]) -> str:
    rows = [f"2026-{1 + at // 28:02}-{1 + at % 28:02}T00:00:00Z,c{at},{value}\n" for at, value in enumerate(own)]
    (weigh.folder / "perf.csv").write_text("time,commit,lat\n" + "".join(rows))
    shutil.rmtree(weigh.folder / "h", ignore_errors=True)
    assert weigh("history", "add", "perf.csv", "--to", "h").code == 0
    said = weigh("history", "show", "--from", "h").out.partition("\n\n")[0]
    return " ".join(said.split()).partition("1 record, 1 series: ")[2]


def test_eighteen_times_in_three_of_thirteen_points_is_told(weigh: Weigh) -> None:
    shutil.copy(FOLDER / "perf.csv", weigh.folder)
    assert weigh("history", "add", "perf.csv", "--to", "h").code == 0
    shown = weigh("history", "show", "--from", "h")
    said = " ".join(shown.out.split())
    assert (
        "a step of too few points for a change to be determined: the last 3 points are 17.5 times the 10 before."
        in said
    )
    assert "no change of level" not in said
    (one,) = weigh("history", "show", "--from", "h", "--json").json["series"]
    assert (one["gross"]["at"], one["gross"]["before"], one["gross"]["after"]) == (10, 10, 3)
    assert 17 < one["gross"]["ratio"] < 18
    assert "the last 3 points are 17.5 times" in weigh("history", "show", "--from", "h", "--html", "-").out


@pytest.mark.parametrize(
    ("count", "step", "said"),
    [
        (7, {4: 5.0}, "too short for a change to be determined; the last 3 points are 5.06 times the 4 before."),
        (30, {28: 3.0}, "a step of too few points for a change to be determined: the last 2 points are 2.9"),
        (
            30,
            {29: 0.2},
            "a step of too few points for a change to be determined: the last point is 0.201 times the 23 before.",
        ),
        (13, {3: 8.0}, "a step of too few points for a change to be determined: the first 3 points are 0.12"),
        (13, {10: 1.3}, "a step of too few points for a change to be determined: the last 3 points lie 2"),
        (8, {}, "too short for a change to be determined, which takes 12 points"),
        (13, {}, "no change of level of about 15 % or more; a smaller one could not be determined."),
        (100, {}, "no change of level of about 3 % or more."),
        (40, {39: 3.0}, "a step of too few points for a change to be determined: the last point is "),
    ],
)
def test_what_could_be_found_is_said(weigh: Weigh, count: int, step: dict[int, float], said: str) -> None:
    assert first_sentence(weigh, values(count, 5, step, sd=0.02)).startswith(said)

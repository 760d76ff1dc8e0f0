"""Pinned answers: the first witness of the gate."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from support.command import Weigh

if TYPE_CHECKING:
    from pathlib import Path

FLAGS = ("--scale", "5K", "--operations", "eq_user,duration_by_proto,extremes_by_action,top_ports", "--quiet")


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ``--pin`` wrote; not to be changed."""
    weigh = Weigh(tmp_path_factory.mktemp("pinned"))
    pinned = weigh("gate", "--contender", "duckdb", *FLAGS, "--pin", "answers.json", "--out", "first")
    assert pinned.code == 0
    return weigh.folder / "answers.json"


@pytest.fixture
def weigh(tmp_path: Path, answers: Path) -> Weigh:
    """weigh in a folder with a copy of them."""
    shutil.copy(answers, tmp_path)
    return Weigh(tmp_path)


def test_pinned_answers_speak_before_anybody_else(weigh: Weigh) -> None:
    kept = json.loads((weigh.folder / "answers.json").read_text())
    assert kept["schema"] == "weigh/pins/1"
    assert kept["answers"].keys() == {"eq_user", "duration_by_proto", "extremes_by_action", "top_ports"}

    alone = ("gate", "--no-truth", "--json", "--answers", "answers.json", *FLAGS)
    right = weigh(*alone, "--contender", "duckdb@1.5.5", "--out", "second")
    assert {row["status"] for row in right.json["gate"]} == {"agreed"}
    liar = weigh(*alone, "--contender", "liar?lie=group", "--out", "third")
    wrong = {row["operation"]: row["detail"] for row in liar.json["gate"] if row["status"] == "diverged"}
    assert wrong.keys() == {"top_ports"}
    assert "contradicted by pinned answer" in wrong["top_ports"]
    assert liar.code == 1


@pytest.mark.promise("Where the truth is known too, an answer must agree with both.")
def test_the_truth_still_contradicts_what_was_pinned_wrongly(weigh: Weigh) -> None:
    path = weigh.folder / "answers.json"
    kept = json.loads(path.read_text())
    case, rows = next(iter(kept["answers"]["eq_user"].items()))
    rows[0][0] += 1
    path.write_text(json.dumps(kept))
    run = weigh("gate", "--contender", "duckdb", "--json", "--answers", "answers.json", *FLAGS, "--out", "second")
    (row,) = (row for row in run.json["gate"] if row["operation"] == "eq_user")
    assert row["status"] == "diverged"
    assert f"case {case}" in row["detail"]


@pytest.mark.promise(
    "They belong to their data: the file carries the data's row digests, and is refused with other data.",
    ("A file of pinned answers carries the digests of the data it answers for, and is refused with other data."),
)
def test_answers_about_other_data_are_refused(weigh: Weigh) -> None:
    other = weigh("gate", "--contender", "duckdb", *FLAGS, "--seed", "7", "--answers", "answers.json")
    assert other.code == 2
    assert "these answers belong to other data" in other.err
    assert weigh("gate", "--contender", "duckdb", "--answers", "nowhere.json").code == 2
    (weigh.folder / "broken.json").write_text("{}")
    broken = weigh("gate", "--contender", "duckdb", *FLAGS, "--answers", "broken.json")
    assert broken.code == 2
    assert "these are no pinned answers" in broken.err

"""R5: suggestive evidence presented as conclusive."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from weigh.experiment.report import files

from ..forging import problems, reseal
from ..reading import codes, words

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run, Weigh

BUSY = {"E4.before", "E4.allowed", "E1.unproven"}
"""What may be reported of any run on a machine that others use, and whose caches they drop."""


def test_what_was_done_as_it_should_is_conclusive_on_a_machine_of_its_own(whole: Run) -> None:
    """The machine was watched, the data was shown to be in memory, and nothing else is missing."""
    assert whole.json["tier"]["inadmissible"] == []
    assert set(codes(whole)) <= BUSY
    assert whole.json["tier"]["name"] == ("suggestive" if codes(whole) else "conclusive")
    text = words((whole.evidence / "report.txt").read_text())
    assert ("SUGGESTIVE, not conclusive, because:" if codes(whole) else "CONCLUSIVE, if `weigh verify` passes") in text


def test_unverified_answers_and_one_start_are_named(one: Run) -> None:
    assert one.json["tier"]["name"] == "suggestive"
    assert set(codes(one)) - BUSY == {"A8", "T10.starts"}
    text = words((one.evidence / "report.txt").read_text())
    assert "A8 nothing independent confirmed the answers of unordered, ties" in text


@pytest.mark.promise("The figures of an inadmissible contender are inadmissible, and the rest is suggestive at most.")
def test_who_was_wrong_is_inadmissible_and_the_rest_suggestive(five: Run) -> None:
    assert five.json["tier"]["name"] == "suggestive"
    assert five.json["tier"]["inadmissible"] == ["wrong"]
    (reason,) = (reason for reason in five.json["tier"]["reasons"] if reason["code"] == "A1")
    assert reason["text"] == "wrong is inadmissible: its answers are contradicted on quotients"
    assert set(codes(five)) - BUSY == {"A1", "T10"}


@pytest.mark.promise("The tier is computed from what was recorded, never chosen.")
def test_an_edited_tier_is_found_and_never_printed(weigh: Weigh, whole: Run, tmp_path: Path) -> None:
    evidence = shutil.copytree(whole.evidence, tmp_path / "evidence" / whole.evidence.name)
    document = json.loads((evidence / files.VERDICTS).read_text())
    document["tier"] = {"name": "conclusive", "reasons": [], "inadmissible": []}
    (evidence / files.VERDICTS).write_text(json.dumps(document))
    assert problems(weigh, evidence) == {("R4.hash", files.VERDICTS), ("R4.figures", files.VERDICTS)}
    reseal(evidence)
    assert problems(weigh, evidence) == {("R4.figures", files.VERDICTS)}
    assert "CONCLUSIVE, if" not in weigh("report", str(evidence)).out
    assert weigh("report", str(evidence), "--json").json["tier"] == whole.json["tier"]

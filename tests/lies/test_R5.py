"""R5: suggestive evidence presented as conclusive."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from weigh.report import files

from .forging import problems, reseal
from .reading import codes, words

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Run, Weigh

UNBUILT = {"E4.unwatched", "E1.unproven"}
"""What no run of this version can show: that the machine was quiet throughout, and that the data was in memory."""
BUSY = {"E4.before"}
"""What may be said of any run on a machine that others use."""


def test_what_was_done_as_it_should_lacks_only_what_is_not_built(whole: Run) -> None:
    assert whole.json["tier"]["name"] == "suggestive"
    assert whole.json["tier"]["inadmissible"] == []
    assert set(codes(whole)) - BUSY == UNBUILT
    text = words((whole.evidence / "report.txt").read_text())
    assert "SUGGESTIVE, not conclusive, because:" in text
    assert "E4.unwatched the machine was not watched during the blocks" in text
    assert "E1.unproven temperature not proven" in text


def test_unverified_answers_and_one_start_are_named(one: Run) -> None:
    assert one.json["tier"]["name"] == "suggestive"
    assert set(codes(one)) - BUSY == {"A8", "T10.starts", *UNBUILT}
    text = words((one.evidence / "report.txt").read_text())
    assert "A8 nothing independent confirmed the answers of unordered, ties" in text


def test_who_was_wrong_is_inadmissible_and_the_rest_suggestive(five: Run) -> None:
    assert five.json["tier"]["name"] == "suggestive"
    assert five.json["tier"]["inadmissible"] == ["wrong"]
    (reason,) = (reason for reason in five.json["tier"]["reasons"] if reason["code"] == "A1")
    assert reason["text"] == "wrong is inadmissible: its answers are contradicted on quotients"
    assert set(codes(five)) - BUSY == {"A1", "T10", *UNBUILT}


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

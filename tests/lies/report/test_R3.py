"""R3: figures without configuration, versions or question."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from weigh.evidence import journal
from weigh.experiment.report import files
from weigh.model.errors import EvidenceFault

from ..forging import forge, problems, rewrite
from ..reading import SMALL, contenders

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run, Weigh

    from ..forging import Events


@pytest.fixture
def evidence(whole: Run, tmp_path: Path) -> Path:
    """A copy of honest evidence under the same name."""
    return shutil.copytree(whole.evidence, tmp_path / "evidence" / whole.evidence.name)


@pytest.mark.parametrize("part", ["environment", "workload", "manifest"])
def test_a_report_without_configuration_cannot_be_made(weigh: Weigh, evidence: Path, part: str) -> None:
    def without(events: Events) -> Events:
        return [event for event in events if event.event != part]

    with pytest.raises(EvidenceFault, match=r"R3: .* a report without configuration cannot be made"):
        forge(evidence, without)
    run = weigh("report", str(evidence), "--json")
    assert run.code == 2
    assert not run.out
    assert f"R3: the journal of attempt 1 has samples and no {part}" in run.err
    assert ("R3.configuration", journal.NAME) in problems(weigh, evidence)


def test_what_never_came_to_figures_may_be_read(weigh: Weigh, evidence: Path) -> None:
    rewrite(evidence, lambda events: events[:1])
    run = weigh("report", str(evidence))
    assert run.code == 0, run.err
    assert "The gate was not reached" in run.out
    assert "median" not in run.out


def test_a_whole_report_says_everything(weigh: Weigh, whole: Run) -> None:
    text = weigh("report", str(whole.evidence), "--verbose").out
    for said in ("weigh two", "written by duckdb", "liar 2.0.0", "lie=pace, ms=80", "reproduce: weigh run"):
        assert said in text
    assert problems(weigh, whole.evidence) == set()
    assert files.read(whole.evidence).record.environment is not None


@pytest.mark.promise(
    "A running engine that names another version than the package that is installed for it is a warning (`R3.version`)."
)
def test_a_version_that_its_package_does_not_have_is_named(weigh: Weigh, whole: Run) -> None:
    named = contenders("duckdb", "sqlite", "liar?lie=false-version")
    run = weigh("gate", *named, *SMALL, "--operations", "by_action")
    (found,) = (one for one in run.json["findings"] if one["code"] == "R3.version")
    assert (found["contender"], found["severity"]) == ("liar?lie=false-version", "warning")
    assert "it says that it is version 9.9.9, and the package duckdb that is installed for it is 2.0.0" in found["text"]
    assert "R3.version" not in whole.codes

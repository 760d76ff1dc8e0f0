"""R3: figures without configuration, versions or question."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import msgspec
import pytest

from support.built import built
from weigh.evidence import journal
from weigh.experiment import record as records
from weigh.experiment.report import files
from weigh.experiment.results.data.builds import findings
from weigh.model.errors import EvidenceFault

from ..forging import forge, problems, rewrite
from ..reading import SMALL, contenders

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.command import Run, Weigh
    from support.once import Once

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


@pytest.fixture(scope="module")
def builds(fresh: Callable[[], Weigh], once: Once) -> Run:
    """Builds of an engine, of which one is the baseline under another name."""
    return once("built", lambda: built(fresh()))


def test_a_build_that_is_compared_with_itself(builds: Run) -> None:
    """The liar: a wheel of the baseline's own bytes. The twins are a change, and a change of documents."""
    said = {one["contender"]: one for one in builds.json["findings"] if one["code"] == "R3.build"}
    assert {name: one["severity"] for name, one in said.items()} == {"wheel": "warning"}
    assert "it is the same build as main" in said["wheel"]["text"]


def test_a_change_that_reaches_no_program_is_no_lie(builds: Run) -> None:
    record = records.read(builds.evidence)
    against = msgspec.structs.replace(record, spec=msgspec.structs.replace(record.spec, baseline="pr"))
    assert [(one.contender, one.severity) for one in findings(against)] == [("docs", "note")]
    tuned = [
        msgspec.structs.replace(one, settings={"threads": 1}) if one.name == "wheel" else one
        for one in record.spec.contenders
    ]
    other = msgspec.structs.replace(record, spec=msgspec.structs.replace(record.spec, contenders=tuple(tuned)))
    assert not [*findings(other)], "one build with two settings is a comparison of the settings"


@pytest.mark.parametrize("lie", ["another", "none", "packages"])
def test_a_build_that_is_not_the_one_that_was_installed(weigh: Weigh, builds: Run, tmp_path: Path, lie: str) -> None:
    evidence = shutil.copytree(builds.evidence, tmp_path / "evidence" / builds.evidence.name)
    assert problems(weigh, evidence) == set()

    def edited(events: Events) -> Events:
        reads = {
            one["name"]: one for event in events if event.event == "environment" for one in event.body["contenders"]
        }
        if lie == "another":
            reads["pr"]["build"] = reads["main"]["build"]
        elif lie == "none":
            del reads["pr"]["build"]
        else:
            reads["pr"]["lock"] = reads["main"]["lock"]
        return events

    forge(evidence, edited)
    assert ("R3.build", journal.NAME) in problems(weigh, evidence)

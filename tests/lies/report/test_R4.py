"""R4: results edited afterwards."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from weigh.evidence import journal, seal
from weigh.experiment.report import files
from weigh.experiment.verify.verify import verify

from ..forging import forge, problems, reseal, rewrite, samples

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run, Weigh

    from ..forging import Events

DERIVED = {
    "environment.json", "gate.json", "journal.jsonl", "manifest.json", "report.txt", "samples.parquet", "spec.json",
    "verdicts.json", "workload.json",
}  # fmt: skip


@pytest.fixture
def evidence(whole: Run, tmp_path: Path) -> Path:
    """A copy of honest evidence under the same name."""
    return shutil.copytree(whole.evidence, tmp_path / "evidence" / whole.evidence.name)


def faster(events: Events) -> Events:
    """One contender's times halved."""
    for sample in samples(events):
        if sample["contender"] == "uneven":
            sample["wall_s"] /= 2
    return events


def test_untouched_evidence_passes_and_so_does_what_was_sealed_again(weigh: Weigh, evidence: Path) -> None:
    assert problems(weigh, evidence) == set()
    forge(evidence, lambda events: events)
    assert problems(weigh, evidence) == set()


@pytest.mark.promise("every file has its sealed hash and is a regular file, none is missing, none was added")
def test_one_edited_byte_is_found_in_every_sealed_file(evidence: Path) -> None:
    names = seal.read_seal(evidence).files.keys()
    assert names >= DERIVED
    for name in names:
        before = (evidence / name).read_bytes()
        edited = bytearray(before)
        edited[len(edited) // 2] ^= 1
        (evidence / name).write_bytes(edited)
        assert ("R4.hash", name) in {(problem.code, problem.file) for problem in verify(evidence).problems}
        (evidence / name).write_bytes(before)
    assert not verify(evidence).problems


def test_the_command_names_the_file(weigh: Weigh, evidence: Path) -> None:
    with (evidence / files.TEXT).open("a") as report:
        report.write(" ")
    assert problems(weigh, evidence) == {("R4.hash", files.TEXT), ("R4.figures", files.TEXT)}


@pytest.mark.promise("every file has its sealed hash and is a regular file, none is missing, none was added")
def test_a_file_added_or_lost_is_named(weigh: Weigh, evidence: Path) -> None:
    (evidence / "better.json").write_text("{}")
    (evidence / "gate.json").unlink()
    assert problems(weigh, evidence) >= {("R4.sealed", "better.json"), ("R4.sealed", "gate.json")}


def test_an_edited_journal_contradicts_all_that_follows_from_it(weigh: Weigh, evidence: Path) -> None:
    rewrite(evidence, faster)
    found = problems(weigh, evidence)
    assert ("R4.hash", journal.NAME) in found
    reseal(evidence)
    assert problems(weigh, evidence) >= {
        ("R4.derived", "samples.parquet"), ("R4.figures", "verdicts.json"), ("R4.figures", "report.txt"),
    }  # fmt: skip


@pytest.mark.promise(
    "each line of the journal carries the hash of the line before it, and every document follows from the journal"
)
def test_samples_and_figures_edited_alike_and_sealed_contradict_the_journal(weigh: Weigh, evidence: Path) -> None:
    original = (evidence / journal.NAME).read_bytes()
    forge(evidence, faster)
    (evidence / journal.NAME).write_bytes(original)
    reseal(evidence)
    assert problems(weigh, evidence) >= {("R4.derived", "samples.parquet"), ("R4.figures", "verdicts.json")}


def test_samples_alone_edited_and_sealed_contradict_the_journal(weigh: Weigh, evidence: Path) -> None:
    path = evidence / "samples.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[-1]["wall_s"] /= 2
    pq.write_table(table.from_pylist(rows, schema=table.schema), path)
    reseal(evidence)
    assert problems(weigh, evidence) == {("R4.derived", "samples.parquet")}


@pytest.mark.promise(
    "verdicts and report follow from the samples of this and the earlier attempts.",
    "`weigh verify` recomputes every number of the report from it.",
)
@pytest.mark.parametrize(
    ("name", "pattern", "put"),
    [
        (files.VERDICTS, r'"verdict": "slower"', '"verdict": "same"'),
        (files.VERDICTS, r'"high": (?=\d)', '"high": 9'),
        (files.VERDICTS, r'"mean": (?=\d)', '"mean": 9'),
        (files.TEXT, r"SLOWER by", "FASTER by"),
        (files.TEXT, r"AGREED", "PASSED"),
    ],
)
def test_an_edited_figure_that_was_sealed_does_not_follow(
    weigh: Weigh, evidence: Path, name: str, pattern: str, put: str
) -> None:
    text, edits = re.subn(pattern, put, (evidence / name).read_text(), count=1)
    assert edits == 1
    (evidence / name).write_text(text)
    reseal(evidence)
    assert problems(weigh, evidence) == {("R4.figures", name)}


@pytest.mark.promise("the gate's statuses follow from its checks")
def test_a_status_that_does_not_follow_from_its_checks(weigh: Weigh, evidence: Path) -> None:
    def acquitted(events: Events) -> Events:
        (gate,) = (event.body for event in events if event.event == "gate")
        for check in gate["checks"]:
            if (check["contender"], check["operation"]) == ("uneven", "ties"):
                check["status"] = "diverged"
        return events

    forge(evidence, acquitted)
    assert ("R4.figures", "gate.json") in problems(weigh, evidence)


def test_an_operation_that_was_struck_out_of_the_gate(weigh: Weigh, evidence: Path) -> None:
    def struck(events: Events) -> Events:
        (gate,) = (event.body for event in events if event.event == "gate")
        for kind in ("operations", "checks"):
            gate[kind] = [one for one in gate[kind] if one["operation"] != "ties"]
        return events

    forge(evidence, struck)
    assert ("R4.figures", "gate.json") in problems(weigh, evidence)


def test_the_document_on_stdout_is_the_one_that_is_sealed(whole: Run) -> None:
    assert whole.json == json.loads((whole.evidence / files.VERDICTS).read_text())

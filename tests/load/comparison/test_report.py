"""What is printed of servers under one load, and whether verifying it computes it all again."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from support import load_comparison_records
from support.html_pages import assert_codes_explained, assert_sound
from support.load_comparison_records import behind_a_proxy, comparison, spec, written
from weigh import __version__
from weigh._kinds import LOAD_COMPARISON, kind_of
from weigh.evidence.sealing import seal
from weigh.load.comparison.report import files
from weigh.load.comparison.report.markdown import markdown
from weigh.load.comparison.report.terminal import screen
from weigh.load.comparison.results import LoadComparisonResults, load_comparison_results
from weigh.model.errors import EvidenceFault
from weigh.render.terminal import ReportConsole

if TYPE_CHECKING:
    from pathlib import Path

NAMES = {"old": "valkey:embedded", "new": "valkey:embedded?io-threads=2", "third one": "valkey:embedded?hz=50"}


@pytest.fixture(scope="module")
def results() -> LoadComparisonResults:
    asked = spec(5, NAMES, length=12, twice=False, loops=("open", "closed"), connections=(4,))
    return load_comparison_results([comparison(asked, laws={"new": behind_a_proxy})])


def printed(results: LoadComparisonResults, width: int) -> str:
    console = ReportConsole(width=width, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(screen(results, "runs/x"), crop=False)
    return captured.get()


@pytest.mark.parametrize("width", [60, 80, 118])
def test_the_first_screen_keeps_figure_contender_and_verdict(results: LoadComparisonResults, width: int) -> None:
    text = printed(results, width)
    for wanted in (
        "p99",
        "CPU/request",
        "answers/s",
        "new",
        "third one",
        "SAME within 3.0 %",
        "open loop, 4 connections",
    ):
        assert wanted in text, wanted
    wide = [line for line in text.splitlines() if len(line) > min(width, 80)]
    assert not [line for line in wide if "weigh " not in line]


def test_the_sentences_come_first(results: LoadComparisonResults) -> None:
    first = " ".join(printed(results, 80).split())
    assert "open loop, 4 connections: new" in first
    assert "All kept the 1,500 requests a second that were due" in first


def test_markdown_has_the_verdicts(results: LoadComparisonResults) -> None:
    text = markdown(results, "runs/x")
    assert text.startswith("**open loop, 4 connections: new")
    rows = [line for line in text.splitlines() if line.startswith("| p99")]
    assert any("| new |" in line for line in rows)
    assert "Again: `weigh load" in text


def test_the_page_is_sound(results: LoadComparisonResults) -> None:
    page = files.page(results, "x").decode()
    assert_sound(page)
    assert_codes_explained(page)
    assert "p99, open loop, 4 connections" in page
    assert "contenders/2-new/report.html" in page


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evidence") / "20260102-0123456789ab-1"
    folder.mkdir()
    written(folder, comparison(spec(5, length=4)))
    files.write(folder)
    seal(folder, __version__)
    return folder


def test_it_is_a_kind_of_its_own(evidence: Path) -> None:
    kind = kind_of(evidence)
    assert kind is LOAD_COMPARISON
    about = kind.about(evidence)
    assert (about.workload, about.about, about.end) == ("ycsb-b", "old, new", "complete")
    assert kind_of(evidence / "contenders" / "1-old").name == "load"


@pytest.mark.promise("`weigh report` takes such a folder too.")
def test_verify_computes_everything_again(evidence: Path) -> None:
    found = LOAD_COMPARISON.verify(evidence)
    assert found.problems == ()
    assert found.runs == 15
    assert found.verdicts == 6
    assert (evidence / "contenders" / "3-old-2" / "load.json").exists()


def test_a_part_is_verified_with_the_whole(evidence: Path) -> None:
    with pytest.raises(EvidenceFault, match="seal of the whole comparison covers it") as caught:
        kind_of(evidence / "contenders" / "1-old").verify(evidence / "contenders" / "1-old")
    assert f"weigh verify {evidence}" in caught.value.remedy


EDITS = {
    "load-comparison.json": ('"verdict": "same"', '"verdict": "faster"'),
    "contenders/2-new/journal.jsonl": ('"cpu_s":0.5', '"cpu_s":0.4'),
}
"""Sealed anew after it, it still does not follow from the journals; the chain of a journal is broken."""


@pytest.mark.parametrize("name", EDITS)
def test_what_was_edited_fails(evidence: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / evidence.name
    shutil.copytree(evidence, folder)
    before, after = EDITS[name]
    text = (folder / name).read_text()
    assert before in text
    (folder / name).write_text(text.replace(before, after, 1))
    seal(folder, __version__)
    assert not LOAD_COMPARISON.verify(folder).passed


def test_an_order_that_is_not_the_seeds_fails(tmp_path: Path) -> None:
    record = comparison(spec(2, length=2))
    swapped = load_comparison_records.reordered(record)
    folder = tmp_path / "20260102-0123456789ab-1"
    folder.mkdir()
    written(folder, swapped)
    files.write(folder)
    seal(folder, __version__)
    assert {one.code for one in LOAD_COMPARISON.verify(folder).problems} == {"T5.order"}


def test_the_document_has_every_run(evidence: Path) -> None:
    found = json.loads((evidence / files.JSON).read_text())
    assert found["schema"] == "weigh/load-comparison/1"
    assert len(found["runs"]) == 15
    assert [one["name"] for one in found["contenders"]] == ["old", "new", "old#2"]
    assert {one["life"] for one in found["runs"]} == {1, 2, 3, 4, 5}
    assert all(one["server_cpu_s"] > 0 for one in found["runs"])

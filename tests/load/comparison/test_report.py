"""What is printed of servers under one load, and whether verifying it computes it all again."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import msgspec
import pytest

from support import load_comparison_records
from support.html_pages import assert_codes_explained, assert_sound
from support.load_comparison_records import behind_a_proxy, comparison, spec, written
from weigh._version import __version__
from weigh.evidence.sealing import seal
from weigh.kinds.table import LOAD_COMPARISON, kind_of
from weigh.load.comparison.report import files
from weigh.load.comparison.report.document import document
from weigh.load.comparison.report.report import plain, screen, to_markdown
from weigh.load.comparison.results import LoadComparisonResults, load_comparison_results
from weigh.load.replay.differences import Compared
from weigh.model.errors import EvidenceFault
from weigh.model.machine.calibration import Calibration
from weigh.render.terminal import ReportConsole

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.load.comparison.spec import LoadArm
    from weigh.load.runs import LoadRun

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


def test_the_first_screen_says_whether_the_answers_to_a_recording_differ(results: LoadComparisonResults) -> None:
    alike = Compared(contender="new", compared=200, answers=180, open=0, dependent=0, differences=(), rows_differ=0)
    said = " ".join(printed(msgspec.structs.replace(results, replayed=(alike,)), 118).split())
    assert "new against old: 200 statements compared, 180 of them row by row; 0 differ." in said


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
    text = to_markdown(results, "runs/x")
    assert text.startswith("**open loop, 4 connections: new")
    rows = [line for line in text.splitlines() if line.startswith("| p99")]
    assert any("| new |" in line for line in rows)
    assert "Again: `weigh load" in text


def test_the_page_is_sound(results: LoadComparisonResults) -> None:
    page = files.page(results).decode()
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


def test_a_machine_whose_speed_changed_between_the_blocks_is_said(results: LoadComparisonResults) -> None:
    slower = calibrated(*[0.1] * 8, *[0.12] * 8)
    found = load_comparison_results([msgspec.structs.replace(results.record, calibrations=slower)])
    (finding,) = (one for one in found.findings if one.code == "E5.drift")
    assert "20.0 % longer from block" in finding.text
    assert "fixed work before each block" in " ".join(printed_whole(found).split())
    assert document(found, "x")["calibrations"][0]["kernel"] == "integer"
    assert "calibrations" not in document(results, "x")


def test_a_duet_says_how_far_apart_the_two_began() -> None:
    asked = msgspec.structs.replace(spec(5, length=4, twice=False), duet=True)

    def begun(run: LoadRun, arm: LoadArm) -> LoadRun:
        assert run.summary
        late = 0.004 * run.repeat if arm.name == "new" else 0.0
        return msgspec.structs.replace(run, summary=msgspec.structs.replace(run.summary, t0_unix=100.0 + late))

    found = load_comparison_results([comparison(asked, change=begun)])
    assert found.apart is not None
    assert (found.apart.pairs, round(found.apart.median, 6), round(found.apart.most, 6)) == (5, 0.012, 0.02)
    assert "began 12.0 ms apart (median of 5 pairs), 20.0 ms at most" in " ".join(printed_whole(found).split())


def printed_whole(results: LoadComparisonResults) -> str:
    return plain(results, "runs/x")


def calibrated(*blocks: float) -> tuple[Calibration, ...]:
    """Fixed work before blocks, in seconds, each with a scatter of a thousandth."""
    return tuple(
        Calibration(
            at=10.0 * block, block=block, place="before" if block == 1 else "between", kernel="integer",
            seconds=tuple(each * (1 + 0.001 * ((7 * block + part) % 5 - 2)) for part in range(5)),
        )
        for block, each in enumerate(blocks, 1)
    )  # fmt: skip

"""The evidence of a load experiment: written, sealed, read by others, verified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from support.evidence_folders import LOAD_INTERVALS, written_load
from support.load_records import interval, run, steady_times
from weigh.evidence import sealing
from weigh.judge.formats import hlog
from weigh.judge.formats.source import Source
from weigh.load import record as records
from weigh.load.verify import verify
from weigh.model.errors import EvidenceFault
from weigh.statistics.histogram import decode, merged

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sealed experiment of one run."""
    return written_load(tmp_path)


def test_what_was_written_is_read_back(folder: Path) -> None:
    found = records.read(folder)
    assert records.is_load(folder)
    made = run([interval(at, own) for at, own in enumerate(steady_times(LOAD_INTERVALS))])
    assert found.runs[0] == msgspec.structs.replace(made, at=2.0)
    assert found.loaded == records.Loaded(rows=1_000, seconds=0.5)
    assert [(one.run, len(one.waits.looks)) for one in found.waits] == [(1, LOAD_INTERVALS)]
    assert [(one.run, len(one.activity.events)) for one in found.activity] == [(1, 3)]


def test_it_passes_and_counts_what_it_recomputed(folder: Path) -> None:
    found = verify(folder)
    assert not found.problems
    assert (found.runs, found.histograms) == (1, 5 * LOAD_INTERVALS)


@pytest.mark.parametrize("name", ["load.json", "report.txt", "report.html", "histograms.hlog", "spec.json"])
def test_an_edited_file_is_named_even_when_it_is_sealed_again(folder: Path, name: str) -> None:
    path = folder / name
    edited = path.read_bytes().replace(b"1", b"2", 40)
    path.write_bytes(edited)
    assert {(one.code, one.file) for one in verify(folder).problems} >= {("R4.hash", name), ("R4.figures", name)}
    sealing.seal(folder, "0")
    assert {(one.code, one.file) for one in verify(folder).problems} == {("R4.figures", name)}


def test_a_folder_with_another_name_is_what_it_was(folder: Path) -> None:
    other = folder.rename(folder.with_name("monday"))
    assert not verify(other).problems
    (other / "report.txt").write_text("all is well\n")
    assert {(one.code, one.file) for one in verify(other).problems} == {
        ("R4.hash", "report.txt"),
        ("R4.figures", "report.txt"),
    }


def test_a_histogram_that_was_edited_away_changes_the_figures(folder: Path) -> None:
    path = folder / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(line for number, line in enumerate(lines) if number != 30))
    sealing.seal(folder, "0")
    assert "load.json" in {one.file for one in verify(folder).problems}


def test_a_damaged_histogram_is_a_problem_and_no_crash(folder: Path) -> None:
    path = folder / "journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b"HISTFAAAA", b"XISTFAAAA", 1))
    assert {one.file for one in verify(folder).problems} == {"journal.jsonl"}


def test_the_log_is_read_by_the_reader_of_other_tools(folder: Path) -> None:
    # Its library takes a tenth of a second for a histogram: three intervals will do.
    lines = (folder / "histograms.hlog").read_bytes().splitlines(keepends=True)[: 3 + 4 * 3]
    reading = hlog.read(Source("histograms.hlog", b"".join(lines)))
    by_name = {one.operation: one for one in reading.measurements}
    assert set(by_name) == {"read", "read.service", "read.lag_free", "read.lag_late"}
    whole = merged(decode(one.operations[0].response) for one in records.read(folder).runs[0].intervals[:3])
    assert dict(by_name["read"].quantiles)[0.99] == pytest.approx(whole.quantile(0.99), rel=1e-9)


def test_another_directory_is_no_load(tmp_path: Path) -> None:
    assert not records.is_load(tmp_path)
    with pytest.raises(EvidenceFault):
        records.read(tmp_path)

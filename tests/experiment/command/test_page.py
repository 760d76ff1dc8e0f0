"""``report.html`` in the evidence, and ``weigh report --html``."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from support.command import Weigh
from support.html_pages import Reader, assert_sound

if TYPE_CHECKING:
    from pathlib import Path

EXPERIMENT = (
    "--contender", "a=fork@2.0.0", "--contender", "b=fork@2.0.0?threads=1", "--scale", "1K", "--quiet",
    "--operations", "by_action,eq_user",
)  # fmt: skip


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Evidence of a short run; not to be changed."""
    run = Weigh(tmp_path_factory.mktemp("measured"))(
        "run", *EXPERIMENT, "--starts", "2", "--rounds", "1", "--runs", "1"
    )
    assert run.err == ""
    return run.evidence


@pytest.mark.promise("`weigh verify` computes it again, byte by byte.")
def test_the_evidence_holds_a_page_that_is_verified(weigh: Weigh, measured: Path) -> None:
    folder = weigh.folder / measured.name
    shutil.copytree(measured, folder)
    path = folder / "report.html"
    text = path.read_text()
    assert_sound(text)
    assert weigh("verify", str(folder)).code == 0
    path.write_text(text.replace("REFUSED", "FASTER"))
    verified = weigh("verify", str(folder), "--json")
    assert verified.code == 1
    assert {(one["code"], one["file"]) for one in verified.json["verification"]["problems"]} == {
        ("R4.hash", "report.html"),
        ("R4.figures", "report.html"),
    }


def test_the_page_is_written_where_it_is_asked_for(weigh: Weigh, measured: Path) -> None:
    kept = (measured / "report.html").read_text()
    written = weigh("report", str(measured), "--html", "page.html")
    assert (written.code, written.out, written.err) == (0, "", "written: page.html\n")
    assert (weigh.folder / "page.html").read_text() == kept
    printed = weigh("report", str(measured), "--html", "-", TZ="Asia/Tokyo", LC_ALL="C")
    assert (printed.code, printed.out, printed.err) == (0, kept, "")


def test_an_experiment_that_timed_nobody_has_a_page(weigh: Weigh) -> None:
    run = weigh("gate", *EXPERIMENT)
    assert run.err == ""
    text = (run.evidence / "report.html").read_text()
    assert_sound(text)
    assert "nobody was timed" in Reader(text).text
    assert "2 agreed" in Reader(text).text


def test_evidence_that_was_killed_has_a_page_on_demand(weigh: Weigh, measured: Path) -> None:
    journal = (measured / "journal.jsonl").read_bytes().splitlines(keepends=True)
    folder = weigh.folder / measured.name
    folder.mkdir()
    for kept in (1, 2, 3, 4, 5, len(journal) - 3):
        (folder / "journal.jsonl").write_bytes(b"".join(journal[:kept]) + b'{"event": "tu')
        printed = weigh("report", str(folder), "--html", "-")
        assert (printed.code, printed.err) == (0, "")
        assert_sound(printed.out)
        assert "Not complete" in Reader(printed.out).text

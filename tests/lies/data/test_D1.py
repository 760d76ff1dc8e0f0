"""D1: the same codec and another writer, sold as the same data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ..reading import codes, words

if TYPE_CHECKING:
    from support.command import Run, Weigh


def said(run: Run, contender: str) -> dict[str, dict[str, Any]]:
    """What is reported of the data that a contender reads, by code."""
    found = [one for one in run.json["findings"] if one["contender"] == contender]
    return {one["code"]: one for one in found if one["code"].startswith(("D1", "D5"))}


def differ(run: Run, contender: str) -> dict[str, tuple[str, str]]:
    """Both values of what was declared and differs."""
    found = [one for one in run.json["differences"] if one["contender"] == contender and not one["follows"]]
    return {one["what"]: (one["value"], one["baseline"]) for one in found}


@pytest.mark.promise(
    "Where several differ at once, no figure tells which of them it is: the findings are warnings, and the result is "
    "suggestive."
)
def test_another_writer_and_another_codec_are_two_differences(laid_out: Run) -> None:
    found = said(laid_out, "both")["D1.writer"]
    assert found["severity"] == "warning"
    assert "this is a comparison of writers" in found["text"]
    assert "2 things differ at once (writer and codec)" in found["text"]
    assert differ(laid_out, "both")["codec"] == ("snappy", "zstd")
    assert "D1.writer" in codes(laid_out)


def test_another_writer_under_another_contender_is_two_differences(laid_out: Run) -> None:
    found = said(laid_out, "sly")["D1.writer"]
    assert found["severity"] == "warning"
    assert "2 things differ at once (contender and writer)" in found["text"]


@pytest.mark.promise("Where one thing differs, that is what you compare, and the finding is a note.")
def test_a_comparison_of_writers_that_is_declared_is_named_and_not_accused(laid_out: Run) -> None:
    """One engine with the same settings, and nothing but the writer differs: what follows from it is shown."""
    (found,) = said(laid_out, "arrow").values()
    assert (found["code"], found["severity"]) == ("D1.writer", "note")
    assert "this is a comparison of writers" in found["text"]
    assert " against " in found["text"]
    (what,) = differ(laid_out, "arrow").items()
    assert what[0] == "writer"
    assert what[1][0].startswith("pyarrow")
    assert what[1][1].startswith("duckdb")
    follows = {one["what"] for one in laid_out.json["differences"] if one["contender"] == "arrow" and one["follows"]}
    assert "size" in follows
    assert any(what.startswith("encodings of events.") for what in follows)


def test_two_contenders_on_one_layout_are_a_comparison_of_these(laid_out: Run) -> None:
    assert not said(laid_out, "tuned")
    assert not differ(laid_out, "tuned")


@pytest.mark.promise(
    "All layouts hold the same rows: their row digests are compared before anything runs, and the gate asks every "
    "contender on its own layout."
)
def test_every_layout_is_asked(laid_out: Run) -> None:
    assert {row["status"] for row in laid_out.json["gate"]} == {"agreed"}
    (row,) = laid_out.json["gate"]
    assert set(row["contenders"]) == {"base", "arrow", "both", "sly", "many", "crowd", "tuned"}
    assert {one["contender"]: one["layout"] for one in laid_out.json["timings"]} == {
        "base": "default", "arrow": "arrow", "both": "both", "sly": "arrow", "many": "many", "crowd": "many",
        "tuned": "default",
    }  # fmt: skip


@pytest.mark.promise("Every report lists what differs from the baseline besides engine, version and settings")
def test_every_form_of_the_report_says_so(laid_out: Run, weigh: Weigh) -> None:
    report = words((laid_out.evidence / "report.txt").read_text())
    assert "What differs besides the contender" in report
    assert "both, codec: snappy against zstd" in report
    page = (laid_out.evidence / "report.html").read_text()
    assert "many, files: 4 against 1" in page
    assert "Layout arrow, read by arrow, sly" in page
    verified = weigh("verify", str(laid_out.evidence))
    assert verified.code == 0, verified.out + verified.err

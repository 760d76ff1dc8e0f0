"""D7: small data and a warm cache: the benchmark of memory."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from .. import forging
from ..reading import words

if TYPE_CHECKING:
    from support.command import Run, Weigh


@pytest.mark.promise("Below 1 it is labelled in-memory, with the note `D7.memory`.")
def test_data_smaller_than_memory_is_labelled(one: Run) -> None:
    found = one.json["working_set"]
    assert found["in_memory"]
    assert found["ratio"] == found["data_bytes"] / found["memory_bytes"] < 1
    (said,) = (finding for finding in one.json["findings"] if finding["code"] == "D7.memory")
    assert said["severity"] == "note"
    for name in ("report.txt", "report.html"):
        assert ": in-memory" in words((one.evidence / name).read_text())


def test_data_larger_than_memory_is_not(one: Run, weigh: Weigh) -> None:
    """The same evidence, as of a machine that allows less memory than the data has."""
    folder = shutil.copytree(one.evidence, weigh.folder / one.evidence.name)

    def shrunk(events: forging.Events) -> forging.Events:
        for event in events:
            if event.event == "environment":
                event.body["host"]["memory_allowed_bytes"] = 1000
        return events

    forging.forge(folder, shrunk)
    report = weigh("report", str(folder), "--json").json
    assert not report["working_set"]["in_memory"]
    assert report["working_set"]["ratio"] > 1
    assert "D7.memory" not in {found["code"] for found in report["findings"]}
    assert "larger than memory" in words(weigh("report", str(folder), "--verbose").out)

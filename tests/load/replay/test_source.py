"""What a word of `weigh load replay` names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.captured_workload import calls, json_log
from weigh.capture.run import Wanted, capture
from weigh.capture.trace import Trace
from weigh.load.replay import source
from weigh.model.errors import UsageError
from weigh.model.progress import Silence

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.promise("A log is captured first, and its trace is replayed")
def test_a_log_becomes_the_trace_that_its_capture_has(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text("".join(json_log(calls("poisson", 300))) + "{broken\n")
    capture(Wanted(paths=(log,)), tmp_path / "folder", Silence())
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    found, kept = source.find(log, scratch), source.find(tmp_path / "folder", scratch)
    with Trace(found) as one, Trace(kept) as other:
        assert list(one.calls()) == list(other.calls())
        assert one.header == other.header
    assert source.coverage(found) == source.coverage(kept)
    assert source.coverage(found).startswith("Left out or changed when it was captured: 1 ")


def test_what_is_neither_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="the folder holds no trace"):
        source.find(tmp_path / "empty", tmp_path)
    (tmp_path / "poem").write_text("no log\nat all\n")
    with pytest.raises(UsageError):
        source.find(tmp_path / "poem", tmp_path / "empty")
    assert source.coverage(tmp_path / "poem") == ""

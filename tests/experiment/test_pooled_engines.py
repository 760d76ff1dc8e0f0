"""Attempts that are read together and were not of one engine."""

from __future__ import annotations

import base64
import hashlib
import os
from typing import TYPE_CHECKING

import msgspec
import pytest

from golden import made
from support import sessions
from weigh.engines.environment import Environment
from weigh.engines.loaded_files import edited_files
from weigh.experiment.results.pooled_engines import pooled
from weigh.model import codes

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh
    from weigh.experiment.record import Record


def attempt(number: int, **changed: object) -> Record:
    """An attempt in which the last contender describes itself otherwise."""
    one = made.agreed()
    assert one.environment
    *others, last = one.environment.contenders
    contenders = (*others, msgspec.structs.replace(last, **changed))
    environment = msgspec.structs.replace(one.environment, contenders=contenders)
    return sessions.changed(one, attempt=number, environment=environment)


@pytest.mark.parametrize(
    ("before", "now", "what"),
    [
        ({}, {"edited": {"engine/sql.py": "ab"}}, "engine/sql.py was edited between them"),
        (
            {"edited": {"e.py": "ab"}},
            {"edited": {"e.py": "cd", "f.py": "1"}},
            "e.py and 1 more was edited",
        ),
        ({"files": "ab"}, {"files": "cd"}, "other files were installed"),
        ({"version": "1.0"}, {"version": "1.1"}, "1.0 before, 1.1 now"),
    ],
)
def test_attempts_with_other_files_of_an_engine_are_named(
    before: dict[str, object], now: dict[str, object], what: str
) -> None:
    (found,) = pooled([attempt(1, **before), attempt(2, **now), attempt(3, **before)])
    assert (found.code, found.severity) == (codes.X_POOLED.code, "error")
    assert found.text.startswith(f"its engine is another one in attempt 2 than in attempt 1: {what}")
    assert not [*pooled([attempt(1, **now), attempt(2, **now)])]


def test_no_verdict_reads_attempts_of_two_engines(weigh: Weigh) -> None:
    for number, edited in ((1, msgspec.UNSET), (2, {"engine/sql.py": "ab"})):
        sessions.written(weigh.folder / "runs", attempt(number, edited=edited))
    latest = sorted((weigh.folder / "runs").iterdir())[-1]
    run = weigh("report", str(latest), "--json")
    (contender,) = {one["contender"] for one in run.json["findings"] if one["code"] == "X.pooled"}
    verdicts = [one for one in run.json["verdicts"] if (one["metric"], one["contender"]) == ("wall_s", contender)]
    assert {one["verdict"] for one in verdicts} == {"refused"}
    assert "not compared" in weigh("report", str(latest)).out


def test_what_no_installer_recorded_is_an_edit(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    (site / "engine").mkdir(parents=True)
    (site / "engine-1.dist-info").mkdir()
    rows = []
    for name in ("sql.py", "core.so", "own.py"):
        (site / "engine" / name).write_text("answer = 42")
        digest = base64.urlsafe_b64encode(hashlib.sha256(b"answer = 42").digest()).rstrip(b"=").decode()
        rows.append(f"engine/{name},sha256={digest},11")
    record = site / "engine-1.dist-info" / "RECORD"
    record.write_text("\n".join([*rows, "engine/unhashed.py,,"]))
    one = Environment(python=tmp_path / "bin" / "python", key="", lock="")
    names = ["engine/sql.py", "engine/core.so", "engine/unhashed.py"]
    assert edited_files(one, names) == {}
    # As long as before; younger than the record, as an edit is. A file that was only touched has its hash.
    (site / "engine" / "sql.py").write_text("answer = 41")
    later = record.stat().st_mtime + 60
    for name in ("sql.py", "core.so"):
        os.utime(site / "engine" / name, (later, later))
    assert [*edited_files(one, names)] == ["engine/sql.py"]

"""Streams that were killed go on where they were: which lives are left, and that it happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from support.command import Weigh
from support.streams_made import NAMES, SPEC, honest, record, written
from support.waiting import eventually, journalled
from weigh.evidence.journal import Journal
from weigh.model.errors import EvidenceFault
from weigh.streams import record as records
from weigh.streams import resume
from weigh.streams.record import Plan, State

if TYPE_CHECKING:
    from pathlib import Path


def test_the_lives_that_are_left_are_those_of_a_run_without_a_kill() -> None:
    whole = list(resume.turns(SPEC, NAMES, None))
    assert len(whole) == 2 * SPEC.repetitions
    lives = [*honest("one", 0.1), *honest("other", 0.1)]
    there = [one for one in lives if not one.repetition or (one.repetition, one.contender) in whole[:3]]
    assert list(resume.turns(SPEC, NAMES, record(*there))) == whole[3:]


def test_a_killed_attempt_goes_on_a_complete_one_is_read_and_a_stopped_one_begins_anew(tmp_path: Path) -> None:
    assert resume.left(tmp_path, SPEC) == resume.Left()
    folder = written(tmp_path / f"20261127-{SPEC.id}-1")
    assert resume.left(tmp_path, SPEC) == resume.Left(folder)
    killed = tmp_path / f"20261127-{SPEC.id}-2"
    killed.mkdir()
    journal = Journal(killed)
    journal.append(records.OPENED, records.Opened(attempt=2, spec=SPEC))
    journal.append("life", honest("one", 0.1)[0])
    journal.close()
    left = resume.left(tmp_path, SPEC)
    assert left.folder == killed
    assert left.record is not None
    assert len(left.record.lives) == 1


def test_what_has_changed_since_is_not_gone_on_with() -> None:
    before = record()
    assert before.environment is not None
    environment = msgspec.structs.replace(before.environment, weigh=resume.__version__)
    before = msgspec.structs.replace(before, environment=environment, plan=Plan(queries=(), states=()))
    resume.check_same(before, environment, Plan(queries=(), states=()))
    with pytest.raises(EvidenceFault, match="data or its witnesses"):
        resume.check_same(
            before, msgspec.structs.replace(environment, data={"orders": "x"}), Plan(queries=(), states=())
        )
    with pytest.raises(EvidenceFault, match="queries or refresh sets"):
        other = Plan(queries=(), states=(State(after="", digests={}, sums=()),))
        resume.check_same(before, environment, other)


@pytest.mark.long
def test_streams_that_are_killed_go_on_in_the_same_journal(tmp_path: Path) -> None:
    weigh = Weigh(tmp_path)
    flags = ("--workload", "tpch", "--scale", "0.01", "--streams", "1", "--starts", "2", "--quiet", "--resume")
    command = ("run", "--contender", "duckdb", *flags)
    running = weigh.start(*command)
    eventually(journalled(weigh.folder, "life"))
    running.kill()
    running.communicate(timeout=120)
    (path,) = weigh.folder.glob("runs/*/journal.jsonl")
    before = records.read(path.parent)
    finished = weigh(*command, timeout=600)
    assert finished.code == 0, finished.err
    after = records.read(path.parent)
    assert after.lives[: len(before.lives)] == before.lives
    assert [(one.repetition, one.failure) for one in after.lives] == [(0, ""), (1, ""), (2, "")]
    assert "X.resumed" in {one.code for one in after.findings}
    assert weigh("verify", "--sql", str(path.parent)).code == 0
    again = weigh(*command)
    assert again.code == 0
    assert records.read(path.parent) == after

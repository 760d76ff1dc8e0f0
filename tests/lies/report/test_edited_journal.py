"""R4: lines of the journal edited, removed or put in, before and after the seal."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import msgspec
import pytest

from weigh.evidence import journal
from weigh.experiment import derived
from weigh.experiment.report import files
from weigh.model import codes

from ..forging import expanded, forge, problems, reseal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.command import Run, Weigh

    from ..forging import Events

Lines = list[bytes]


@pytest.fixture
def evidence(whole: Run, tmp_path: Path) -> Path:
    """A copy of honest evidence under the same name."""
    return shutil.copytree(whole.evidence, tmp_path / "evidence" / whole.evidence.name)


def removed(lines: Lines) -> Lines:
    return [line for line in lines if b'"event":"finding"' not in line]


def doubled(lines: Lines) -> Lines:
    return [*lines[:3], lines[2], *lines[3:]]


def edited(lines: Lines) -> Lines:
    return [line.replace(b'"rows":', b'"rows":1', 1) for line in lines]


def stripped(lines: Lines) -> Lines:
    return [line[: line.rindex(b',"before":')] + b"}\n" for line in lines]


@pytest.mark.promise(
    ("A journal in which one was edited, removed or put in fails `weigh verify` (`R4.chain`) and is not resumed."),
    ("each line of the journal carries the hash of the line before it, and every document follows from the journal"),
)
@pytest.mark.parametrize("change", [removed, doubled, edited, stripped])
def test_the_chain_tells_after_everything_was_derived_and_sealed_anew(
    weigh: Weigh, evidence: Path, change: Callable[[Lines], Lines]
) -> None:
    path = evidence / journal.NAME
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(change(lines)))
    assert path.read_bytes() != b"".join(lines)
    derived.derive(evidence)
    files.write(evidence)
    reseal(evidence)
    assert ("R4.chain", journal.NAME) in problems(weigh, evidence)


@pytest.mark.promise("readings of the sampler during every turn that it watched")
def test_readings_of_the_sampler_that_were_removed_and_chained_anew(weigh: Weigh, evidence: Path) -> None:
    """Others' work during one contender's turns would be in them."""

    def unseen(events: Events) -> Events:
        watches = [event for event in events if event.event == "watch"]
        assert len(watches) > 4
        gone = watches[len(watches) // 2 - 1 : len(watches) // 2 + 1]
        return [event for event in events if event not in gone]

    forge(evidence, unseen)
    assert problems(weigh, evidence) == {("R4.findings", journal.NAME)}


@pytest.mark.promise(
    "findings that follow from settings of the machine, from a resumption and from the plan (`R4.findings`)"
)
def test_a_finding_that_follows_from_what_is_left(weigh: Weigh, evidence: Path) -> None:
    """A resumed attempt whose word of it was removed; its honest twin kept it."""
    said = codes.X_RESUMED.finding(text="the attempt was killed and continued after 1 turn", remedy="nothing")

    def resumed(events: Events, findings: Events) -> Events:
        (at,) = [number for number, event in enumerate(events) if event.event == "plan"]
        again = journal.Event("resumed", {"blocks": 1, "turns": 1})
        return [*events[:at], again, *findings, *events[at:]]

    before = expanded(journal.read(evidence))
    forge(evidence, lambda _: resumed(before, [journal.Event("finding", msgspec.to_builtins(said))]))
    assert problems(weigh, evidence) == set()
    forge(evidence, lambda _: resumed(before, []))
    assert problems(weigh, evidence) == {("R4.findings", journal.NAME)}

"""Resuming: what an earlier attempt of the same experiment left to do.

A killed attempt is continued where it stands, in the same journal: the order of its turns is a pure function of
the seed, so the next turn is known. An interrupted one was sealed and stays as it is: a new attempt measures the starts
that it lacks. Verdicts read both.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh._version import __version__
from weigh.evidence import attempts, seal
from weigh.experiment import record as records
from weigh.experiment.contenders_read import read_contenders
from weigh.experiment.record import Record
from weigh.model import codes, units
from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.evidence.journal import Journal
    from weigh.experiment.contenders_read import ContendersRead
    from weigh.experiment.setup import Setup
    from weigh.model.contender import ContenderRead
    from weigh.model.dataset import Manifest
    from weigh.model.finding import Finding
    from weigh.model.gate import Gate
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec


class Starts(msgspec.Struct, frozen=True, kw_only=True):
    """How many fresh starts an attempt shall measure, that is blocks.

    Attributes:
        hot, cold: of each kind.
    """

    hot: int
    cold: int


def wanted(spec: Spec) -> Starts:
    """All starts of an experiment."""
    return Starts(
        hot=spec.starts if "hot" in spec.temperatures else 0,
        cold=spec.starts if "cold" in spec.temperatures else 0,
    )


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """What is left to do of an experiment.

    Attributes:
        folder: of the latest attempt; None where nothing was begun.
        record: what that attempt says; None where a new attempt is to be made.
        starts: how many starts a new attempt shall measure; None for all.
        done: nothing is left: the latest attempt is complete.
    """

    folder: Path | None = None
    record: Record | None = None
    starts: Starts | None = None
    done: bool = False


def left(root: Path, spec: Spec) -> Left:
    """What the latest attempt of an experiment left to do."""
    folders = attempts.attempts(root, spec.id)
    if not folders:
        return Left()
    folder = folders[-1]
    record = records.read(folder)
    if not (folder / seal.SEAL).exists():
        return Left(folder=folder, record=record)
    if record.plan is None or not record.blocks:
        return Left(folder=folder)
    if record.end is not None and record.end.how == "complete":
        return Left(folder=folder, done=True)
    # The last block was torn: its starts are measured anew.
    whole = [begun.temperature for begun in record.blocks[:-1]]
    starts = Starts(hot=record.plan.starts - whole.count("hot"), cold=record.plan.cold - whole.count("cold"))
    return Left(folder=folder, starts=starts)


def unfinished(folder: Path, killed: Record | None) -> list[Record]:
    """The attempts that one goes on with: those since the last complete one, the latest first.

    Args:
        folder: of the attempt of now.
        killed: what it had recorded before, where it goes on in the same journal.
    """
    before = [*([killed] if killed else ()), *reversed(records.earlier(folder))]
    return list(takewhile(lambda one: one.end is None or one.end.how != "complete", before))


@dataclass(frozen=True, slots=True)
class Resumption:
    """An attempt that was killed, found the same as it was.

    Attributes:
        record: what it had recorded.
        read: what its contenders say of themselves now.
        findings: what is to be reported about it.
    """

    record: Record
    read: ContendersRead
    findings: tuple[Finding, ...]


def resumption(record: Record, setup: Setup, journal: Journal, progress: Progress) -> Resumption:
    """Go on with an attempt that was killed; its journal is told.

    Raises:
        EvidenceFault: what is measured has changed since; nothing was written.
        EngineFault: a contender cannot be started.
    """
    read = read_contenders(setup.contenders, setup.link)
    check_same(record, read.reads, [data.manifest for data in setup.layouts.values()])
    turns = len({(sample.block, sample.turn) for sample in record.samples})
    journal.append("resumed", records.Resumed(blocks=len(record.blocks), turns=turns, anchor_key=journal.anchor_key))
    progress.say(f"going on after {units.count(turns, 'turn')}")
    findings = (_resumed(len(record.blocks) - 1, turns),) if record.blocks else ()
    return Resumption(record, read, findings)


def check_same(record: Record, contenders: tuple[ContenderRead, ...], manifests: Sequence[Manifest]) -> None:
    """Nothing that is measured may have changed since the attempt was begun.

    Raises:
        EvidenceFault: weigh, a contender or the data is another now; said which.
    """
    before = record.environment
    if before is not None and before.weigh != __version__:
        raise _changed(f"it was begun by weigh {before.weigh}, this is {__version__}")
    for one in contenders:
        was = next((other for other in before.contenders if other.name == one.name), None) if before else None
        if was is not None and (was.version, was.lock) != (one.version, one.lock):
            raise _changed(f"contender {one.name} was {was.version}, now it is {one.version} or its packages changed")
    # A kill may have come before all of them were written down.
    if any(was != now for was, now in zip(record.manifests, manifests, strict=False)):
        raise _changed("the data files are not those it began with")


def check_gate(before: Gate | None, now: Gate) -> str:
    """Why measuring cannot go on: the gate found something else than when the attempt was begun. Empty if it can."""
    if before is None:
        return ""
    statuses = {one.operation: one.contenders for one in before.operations}
    for one in now.operations:
        for contender, status in one.contenders.items():
            was = statuses.get(one.operation, {}).get(contender)
            if was is not None and was is not status:
                return f"on resuming, {contender} is {status} on {one.operation}; it was {was}"
    return ""


def _resumed(block: int, turns: int) -> Finding:
    return codes.X_RESUMED.finding(
        text=f"the attempt was killed and continued after {units.count(turns, 'turn')}: in block {block} the arms "
        "have two lives each",
        remedy="nothing is wrong; at most the turn in flight was lost",
    )


def _changed(what: str) -> EvidenceFault:
    return EvidenceFault(
        f"the attempt cannot be continued: {what}",
        remedy="leave out --resume: a new attempt keeps the old one's samples",
    )

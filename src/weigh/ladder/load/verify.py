"""Verify a ladder of loads: the evidence of every rung, and that its files follow from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import naming
from weigh.evidence.verification import Outcome, Problem
from weigh.ladder.load.record import JSON
from weigh.ladder.load.report import files
from weigh.ladder.verification import of_ladder, of_rung, other_experiment, rendered_files
from weigh.load.verify import LoadVerification
from weigh.load.verify import verify as verify_rung

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.ladder.load.plan import LoadLadderPlan
    from weigh.ladder.load.results import LoadRung


class LoadLadderVerification(msgspec.Struct, frozen=True, kw_only=True):
    """What came of verifying a ladder of loads.

    Attributes:
        ladder: name of its directory.
        rungs: what came of each.
        problems: of the ladder's own files.
    """

    ladder: str
    rungs: tuple[LoadVerification, ...]
    problems: tuple[Problem, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong anywhere."""
        return not self.problems and not any(rung.problems for rung in self.rungs)


def verify(folder: Path) -> LoadLadderVerification:
    """Recompute everything.

    Raises:
        EvidenceFault: a file or the evidence of a rung cannot be read.
    """
    summary = files.read(folder)
    parent = folder.resolve().parent
    problems = [other_experiment(JSON, one.evidence) for one in summary.rungs if not _is_of(one, summary.plan)]
    rungs = tuple(verify_rung(naming.sibling(parent, one.evidence)) for one in summary.rungs)
    problems += rendered_files(folder, files.rendered(summary), rungs)
    return LoadLadderVerification(
        ladder=folder.resolve().name,
        rungs=rungs,
        problems=tuple(problems),
    )


def _is_of(one: LoadRung, plan: LoadLadderPlan) -> bool:
    """Whether a rung is what its step asks for, and its memory what the plan says."""
    spec = one.results.record.spec
    if plan.memory_is == "control group" and spec.server_memory != plan.memory:
        return False
    plan_of = (one.step.experiment, one.step.records, plan.target, plan.workload)
    return plan_of == (spec.id, spec.records, spec.target, spec.workload)


def lines(found: LoadLadderVerification) -> Iterator[Problem | Outcome]:
    """What is reported of it: rung by rung each problem and the outcome, then those of the ladder's own files."""
    for rung in found.rungs:
        yield from of_rung(rung, f"every figure recomputed from {rung.histograms:,} histograms")
    yield from of_ladder(found.ladder, found.problems, passed=found.passed)

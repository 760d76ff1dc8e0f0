"""The joining: what goes into a join of two sessions, and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from weigh.experiment.results.preclusions import Doubts, Gate
from weigh.model.sample import Sample
from weigh.model.verdict import Reason, Verdict
from weigh.verdict.refusals import Refusals

Key = tuple[str, str, str]
"""(operation, contender of the second session, contender of the first)"""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two sessions.

    Attributes:
        name: as reasons call it, e.g. ``the first session``.
        samples: of all its attempts, untimed and failed executions included.
        contenders: names of all its contenders.
        reference: name of the reference in this session.
        gate: status of the answers by operation and contender.
        doubts: of contenders, by name.
        out: contenders that are not compared at all, with the reason.
        refused: what is refused in it for what the machine did, of the metric that is joined.
        shares: part of the error rates that the figures of each operation have, where sampling could end early.
    """

    name: str
    samples: Sequence[Sample]
    contenders: tuple[str, ...]
    reference: str
    gate: Gate
    doubts: Doubts
    out: Mapping[str, Reason]
    refused: Sequence[Refusals] = ()
    shares: Mapping[str, float] = {}

    def share(self, operation: str) -> float:
        """Part of the error rates that the figures of an operation have."""
        return self.shares.get(operation, 1.0)


class Joined(Verdict, frozen=True, kw_only=True):
    """A contender of the second session against one of the first, on one operation.

    ``contender`` is of the second session and ``baseline`` of the first; ``ratio`` is ``ratio_second / ratio_first``.
    ``noise_floor`` is that of the reference's two arms, joined in the same way, where it has two in both sessions.
    ``starts`` and ``runs`` are the smaller ones of the two sessions, ``starts_needed`` is for each of them.

    Attributes:
        reference: its name in the first session.
        ratio_first: baseline over reference, in the first session.
        ratio_second: contender over reference, in the second session.
        starts_first, starts_second: blocks of each session in which both were measured.
    """

    reference: str
    ratio_first: float | None = None
    ratio_second: float | None = None
    starts_first: int = 0
    starts_second: int = 0

    @property
    def key(self) -> Key:
        """What is compared."""
        return self.operation, self.contender, self.baseline


class ReferenceShift(msgspec.Struct, frozen=True, kw_only=True):
    """The reference in the second session over itself in the first: what the machine did, and no verdict.

    Attributes:
        ratios: of the mean logarithms, by operation; an operation that lacks times in a session has none.
        uneven: operations on which it moved by another factor than on the others, with the factor beyond theirs.
    """

    ratios: dict[str, float] = {}
    uneven: dict[str, float] = {}


class Joining(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that the samples of two sessions allow to be reported about one metric.

    Attributes:
        verdicts: one of every operation and pair, in the order given.
        movement: how the reference moved.
        family: comparisons over which false discoveries are controlled.
        selected: those of them that are SLOWER or FASTER.
    """

    verdicts: tuple[Joined, ...] = ()
    movement: ReferenceShift = ReferenceShift()
    family: int = 0
    selected: int = 0

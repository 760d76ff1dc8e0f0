"""The JSON document of a comparison of two sessions (docs/reference/json.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.compare.model import Joined
from weigh.compare.results import SCHEMA, CompareResults, Session
from weigh.experiment.report.document import ContenderRow, ExperimentRow, contender_row, experiment_row
from weigh.model.contender import Setting
from weigh.model.finding import Finding
from weigh.model.rules import Rules
from weigh.model.verdict import Tier

if TYPE_CHECKING:
    from collections.abc import Iterator


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two sessions.

    Attributes:
        evidence: name of its evidence directory.
        attempts: how many attempts its figures read.
        experiment: what was measured.
        weigh: version that measured it; None where that is not recorded.
        contenders: who took part.
    """

    evidence: str
    attempts: int
    experiment: ExperimentRow
    weigh: str | None
    contenders: tuple[ContenderRow, ...]


class ReferenceRow(msgspec.Struct, frozen=True, kw_only=True):
    """The contender that is the same in both sessions.

    Attributes:
        first, second: its name in each session.
        engine: as ``weigh engines`` lists it.
        version: as the running engine says.
        settings: that were asked for.
        pins: further exact requirements.
    """

    first: str
    second: str
    engine: str
    version: str
    settings: dict[str, Setting]
    pins: tuple[str, ...]


class ReferenceMoved(msgspec.Struct, frozen=True, kw_only=True):
    """What the machine did, and no verdict.

    Attributes:
        operation: on which.
        metric: in which.
        ratio: of the reference in the second session over itself in the first.
    """

    operation: str
    metric: str
    ratio: float


class CompareDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document but for ``schema``.

    Attributes:
        sessions: the first and the second.
        reference: the contender that is the same in both.
        rules: margin and error rates, those of the first session.
        tier: what the comparison is good for; never ``conclusive``.
        reference_moved: how the reference moved between the sessions: what the machine did, and no verdict.
        verdicts: one of every operation, metric and pair.
        findings: what weakens it (docs/guide/compare.md#what-weakens-it).
    """

    sessions: tuple[SessionRow, ...]
    reference: ReferenceRow
    rules: Rules
    tier: Tier
    reference_moved: tuple[ReferenceMoved, ...]
    verdicts: tuple[Joined, ...]
    findings: tuple[Finding, ...]


def document(comparison: CompareResults) -> dict[str, Any]:
    """The whole document as plain JSON; what is absent is null."""
    first, second = comparison.first, comparison.second
    same = first.contender(first.reference)
    found = CompareDocument(
        sessions=(_session(first), _session(second)),
        reference=ReferenceRow(
            first=first.reference,
            second=second.reference,
            engine=same.engine,
            version=same.version,
            settings=same.settings,
            pins=same.pins,
        ),
        rules=comparison.rules,
        tier=comparison.tier,
        reference_moved=tuple(_moved(comparison)),
        verdicts=comparison.verdicts,
        findings=comparison.findings,
    )
    return {"schema": SCHEMA, **msgspec.to_builtins(found)}


def _session(session: Session) -> SessionRow:
    environment = session.measured[-1].environment
    return SessionRow(
        evidence=session.evidence,
        attempts=session.results.attempts,
        experiment=experiment_row(session.latest),
        weigh=environment.weigh if environment else None,
        contenders=tuple(
            contender_row(one, session.latest.spec) for one in (environment.contenders if environment else ())
        ),
    )


def _moved(comparison: CompareResults) -> Iterator[ReferenceMoved]:
    for metric, joining in comparison.joinings.items():
        for operation, ratio in joining.movement.ratios.items():
            yield ReferenceMoved(operation=operation, metric=metric, ratio=ratio)

"""The JSON document of ``weigh history show`` (docs/reference/json.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.history.gross import Gross
from weigh.history.results import SCHEMA
from weigh.history.series import Split
from weigh.model.finding import Finding

if TYPE_CHECKING:
    from weigh.history.results import Candidate, HistoryResults, Power
    from weigh.history.series import Place, Series


class PointRow(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement.

    Attributes:
        version: of the engine, or the commit that was named.
        at: when, ISO 8601 in UTC.
        value: in the unit of the series.
        low, high: interval of a ratio; None of others.
        part: number of the part that it belongs to, from 0.
        evidence: name of the evidence directory, or of another tool's file.
        path: where it lay when it was added.
        id: BLAKE3 of its seal.
        kind: of the evidence; ``otava`` or ``clickbench`` where another tool measured it.
        tier: what the evidence is good for; empty where nobody said.
    """

    version: str
    at: str
    value: float
    low: float | None
    high: float | None
    part: int
    evidence: str
    path: str
    id: str
    kind: str
    tier: str


class HistorySeriesRow(msgspec.Struct, frozen=True, kw_only=True):
    """One question over versions.

    Attributes:
        workload, operation, metric, temperature, engine: what it is of.
        unit: of the values; empty of ratios.
        ordered_by: ``version`` or ``time``.
        parts: facts of the environment in which the points of each part are comparable.
        splits: between parts.
        points: in order.
        left_out: points without a ratio, of a series of ratios.
        clickhouse_steps: numbers of the points at which ClickHouse's rule alone sees a step.
        detectable: of a series without candidates: the smallest step in the middle of its last part, about, that would
            have been one, a fraction; None where none would have been, and beyond the first 300 series.
        gross: of a series without candidates: a step of its last part that is too short to be one; None without.
    """

    workload: str
    operation: str
    metric: str
    temperature: str
    engine: str
    unit: str
    ordered_by: str
    parts: tuple[dict[str, str], ...]
    splits: tuple[Split, ...]
    points: tuple[PointRow, ...]
    left_out: int
    clickhouse_steps: tuple[int, ...]
    detectable: float | None
    gross: Gross | None


class SideBySideRow(msgspec.Struct, frozen=True, kw_only=True):
    """A measurement of both versions in one evidence.

    Attributes:
        verdict: of the later against the earlier one.
        ratio, low, high: likewise, with the interval.
        evidence: name of its directory.
    """

    verdict: str
    ratio: float
    low: float
    high: float
    evidence: str


class CandidateRow(msgspec.Struct, frozen=True, kw_only=True):
    """A change of level.

    Attributes:
        id: as ``weigh history confirm`` takes it.
        series: number of the series, from 0.
        at: number of the first point of the new level.
        ratio: level after over level before.
        before, after: the versions on either side.
        first, last: the versions between which the change lies (about 95 %).
        state: ``candidate``, ``confirmed``, ``not confirmed``, or ``same version`` where the version did not change.
        side_by_side: what decided it; None without one.
        clickhouse: ``no step``, ``step``, or ``confirmed`` by ClickHouse's rule.
    """

    id: str
    series: int
    at: int
    ratio: float
    before: str
    after: str
    first: str
    last: str
    state: str
    side_by_side: SideBySideRow | None
    clickhouse: str


class AttemptsRow(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison that was made more than once.

    Attributes:
        experiment: its id.
        attempts: how many attempts the entries read.
        machine: facts that the machines have in common.
        evidence: their names, by time.
        verdicts: by operation and contender, what each entry said.
    """

    experiment: str
    attempts: int
    machine: dict[str, str]
    evidence: tuple[str, ...]
    verdicts: dict[str, tuple[str, ...]]


class HistoryDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document but for ``schema``.

    Attributes:
        folder: of the history.
        entries: how many it has.
        margin: the smallest change that is a candidate, a fraction.
        series: every series, or those that were asked for.
        candidates: changes of level.
        attempts: comparisons that were made more than once on machines that are alike.
        findings: errors first.
    """

    folder: str
    entries: int
    margin: float
    series: tuple[HistorySeriesRow, ...]
    candidates: tuple[CandidateRow, ...]
    attempts: tuple[AttemptsRow, ...]
    findings: tuple[Finding, ...]


def document(results: HistoryResults) -> dict[str, Any]:
    """The whole document as plain JSON; what is absent is null."""
    numbers = {one.key: at for at, one in enumerate(results.series)}
    found = HistoryDocument(
        folder=results.folder,
        entries=results.entries,
        margin=results.margin,
        series=tuple(
            _series(one, results.steps.get(at, ()), results.power.get(at)) for at, one in enumerate(results.series)
        ),
        candidates=tuple(candidate_row(one, numbers[one.series.key]) for one in results.candidates),
        attempts=tuple(
            AttemptsRow(
                experiment=one.experiment,
                attempts=one.attempts,
                machine=one.machine,
                evidence=tuple(entry.evidence for entry in one.entries),
                verdicts=one.verdicts,
            )
            for one in results.attempts
        ),
        findings=results.findings,
    )
    return {"schema": SCHEMA, **msgspec.to_builtins(found)}


def _series(one: Series, steps: tuple[int, ...], power: Power | None) -> HistorySeriesRow:
    return HistorySeriesRow(
        **one.key._asdict(),
        unit=one.unit,
        ordered_by=one.ordered_by,
        parts=one.parts,
        splits=one.splits,
        points=tuple(map(_point, one.places)),
        left_out=one.left_out,
        clickhouse_steps=steps,
        detectable=power.detectable if power else None,
        gross=power.gross if power else None,
    )


def _point(one: Place) -> PointRow:
    return PointRow(
        version=one.version,
        at=one.at,
        value=one.value,
        low=one.low,
        high=one.high,
        part=one.part,
        evidence=one.entry.evidence,
        path=one.entry.path,
        id=one.entry.id,
        kind=one.entry.kind,
        tier=one.entry.tier,
    )


def candidate_row(one: Candidate, number: int) -> CandidateRow:
    """A candidate; ``number`` is that of its series."""
    pair = one.side_by_side
    return CandidateRow(
        id=one.id,
        series=number,
        at=one.at,
        ratio=one.ratio,
        before=one.before.version,
        after=one.after.version,
        first=one.first.version,
        last=one.last.version,
        state=one.state,
        side_by_side=SideBySideRow(
            verdict=pair.verdict, ratio=pair.ratio, low=pair.low, high=pair.high, evidence=pair.entry.evidence
        )
        if pair
        else None,
        clickhouse=one.opinion,
    )

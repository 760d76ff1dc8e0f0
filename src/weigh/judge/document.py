"""The JSON document of ``weigh judge`` (docs/reference/json.md)."""

from __future__ import annotations

from typing import Any

import msgspec

from weigh.judge.results import SCHEMA, File, JudgeResults
from weigh.judge.series import SeriesFigure
from weigh.model.finding import Finding
from weigh.model.rules import Rules
from weigh.model.verdict import Tier, Timing, Verdict


class JudgeDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document but for ``schema``.

    Attributes:
        format: as ``--format`` takes it.
        tool: the same for people.
        events: what the values are, in the plural: ``runs``, ``repetitions``, ``transactions``.
        files: in the order in which they were named.
        baseline: the contender that the others are compared with; None where there is only one.
        interleaved: whether ``--interleaved`` was given.
        rules: margin and error rates.
        tier: what the verdicts are good for; never ``conclusive``.
        timings: every contender on every operation; ``starts`` are process starts, ``temperature`` is ``"unknown"``.
        verdicts: ``starts`` are rounds; ``noise_floor`` is null: no contender was measured against itself.
        series: of logs, and of everything where there is one contender.
        findings: warnings first.
        how: shell lines that make files from which a verdict is possible; None where nothing was refused for its
            design.
    """

    format: str
    tool: str
    events: str
    files: tuple[File, ...]
    baseline: str | None
    interleaved: bool
    rules: Rules
    tier: Tier
    timings: tuple[Timing, ...]
    verdicts: tuple[Verdict, ...]
    series: tuple[SeriesFigure, ...]
    findings: tuple[Finding, ...]
    how: str | None


def document(results: JudgeResults) -> dict[str, Any]:
    """The whole document as plain JSON; what is absent is null."""
    found = JudgeDocument(
        format=results.format,
        tool=results.tool,
        events=results.events,
        files=results.files,
        baseline=results.baseline,
        interleaved=results.interleaved,
        rules=results.rules,
        tier=results.tier,
        timings=results.timings,
        verdicts=results.verdicts,
        series=results.series,
        findings=results.findings,
        how=results.how or None,
    )
    return {"schema": SCHEMA, **msgspec.to_builtins(found)}

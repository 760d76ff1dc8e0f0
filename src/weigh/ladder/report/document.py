"""The JSON document of a ladder (schema ``weigh/ladder/1``, docs/reference/json.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.ladder.record import SCHEMA

if TYPE_CHECKING:
    from weigh.ladder.analysis import Series
    from weigh.ladder.results import LadderResults, Rung


def document(summary: LadderResults) -> dict[str, Any]:
    """The whole document as plain JSON; what is absent is null."""
    spec, rules = summary.spec, summary.rules
    return {
        "schema": SCHEMA,
        "ladder": {
            "id": summary.plan.id,
            "name": spec.name or None,
            "workload": spec.workload,
            "notice": summary.rungs[-1].results.record.notice or None,
            "seed": spec.seed,
            "margin": rules.margin,
            "confidence": rules.confidence,
            "baseline": spec.baseline,
        },
        "plan": msgspec.to_builtins(summary.plan),
        "rungs": [_rung(rung) for rung in summary.rungs],
        "first": summary.ladder.first,
        "series": [_series(one) for one in summary.ladder.series],
        "costs": msgspec.to_builtins(summary.costs),
        "findings": msgspec.to_builtins(summary.findings),
    }


def _rung(rung: Rung) -> dict[str, Any]:
    results = rung.results
    return {
        "scale": rung.scale,
        "experiment": results.record.spec.id,
        "evidence": rung.evidence,
        "attempts": results.attempts,
        "complete": rung.complete,
        "tier": str(results.tier.name) if results.tier else None,
        "exit_code": int(results.exit_code()),
    }


def _series(one: Series) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(one)
    plain["unpredicted"] = one.unpredicted or None
    same = ("operation", "contender", "rung")
    plain["steps"] = [{key: value for key, value in step.items() if key not in same} for step in plain["steps"]]
    return plain

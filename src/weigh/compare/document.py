"""The JSON document of a comparison of two sessions (docs/reference/json.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.compare.results import SCHEMA, CompareResults, Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.model.contender import ContenderRead


def document(comparison: CompareResults) -> dict[str, Any]:
    """The whole document as plain JSON; what is absent is null."""
    first, second = comparison.first, comparison.second
    return {
        "schema": SCHEMA,
        "sessions": [_session(session) for session in (first, second)],
        "reference": {"first": first.reference, "second": second.reference, **_read(first.contender(first.reference))},
        "rules": msgspec.to_builtins(comparison.rules),
        "tier": msgspec.to_builtins(comparison.tier),
        "reference_moved": list(_moved(comparison)),
        "verdicts": msgspec.to_builtins(comparison.verdicts),
        "findings": msgspec.to_builtins(comparison.findings),
    }


def _session(session: Session) -> dict[str, Any]:
    spec, environment = session.latest.spec, session.measured[-1].environment
    return {
        "evidence": session.evidence,
        "attempts": session.results.attempts,
        "experiment": {
            "id": spec.id,
            "name": spec.name or None,
            "workload": spec.workload,
            "scale": spec.scale,
            "notice": session.latest.notice or None,
            "seed": spec.seed,
            "margin": spec.rules.margin,
            "baseline": spec.baseline,
        },
        "weigh": environment.weigh if environment else None,
        "contenders": [{"name": one.name, **_read(one)} for one in (environment.contenders if environment else ())],
    }


def _read(one: ContenderRead) -> dict[str, Any]:
    return {"engine": one.engine, "version": one.version, "settings": one.settings, "pins": list(one.pins)}


def _moved(comparison: CompareResults) -> Iterator[dict[str, Any]]:
    for metric, joining in comparison.joinings.items():
        for operation, ratio in joining.movement.ratios.items():
            yield {"operation": operation, "metric": metric, "ratio": ratio}

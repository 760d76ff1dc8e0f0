"""The JSON document of a run (schema ``weigh/1``, docs/reference/json.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.experiment.report import knobs, machine, resources
from weigh.render.sentences import sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.gate import Gate
    from weigh.model.spec import Spec
    from weigh.model.verdict import Suite
    from weigh.verdict.metrics import Statement

SCHEMA = "weigh/1"


def document(results: ExperimentResults, evidence: str) -> dict[str, Any]:
    """The whole document as plain JSON; what is absent is null.

    Args:
        results: what is to be said.
        evidence: name of the evidence directory.
    """
    record = results.record
    spec = record.spec
    contenders = record.environment.contenders if record.environment else ()
    return {
        "schema": SCHEMA,
        "experiment": {
            "id": spec.id,
            "name": spec.name or None,
            "workload": spec.workload,
            "scale": spec.scale,
            "notice": record.notice or None,
            "seed": spec.seed,
            "margin": spec.rules.margin,
            "baseline": spec.baseline,
        },
        "evidence": evidence,
        "tier": msgspec.to_builtins(results.tier),
        "contenders": [
            {
                "name": contender.name,
                "engine": contender.engine,
                "version": contender.version,
                "settings": contender.settings,
                "pins": list(contender.pins),
            }
            for contender in contenders
        ],
        "gate": _gate(results.gate),
        "timings": msgspec.to_builtins(results.timings),
        "verdicts": [{**msgspec.to_builtins(one), "sentence": sentence(one, spec.rules)} for one in results.verdicts],
        "metrics": _told(results.statements, spec),
        "suites": _told(results.suites, spec),
        "findings": msgspec.to_builtins(results.findings),
        **({} if spec.temperature == "hot" else {"warmth": msgspec.to_builtins(results.accounts)}),
        **knobs.document(record),
        **resources.document(results),
        # Evidence of before there was a sampler has no such part.
        **({"machine": machine.document(results.machine)} if results.machine else {}),
    }


def _told(rows: Sequence[Statement] | Sequence[Suite], spec: Spec) -> list[dict[str, Any]]:
    """Rows, with their temperature where there are several: where all is hot they are as they always were."""
    plain: list[dict[str, Any]] = msgspec.to_builtins(rows)
    return [
        {name: value for name, value in row.items() if name != "temperature" or spec.temperature != "hot"}
        for row in plain
    ]


def _gate(gate: Gate | None) -> list[dict[str, Any]]:
    """One row an operation and status: most have one, some have contenders that could not answer beside it."""
    rows = []
    for one in gate.operations if gate else ():
        by_status: dict[str, list[str]] = {}
        for contender, status in one.contenders.items():
            by_status.setdefault(str(status), []).append(contender)
        statuses = [str(one.status), *(status for status in by_status if status != one.status)]
        if str(one.status) == "diverged":
            # Others agreed with the witness, but the operation is timed for nobody.
            statuses = [status for status in statuses if status != "agreed"]
        rows += [
            {
                "operation": one.operation,
                "status": status,
                "contenders": by_status.get(status, []),
                "detail": one.detail,
            }
            for status in statuses
        ]
    return rows

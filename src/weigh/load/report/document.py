"""A load experiment as JSON (schema ``weigh/load/1``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.report import machine
from weigh.load.spec import NAMES, QUANTILES
from weigh.load.waits import report

if TYPE_CHECKING:
    from weigh.load.analysis.figures import OperationFigures, RunFigures
    from weigh.load.analysis.percentiles import Spectrum
    from weigh.load.results import Group, LoadResults
    from weigh.load.runs import TargetRead
    from weigh.load.spec import LoadSpec
    from weigh.statistics.correlated_mean import SeriesMean

SCHEMA = "weigh/load/1"


def document(results: LoadResults, evidence: str) -> dict[str, Any]:
    """The whole document as plain JSON; what is absent is null.

    Args:
        results: what is to be said.
        evidence: name of the evidence directory.
    """
    spec, head = results.record.spec, results.headline
    environment = results.record.environment
    return {
        "schema": SCHEMA,
        "experiment": {"id": spec.id, "attempt": results.record.attempt, "workload": spec.workload},
        "evidence": evidence,
        "tier": msgspec.to_builtins(results.tier),
        "load": {
            "target": spec.target,
            "product": f"{environment.target.product} {environment.target.version}" if environment else None,
            "durable": environment.target.durable if environment else None,
            "arrivals": msgspec.to_builtins(spec.arrivals),
            "duration_s": spec.duration_s,
            "records": spec.records if spec.letter else None,
            **_asked(spec, environment.target if environment else None),
            **_rates(head),
        },
        "operations": [_operation(one) for one in head.operations] if head else [],
        "steady": _steady(head),
        "reasons": msgspec.to_builtins(head.reasons) if head else [],
        "runs": [
            {
                **_run(run, whole=run.number != results.broken_off),
                **machine.of_run(results.machine, run.number),
                **report.document(results.waits.get(run.number)),
            }
            for group in results.groups
            for run in group.runs
        ],
        "groups": [_group(group) for group in results.groups],
        "loops": msgspec.to_builtins(results.loops),
        "findings": msgspec.to_builtins(results.findings),
        # Of evidence of before there was a sampler the document is as it was.
        **({"machine": machine.document(results.machine)} if results.machine else {}),
    }


def _asked(spec: LoadSpec, target: TargetRead | None) -> dict[str, Any]:
    """What is not there unless somebody asked for it."""
    found: dict[str, Any] = {}
    if spec.query_mode is not msgspec.UNSET:
        found["query_mode"] = spec.query_mode
    if spec.spin is not msgspec.UNSET:
        found["spin"] = spec.spin
    if target is not None and target.tls is not msgspec.UNSET:
        found["tls"] = target.tls
    return found


def _rates(run: RunFigures | None) -> dict[str, Any]:
    return {
        "loop": run.loop if run else None,
        "connections": run.connections if run else None,
        "rate_target": run.rate_target if run else None,
        "rate_achieved": _mean(run.rate_achieved) if run and not run.refused else None,
    }


def _run(run: RunFigures, *, whole: bool) -> dict[str, Any]:
    summary = run.summary
    return {
        "number": run.number,
        "repeat": run.repeat,
        "verdict": "refused" if run.refused else "counts",
        "reasons": msgspec.to_builtins(run.reasons),
        "complete": run.complete and whole,
        **_rates(run),
        "requests": {
            "scheduled": summary.scheduled if summary else None,
            "sent": summary.sent if summary else None,
            "answered": summary.done if summary else None,
            "unsent": summary.unsent if summary else None,
            "in_flight_at_end": summary.in_flight_at_end if summary else None,
        },
        "verified_reads": summary.verified_reads if summary else None,
        "client_cpu_s": summary.client_cpu_s if summary else None,
        "reconnects": run.reconnects,
        "steady": _steady(run),
        "operations": [_operation(one) for one in run.operations],
    }


def _steady(run: RunFigures | None) -> dict[str, Any] | None:
    found = run.settled if run else None
    if found is None:
        return None
    plain: dict[str, Any] = msgspec.to_builtins(found)
    return plain


def _operation(one: OperationFigures) -> dict[str, Any]:
    return {
        "name": one.name,
        "count": one.count,
        "errors": one.errors,
        "timeouts": one.timeouts,
        "wrong": one.wrong,
        "missing": one.missing,
        "response": _spectrum(one.response),
        "service": _spectrum(one.service),
        "failures": _spectrum(one.failures),
        "lag": {"no_connection": _spectrum(one.lag_free), "generator_late": _spectrum(one.lag_late)},
    }


def _spectrum(one: Spectrum) -> dict[str, Any]:
    found: dict[str, Any] = {"mean": _mean(one.series) if one.series else None}
    for name, q, seen in zip(NAMES, QUANTILES, one.seen, strict=True):
        part = one.at(q)
        found[name] = {
            "value": part.value, "low": part.low, "high": part.high, "resolved": part.resolved, "seen": seen,
        }  # fmt: skip
    # The longest of all is what it is: no interval can be given for it.
    found["max"] = {"value": one.max, "low": None, "high": None, "resolved": one.max is not None, "seen": one.max}
    return found


def _mean(one: SeriesMean | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {
        "value": one.mean,
        "low": one.low,
        "high": one.high,
        "resolved": one.refused is None,
        "effective": one.effective,
        "refused": msgspec.to_builtins(one.refused),
    }


def _group(group: Group) -> dict[str, Any]:
    return {
        "loop": group.first.loop,
        "connections": group.first.connections,
        "runs": [run.number for run in group.runs],
        "between": msgspec.to_builtins(group.between),
        "page": msgspec.to_builtins(group.page),
    }

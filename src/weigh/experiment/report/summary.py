"""Words: verdicts as sentences that need no statistics to be understood."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.report.cold import question
from weigh.experiment.results.answered import cut_off
from weigh.model import units
from weigh.model.answer import GateStatus
from weigh.verdict.suite import NOT_CHOSEN

if TYPE_CHECKING:
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.gate import Gate
    from weigh.model.verdict import Suite

_NUMBER = re.compile(r"\d[\d.e+-]*")
_NAMED = 30
"""Members that are named before the rest is only counted; the JSON has them all."""


def suites(results: ExperimentResults) -> list[str]:
    """The suites, a sentence each; what was not chosen is missing for everybody, and said once.

    A mean that is judged over all of its operations is that one, as on the first screen.
    """
    workload = results.record.spec.title
    overall = {
        (one.verdict.contender, one.verdict.baseline, one.verdict.temperature): one for one in results.overall.verdicts
    }
    all_ = []
    for one in results.suites:
        found = overall.get((one.contender, one.baseline, one.temperature))
        whole = found is not None and found.verdict.ratio and len(found.operations) == one.operations
        all_.append(msgspec.structs.replace(one, mean=found.verdict.ratio) if found and whole and one.mean else one)
    unchosen = [missing.operation for one in all_[:1] for missing in one.missing if missing.why == NOT_CHOSEN]
    if not unchosen:
        return [suite(one, workload) for one in all_]
    total = units.count(all_[0].operations, "operation")
    return [f"no mean over {workload}: {len(unchosen)} of its {total} were not chosen: {_names(unchosen)}"]


def suite(one: Suite, workload: str) -> str:
    """The suite in one sentence: the mean never without its spread, and no mean where a member is missing."""
    workload = question(workload, one.temperature)
    if one.mean is not None and one.low is not None and one.high is not None:
        return (
            f"all {units.count(one.operations, 'operation')} of {workload}: {one.contender} / {one.baseline} is "
            f"{one.mean:.3f} in the geometric mean, from {one.low:.3f} to {one.high:.3f}"
        )
    groups: dict[str, list[str]] = {}
    for missing in one.missing:
        groups.setdefault(missing.why, []).append(missing.operation)
    members = "; ".join(f"{why}: {_names(names)}" for why, names in groups.items())
    return (
        f"no mean of {one.contender} over {workload} from verdicts alone: {len(one.missing)} of "
        f"{units.count(one.operations, 'operation')} have no verdict with a ratio. {members}"
    )


def _names(names: list[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def gate_notes(gate: Gate) -> list[str]:
    """What was needed for answers to agree: tolerances and ties, each kind once an operation, counted."""
    kinds: dict[tuple[str, str], list[str]] = {}
    wanted: dict[str, int] = {}
    for check in gate.checks:
        if check.status is GateStatus.AGREED or check.notes:
            wanted[check.operation] = wanted.get(check.operation, 0) + 1
            for note in check.notes:
                kinds.setdefault((check.operation, _NUMBER.sub("#", note)), []).append(note)
    return [
        f"{operation}: {notes[0]} ({len(notes)} of {units.count(wanted[operation], 'answer')})"
        for (operation, _), notes in kinds.items()
    ]


def summary(results: ExperimentResults) -> str:
    """One sentence for the whole experiment: right answers first."""
    gate = results.gate
    if gate is None:
        return f"The gate was not reached. {_end(results)}".rstrip()
    if gate.cut_off is True:
        return f"{cut_off(results.record, gate)}. {_end(results)}".rstrip()
    contradicted = gate.contradicted
    parts = []
    if contradicted:
        for name, operations in gate.refuted.items():
            version = _version(results, name)
            parts.append(
                f"{name} ({version}) gives wrong answers on {len(operations)} of {len(gate.operations)} "
                f"operations: those are not timed for anybody, and it has no figure for the suite."
            )
        if gate.undecided:
            who = " and ".join(dict.fromkeys(name for names in gate.undecided.values() for name in names))
            parts.append(
                f"{who} give different answers on {len(gate.undecided)} of {len(gate.operations)} operations, and who "
                "is right is open: those are not timed for anybody."
            )
    counts: dict[str, int] = {}
    for one in results.headline.verdicts:
        counts[str(one.verdict)] = counts.get(str(one.verdict), 0) + 1
    if counts and results.headline.timings:
        parts.append(", ".join(f"{count} {name}" for name, count in counts.items()) + ".")
    elif not contradicted:
        statuses: dict[str, int] = {}
        for operation in gate.operations:
            statuses[str(operation.status)] = statuses.get(str(operation.status), 0) + 1
        parts.append(
            "Answers: "
            + ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in statuses.items())
            + _unable(gate)
            + "."
        )
    return " ".join([*parts, _end(results)]).rstrip()


def _unable(gate: Gate) -> str:
    """Who could not answer how much, where others could."""
    found = Counter(
        (name, status)
        for one in gate.operations
        for name, status in one.contenders.items()
        if status in (GateStatus.UNSUPPORTED, GateStatus.ERROR) and status is not one.status
    )
    return "".join(f"; {name}: {count} {status}" for (name, status), count in found.items())


def _end(results: ExperimentResults) -> str:
    """How the attempt ended, where that is not as it should."""
    end = results.record.end
    if end is None:
        return "Not complete: it was killed, or is still running."
    return "" if end.how == "complete" else f"Not complete: {end.reason}."


def _version(results: ExperimentResults, name: str) -> str:
    environment = results.record.environment
    for contender in environment.contenders if environment else ():
        if contender.name == name:
            return f"engine {contender.version}"
    return "version unknown"

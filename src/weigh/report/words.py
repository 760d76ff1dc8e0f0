"""Words: verdicts as sentences that need no statistics to be understood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import units
from weigh.model.verdict import Verdict, VerdictName

if TYPE_CHECKING:
    from weigh.report.conclusion import Conclusion


def verdict(one: Verdict) -> str:
    """A verdict in a few words."""
    change = units.percent(abs(one.ratio - 1)) if one.ratio is not None else ""
    margin = units.percent(one.margin)
    match one.verdict:
        case VerdictName.SLOWER:
            return f"SLOWER by {_factor(one.ratio)}"
        case VerdictName.FASTER:
            return f"FASTER by {_factor(one.ratio)}"
        case VerdictName.SAME:
            return f"SAME within {margin}"
        case VerdictName.SMALL:
            return f"SMALL: {change}, under {margin}"
        case VerdictName.UNRESOLVED:
            needed = f", {one.starts_needed} starts needed" if one.starts_needed else ""
            return f"UNRESOLVED{needed}"
        case VerdictName.REFUSED:
            code = one.reasons[0].code if one.reasons else ""
            return f"REFUSED ({code})" if code else "REFUSED"
        case VerdictName.DIVERGED:
            return "DIVERGED: not timed"
        case VerdictName.ERROR:
            return "ERROR: not measured"


def _factor(ratio: float | None) -> str:
    """A change as per cent while that is readable, as a factor beyond."""
    if ratio is None:
        return "?"
    factor = max(ratio, 1 / ratio)
    return f"{factor:.2f}x" if factor >= 2 else units.percent(abs(ratio - 1))


def summary(conclusion: Conclusion) -> str:
    """One sentence for the whole experiment: right answers first."""
    gate = conclusion.gate
    if gate is None:
        return f"The gate was not reached. {_end(conclusion)}".rstrip()
    contradicted = gate.contradicted
    parts = []
    if contradicted:
        for name, operations in contradicted.items():
            version = _version(conclusion, name)
            parts.append(
                f"{name} ({version}) gives wrong answers on {len(operations)} of {len(gate.operations)} "
                f"operations: those are not timed for anybody, and it has no figure for the suite."
            )
    counts: dict[str, int] = {}
    for one in conclusion.headline.verdicts:
        counts[str(one.verdict)] = counts.get(str(one.verdict), 0) + 1
    if counts:
        parts.append(", ".join(f"{count} {name}" for name, count in counts.items()) + ".")
    elif not contradicted:
        statuses: dict[str, int] = {}
        for operation in gate.operations:
            statuses[str(operation.status)] = statuses.get(str(operation.status), 0) + 1
        parts.append("Answers: " + ", ".join(f"{count} {name}" for name, count in statuses.items()) + ".")
    return " ".join([*parts, _end(conclusion)]).rstrip()


def _end(conclusion: Conclusion) -> str:
    """How the attempt ended, where that is not as it should."""
    end = conclusion.record.end
    if end is None:
        return "Not complete: it was killed, or is still running."
    return "" if end.how == "complete" else f"Not complete: {end.reason}."


def _version(conclusion: Conclusion, name: str) -> str:
    environment = conclusion.record.environment
    for contender in environment.contenders if environment else ():
        if contender.name == name:
            return f"engine {contender.version}"
    return "version unknown"

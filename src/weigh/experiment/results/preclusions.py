"""What the gate and the outcomes of all executions, untimed ones included, preclude. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.sample import Outcome, Sample, Samples
from weigh.verdict.refusals.preclusions import Preclusions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.model.verdict import Reason

Gate = Mapping[str, Mapping[str, GateStatus]]
"""What the gate found: status by operation, then by contender."""
Contradicted = Mapping[str, Collection[str]]
"""Operations on which a contender's answer was contradicted, by contender."""
UNKNOWN: Gate = MappingProxyType({})
NOBODY: Contradicted = MappingProxyType({})
_ENDED = {
    Outcome.ERROR: (codes.X_ERROR, "failed"),
    Outcome.UNSUPPORTED: (codes.X_UNSUPPORTED, "does not support it"),
    Outcome.TIMEOUT: (codes.X_TIMEOUT, "did not finish in time"),
    Outcome.CRASH: (codes.X_CRASH, "crashed"),
    Outcome.OUT_OF_MEMORY: (codes.X_OUT_OF_MEMORY, "ran out of memory"),
}
_GATE = {
    GateStatus.UNSUPPORTED: (codes.X_UNSUPPORTED, "does not support it"),
    GateStatus.ERROR: (codes.X_ERROR, "failed before any clock was started"),
}
_DIVERGED = codes.A1.reason("the answers differ, so nobody is timed")


_LEFT_OPEN = codes.A7.reason("the question leaves its answer open, and the answers differ, so nobody is timed")


def preclusions(samples: Sequence[Sample], gate: Gate = UNKNOWN, contradicted: Contradicted = NOBODY) -> Preclusions:
    """Verdicts that need no arithmetic. One failed execution is enough; leaving it out would keep only the lucky ones.

    Args:
        samples: of all attempts.
        gate: one DIVERGED makes the operation DIVERGED for all contenders.
        contradicted: marks all verdicts of a contender.
    """
    wrong: dict[str, list[Sample]] = defaultdict(list)
    failures: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    for sample in failed(samples):
        if sample.outcome is Outcome.WRONG:
            wrong[sample.operation].append(sample)
        else:
            failures[sample.operation, sample.contender].append(sample)
    statuses = {(name, who): status for name, by in gate.items() for who, status in by.items()}
    return Preclusions(
        diverged={name: _changed(changed) for name, changed in wrong.items()}
        | {name: _DIVERGED for (name, _), status in statuses.items() if status == GateStatus.DIVERGED},
        left_open={name: _LEFT_OPEN for (name, _), status in statuses.items() if status == GateStatus.LEFT_OPEN},
        failed={pair: _failed(failed_samples) for pair, failed_samples in failures.items()}
        | {pair: _not_begun(pair[1], status) for pair, status in statuses.items() if status in _GATE},
        unverified={pair for pair, status in statuses.items() if status == GateStatus.UNVERIFIED},
        contradicted=contradicted,
    )


def failed(samples: Sequence[Sample]) -> list[Sample]:
    """Those that did not end well, wrong answers included."""
    if isinstance(samples, Samples):
        return samples.once("failed", lambda: [one for one in samples if one.outcome is not Outcome.OK])
    return [one for one in samples if one.outcome is not Outcome.OK]


def _changed(samples: Collection[Sample]) -> Reason:
    """Answers of later executions differed from the one that passed the gate."""
    first = min(samples, key=_when)
    return codes.A3.reason(
        f"{first.contender} answered differently in a later execution (block {first.block}, "
        f"{len(samples)} in all), so no time is shown"
    )


def _not_begun(contender: str, status: GateStatus) -> Reason:
    code, how = _GATE[status]
    return code.reason(f"{contender} {how}")


def _failed(samples: Collection[Sample]) -> Reason:
    first = min(samples, key=_when)
    detail = f": {first.detail}" if first.detail else ""
    code, how = _ENDED[first.outcome]
    return code.reason(f"{first.contender} {how} (block {first.block}, {len(samples)} in all){detail}")


def _when(sample: Sample) -> tuple[int, int, int, int]:
    return sample.attempt, sample.block, sample.turn, sample.run

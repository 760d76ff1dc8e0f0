"""What the gate and the outcomes of all executions, untimed ones included, preclude. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.sample import Outcome, Sample, Samples
from weigh.model.units import count
from weigh.verdict.refusals.preclusions import Preclusions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.model.finding import Finding
    from weigh.model.gate import Doubt
    from weigh.model.verdict import Reason

Gate = Mapping[str, Mapping[str, GateStatus]]
"""What the gate found: status by operation, then by contender."""
Doubts = Mapping[str, "Doubt"]
"""Why answers of contenders are doubted, by contender."""
UNKNOWN: Gate = MappingProxyType({})
NOBODY: Doubts = MappingProxyType({})
_ENDED = {
    Outcome.ERROR: (codes.X_ERROR, "failed"),
    Outcome.UNSUPPORTED: (codes.X_UNSUPPORTED, "does not support it"),
    Outcome.TIMEOUT: (codes.X_TIMEOUT, "did not finish in time"),
    Outcome.CRASH: (codes.X_CRASH, "crashed"),
    Outcome.LOST: (codes.X_LOST, "lost its connection"),
    Outcome.OUT_OF_MEMORY: (codes.X_OUT_OF_MEMORY, "ran out of memory"),
}
_GATE = {
    GateStatus.UNSUPPORTED: (codes.X_UNSUPPORTED, "does not support it"),
    GateStatus.ERROR: (codes.X_ERROR, "failed before any clock was started"),
}
_NAMED = 5
"""Operations that a finding names."""
_DIVERGED = codes.A1.reason("the answers differ, so nobody is timed")


_LEFT_OPEN = codes.A7.reason("the question leaves its answer open, and the answers differ, so nobody is timed")


def preclusions(samples: Sequence[Sample], gate: Gate = UNKNOWN, doubts: Doubts = NOBODY) -> Preclusions:
    """Verdicts that need no arithmetic. One failed execution is enough; leaving it out would keep only the lucky ones.

    Args:
        samples: of all attempts.
        gate: one DIVERGED makes the operation DIVERGED for all contenders.
        doubts: of contenders; marks all their verdicts.
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
        doubts=doubts,
    )


def failed(samples: Sequence[Sample]) -> list[Sample]:
    """Those that did not end well, wrong answers included."""
    if isinstance(samples, Samples):
        return samples.once("failed", lambda: [one for one in samples if one.outcome is not Outcome.OK])
    return [one for one in samples if one.outcome is not Outcome.OK]


def reconnects(samples: Sequence[Sample]) -> Iterator[Finding]:
    """How often each contender lost its connection, and how often a session was begun anew in the same block.

    Args:
        samples: of all attempts.
    """
    lost: dict[str, list[Sample]] = defaultdict(list)
    for one in failed(samples):
        if one.outcome is Outcome.LOST:
            lost[one.contender].append(one)
    if not lost:
        return
    last: dict[tuple[str, int, int], int] = defaultdict(int)
    for one in samples:
        where = (one.contender, one.attempt, one.block)
        last[where] = max(last[where], one.start)
    for contender, those in lost.items():
        again = sum(last[contender, one.attempt, one.block] > one.start for one in those)
        operations = sorted({one.operation for one in those})
        named = ", ".join(operations[:_NAMED]) + (", ..." if len(operations) > _NAMED else "")
        yield codes.X_RECONNECTS.finding(
            contender=contender,
            text=f"its connection was lost {count(len(those), 'time')} (in {named}), and opened again "
            f"{count(again, 'time')} in the same block: a new session finds another state of its server",
            remedy="look into the server's log, and at what is between: proxies, idle time-outs, restarts; no figure "
            "holds what was lost",
        )


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

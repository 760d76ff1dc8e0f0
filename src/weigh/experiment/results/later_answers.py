"""Answers that were another one later: in a later attempt's gate, or in a timed execution. Neither acquits (T8, A3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.gate import UNDECIDED
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from weigh.experiment.record import Record
    from weigh.model.finding import Finding
    from weigh.model.gate import Check, Gate, OperationGate
    from weigh.model.sample import Sample, Samples


def recorded(attempts: Sequence[Record]) -> list[Finding]:
    """The findings of all attempts; that answers were reused is so of one attempt alone, and said of the latest."""
    latest = attempts[-1]
    return [
        one for record in attempts for one in record.findings if record is latest or one.code != codes.X_REUSED.code
    ]


def _diverged_earlier(attempts: Sequence[Record]) -> dict[tuple[str, str], tuple[int, tuple[Check, ...]]]:
    """(operation, contender) pairs that diverged in an earlier gate: neither a re-run nor a kill acquits (T8).

    Returns:
        The number of the first attempt in which each was found wrong, or differed from others; in the second case with
        the checks, which tell that who is right is open.
    """
    gates = [(record.attempt, gate) for record in attempts for gate in (*record.earlier_gates, record.gate) if gate]
    found: dict[tuple[str, str], tuple[int, tuple[Check, ...]]] = {}
    for attempt, gate in gates[:-1]:
        undecided = gate.undecided
        for name, operations in gate.contradicted.items():
            for operation in operations:
                open_ = name in undecided.get(operation, ())
                differing = (one for one in gate.checks if (one.operation, one.contender) == (operation, name))
                checks = tuple(
                    msgspec.structs.replace(one, notes=(*one.notes, f"attempt {attempt}"))
                    for one in differing
                    if open_ and one.status is GateStatus.DIVERGED
                )
                before = found.get((operation, name))
                if before is None or (before[1] and not open_):
                    found[operation, name] = attempt, checks
    return found


def _diverged_in(
    gate: Gate | None, pairs: Collection[tuple[str, str]], how: str, *, open_: bool = False
) -> Gate | None:
    """The gate with these pairs diverged: although they passed it, or wrong although who is right was open in it.

    Args:
        gate: as it is.
        pairs: (operation, contender).
        how: what is the matter with each of them.
        open_: whether who is right is open.
    """
    if gate is None or not pairs:
        return gate
    now, undecided = gate.contradicted, gate.undecided
    fresh = {pair for pair in pairs if pair[0] not in now.get(pair[1], ())}
    proven = {(one, name) for one, name in pairs if not open_ and name in undecided.get(one, ())}
    differing = {(one.operation, one.contender): one for one in gate.checks if one.detail == UNDECIDED}
    return msgspec.structs.replace(
        gate,
        operations=tuple(_diverge(one, fresh | proven, how, open_=open_) for one in gate.operations),
        checks=(
            *gate.checks,
            *(
                msgspec.structs.replace(one, detail=how, differences=())
                for at, one in differing.items()
                if at in proven
            ),
        ),
    )


def _diverge(one: OperationGate, pairs: Collection[tuple[str, str]], how: str, *, open_: bool) -> OperationGate:
    found = [name for name in one.contenders if (one.operation, name) in pairs]
    if not found:
        return one
    if open_:
        sentences = [f"{' and '.join(found)} {how if len(found) == 1 else how.replace('was ', 'were ', 1)}"]
    else:
        sentences = [f"{name} {how}" for name in found]
    # Where somebody is wrong it is not open who is right on all of it.
    before = one.detail if open_ else one.detail.replace(f"; {UNDECIDED}", "")
    return msgspec.structs.replace(
        one,
        status=GateStatus.DIVERGED,
        contenders={**one.contenders, **dict.fromkeys(found, GateStatus.DIVERGED)},
        detail="; ".join(filter(None, [before, *sentences])),
    )


def answered_differently(samples: Iterable[Sample]) -> list[Finding]:
    """A3: right in the gate, wrong in a later execution."""
    first: dict[tuple[str, str], Sample] = {}
    for sample in samples:
        if sample.outcome is Outcome.WRONG:
            first.setdefault((sample.contender, sample.operation), sample)
    return [
        codes.A3_CHANGED.finding(
            contender=contender,
            operation=operation,
            text=f"its answer changed in block {sample.block}, run {sample.run}: {sample.detail}",
            remedy="the operation is diverged and its times are not shown; they stay in the evidence",
        )
        for (contender, operation), sample in first.items()
    ]


def gates(attempts: Sequence[Record], samples: Samples) -> tuple[Gate | None, Gate | None]:
    """The gate with what earlier attempts contradict; and with what timed executions contradict, too.

    Args:
        attempts: oldest first.
        samples: of all of them.
    """
    before = attempts[-1].gate
    earlier = _diverged_earlier(attempts)
    for open_, number in sorted({(bool(checks), number) for number, checks in earlier.values()}, reverse=True):
        pairs = {pair for pair, (attempt, checks) in earlier.items() if (bool(checks), attempt) == (open_, number)}
        word, why = ("different from others", f"; {UNDECIDED}") if open_ else ("contradicted", "")
        how = f"was {word} in an earlier attempt, number {number}, and not in this one{why}"
        before = _diverged_in(before, pairs, how, open_=open_)
    if before and attempts[-1].gate:
        now = attempts[-1].gate.contradicted
        passed = (checks for (operation, name), (_, checks) in earlier.items() if operation not in now.get(name, ()))
        before = msgspec.structs.replace(before, checks=(*before.checks, *(one for checks in passed for one in checks)))
    outcomes = samples.coded("operation", "contender", "outcome").values
    changed = {(operation, contender) for operation, contender, outcome in outcomes if outcome is Outcome.WRONG}
    how = "answered differently in a timed execution than in the gate"
    return before, _diverged_in(before, changed, how)

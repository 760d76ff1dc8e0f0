"""What is known of a load's answers: which statements were checked, how, and by whom. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.gate import answers, as_text, checks, invariants_checked, statements
from weigh.load.gate.as_text import Otherwise
from weigh.load.gate.invariants_checked import InvariantChecked
from weigh.load.gate_events import (
    GateRecord,
    ReadBack,
    Sampled,
    Statement,
    StatementAnswers,
)
from weigh.model.answer import GateStatus
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.load.runs import LoadRun
    from weigh.load.spec import LoadSpec
    from weigh.model.gate import Check, OperationGate

_INVARIANT = "-- invariant: SELECT ... = VALUE"


class StatementChecked(msgspec.Struct, frozen=True, kw_only=True):
    """One statement of a script.

    Attributes:
        script, line: where it begins.
        statement: as it is written.
        writes: whether it does more than read.
        executions: with how many sets of parameters.
        status: ``agreed`` with a witness on all that was asked, ``diverged``, ``unverified`` or ``error``.
        witness: who agreed with it, or contradicts it.
        detail: why it is not agreed.
    """

    script: str
    line: int
    statement: str
    writes: bool
    executions: int = msgspec.field(name="asked")
    status: GateStatus
    witness: str
    detail: str


class SampleChecked(msgspec.Struct, frozen=True, kw_only=True):
    """Requests of one run of scripts that only read, asked again.

    Attributes:
        run: number of the run.
        requests: how many were drawn.
        same: answered as in the run.
        differ: answered otherwise; each in words.
        open: of which that cannot be determined.
        inapplicable: why nothing follows from them; empty where it does.
    """

    run: int
    requests: int
    same: int
    differ: tuple[str, ...]
    open: int
    inapplicable: str = ""


class GateResults(msgspec.Struct, frozen=True, kw_only=True):
    """All of it.

    Attributes:
        statements: of the scripts, in order; without those that begin or end transactions.
        invariants: in the order in which they were asked.
        read_back: of each run.
        sampled: of each run of scripts that only read.
        unasked: why statements could not be asked; empty where they could.
        otherwise: statements that are answered otherwise where they are sent as text.
    """

    statements: tuple[StatementChecked, ...] = ()
    invariants: tuple[InvariantChecked, ...] = ()
    read_back: tuple[ReadBack, ...] = ()
    sampled: tuple[SampleChecked, ...] = ()
    unasked: str = ""
    otherwise: tuple[Otherwise, ...] = ()

    @property
    def diverged(self) -> tuple[StatementChecked, ...]:
        """Statements with a wrong answer."""
        return tuple(one for one in self.statements if one.status is GateStatus.DIVERGED)

    @property
    def broken(self) -> tuple[InvariantChecked, ...]:
        """Invariants that do not hold."""
        return tuple(one for one in self.invariants if one.holds is False)

    @property
    def unchecked(self) -> tuple[StatementChecked, ...]:
        """Statements that nobody confirmed, and nobody contradicts."""
        known = (GateStatus.AGREED, GateStatus.DIVERGED)
        return tuple(one for one in self.statements if one.status not in known)

    def unguarded(self, runs: int) -> str:
        """Why nobody checked what the writes of so many runs left; empty where somebody did, or nothing writes."""
        of_tpcc = any(one.sentence for one in self.invariants)
        if not of_tpcc and not any(one.writes for one in self.statements):
            return ""
        after = [one for one in self.invariants if one.after]
        if not after:
            if of_tpcc:
                return "what must hold of the tables was not asked after any run"
            return f"no invariant says what the writes must leave: add {_INVARIANT} to a script"
        checked_runs = {one.run for one in after if one.holds is not None}
        unknown = [one for one in after if one.holds is None]
        if unknown or len(checked_runs) < runs:
            why = f" ({unknown[0].detail})" if unknown else ""
            what = "what must hold of the tables" if of_tpcc else "an invariant"
            return f"{what} could not be asked after every run{why}"
        return ""


def gate_results(
    gate: GateRecord | None,
    spec: LoadSpec,
    runs: Sequence[LoadRun],
    product: str,
    others: Sequence[Check] = (),
) -> GateResults | None:
    """Compute it; None where nothing was asked.

    Args:
        gate: what was asked.
        spec: of the load.
        runs: that were made.
        product: what the server calls itself.
        others: its answers against those of other servers under the same load.
    """
    if gate is None:
        return None
    return GateResults(
        statements=_statements(gate, product, others),
        invariants=tuple(invariants_checked.checked(gate, spec, runs)),
        read_back=gate.read_back,
        sampled=tuple(_sampled(gate.statements, one) for one in gate.sampled) if gate.statements else (),
        unasked=gate.statements.failed if gate.statements else "",
        otherwise=as_text.otherwise(gate.statements) if gate.statements else (),
    )


def _statements(gate: GateRecord, product: str, others: Sequence[Check]) -> tuple[StatementChecked, ...]:
    answered = gate.statements
    if answered is None:
        return ()
    found = (*checks.checks(answered, product), *(msgspec.structs.replace(one, contender=product) for one in others))
    words = {one.operation: one for one in checks.concluded(found, [answered], [product])}
    return tuple(
        _statement(one, answered, found, words[one.name]) for one in answered.statements if one.does != "control"
    )


def _statement(
    one: Statement, answered: StatementAnswers, found: Sequence[Check], word: OperationGate
) -> StatementChecked:
    own = [check for check in found if check.operation == one.name]
    sets = {each.set for each in answered.answers if (each.script, each.line) == (one.script, one.line)}
    status = word.status if word.contenders else GateStatus.UNVERIFIED
    confirmed = {check.case for check in own if check.status is GateStatus.AGREED}
    cases = {check.case for check in own}
    detail = word.detail if status in (GateStatus.DIVERGED, GateStatus.ERROR) else ""
    if not sets:
        detail = answered.failed or "it was not asked: it stands behind an error, or in a branch that was not taken"
    elif status is GateStatus.UNVERIFIED:
        open_ = [check.detail for check in own if check.status is GateStatus.UNVERIFIED and check.detail]
        detail = open_[0] if open_ else "nobody says what the right answer is"
    elif status is GateStatus.AGREED and len(confirmed) < len(cases):
        status, detail = GateStatus.UNVERIFIED, "only some of its answers were confirmed"
    return StatementChecked(
        script=one.script,
        line=one.line,
        statement=one.text,
        writes=one.does == "writes",
        executions=len(sets),
        status=status,
        witness=", ".join(dict.fromkeys(check.witness for check in own if check.witness)),
        detail=detail,
    )


def _sampled(answered: StatementAnswers, one: Sampled) -> SampleChecked:
    orders = {(each.script, each.line): each for each in answered.statements}
    before, after = one.changed
    inapplicable = one.error
    if before is not None and after is not None and before != after:
        inapplicable = f"others changed {count(after - before, 'row')} meanwhile, by the server's own count"
    same, open_, differ = 0, 0, []
    for sample in one.samples:
        statement = orders.get((sample.script, sample.line))
        order = statement.order if statement else None
        first = sample.again[0]
        steady = all(answers.same(other, first, order).agrees for other in sample.again[1:])
        # The types of the columns are known only of what was answered afterwards.
        answer = sample.answer
        if answer.kind == first.kind == "rows" and len(answer.columns) == len(first.columns):
            answer = msgspec.structs.replace(answer, columns=first.columns)
        found = answers.same(answer, first, order)
        if sample.answer.kind == "error" or not steady or found.open:
            open_ += 1
        elif found.agrees:
            same += 1
        elif statement is not None and statements.volatile(statement.text):
            open_ += 1
        else:
            given = ", ".join(invariants_checked.word(value) for value in sample.parameters)
            what = "; ".join(map(str, found.differences[:1]))
            differ.append(f"{sample.script}, line {sample.line}" + (f" with {given}" if given else "") + f": {what}")
    return SampleChecked(
        run=one.run, requests=len(one.samples), same=same, differ=tuple(differ), open=open_, inapplicable=inapplicable
    )

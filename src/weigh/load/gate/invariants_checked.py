"""Which invariants held, before and after each run of a load. Pure."""

from __future__ import annotations

import decimal
from typing import TYPE_CHECKING

import msgspec

from weigh.load.gate import answers, invariants
from weigh.load.gate_events import Answer, GateRecord, InvariantAnswers
from weigh.load.tpcc import conditions
from weigh.model.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from weigh.load.gate.invariants import Question
    from weigh.load.runs import LoadRun
    from weigh.load.spec import LoadSpec
    from weigh.load.tpcc.workload import TpccWorkload

_UNASKED = "it was not asked"
_NOTHING = Answer(kind="rows", rows=(("0",) * 5,), count=1)
"""The sums of pgbench's tables that were just made."""


class InvariantChecked(msgspec.Struct, frozen=True, kw_only=True):
    """What must hold, at one moment.

    Attributes:
        run: number of the run.
        after: whether after it; else just before.
        name: where it is written, or what it is about.
        query: what was asked.
        expected: what the value must be.
        got: what it is; None where it could not be asked.
        holds: None where it could not be asked.
        detail: why not.
        sentence: of a condition of TPC-C: what it says (docs/reference/workloads.md#the-twelve-conditions).
        example: of one that is broken: a row that breaks it; ``got`` is how many do.
    """

    run: int
    after: bool
    name: str
    query: str
    expected: str
    got: str | None
    holds: bool | None
    detail: str = ""
    sentence: str | msgspec.UnsetType = msgspec.UNSET
    example: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def statement(self) -> str:
        """How it is broken, for people."""
        if not self.sentence:
            return f"{self.name}: {self.got}, not {self.expected}"
        rows = count(int(self.got or 0), "row")
        return f"{self.name} ({self.sentence}) is broken by {rows}: {self.example or ''}"


def checked(gate: GateRecord, spec: LoadSpec, made: Sequence[LoadRun]) -> Iterator[InvariantChecked]:
    """All of them, in the order of the moments at which they were asked."""
    if spec.tpcc:
        for moment in gate.invariants:
            yield from conditions_checked(spec.tpcc, moment)
        return
    own = gate.statements.loaded if gate.statements else False
    questions = invariants.questions(spec, own=own)
    before: dict[int, tuple[Answer, ...]] = {one.run: one.answers for one in gate.invariants if not one.after}
    runs = {one.number: one for one in made}
    disturbed = bool(spec.crash or spec.disturbances)
    for moment in gate.invariants:
        for place, question in enumerate(questions):
            answer = moment.answers[place] if place < len(moment.answers) else None
            if question.kind != "written" and disturbed:
                continue
            if question.kind == "sums":
                if moment.after:
                    known = (_NOTHING,) if own else before.get(moment.run, ())[place : place + 1]
                    two = (*known, answer)
                    yield from _sums(spec, runs.get(moment.run), two, moment.failed, own=own)
            elif moment.after or question.kind == "written":
                yield _holds(question, moment.run, moment.after, answer, moment.failed)


def conditions_checked(tpcc: TpccWorkload, moment: InvariantAnswers) -> Iterator[InvariantChecked]:
    """What must hold of TPC-C's tables, at one moment."""
    for place, one in enumerate(conditions.required(tpcc.warehouses, after=moment.after)):
        answer = moment.answers[place] if place < len(moment.answers) else None
        rows = answer.rows if answer is not None and answer.kind == "rows" else ()
        broken, example = rows[0] if rows else (None, None)
        detail = (
            "" if broken is not None else (moment.failed or (answer.text if answer is not None else "")) or _UNASKED
        )
        yield InvariantChecked(
            run=moment.run, after=moment.after, name=one.name, query=one.sql, expected="0", got=broken,
            holds=None if broken is None else broken == "0", detail=detail, sentence=one.sentence,
            example=msgspec.UNSET if example is None else example,
        )  # fmt: skip


def written(spec: LoadSpec, asked: InvariantAnswers | None) -> Iterator[InvariantChecked]:
    """The scripts' own invariants before the first run."""
    for place, question in enumerate(invariants.questions(spec, own=False)):
        if asked is not None and question.kind == "written":
            answer = asked.answers[place] if place < len(asked.answers) else None
            yield _holds(question, asked.run, False, answer, asked.failed)


def _holds(question: Question, run: int, after: bool, answer: Answer | None, failed: str) -> InvariantChecked:
    got, detail = _value(answer, failed)
    holds = None if detail else _equal(got, question.expected)
    name = question.name if question.kind == "written" else f"rows of {question.script} that are not what was paid"
    return InvariantChecked(
        run=run, after=after, name=name, query=question.sql, expected=question.expected,
        got=None if detail else word(got), holds=holds, detail=detail,
    )  # fmt: skip


def _value(answer: Answer | None, failed: str) -> tuple[str | None, str]:
    """The only value of an answer, or why there is none."""
    if answer is None:
        return None, failed or "it was not asked"
    if answer.kind == "error":
        return None, f"{answer.text} ({answer.code})"
    if answer.kind != "rows" or answer.count != 1 or len(answer.rows) != 1 or len(answer.rows[0]) != 1:
        return None, f"it must answer one value, and answered {answers.described(answer)}" + (
            f" of {count(len(answer.columns), 'column')}" if answer.kind == "rows" else ""
        )
    return answer.rows[0][0], ""


def word(value: str | None) -> str:
    """A value of a row, as people read it."""
    return "NULL" if value is None else value


def _equal(got: str | None, expected: str) -> bool:
    """Whether a value, as text, is the literal that an invariant names."""
    word = expected.strip()
    if word.lower() == "null" or got is None:
        return got is None and word.lower() == "null"
    if word.startswith("'"):
        return got == word[1:-1].replace("''", "'")
    if word.lower() in ("true", "false"):
        return got.lower() in (("t", "true", "1") if word.lower() == "true" else ("f", "false", "0"))
    try:
        return decimal.Decimal(got) == decimal.Decimal(word)
    except decimal.InvalidOperation:
        return False


def _sums(
    spec: LoadSpec, run: LoadRun | None, two: Sequence[Answer | None], failed: str, *, own: bool
) -> Iterator[InvariantChecked]:
    """What was paid is in the balances of pgbench's tables, and what was acknowledged in their history."""
    if run is None:
        return
    numbers = [_numbers(one) for one in two if one is not None]
    names = {one.name for one in spec.scripts if one.weight}
    if len(numbers) < 2 or any(one is None for one in numbers):
        detail = failed or "the tables could not be summed"
        yield _sum(run.number, "balances against their history", "", None, None, detail)
        return
    first, last = numbers[0] or (), numbers[1] or ()
    accounts, tellers, branches, paid, rows = (b - a for a, b in zip(first, last, strict=True))
    yield _sum(run.number, "accounts against their history", str(paid), str(accounts), accounts == paid)
    others = paid if "simple-update" not in names else 0 if "tpcb-like" not in names else branches
    yield _sum(run.number, "tellers against their history", str(others), str(tellers), tellers == others)
    if "simple-update" not in names or "tpcb-like" not in names:
        yield _sum(run.number, "branches against their history", str(others), str(branches), branches == others)
    if run.summary is not None:
        least, most = _acknowledged(run)
        # Whoever else writes to these tables writes to the history, too.
        holds = least <= rows <= most if own else least <= rows
        expected = f"{least}" if least == most else f"{least} to {most}"
        yield _sum(run.number, "rows of history against what was acknowledged", expected if own else f"{least} or more",
                   str(rows), holds)  # fmt: skip


def _sum(run: int, name: str, expected: str, got: str | None, holds: bool | None, detail: str = "") -> InvariantChecked:
    return InvariantChecked(
        run=run, after=True, name=name, query=invariants.SUMS, expected=expected, got=got, holds=holds, detail=detail
    )


def _numbers(answer: Answer) -> tuple[int, ...] | None:
    try:
        return tuple(int(decimal.Decimal(one or "")) for one in answer.rows[0])
    except (IndexError, decimal.InvalidOperation):
        return None


def _acknowledged(run: LoadRun) -> tuple[int, int]:
    """Rows that the history of a run must have gained at least, and can have at most."""
    writers = ("tpcb-like", "simple-update")
    parts = [one for interval in run.intervals for one in interval.operations if one.name in writers]
    done = sum(one.count for one in parts)
    # Nobody knows of these; one that is in flight at the end may be of another script.
    open_ = sum(one.timeouts + sum(one.errors.values()) for one in parts)
    return done, done + open_ + (run.summary.in_flight_at_end if run.summary else 0)

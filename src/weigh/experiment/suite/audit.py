"""The audit of a workload: which operations measure nothing, and which cannot be measured as asked.

Each contender is asked for the plan of every question, for its answer, and to execute it a few times. Nothing here is a
measurement: the times say what is hopeless, and nothing about contenders.
"""

from __future__ import annotations

import math
from contextlib import ExitStack
from statistics import median
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from weigh.engines.exchange import WorkerEnded
from weigh.experiment.gate.queries import QuerySession
from weigh.experiment.setup import check, prepare
from weigh.experiment.suite import plans
from weigh.model import units
from weigh.model.spec import MOST_STARTS, NARROW
from weigh.model.text import one_line
from weigh.workloads.suites.question import LeftOut, Unread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.config.run_request import RunRequest
    from weigh.experiment.setup import Setup
    from weigh.model.operation import Operation
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec

Kind = Literal["constant", "empty", "duplicate", "too_fast", "noisy", "fails"]
NOTHING: tuple[Kind, ...] = ("constant", "empty", "duplicate", "too_fast")
"""Kinds of which an operation measures nothing."""
EXECUTIONS = 7
"""Timed executions of each operation, after an untimed one."""
_ROUNDS = 6
"""Rounds a start that the noise is weighed by: what a session has where the budget allows it."""
_COMPARED = 1_000
"""Rows of an answer that are compared with another's: their plans are the same already."""
_COARSE = 2
"""Different times of all executions, up to which the clock's ticks are what is seen."""
_T = 2.63
"""Of a 99 % interval at a hundred starts."""
_MAD = 1.4826
"""What a median absolute deviation is multiplied by to be a standard deviation."""


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with one operation.

    Attributes:
        operation: its name.
        kind: ``constant``, ``empty``, ``duplicate``, ``too_fast``, ``noisy`` or ``fails``.
        contenders: of whom it holds.
        text: what it means, one sentence without its full stop.
    """

    operation: str
    kind: Kind
    contenders: tuple[str, ...]
    text: str


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """What an audit found.

    Attributes:
        operations: names of those that were asked.
        problems: in their order.
        left_out: questions of a suite that are not asked.
        unread: keys of a suite's files that have no effect, and those that are not understood.
        unplanned: contenders whose plans weigh cannot read.
    """

    operations: tuple[str, ...]
    problems: tuple[Problem, ...]
    left_out: tuple[LeftOut, ...]
    unread: tuple[Unread, ...]
    unplanned: tuple[str, ...]

    @property
    def nothing(self) -> tuple[str, ...]:
        """Operations that measure nothing."""
        return tuple(dict.fromkeys(one.operation for one in self.problems if one.kind in NOTHING))


class _Seen(NamedTuple):
    """What one contender showed of one operation."""

    plan: str | None
    rows: int
    empty: bool
    answer: int
    seconds: tuple[float, ...]


def audit(spec: Spec, request: RunRequest, progress: Progress) -> Audit:
    """Ask every contender about every operation.

    Raises:
        WeighError: the workload, its data or a contender cannot be had.
    """
    own = request.own
    with ExitStack() as stack:
        check(spec, request)
        setup = prepare(spec, request, progress, stack)
        problems: list[Problem] = [*_same_text(setup.workload.operations)]
        for one in setup.contenders:
            problems += _of(one, setup, progress)
        lineages = {one.name: one.engine.lineage for one in setup.contenders}
    names = tuple(one.name for one in setup.workload.operations)
    return Audit(
        operations=names,
        problems=tuple(_merged(problems, names)),
        left_out=own.left_out if own else (),
        unread=own.unread if own else (),
        unplanned=tuple(name for name, lineage in lineages.items() if plans.explain("", lineage) is None),
    )


def _of(one: PreparedContender, setup: Setup, progress: Progress) -> Iterator[Problem]:
    """What one contender shows."""
    operations = setup.workload.operations
    seen: dict[str, _Seen] = {}
    with QuerySession(one, setup.stage, setup.spec.timeout) as session:
        least = _cost_of_asking(session)
        for number, operation in enumerate(operations):
            case = next(iter(operation.timed()), operation.cases[0])
            try:
                seen[operation.name] = _look(session, one, operation.text(case, one.engine.dialect))
            except WorkerEnded as ended:
                yield Problem(
                    operation=operation.name,
                    kind="fails",
                    contenders=(one.name,),
                    text=f"it is not answered: {one_line(ended.detail, 160)}",
                )
            progress.step(number + 1, len(operations), f"auditing with {one.name}")
    first: dict[tuple[str, int], str] = {}
    for name, found in seen.items():
        for kind, text in _problems(found, one.engine.lineage, least, setup.spec):
            yield Problem(operation=name, kind=kind, contenders=(one.name,), text=text)
        if found.plan is not None and not _cut(found.plan):
            other = first.setdefault((found.plan, found.answer), name)
            if other != name:
                text = f"it has the plan and the answer of {other}"
                yield Problem(operation=name, kind="duplicate", contenders=(one.name,), text=text)


def _look(session: QuerySession, one: PreparedContender, sql: str) -> _Seen:
    table = session.ask(sql).table
    seconds = tuple(session.execute(sql).wall_s for _ in range(EXECUTIONS))
    plan = None
    if question := plans.explain(sql, one.engine.lineage):
        try:
            plan = _text(session.ask(question).table)
        except WorkerEnded:
            # Some statements cannot be explained; then nothing is said of their plan.
            plan = None
    answer = hash((table.num_rows, str(table.slice(0, _COMPARED).to_pydict())))
    return _Seen(plan, table.num_rows, _empty(table), answer, seconds)


def _cost_of_asking(session: QuerySession) -> float:
    """Seconds that an execution takes which does nothing."""
    try:
        return median(session.execute("SELECT 1 AS one").wall_s for _ in range(EXECUTIONS))
    except WorkerEnded:
        return 0.0


def _text(table: pa.Table) -> str:
    return "\n".join(str(cell) for column in table.columns for cell in column.to_pylist())


def _cut(plan: str) -> bool:
    """Whether a plan leaves something out, so that two of them can look the same."""
    return "..." in plan or "…" in plan


def _empty(table: pa.Table) -> bool:
    """No row, or one that holds nothing but NULL."""
    if table.num_rows == 0:
        return True
    return table.num_rows == 1 and all(column.null_count == 1 for column in table.columns)


def _problems(seen: _Seen, lineage: str, least: float, spec: Spec) -> Iterator[tuple[Kind, str]]:
    if seen.plan is not None and not plans.reads(seen.plan, lineage):
        yield "constant", "its plan reads no table: it is answered from constants, statistics or generated rows"
    if seen.empty:
        said = "no row" if seen.rows == 0 else "one row of NULL"
        yield "empty", f"its answer is empty ({said}): whatever it asks for is not in the data"
    typical = median(seen.seconds)
    # A fine clock never tells the same number of nanoseconds seven times.
    if len(set(seen.seconds)) <= _COARSE:
        yield "too_fast", "its time cannot be told from a tick of the clock: every verdict on it is REFUSED"
    elif typical < 1.5 * least:
        yield (
            "too_fast",
            f"it takes {units.seconds(typical)} and SELECT 1 takes {units.seconds(least)}: what is timed is asking",
        )
    logs = [math.log(one) for one in seen.seconds if one > 0]
    if len(logs) > 1:
        middle = median(logs)
        spread = _MAD * median(abs(one - middle) for one in logs)
        half = _T * spread * math.sqrt(1.5 / (MOST_STARTS * _ROUNDS))
        asked = spec.precision if spec.precision else NARROW * spec.rules.margin
        if half > asked:
            yield (
                "noisy",
                f"its executions scatter by {units.percent(spread)}: {MOST_STARTS} starts would tell it to "
                f"{units.percent(half)}, and {units.percent(asked)} is asked",
            )


def _same_text(operations: Sequence[Operation]) -> Iterator[Problem]:
    """Operations whose questions are the same text but for blanks, comments and the case of words."""
    first: dict[str, str] = {}
    for one in operations:
        case = next(iter(one.timed()), one.cases[0])
        other = first.setdefault(_normal(one.text(case)), one.name)
        if other != one.name:
            yield Problem(operation=one.name, kind="duplicate", contenders=(), text=f"it asks the same as {other}")


def _normal(sql: str) -> str:
    from sqlglot import TokenType
    from sqlglot.errors import TokenError
    from sqlglot.tokens import Tokenizer

    try:
        tokens = Tokenizer().tokenize(sql)
    except TokenError:
        return sql
    quoted = (TokenType.STRING, TokenType.IDENTIFIER)
    return " ".join(
        f"{one.token_type.name}:{one.text}" if one.token_type in quoted else one.text.lower() for one in tokens
    )


def _merged(problems: Sequence[Problem], order: Sequence[str]) -> list[Problem]:
    """What holds of several contenders is said once, with the words of the first."""
    found: dict[tuple[str, Kind], Problem] = {}
    for one in problems:
        before = found.get((one.operation, one.kind))
        if before is None:
            found[one.operation, one.kind] = one
        elif before.contenders:
            names = (*before.contenders, *one.contenders)
            found[one.operation, one.kind] = msgspec.structs.replace(before, contenders=names)
    place = {name: at for at, name in enumerate(order)}
    return sorted(found.values(), key=lambda one: place[one.operation])

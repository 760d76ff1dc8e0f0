"""The audit of a workload: which operations measure nothing, and which cannot be measured as asked.

Each contender is asked for the plan of every question, for its answer, and to execute it a few times. Nothing here is a
measurement: the times say what is hopeless, and nothing about contenders.
"""

from __future__ import annotations

import math
from contextlib import ExitStack, suppress
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
from weigh.workloads.long_lists import shortened
from weigh.workloads.suites.question import LeftOut, Unread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.config.run_request import RunRequest
    from weigh.experiment.setup import Setup
    from weigh.model.operation import Case, Operation
    from weigh.model.progress import Progress
    from weigh.model.spec import Spec

Kind = Literal["constant", "empty", "duplicate", "too_fast", "generated", "noisy", "fails"]
NOTHING: tuple[Kind, ...] = ("constant", "empty", "duplicate", "too_fast")
"""Kinds of which an operation measures nothing."""
EXECUTIONS = 7
"""Timed executions of each operation, after an untimed one."""
AGAIN = 21
"""Further executions of what seems noisy, after all others: what disturbed it then may be gone."""
_LONG = 5.0
"""Seconds for the executions of one operation; the third of them is always made."""
_FEWEST = 3
_EVERY = 50
"""Operations after which it is timed again what asking costs."""
_ROUNDS = 6
"""Rounds a start that the noise is weighed by: what a session has where the budget allows it."""
_NOTHING = "SELECT 1 AS one"
_COMPARED = 1_000
"""Rows of an answer that are compared with another's: their plans are the same already."""
_COARSE = 2
"""Different times of all executions, up to which the clock's ticks are what is observed."""
_CLEARLY = 1.25
"""How far beyond what is asked the noise of a few executions must be to be determined."""
_T = 2.63
"""Of a 99 % interval at a hundred starts."""
_MAD = 1.4826
"""What a median absolute deviation is multiplied by to be a standard deviation."""


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with one operation.

    Attributes:
        operation: its name.
        kind: ``constant``, ``empty``, ``duplicate``, ``too_fast``, ``generated``, ``noisy`` or ``fails``.
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


class _Look(NamedTuple):
    """What one contender showed of one operation.

    Attributes:
        source: where the rows of its plan come from.
        same: its plan and answer, as another operation's are compared with them; None where they cannot be.
        rows: of its answer.
        empty: whether the answer says nothing.
        seconds: of every timed execution.
    """

    source: plans.Source
    same: tuple[str, int] | None
    rows: int
    empty: bool
    seconds: tuple[float, ...]


def audit(spec: Spec, request: RunRequest, progress: Progress) -> Audit:
    """Ask every contender about every operation.

    Raises:
        WeighError: the workload, its data or a contender cannot be had.
    """
    user_files = request.user_files
    with ExitStack() as stack:
        check(spec, request)
        setup = prepare(spec, request, progress, stack)
        problems: list[Problem] = [*_same_text(setup.workload.operations)]
        for one in setup.contenders:
            problems += _of(one, setup, progress)
        lineages = {one.name: one.lineage for one in setup.contenders}
    names = tuple(one.name for one in setup.workload.operations)
    return Audit(
        operations=names,
        problems=tuple(_merged(problems, names)),
        left_out=user_files.left_out if user_files else (),
        unread=user_files.unread if user_files else (),
        unplanned=tuple(name for name, lineage in lineages.items() if plans.explain("", lineage) is None),
    )


def _of(one: PreparedContender, setup: Setup, progress: Progress) -> Iterator[Problem]:
    """What one contender shows."""
    operations = setup.workload.operations
    looks: dict[str, _Look] = {}
    with QuerySession(one, setup.link, setup.spec.timeout) as session:
        least: list[float] = []
        for number, operation in enumerate(operations):
            if number % _EVERY == 0:
                least += _cost_of_asking(session)
            try:
                looks[operation.name] = _look(session, one, _question(operation, one))
            except WorkerEnded as ended:
                yield Problem(
                    operation=operation.name,
                    kind="fails",
                    contenders=(one.name,),
                    text=f"it is not answered: {one_line(ended.detail, 160)}",
                )
            progress.step(number + 1, len(operations), f"auditing with {one.name}")
        least += _cost_of_asking(session)
        asking = min(least, default=0.0)
        for operation in operations:
            found = looks.get(operation.name)
            if found and "noisy" in dict(_problems(found, asking, setup.spec)):
                with suppress(WorkerEnded):
                    seconds = _times(session, _question(operation, one), AGAIN)
                    looks[operation.name] = found._replace(seconds=seconds)
    first: dict[tuple[str, int], str] = {}
    for name, found in looks.items():
        for kind, text in _problems(found, asking, setup.spec):
            yield Problem(operation=name, kind=kind, contenders=(one.name,), text=text)
        other = first.setdefault(found.same, name) if found.same else name
        if other != name:
            text = f"it has the plan and the answer of {other}"
            yield Problem(operation=name, kind="duplicate", contenders=(one.name,), text=text)


def _question(operation: Operation, one: PreparedContender) -> str:
    return operation.text(_case(operation), one.engine.dialect)


def _case(operation: Operation) -> Case:
    return next(iter(operation.timed()), operation.cases[0])


def _look(session: QuerySession, one: PreparedContender, sql: str) -> _Look:
    table = session.ask(sql).table
    seconds = _times(session, sql, EXECUTIONS)
    lineage = one.lineage
    plan: str | None = None
    if question := plans.explain(sql, lineage):
        # Some statements cannot be explained; then nothing is reported of their plan.
        with suppress(WorkerEnded):
            plan = _text(session.ask(question).table)
    source: plans.Source = "unknown" if plan is None else plans.source(plan, lineage)
    words = None if plan is None else plans.comparable(plan, lineage)
    same = None
    if words is not None:
        same = (words, hash((table.num_rows, str(table.slice(0, _COMPARED).to_pydict()))))
    return _Look(source, same, table.num_rows, _empty(table), seconds)


def _times(session: QuerySession, sql: str, most: int) -> tuple[float, ...]:
    """Seconds of its executions: as many as asked for, or fewer where they are long."""
    seconds: list[float] = []
    while len(seconds) < _FEWEST or (len(seconds) < most and sum(seconds) < _LONG):
        seconds.append(session.execute(sql).wall_s)
    return tuple(seconds)


def _cost_of_asking(session: QuerySession) -> tuple[float, ...]:
    """Seconds that executions take which do nothing."""
    with suppress(WorkerEnded):
        session.execute(_NOTHING)
        return _times(session, _NOTHING, EXECUTIONS)
    return ()


def _text(table: pa.Table) -> str:
    return "\n".join(str(cell) for column in table.columns for cell in column.to_pylist())


def _empty(table: pa.Table) -> bool:
    """No row, or one that holds nothing but NULL."""
    if table.num_rows == 0:
        return True
    return table.num_rows == 1 and all(column.null_count == 1 for column in table.columns)


def _problems(look: _Look, asking: float, spec: Spec) -> Iterator[tuple[Kind, str]]:
    nothing = list(_nothing(look, asking))
    yield from nothing
    if look.source == "generated":
        yield "generated", "its plan reads no table: the rows that it asks are made by the engine itself"
    if nothing:
        return
    logs = [math.log(one) for one in look.seconds if one > 0]
    if len(logs) > 1:
        middle = median(logs)
        spread = _MAD * median(abs(one - middle) for one in logs)
        half = _T * spread * math.sqrt(1.5 / (MOST_STARTS * _ROUNDS))
        half_wanted = spec.precision if spec.precision else NARROW * spec.rules.margin
        if half > _CLEARLY * half_wanted:
            yield (
                "noisy",
                f"its executions scatter by {units.percent(spread)}: {MOST_STARTS} starts would tell it to "
                f"{units.percent(half)}, and {units.percent(half_wanted)} is asked",
            )


def _nothing(look: _Look, asking: float) -> Iterator[tuple[Kind, str]]:
    """Why an operation measures nothing."""
    if look.source == "constant":
        yield "constant", "its plan reads no table: it is answered from constants, or from statistics of the files"
    if look.empty:
        emptiness = "no row" if look.rows == 0 else "one row of NULL"
        yield "empty", f"its answer is empty ({emptiness}): whatever it asks for is not in the data"
    fastest = min(look.seconds)
    # A fine clock never tells the same number of nanoseconds again and again.
    if len(look.seconds) > _COARSE and len(set(look.seconds)) <= _COARSE:
        yield "too_fast", "its time cannot be distinguished from a tick of the clock: every verdict on it is REFUSED"
    elif fastest < 1.5 * asking:
        yield (
            "too_fast",
            f"it takes {units.seconds(fastest)} and {_NOTHING} takes {units.seconds(asking)}: what is timed is asking",
        )


def _same_text(operations: Sequence[Operation]) -> Iterator[Problem]:
    """Operations whose questions are the same text but for blanks, comments and the case of words."""
    first: dict[str, str] = {}
    for one in operations:
        other = first.setdefault(_normal(one.text(_case(one))), one.name)
        if other != one.name:
            yield Problem(operation=one.name, kind="duplicate", contenders=(), text=f"it asks the same as {other}")


def _normal(sql: str) -> str:
    from sqlglot import TokenType
    from sqlglot.errors import TokenError
    from sqlglot.tokens import Tokenizer

    try:
        tokens = Tokenizer().tokenize(shortened(sql))
    except TokenError:
        return sql
    quoted = (TokenType.STRING, TokenType.IDENTIFIER)
    return " ".join(
        f"{one.token_type.name}:{one.text}" if one.token_type in quoted else one.text.lower() for one in tokens
    )


def _merged(problems: Sequence[Problem], order: Sequence[str]) -> list[Problem]:
    """What holds of several contenders is reported once, with the words of the first."""
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

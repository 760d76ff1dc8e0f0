"""Asking a load's target outside the clock: its statements before the first run, what must hold around each."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.gate import answers, as_text, checks, invariants, invariants_checked, orders, pins, statements
from weigh.load.gate_events import (
    EVENTS,
    Answer,
    Answered,
    InvariantAnswers,
    ReadBack,
    Sample,
    Sampled,
    Statement,
    StatementAnswers,
)
from weigh.load.generator import make_generator
from weigh.load.generator_errors import call
from weigh.load.spec import Script
from weigh.load.target import bulk_load
from weigh.load.tpcc import conditions, read_back
from weigh.load.tpcc.account import Account, TpccRun
from weigh.load.tpcc.mysql import in_mysql
from weigh.load.tpcc.workload import SCHEMA
from weigh.model.answer import GateStatus
from weigh.model.errors import EngineFault, UsageError, WeighError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weigh.evidence.journal import Journal
    from weigh.load.files import LoadFiles
    from weigh.load.gate_events import Event
    from weigh.load.spec import LoadSpec, Loop
    from weigh.load.target.target import Reached
    from weigh.load.tpcc.workload import TpccWorkload
    from weigh.model.progress import Progress
    from weigh.model.units import Seconds

SETS = 5
"""Sets of parameters of each statement."""
_SAMPLES = 64
"""Requests of a run that are repeated, at most."""
_KEYS, _SECONDS = 10_000, 20.0
"""Of YCSB: keys that are read back at most, and for how long."""
_RETURN, _AGAIN = 180.0, 3.0
"""Seconds in which a node of a cluster that had a fault is there again, and between two looks."""
_PATIENCE = 600.0
"""Seconds for one invariant."""
_SQL = ("mysql", "postgres", "sqlite")
"""Kinds of targets whose scripts are SQL."""
_CHANGED = "SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::bigint FROM pg_stat_user_tables"
"""Rows that anybody changed, by PostgreSQL's own count."""


class WrongAnswers(Exception):
    """The answers before the clock are wrong: nothing is measured. What is wrong is in the journal."""


def when_whole(read: Callable[[], ReadBack], patience: Seconds, progress: Progress) -> ReadBack:
    """What was read back in the end: every replica is asked, and one that was killed may be on its way still.

    What is wrong or missing is never read again: reading mends it in some clusters.

    Args:
        read: reads back.
        patience: in which it is done again where something did not answer.
        progress: is told of waiting.
    """
    until = time.monotonic() + patience
    while True:
        found = read()
        answered = not (found.error or found.failed)
        if answered or found.wrong or found.missing or time.monotonic() >= until:
            return found
        progress.say("waiting until every replica answers")
        time.sleep(_AGAIN)


class LoadGate:
    """The gate of one load experiment.

    Args:
        spec: of the load.
        files: of the user.
        journal: gets the events.
        progress: gets each step.

    Raises:
        UsageError: an invariant of a script cannot be read.
    """

    def __init__(self, spec: LoadSpec, files: LoadFiles, journal: Journal, progress: Progress) -> None:
        self._spec = spec
        self._files = files
        self._journal = journal
        self._progress = progress
        self._statements: StatementAnswers | None = None
        self._first: InvariantAnswers | None = None
        self._changed: int | None = None

    @property
    def files(self) -> LoadFiles:
        """Of the load."""
        return self._files

    @property
    def statements(self) -> StatementAnswers | None:
        """What the statements answered; None before they were asked."""
        return self._statements

    @property
    def samples(self) -> int:
        """Requests that each thread of a run keeps to be repeated; 0 where the scripts do more than read."""
        answered = self._statements
        # Agents keep none.
        if self._spec.agents or answered is None or answered.failed:
            return 0
        if any(one.does == "writes" for one in answered.statements):
            return 0
        threads = max(self._spec.connections) if self._spec.in_process else self._spec.threads
        return max(_SAMPLES // threads, 1)

    def ask(self, reached: Reached, queries: Sequence[str]) -> tuple[Answer, ...]:
        """The answers to queries, of which each may fail by itself.

        Args:
            reached: the server.
            queries: in SQL.
        """
        return self._each(reached, list(queries))

    def before(self, reached: Reached, number: int, *, own: bool) -> None:
        """Ask before a run; the data is there.

        Args:
            reached: the server.
            number: of the run.
            own: whether weigh loaded the data.

        Raises:
            WrongAnswers: an answer contradicts the pinned ones, or an invariant is broken already.
            UsageError: none of the pinned answers is one to these statements.
        """
        if self._spec.tpcc:
            self._begin_tpcc(reached, number, self._spec.tpcc)
            return
        if not self._spec.scripts or reached.read.kind not in _SQL:
            return
        first = self._statements is None
        if first:
            self._progress.say("asking every statement before the clock")
            self._statements = self._ask_statements(reached, own)
            self._keep(self._statements)
        questions = invariants.questions(self._spec, own=own)
        # A user's own may read whole tables into memory: once. Of tables that weigh made the sums are known.
        if questions and (first or (not own and any(one.kind == "sums" for one in questions))):
            found = self._invariants(reached, number, questions, after=False)
            self._first = self._first or found
            self._keep(found)
        if self.samples:
            self._changed = self._rows_changed(reached)
        if first:
            self._stop_if_wrong(reached)

    def after(self, reached: Reached, number: int, generator: Any, *, own: bool, disturbed: bool) -> None:
        """Ask after a run that came to its end.

        Args:
            reached: the server.
            number: of the run.
            generator: that made it.
            own: whether weigh loaded the data.
            disturbed: whether the server had faults: then only what must hold whatever was broken off.
        """
        if self._spec.replay or self._spec.isolation is not msgspec.UNSET:
            return
        if self._spec.tpcc:
            self._progress.say("asking the consistency conditions")
            left = conditions.required(self._spec.tpcc.warehouses, after=True)
            self._keep(self._invariants(reached, number, left, after=True))
            if not disturbed:
                self._progress.say("reading back what the run left in the tables")
                self._journal.append("tpcc", self._tables(reached, generator, number, self._spec.tpcc))
            return
        # After each fault a server was read back whole; a cluster was not.
        if not self._spec.scripts and (not disturbed or reached.read.kind == "cql"):
            self._progress.say("reading back what was written")
            patience = _RETURN if disturbed else 0.0
            self._keep(when_whole(lambda: self._read_back(generator, number), patience, self._progress))
        if not self._spec.scripts or reached.read.kind not in _SQL:
            return
        questions = invariants.questions(self._spec, own=own)
        # Of what was broken off nobody knows the sums.
        if any(one.kind == "written" for one in questions) if disturbed else questions:
            self._progress.say("asking what must hold")
            self._keep(self._invariants(reached, number, questions, after=True))
        if self.samples and not disturbed:
            self._progress.say("asking again what was sampled")
            self._keep(self._sampled(reached, generator, number))

    def _keep(self, event: Event) -> None:
        self._journal.append(next(name for name, kind in EVENTS.items() if isinstance(event, kind)), event)

    def _begin_tpcc(self, reached: Reached, number: int, tpcc: TpccWorkload) -> None:
        """What TPC-C's tables begin with: once, for every run begins with the same rows."""
        if self._first is not None:
            return
        self._progress.say("asking what must hold of the tables")
        self._first = self._invariants(reached, number, conditions.required(tpcc.warehouses, after=False), after=False)
        self._keep(self._first)
        for one in invariants_checked.conditions_checked(tpcc, self._first):
            if one.holds is None:
                raise EngineFault(f"{one.name} cannot be asked: {one.detail}", remedy="see what the server's log says")
            if not one.holds:
                raise WrongAnswers

    def _stop_if_wrong(self, reached: Reached) -> None:
        answered = self._statements
        assert answered is not None
        found = checks.checks(answered, reached.read.product)
        if self._files.pin is not None:
            pins.write(self._files.pin, answered, f"{reached.read.product} {reached.read.version}", self._spec.seed)
        if any(one.status is GateStatus.DIVERGED for one in found):
            raise WrongAnswers
        for one in invariants_checked.written(self._spec, self._first):
            if one.holds is None:
                # A query that fails is a mistake in it, and not a wrong answer.
                raise EngineFault(f"the invariant cannot be asked: {one.detail}", where=one.name, remedy="mend it")
            if not one.holds:
                raise WrongAnswers

    def _ask_statements(self, reached: Reached, own: bool) -> StatementAnswers:
        generator = make_generator(self._spec, self._files, reached, self._loop, self._spec.connections[0])
        written = msgspec.json.decode(generator.statements(), type=list[_Written])
        known = tuple(
            Statement(script=one.script, line=one.line, text=one.text, does=statements.does(one.text))
            for one in written
        )
        builtin = own and not any(one.text for one in self._spec.scripts)
        try:
            given = self._ask(lambda _: generator.ask(SETS))
            # Once more: what changes by itself cannot be compared.
            twice = self._ask(lambda _: generator.ask(SETS))
        except WeighError as error:
            if error.what.startswith("preparing "):  # The server refuses the statement itself: no run can begin.
                raise
            return StatementAnswers(statements=known, loaded=builtin, pins=self._files.pins, failed=str(error))
        known = tuple(orders.with_order(one, given) for one in known)
        again = _differing(known, given, twice)
        self._need_a_match(given)
        answered = StatementAnswers(
            statements=known, answers=tuple(given), again=again, loaded=builtin, pins=self._files.pins
        )
        # Weigh's own scripts are answered alike, and their answers are known.
        if builtin:
            return answered
        return msgspec.structs.replace(answered, as_text=self._as_text(reached, generator, answered))

    def _as_text(self, reached: Reached, generator: Any, answered: StatementAnswers) -> dict[int, Answer]:
        """What is answered otherwise where the statements are sent as text; each way once more to be sure."""
        if self._spec.query_mode == "simple" or not any(one.parameters for one in answered.answers):
            return {}
        plain = msgspec.structs.replace(self._spec, query_mode="simple")
        text = make_generator(plain, self._files, reached, self._loop, self._spec.connections[0])
        try:
            first = as_text.differing(answered.statements, answered.answers, self._ask(lambda _: text.ask(SETS)))
            found = {place: answer for place, answer in first.items() if place not in answered.again}
            if not found:
                return {}
            second = as_text.differing(answered.statements, answered.answers, self._ask(lambda _: text.ask(SETS)))
            steady = self._ask(lambda _: generator.ask(SETS))
        except WeighError:
            # The run tells what the connection is lost for.
            return {}
        orders = {(one.script, one.line): one.order for one in answered.statements}
        known = {place: orders[one.script, one.line] for place, one in enumerate(answered.answers)}
        changed = _differing(answered.statements, list(answered.answers), steady)
        return {place: found[place] for place in sorted(as_text.same(found, second, known) - changed.keys())}

    @property
    def _loop(self) -> Loop:
        return "open" if "open" in self._spec.loops else "closed"

    def _ask(self, ask: Any) -> list[Answered]:
        return msgspec.json.decode(self._apart(ask), type=list[Answered])

    def _apart(self, ask: Any) -> str:
        """In a thread of its own, so that Ctrl-C need not wait for the server."""
        text: str = call(bulk_load.loaded, ask, self._progress)
        return text

    def _invariants(
        self,
        reached: Reached,
        number: int,
        questions: Sequence[invariants.Question | conditions.Condition],
        *,
        after: bool,
    ) -> InvariantAnswers:
        try:
            queries = [_query(reached, one) for one in questions]
            return InvariantAnswers(run=number, after=after, answers=self._each(reached, queries))
        except WeighError as error:
            return InvariantAnswers(run=number, after=after, failed=str(error))

    def _each(self, reached: Reached, queries: list[str]) -> tuple[Answer, ...]:
        """The answers to queries, of which each may fail by itself."""
        scripts = tuple(Script(name=str(place), text=query) for place, query in enumerate(queries))
        spec = msgspec.structs.replace(
            self._spec, scripts=scripts, query_mode="simple", timeout_s=_PATIENCE, tpcc=msgspec.UNSET
        )
        generator = make_generator(spec, self._files, reached, self._loop, self._spec.connections[0])
        given = {one.script: one.answer for one in self._ask(lambda _: generator.ask(1))}
        return tuple(given[str(place)] for place in range(len(queries)))

    def _rows_changed(self, reached: Reached) -> int | None:
        if reached.read.kind != "postgres":
            return None
        try:
            [answer] = self._each(reached, [_CHANGED])
            return int(answer.rows[0][0] or 0)
        except (WeighError, ValueError, IndexError):
            # Another server that speaks the protocol may not know this table.
            return None

    def _read_back(self, generator: Any, number: int) -> ReadBack:
        try:
            text = self._apart(lambda _: generator.read_back(_KEYS, _SECONDS))
        except WeighError as error:
            return ReadBack(run=number, error=str(error))
        return msgspec.convert({**msgspec.json.decode(text), "run": number}, ReadBack)

    def _tables(self, reached: Reached, generator: Any, number: int, workload: TpccWorkload) -> TpccRun:
        """What a run of TPC-C asked for, and what its tables hold."""
        account = msgspec.json.decode(generator.account(), type=Account)
        if lost := getattr(generator, "lost", ""):
            return TpccRun(run=number, account=account, unread=lost)
        try:
            dialect = in_mysql if reached.read.kind == "mysql" else str
            answers = self._each(reached, list(map(dialect, read_back.queries(SCHEMA))))
            held = read_back.tables(answers, workload.warehouses)
        except WeighError as error:
            return TpccRun(run=number, account=account, unread=error.what)
        return TpccRun(run=number, account=account, tables=held)

    def _sampled(self, reached: Reached, generator: Any, number: int) -> Sampled:
        try:
            found = msgspec.json.decode(self._apart(lambda _: generator.ask_again()), type=list[Sample])
        except WeighError as error:
            return Sampled(run=number, error=str(error))
        return Sampled(run=number, samples=tuple(found), changed=(self._changed, self._rows_changed(reached)))

    def _need_a_match(self, given: list[Answered]) -> None:
        """Pinned answers of which none fits are a mistake."""
        if self._files.pins is None:
            return
        pinned = {checks.key(one) for one in self._files.pins.answers}
        if not any(checks.key(one) in pinned for one in given):
            raise UsageError(
                "none of the pinned answers is one to a statement of this load",
                where="--answers",
                remedy="pin them with the same scripts, --seed and --define",
            )


class _Written(msgspec.Struct):
    """A statement as the generator lists it."""

    script: str
    line: int
    text: str


def _differing(known: Sequence[Statement], given: list[Answered], twice: list[Answered]) -> dict[int, Answer]:
    """What was answered otherwise the second time, by its place."""
    orders = {(one.script, one.line): one.order for one in known}
    second = {checks.key(one): one.answer for one in twice}
    found = {}
    for place, one in enumerate(given):
        other = second.get(checks.key(one))
        if other is not None and not answers.same(one.answer, other, orders.get((one.script, one.line))).agrees:
            found[place] = other
    return found


def _query(reached: Reached, question: invariants.Question | conditions.Condition) -> str:
    """As the server takes it; a user's own is written for it."""
    translated = reached.read.kind == "mysql" and isinstance(question, conditions.Condition)
    return in_mysql(question.sql) if translated else question.sql

"""What was asked of a load's target outside the clock, and what came: nouns of the journal."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from weigh.evidence import files

Doing = Literal["reads", "writes", "control"]


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """A column of an answer.

    Attributes:
        name: as the server gives it.
        oid: number of its type in PostgreSQL's ``pg_type``; 0 where the server does not say.
    """

    name: str
    oid: int = 0


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a server answered.

    Attributes:
        kind: ``rows``; ``count``, of rows that were changed; ``error``.
        columns: of rows.
        rows: their values as text; none where there is a digest.
        count: how many rows.
        digest: of the rows in any order, where they are too long to be kept. Without it and without rows they were too
            long to be read.
        code, text: of an error.
    """

    kind: Literal["rows", "count", "error"]
    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[str | None, ...], ...] = ()
    count: int = 0
    digest: str | None = None
    code: str = ""
    text: str = ""


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """A statement that was asked once.

    Attributes:
        script, line: where it begins.
        set: number of the set of parameters, from 1.
        statement: as it was sent.
        parameters: as text; none where the statement was sent with its values in it.
    """

    script: str
    line: int
    set: int
    statement: str
    parameters: tuple[str | None, ...]
    answer: Answer


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What the text of a query says of its rows; columns by their position.

    Attributes:
        ordered_by: columns of its ORDER BY.
        keys: columns of its GROUP BY.
        quotients: columns that are averages or divisions.
        limit: its LIMIT; 0 where that is a parameter; None where it has none.
        nulls_open: those of ``ordered_by`` of which it does not say where NULLs stand; left out where that counts.
    """

    ordered_by: tuple[int, ...] = ()
    keys: tuple[int, ...] = ()
    quotients: tuple[int, ...] = ()
    limit: int | None = None
    nulls_open: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A statement of a script.

    Attributes:
        script, line: where it begins.
        text: as it is written.
        does: whether it only reads; or writes, or may; or begins or ends a transaction.
        order: of a query that could be read; else None.
    """

    script: str
    line: int
    text: str
    does: Doing
    order: Order | None = None

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.script}, line {self.line}"


class Pins(msgspec.Struct, frozen=True, kw_only=True):
    """Answers that somebody trusts, as ``--pin`` writes them and ``--answers`` reads them.

    Attributes:
        schema: of the file.
        product: what answered, with its version.
        seed: from which the parameters follow.
        answers: in the order in which they were asked.
    """

    schema: str
    product: str
    seed: int
    answers: tuple[Answered, ...]


class StatementAnswers(msgspec.Struct, frozen=True, kw_only=True):
    """Every statement of the scripts, asked before the clock of the first run.

    Attributes:
        statements: all of them, in order.
        answers: as they came.
        again: what was answered otherwise when the same was asked once more: place in ``answers`` -> answer.
        as_text: what was answered otherwise when the same was sent as text, with its values in it, and not prepared:
            place in ``answers`` -> answer.
        loaded: whether weigh loaded the tables, so that the answers are known.
        pins: what the answers were compared with; None where nobody gave any.
        failed: why nothing could be asked; empty where it could.
    """

    statements: tuple[Statement, ...]
    answers: tuple[Answered, ...] = ()
    again: dict[int, Answer] = {}
    as_text: dict[int, Answer] = {}
    loaded: bool = msgspec.field(name="own", default=False)
    pins: Pins | None = None
    failed: str = ""


class InvariantAnswers(msgspec.Struct, frozen=True, kw_only=True):
    """What must hold, asked before or after a run.

    Attributes:
        run: its number.
        after: whether after it.
        answers: to each question, in the order of :func:`weigh.load.gate.invariants.questions`.
        failed: why nothing could be asked; empty where it could.
    """

    run: int
    after: bool
    answers: tuple[Answer, ...] = ()
    failed: str = ""


class ReadBack(msgspec.Struct, frozen=True, kw_only=True):
    """Keys of YCSB that were read when a run was over, over a connection of its own.

    Attributes:
        run: its number.
        written: keys that it wrote or inserted, and that must be there.
        read: keys that were read.
        read_written: of these, the ones that it wrote or inserted.
        right, wrong, missing, failed: rows as acknowledged, contradicting it, gone; reads that were refused.
        texts: the first of what is not right.
        error: why the server did not let it be done, or not to its end; empty where it did.
        unknown: why nobody knows what must be there, which is not the server's doing; empty where it is known.
    """

    run: int
    written: int = 0
    read: int = 0
    read_written: int = 0
    right: int = 0
    wrong: int = 0
    missing: int = 0
    failed: int = 0
    texts: tuple[str, ...] = ()
    error: str = ""
    unknown: str = ""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """A request of a run that was drawn at random, and asked again when it was over.

    Attributes:
        script, line: where its statement begins.
        statement: as it was sent.
        parameters: as text.
        answer: in the run.
        again: afterwards, twice, on another connection.
    """

    script: str
    line: int
    statement: str
    parameters: tuple[str | None, ...]
    answer: Answer
    again: tuple[Answer, ...]


class Sampled(msgspec.Struct, frozen=True, kw_only=True):
    """Requests of a run of scripts that only read.

    Attributes:
        run: its number.
        samples: requests.
        changed: rows that the server counts as changed by anybody, before the run and after it; None where it does not
            say.
        error: why they could not be asked again; empty where they could.
    """

    run: int
    samples: tuple[Sample, ...] = ()
    changed: tuple[int | None, int | None] = (None, None)
    error: str = ""


class GateRecord(msgspec.Struct, frozen=True, kw_only=True):
    """All of it.

    Attributes:
        statements: None of a workload without scripts, and where it did not get so far.
        invariants: in the order in which they were asked.
        read_back: of each run.
        sampled: of each run.
    """

    statements: StatementAnswers | None = msgspec.field(name="asked", default=None)
    invariants: tuple[InvariantAnswers, ...] = ()
    read_back: tuple[ReadBack, ...] = ()
    sampled: tuple[Sampled, ...] = ()


EVENTS: dict[str, Any] = {
    "gate-statements": StatementAnswers,
    "gate-invariants": InvariantAnswers,
    "gate-read-back": ReadBack,
    "gate-sampled": Sampled,
}
"""Names of the events, and what they hold."""

Event = StatementAnswers | InvariantAnswers | ReadBack | Sampled


def read(name: str, body: Any) -> Event:
    """The event of that name.

    Raises:
        EvidenceFault: it does not hold what it should.
    """
    found: Event = files.converted(body, EVENTS[name])
    return found


def gathered(events: list[Event]) -> GateRecord | None:
    """The record of what was read; None where nothing was."""
    if not events:
        return None
    statements = [one for one in events if isinstance(one, StatementAnswers)]
    return GateRecord(
        statements=statements[0] if statements else None,
        invariants=tuple(one for one in events if isinstance(one, InvariantAnswers)),
        read_back=tuple(one for one in events if isinstance(one, ReadBack)),
        sampled=tuple(one for one in events if isinstance(one, Sampled)),
    )

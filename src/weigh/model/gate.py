"""The gate's record: what was asked, what was answered, and who is contradicted by what."""

from __future__ import annotations

import datetime
from typing import NamedTuple

import msgspec

from weigh.model.answer import GateStatus
from weigh.model.units import Rows

UNDECIDED = "they differ, and nothing here tells who is right"
"""Detail of a check between contenders of which nobody could be found right."""
ON_UNSEEN = " on unseen data"
"""End of the name of a witness to an answer about rows that were drawn for the gate."""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One cell, or one row, in which an answer differs from its witness.

    Attributes:
        row: the row's exact columns, for people; empty where the answer has one row.
        column: name of the column; ``(row)`` where a whole row is missing or too many.
        got: what the contender answered.
        expected: what the witness says.
    """

    row: str
    column: str
    got: str
    expected: str

    def __str__(self) -> str:
        """For people: ``row 'allow', events: 15320, not 15319``."""
        place = f"row {self.row}, " if self.row else ""
        return f"{place}{self.column}: {self.got}, not {self.expected}"


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One case of one operation asked of one contender.

    Attributes:
        operation, case, contender: what was asked of whom.
        status: what came of it.
        witness: what the answer was compared with: ``pinned answer``, ``ground truth``, another contender's
            name, or a metamorphic relation; empty where there was nothing.
        digest: of the exact columns of the answer.
        rows: rows of the answer.
        nulls: true where it has rows, and nothing but NULL in them; else left out.
        detail: error text, or the relation that does not hold.
        differences: the first differing cells.
        notes: tolerances used, ties accepted.
    """

    operation: str
    case: str
    contender: str
    status: GateStatus
    witness: str = ""
    digest: str = ""
    rows: Rows | None = None
    detail: str = ""
    differences: tuple[Difference, ...] = ()
    notes: tuple[str, ...] = ()
    nulls: bool | msgspec.UnsetType = msgspec.UNSET


class OperationGate(msgspec.Struct, frozen=True, kw_only=True):
    """The gate's word on one operation.

    Attributes:
        operation: its name.
        status: diverged if anybody diverged; else left open if they differ in what the question leaves open; else
            agreed if all who could answer agreed with a witness; else unverified, unsupported or error.
        contenders: status of each contender.
        detail: one sentence: which contender, how many cases, contradicted by what.
    """

    operation: str
    status: GateStatus
    contenders: dict[str, GateStatus]
    detail: str = ""


class Unseen(msgspec.Struct, frozen=True, kw_only=True):
    """Data that nobody had seen, on which the contenders were asked once more.

    Attributes:
        rows: what they were: generator, number, and the seed or salt, drawn for this gate.
        digests: row digest of each table.
        moved: operations to which each contender answered otherwise than on the given data, as it had to.
    """

    rows: str
    digests: dict[str, str]
    moved: dict[str, tuple[str, ...]] = {}


class Guarantee(msgspec.Struct, frozen=True, kw_only=True):
    """What a contender promises of rows that it has loaded.

    Attributes:
        durable: whether they survive a loss of power once the load has returned; None where nobody can tell.
        by: the settings that decide it, read back from the connection that loads.
    """

    durable: bool | None
    by: str


class Reused(msgspec.Struct, frozen=True, kw_only=True):
    """Answers of an earlier gate, which were not asked for again.

    Attributes:
        at: when they were given, UTC.
        again: operations of which every case was asked again all the same, drawn for this gate.
    """

    at: datetime.datetime
    again: tuple[str, ...]


class Doubt(NamedTuple):
    """Why no figure of a contender is used for a suite.

    Attributes:
        operations: those on which it was found wrong; where there is none, those on which it differs from others and
            who is right is open.
        wrong: whether it was found wrong.
    """

    operations: tuple[str, ...]
    wrong: bool


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """The whole gate.

    Attributes:
        operations: one word each, in the workload's order.
        checks: every check that was made.
        truth: whether the ground truth was a witness.
        reads: what each contender was found to read: contender -> table -> row digest or row count.
        layouts: what each contender answers a new query from when its files are gone: contender -> ``its own copy``,
            ``before its clock`` where it still answers one that it had taken before, or ``the files`` where it does not
            answer; nobody is in it who loads its tables or could not be asked.
        answered_without_files: operations that a contender answered rightly although its files were gone, because it
            had answered them before: contender -> operations; nobody is in it who loads its tables or keeps its
            files open.
        unseen: data on which they were asked once more; not there where it could not be made.
        truth_hidden: whether contenders found the folder with the ground truth empty; not there where there is none.
        drawn: of a large grid, the operations of each template that were asked again under other settings and on the
            unseen data; not there where all were (:mod:`weigh.experiment.results.drawn`).
        guarantees: what each contender promises of the rows that it loads; not there where nothing is loaded.
        reused: whose answers these are, where nothing changed since an earlier gate; not there where all were asked.
        cut_off: true where it was interrupted: these are the checks until then, and what differed was not judged; not
            there where it came to its end.
    """

    operations: tuple[OperationGate, ...]
    checks: tuple[Check, ...]
    truth: bool
    reads: dict[str, dict[str, str]] = {}
    layouts: dict[str, str] = {}
    answered_without_files: dict[str, tuple[str, ...]] = msgspec.field(name="kept", default={})
    unseen: Unseen | msgspec.UnsetType = msgspec.UNSET
    truth_hidden: bool | msgspec.UnsetType = msgspec.UNSET
    guarantees: dict[str, Guarantee] | msgspec.UnsetType = msgspec.UNSET
    drawn: dict[str, tuple[str, ...]] | msgspec.UnsetType = msgspec.UNSET
    reused: Reused | msgspec.UnsetType = msgspec.UNSET
    cut_off: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def contradicted(self) -> dict[str, tuple[str, ...]]:
        """Contenders whose answers were contradicted or differ from another's, with the operations on which."""
        found: dict[str, list[str]] = {}
        for gate in self.operations:
            for contender, status in gate.contenders.items():
                if status is GateStatus.DIVERGED:
                    found.setdefault(contender, []).append(gate.operation)
        return {contender: tuple(operations) for contender, operations in found.items()}

    @property
    def left_open(self) -> dict[str, tuple[str, ...]]:
        """Operations whose question leaves open how contenders differ, with those who do."""
        found: dict[str, tuple[str, ...]] = {}
        for gate in self.operations:
            if gate.status is GateStatus.LEFT_OPEN:
                statuses = gate.contenders.items()
                found[gate.operation] = tuple(name for name, one in statuses if one is GateStatus.LEFT_OPEN)
        return found

    @property
    def undecided(self) -> dict[str, tuple[str, ...]]:
        """Operations on which contenders differ and nobody was found right, with those who differ."""
        failed: dict[tuple[str, str], list[bool]] = {}
        for check in self.checks:
            if check.status is GateStatus.DIVERGED:
                failed.setdefault((check.operation, check.contender), []).append(check.detail == UNDECIDED)
        found: dict[str, tuple[str, ...]] = {}
        for gate in self.operations:
            open_ = [
                name
                for name, status in gate.contenders.items()
                if status is GateStatus.DIVERGED and all(failed.get((gate.operation, name), [False]))
            ]
            if open_:
                found[gate.operation] = tuple(open_)
        return found

    @property
    def doubts(self) -> dict[str, Doubt]:
        """Why contenders have no figure for the suite, by contender."""
        refuted = self.refuted
        return {
            name: Doubt(operations=refuted.get(name, operations), wrong=name in refuted)
            for name, operations in self.contradicted.items()
        }

    @property
    def refuted(self) -> dict[str, tuple[str, ...]]:
        """Contenders that were found wrong, with the operations on which: ``contradicted`` without ``undecided``."""
        open_ = self.undecided
        refuted = {
            name: tuple(one for one in operations if name not in open_.get(one, ()))
            for name, operations in self.contradicted.items()
        }
        return {name: operations for name, operations in refuted.items() if operations}

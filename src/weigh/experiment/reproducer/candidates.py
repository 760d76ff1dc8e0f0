"""Suspects: who was contradicted on what, the most telling first, and who can witness against them."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.data.layout import parquet
from weigh.engines.prepared import ready
from weigh.experiment.data.dataset import SPLIT_FILES
from weigh.experiment.gate import metamorphic
from weigh.experiment.reproducer.pair import Party, Question, kinds
from weigh.model.answer import Column, GateStatus, ResultSchema
from weigh.model.contender import Contender
from weigh.model.errors import EnvironmentFault
from weigh.model.gate import ON_UNSEEN, UNDECIDED
from weigh.model.operation import fill

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.reproducer.pair import Kind
    from weigh.model.gate import Check, Gate
    from weigh.model.operation import Case, Operation, Workload

_CASES = 24
"""Cases that are asked of one suspect at most: one of them is enough."""
_AGAIN = 3
"""Executions in a row where the gate saw a later one go wrong."""


class Divergence(NamedTuple):
    """A contender that was contradicted on an operation.

    Attributes:
        ready: the contender.
        operation: the operation.
        checks: those that failed, in the order of the cases.
    """

    ready: PreparedContender
    operation: Operation
    checks: tuple[Check, ...]

    @property
    def undecided(self) -> bool:
        """Whether two differ and nothing tells who is right."""
        return all(check.detail == UNDECIDED for check in self.checks)

    @property
    def wrong(self) -> int:
        """Cases on which it was contradicted."""
        return len({check.case for check in self.checks})

    def case(self, check: Check) -> Case:
        """The case of a check."""
        return next(case for case in self.operation.cases if case.name == check.case)


class Refutation(NamedTuple):
    """A witness against a suspect, with what both are to be asked.

    Attributes:
        party: the witness.
        questions: by the check that each is about.
        kinds: differences that are of the kind that the gate saw; None for any.
    """

    party: Party
    questions: tuple[tuple[Check, Question], ...]
    kinds: frozenset[Kind] | None


def divergences(gate: Gate, workload: Workload, contenders: Mapping[str, PreparedContender]) -> list[Divergence]:
    """Everyone contradicted, the most telling first: decided cases, each contender once, short queries, many cases."""
    failed: dict[tuple[str, str], list[Check]] = defaultdict(list)
    for check in gate.checks:
        if check.status is GateStatus.DIVERGED and check.contender in contenders:
            failed[check.operation, check.contender].append(check)
    found = [
        Divergence(ready=contenders[name], operation=workload.operation(operation), checks=tuple(checks))
        for (operation, name), checks in failed.items()
    ]
    # Of two that differ from each other once is enough, best with a script.
    found.sort(key=lambda one: (one.undecided, not one.ready.engine.script, len(one.operation.sql), -one.wrong))
    reported: set[str] = set()
    chosen = []
    for one in found:
        if not one.undecided or one.operation.name not in reported:
            chosen.append(one)
        reported.add(one.operation.name)
    turn: dict[str, int] = defaultdict(int)
    turns = []
    for one in chosen:
        turns.append((one.undecided, turn[one.ready.name]))
        turn[one.ready.name] += 1
    order = sorted(range(len(chosen)), key=lambda at: turns[at])
    return [chosen[at] for at in order]


def references(
    suspect: Divergence, gate: Gate, contenders: Mapping[str, PreparedContender], cache: Path
) -> Iterator[Refutation]:
    """Who can witness, the most independent first.

    Another contender of another lineage; the suspect itself with an optimisation switched off, where that failed; the
    DuckDB that weigh writes data with, unless it is of the same lineage; another version of the same engine; and the
    suspect's own counts of the parts of a filter.
    """
    lineage = suspect.ready.engine.lineage
    others = [contenders[name] for name in _able(suspect, gate) if name in contenders]
    # Whoever loads every excerpt is slow; on somebody's server nothing is loaded at all.
    others = sorted((one for one in others if not remote(one)), key=lambda one: one.engine.copies)
    strangers = [one for one in others if one.engine.lineage != lineage]
    for other in strangers:
        yield _by(suspect, Party(name=other.name, ready=other), suspect.checks)
    for check in suspect.checks:
        party = _itself(suspect.ready, check.witness)
        if party is not None:
            yield _by(suspect, party, [one for one in suspect.checks if one.witness == check.witness])
            break
    if lineage != "duckdb" and not any(one.engine.lineage == "duckdb" for one in strangers):
        version = parquet.DUCKDB.partition("==")[2]
        name = f"weigh's own DuckDB {version}"
        # Without a network there may be none, and others may still be asked.
        with suppress(EnvironmentFault):
            duckdb = ready(Contender(name=name, engine="duckdb", version=version), cache)
            duckdb = msgspec.structs.replace(duckdb, readable=suspect.ready.readable)
            yield _by(suspect, Party(name=name, ready=duckdb), suspect.checks)
    for other in others:
        if other.engine.lineage == lineage:
            yield _by(suspect, Party(name=other.name, ready=other), suspect.checks)
    parts = [check for check in suspect.checks if check.witness == metamorphic.PARTITION]
    if parts:
        yield _by_parts(suspect, parts)


def remote(one: PreparedContender) -> bool:
    """Whether it is somebody's server, to which every excerpt would have to be copied."""
    return one.contender.remote


def _able(suspect: Divergence, gate: Gate) -> list[str]:
    """Contenders that answered the operation and were not contradicted on it; of two that differ, the other."""
    if suspect.undecided:
        return suspect.checks[0].witness.removesuffix(ON_UNSEEN).split(", ")
    (word,) = (one for one in gate.operations if one.operation == suspect.operation.name)
    right = (GateStatus.AGREED, GateStatus.UNVERIFIED)
    return [name for status in right for name, state in word.contenders.items() if state is status]


def _by(suspect: Divergence, party: Party, checks: tuple[Check, ...] | list[Check]) -> Refutation:
    operation = suspect.operation
    questions = {}
    for check in checks:
        case = suspect.case(check)
        questions[check.case] = (
            check,
            Question(
                sql=operation.text(case, suspect.ready.engine.dialect),
                witness=(operation.text(case, party.ready.engine.dialect),),
                schema=operation.schema,
                times=_AGAIN if check.detail.startswith("from its execution") else 1,
            ),
        )
    differences = kinds(difference for check in checks for difference in check.differences)
    return Refutation(party=party, questions=tuple(questions.values())[:_CASES], kinds=differences or None)


def _itself(suspect: PreparedContender, witness: str) -> Party | None:
    """The suspect as the relation that failed has it."""
    relation = witness.removeprefix(metamorphic.ITSELF)
    if relation == witness:
        return None
    name = f"{suspect.name} with {relation}"
    for switch in suspect.engine.switches:
        if switch.name == relation:
            return Party(name=name, ready=suspect, changed=switch.settings)
    if relation == metamorphic.ONE_THREAD:
        return Party(name=name, ready=suspect, changed={suspect.engine.threads: 1})
    return Party(name=name, ready=suspect, files=SPLIT_FILES) if relation == metamorphic.MORE_FILES else None


def _by_parts(suspect: Divergence, checks: list[Check]) -> Refutation:
    filtered = suspect.operation.filter
    assert filtered is not None
    schema = ResultSchema(columns=(Column(name="n", kind="integer"),))
    questions = []
    for check in checks[:_CASES]:
        predicate = fill(filtered.predicate, suspect.case(check).literals, suspect.ready.engine.dialect)
        count = f"SELECT count(*) AS n FROM {filtered.table}"
        parts = (count, f"{count} WHERE NOT ({predicate})", f"{count} WHERE ({predicate}) IS NULL")
        questions.append((check, Question(sql=f"{count} WHERE ({predicate})", witness=parts, schema=schema)))
    party = Party(name=f"{suspect.ready.name}: all - not p - p is null", ready=suspect.ready)
    return Refutation(party=party, questions=tuple(questions), kinds=None)

"""Verify: every hash and every printed number of an evidence directory, computed again.

An unkeyed seal shows accidental change and careless editing. It cannot stop somebody who edits and reseals
everything; what he would have to forge is the journal, of which all else is a function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.answers.votes import conclude
from weigh.evidence import journal, naming, seal
from weigh.evidence.verification import Problem, is_name, not_following, removed, same_bytes
from weigh.evidence.verifying import Verifying, concluded, other_moments
from weigh.experiment import derived
from weigh.experiment import record as records
from weigh.experiment.report import files
from weigh.experiment.results import drawn
from weigh.experiment.results.data import builds
from weigh.experiment.results.gaps import unconfigured
from weigh.experiment.results.results import ExperimentResults, experiment_results
from weigh.experiment.verify import findings, order, stopping
from weigh.model import codes
from weigh.model.errors import EvidenceFault, WeighError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.evidence.verification import Outcome
    from weigh.experiment.record import Record


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """What came of verifying an evidence directory.

    Attributes:
        evidence: its name.
        files: how many files the seal covers.
        samples: how many samples the numbers were recomputed from.
        verdicts: how many verdicts were recomputed.
        weigh: the version that sealed it.
        problems: everything that is wrong; empty when it passes.
    """

    evidence: str
    files: int
    samples: int
    verdicts: int
    weigh: str
    problems: tuple[Problem, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


class Verified(NamedTuple):
    """What came of verifying, and the conclusion that was computed for it; None where there is none."""

    verification: Verification
    results: ExperimentResults | None


def verify(folder: Path) -> Verification:
    """Recompute everything.

    Raises:
        EvidenceFault: there is no evidence, or it was never sealed.
    """
    return verified(folder).verification


def verified(folder: Path) -> Verified:
    """The same, with the conclusion, for those who go on with what passes; raises as :func:`verify`."""
    if not folder.is_dir():
        raise EvidenceFault("there is no such directory", where=str(folder), remedy="weigh runs lists what there is")
    made = Verifying(folder)
    record, results = None, None
    with made.computing():
        record = records.read(folder)
    if record is None:
        return Verified(_result(made, None, 0), None)
    with made.computing(faults=False):
        earlier = _earlier(folder)
        for found in (_derived(folder, record), _order(record), _attempts(folder, record, earlier), _gate(record)):
            made.problems += found
        made.found(codes.R4_FINDINGS, findings.departures(record))
        made.found(codes.R3_BUILD, builds.departures(record))
        if missing := unconfigured(record):
            made.found(codes.R3_CONFIGURATION, [f"it has samples and no {missing}: no report can be made"])
        else:
            figures, results = _figures(folder, made.sealed, record, earlier)
            made.problems += figures
    return Verified(_result(made, record, len(results.verdicts) if results else 0), results)


def _order(record: Record) -> list[Problem]:
    return [Problem(code=codes.T5_ORDER.code, file=journal.NAME, text=text) for text in order.departures(record)]


def lines(found: Verification) -> Iterator[Problem | Outcome]:
    """What is reported of it: each problem, then the outcome."""
    return concluded(
        found,
        f"{found.files} files hashed, {found.verdicts} verdicts recomputed from {found.samples:,} samples, order of "
        "turns as the seed demands",
    )


def _result(made: Verifying, record: Record | None, verdicts: int) -> Verification:
    return made.result(Verification, samples=len(record.samples) if record else 0, verdicts=verdicts)


def _derived(folder: Path, record: Record) -> list[Problem]:
    """Everything alongside the journal must follow from it."""
    problems = []
    for name, part in derived.parts(record).items():
        path = folder / name
        if path.exists() and not same_bytes(path, seal.json_bytes(part)):
            problems.append(Problem(code=codes.R4_DERIVED.code, file=name, text="it is not what the journal says"))
    try:
        if not derived.same_samples(folder, record.samples):
            problems.append(
                Problem(code=codes.R4_DERIVED.code, file="samples.parquet", text="its samples are not the journal's")
            )
    except EvidenceFault as error:
        problems.append(Problem(code=codes.R4_DERIVED.code, file="samples.parquet", text=error.what))
    problems += other_moments(folder, derived.watched_turns(record))
    return problems


def _earlier(folder: Path) -> tuple[Record, ...] | EvidenceFault:
    """The records of the earlier attempts, or why they cannot be read."""
    try:
        return records.earlier(folder)
    except EvidenceFault as error:
        return error


def _attempts(folder: Path, record: Record, earlier: tuple[Record, ...] | EvidenceFault) -> list[Problem]:
    """Every attempt counts, and none ended when the result pleased (T8)."""
    missing = removed(folder)
    if missing and record.spec.precision:
        # What was decided between the blocks followed from its samples too.
        return missing
    if record.spec.precision and isinstance(earlier, EvidenceFault):
        ended = [f"earlier attempts cannot be read: {earlier.what}"]
    else:
        ended = list(stopping.departures(record, () if isinstance(earlier, EvidenceFault) else earlier))
    return missing + [Problem(code=codes.T8_STOP.code, file=journal.NAME, text=text) for text in ended]


def _gate(record: Record) -> list[Problem]:
    """The gate's words must follow from its checks."""
    if record.gate is None:
        return []
    cases_of: dict[str, set[str]] = {one.operation: set() for one in record.gate.operations}
    for check in record.gate.checks:
        cases_of.setdefault(check.operation, set()).add(check.case)
    names = list(dict.fromkeys(name for one in record.gate.operations for name in one.contenders))
    again = conclude(record.gate.checks, {name: len(cases) for name, cases in cases_of.items()}, names)
    problems = [
        Problem(
            code=codes.R4_FIGURES.code,
            file="gate.json",
            text=f"{recorded.operation}: its status does not follow from its checks",
        )
        for recorded, computed in zip(record.gate.operations, again, strict=False)
        if (recorded.status, recorded.contenders, recorded.detail)
        != (computed.status, computed.contenders, computed.detail)
    ]
    named = {one.operation for one in record.gate.operations}
    # What was asked is all that it can have a word on; and nobody measured behind it.
    cut_off = record.gate.cut_off is True and not record.blocks and not (record.end and record.end.how == "complete")
    problems += [
        Problem(code=codes.R4_FIGURES.code, file="gate.json", text=f"{one.name}: the gate has no word on it")
        for one in (record.workload.operations if record.workload else ())
        if one.name not in named and not cut_off
    ]
    if record.workload and not cut_off and (why := drawn.wrong(record.workload, record.gate.drawn or {})):
        problems.append(Problem(code=codes.R4_FIGURES.code, file="gate.json", text=why))
    return problems


def _figures(
    folder: Path, sealed: seal.Seal, record: Record, earlier: tuple[Record, ...] | EvidenceFault
) -> tuple[list[Problem], ExperimentResults | None]:
    """Verdicts and report once more, from the samples of this and the earlier attempts."""
    parent = folder.resolve().parent
    if any(
        not (is_name(name) and naming.sibling(parent, name, name_sealed).is_dir())
        for name, name_sealed in sealed.earlier.items()
    ):
        # Named above; without them nothing follows.
        return [], None
    try:
        if isinstance(earlier, EvidenceFault):
            raise earlier
        attempts = files.configured([*earlier, record], folder)
        results = experiment_results(attempts)
        again = files.rendered(folder, attempts, results)
    except WeighError as error:
        return [Problem(code=codes.R4_FIGURES.code, file=files.VERDICTS, text=str(error))], None
    return not_following(folder, again, sealed, "its figures do not follow from the samples"), results

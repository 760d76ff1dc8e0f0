"""The conclusion of a reproduction, from both evidences."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.compare import differences
from weigh.evidence import bundle
from weigh.experiment.record import Record
from weigh.experiment.report import files as reports
from weigh.experiment.results.results import experiment_results
from weigh.load import record as load_record
from weigh.load.record import LoadRecord
from weigh.load.results import load_results
from weigh.model.errors import ExitCode
from weigh.model.finding import Finding
from weigh.model.metrics.run_metrics import HEADLINE
from weigh.model.text import one_line
from weigh.reproduce.loads.outcome import outcomes as load_outcomes
from weigh.reproduce.outcome import Outcome, OutcomeName, outcome
from weigh.reproduce.record import BUNDLE, LOAD, ReproductionRecord, read

if TYPE_CHECKING:
    from weigh.load.runs import TargetRead
    from weigh.model.verdict import Verdict


class ReproductionResults(msgspec.Struct, frozen=True, kw_only=True):
    """What is printed.

    Attributes:
        record: which two evidences they are.
        original, here: the latest attempt of each, of a run or of a load.
        machine: in what the machines differ; none where they are the same, as far as facts tell.
        environment: in what the contenders differ, each with its name.
        outcomes: one a verdict of the original.
        findings: of what was measured here.
    """

    record: ReproductionRecord
    original: Record | LoadRecord
    here: Record | LoadRecord
    machine: tuple[str, ...]
    environment: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    findings: tuple[Finding, ...]

    @property
    def is_load(self) -> bool:
        """Whether a load was offered again, and no run."""
        return isinstance(self.original, LoadRecord)

    @property
    def headline(self) -> tuple[Outcome, ...]:
        """Of wall time; of a load all: they decide the exit code."""
        return tuple(one for one in self.outcomes if self.is_load or one.metric == HEADLINE)

    @property
    def counts(self) -> dict[OutcomeName, int]:
        """How many of the headline there are of each outcome."""
        return {name: sum(one.outcome is name for one in self.headline) for name in OutcomeName}

    def exit_code(self, *, strict: bool = False) -> ExitCode:
        """What the exit code of the command is."""
        counts = self.counts
        if counts[OutcomeName.CONTRADICTED]:
            return ExitCode.FOUND
        open_ = counts[OutcomeName.NOT_DECIDED] + counts[OutcomeName.OTHER_MACHINE]
        if not counts[OutcomeName.CONFIRMED] or (strict and open_):
            return ExitCode.INCONCLUSIVE
        return ExitCode.OK


def reproduction_results(folder: Path) -> ReproductionResults:
    """The conclusion, computed anew from the bundle and the evidence alongside it.

    Raises:
        EvidenceFault: one of them cannot be read.
    """
    written = read(folder)
    here = folder / written.here.evidence
    with tempfile.TemporaryDirectory(prefix="weigh-bundle-") as place:
        unpacked = bundle.unpacked(folder / BUNDLE, Path(place))
        if unpacked.head.kind == LOAD:
            return concluded_load(written, load_record.read(unpacked.folder), load_record.read(here))
        original = reports.attempts(unpacked.folder)
    return concluded(written, original, reports.attempts(here))


def concluded_load(record: ReproductionRecord, original: LoadRecord, here: LoadRecord) -> ReproductionResults:
    """The conclusion from two loads.

    Args:
        record: which they are.
        original: of somebody else.
        here: what was measured again.
    """
    theirs, mine = load_results(original), load_results(here)
    hosts = [dict(one.environment.host) if one.environment else {} for one in (original, here)]
    targets = [one.environment.target if one.environment else None for one in (original, here)]
    machine = [_there(one) for one in differences.hosts(hosts[0], hosts[1], differences.MACHINE)]
    if not all(one and one.embedded for one in targets):
        machine.append("a server by its address runs on a machine of its own, which is not known")
    return ReproductionResults(
        record=record,
        original=original,
        here=here,
        machine=tuple(machine),
        environment=tuple(map(_there, _servers(*targets))),
        outcomes=load_outcomes(theirs, mine, same_machine=not machine),
        findings=mine.findings,
    )


def _servers(one: TargetRead | None, other: TargetRead | None) -> list[str]:
    """In what two servers differ, by what they say of themselves."""
    if one is None or other is None:
        return ["a server was not reached"]
    found = [
        f"server's {name}: {mine} in the first, {theirs} in the second"
        for name in ("product", "version")
        if (mine := getattr(one, name)) != (theirs := getattr(other, name))
    ]
    for name in sorted({*one.in_force, *other.in_force}):
        values = [side.in_force.get(name, {}).get("value", "the default") for side in (one, other)]
        if values[0] != values[1]:
            found.append(one_line(f"server's {name}: {values[0]} in the first, {values[1]} in the second", 300))
    return found


def concluded(record: ReproductionRecord, original: list[Record], here: list[Record]) -> ReproductionResults:
    """The conclusion from the attempts of both.

    Args:
        record: which they are.
        original: its attempts, oldest first.
        here: those of what was measured again.
    """
    theirs, mine = experiment_results(original), experiment_results(here)
    machine = tuple(map(_there, differences.facts(original[-1], here[-1], differences.MACHINE)))
    found = {_question(one): one for one in mine.verdicts}
    return ReproductionResults(
        record=record,
        original=original[-1],
        here=here[-1],
        machine=machine,
        environment=tuple(_environment(record, original[-1], here[-1])),
        outcomes=tuple(
            outcome(one, found.get(_question(one, record.names)), same_machine=not machine) for one in theirs.verdicts
        ),
        findings=mine.findings,
    )


def _question(one: Verdict, names: dict[str, str] | None = None) -> tuple[object, ...]:
    contender = (names or {}).get(one.contender, one.contender)
    return one.operation, contender, one.metric, one.temperature, one.scale, one.layout


def _environment(record: ReproductionRecord, original: Record, here: Record) -> list[str]:
    """Differences of contenders, and of the data's bytes, in words."""
    theirs, mine = (
        {read.name: read for read in (one.environment.contenders if one.environment else ())}
        for one in (original, here)
    )
    found = []
    for name, here_name in record.names.items():
        if name in theirs and here_name in mine:
            unlike = differences.contender(theirs[name], mine[here_name])
            found += [f"{name if name == here_name else f'{name}, here {here_name}'}: {one}" for one in unlike]
    return [_there(one) for one in found + differences.data(original.manifest, here.manifest)]


def _there(text: str) -> str:
    """A difference between two sessions, in the words of one that was measured again."""
    return text.replace(" in the first, ", " there, ").replace(" in the second", " here")

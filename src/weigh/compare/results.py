"""The comparison of two sessions before it has a form (docs/guide/compare.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.compare.model import Joined, Joining
from weigh.experiment.record import Record
from weigh.experiment.results.results import ExperimentResults
from weigh.model.errors import ExitCode
from weigh.model.finding import Finding
from weigh.model.rules import Rules
from weigh.model.verdict import Tier, VerdictName
from weigh.verdict.tier import inconclusive

if TYPE_CHECKING:
    from weigh.model.contender import ContenderRead

SCHEMA = "weigh/compare/1"


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One of the two sessions.

    Attributes:
        name: how texts call it: ``the first session``.
        evidence: name of its evidence directory.
        records: of all its attempts, oldest first.
        results: what they say by themselves.
        reference: name of the reference in this session.
    """

    name: str
    evidence: str
    records: tuple[Record, ...]
    results: ExperimentResults
    reference: str = ""

    @property
    def latest(self) -> Record:
        """The attempt that was named."""
        return self.records[-1]

    @property
    def measured(self) -> tuple[Record, ...]:
        """The attempts that have times; the latest one where none has."""
        return tuple(record for record in self.records if record.blocks) or self.records[-1:]

    def contender(self, name: str) -> ContenderRead:
        """A contender as its engine described itself; the name is known to exist."""
        environment = self.measured[-1].environment
        assert environment is not None
        return next(one for one in environment.contenders if one.name == name)


class CompareResults(msgspec.Struct, frozen=True, kw_only=True):
    """What is printed.

    Attributes:
        first, second: the sessions; the first is the baseline.
        pairs: (contender of the second, contender of the first).
        rules: margin and error rates, of the first session.
        joinings: by metric.
        findings: errors first.
        tier: suggestive at most: that the machine changed alike for all contenders is an assumption.
    """

    first: Session
    second: Session
    pairs: tuple[tuple[str, str], ...]
    rules: Rules
    joinings: dict[str, Joining]
    findings: tuple[Finding, ...]
    tier: Tier

    @property
    def headline(self) -> Joining:
        """Of wall time: it decides the exit code."""
        return self.joinings["wall_s"]

    @property
    def verdicts(self) -> tuple[Joined, ...]:
        """Verdicts of all metrics, in their order."""
        return tuple(verdict for joining in self.joinings.values() for verdict in joining.verdicts)

    def exit_code(self, *, strict: bool = False) -> ExitCode:
        """What the exit code of the command is: the first session is a baseline that the user named."""
        names = {verdict.verdict for verdict in self.headline.verdicts}
        errors = any(finding.severity == "error" for finding in self.findings)
        if errors or names & {VerdictName.DIVERGED, VerdictName.SLOWER}:
            return ExitCode.FOUND
        if names <= {VerdictName.ERROR}:
            return ExitCode.FAILED
        return inconclusive(names, self.tier, strict=strict)

"""What `weigh judge` found in other tools' files, before it has a form, and as JSON (schema ``weigh/judge/1``)."""

from __future__ import annotations

import msgspec

from weigh.judge.series import SeriesFigure
from weigh.model.errors import ExitCode
from weigh.model.finding import Finding
from weigh.model.rules import Rules
from weigh.model.verdict import Tier, Timing, Verdict, VerdictName
from weigh.verdict.tier import inconclusive

SCHEMA = "weigh/judge/1"


class File(msgspec.Struct, frozen=True, kw_only=True):
    """One file that was read.

    Attributes:
        path: as the user named it.
        contenders: names of those whose measurements it holds.
        values: how many it holds.
    """

    path: str
    contenders: tuple[str, ...]
    values: int


class JudgeResults(msgspec.Struct, frozen=True, kw_only=True):
    """What is printed.

    Attributes:
        format, tool: what the files are.
        events: what their values are, in the plural.
        files: in the order in which they were named.
        baseline: the contender that the others are compared with; None where there is only one.
        baseline_declared: whether the user named it; only then a SLOWER sets the exit code.
        interleaved: the user's word that the files of the contenders were made in turn.
        rules: margin and error rates.
        tier: suggestive at most: weigh saw neither the answers nor the machine.
        timings: every contender on every operation.
        verdicts: one of every operation and contender other than the baseline.
        series: one of every long series.
        findings: warnings first.
        how: shell lines that make files from which a verdict is possible; empty where nothing was refused for its
            design.
        starts: what a process start is in these files.
    """

    format: str
    tool: str
    events: str
    files: tuple[File, ...]
    baseline: str | None
    baseline_declared: bool
    interleaved: bool
    rules: Rules
    tier: Tier
    timings: tuple[Timing, ...]
    verdicts: tuple[Verdict, ...]
    series: tuple[SeriesFigure, ...]
    findings: tuple[Finding, ...]
    how: str
    starts: str

    def exit_code(self, *, strict: bool = False) -> ExitCode:
        """What the exit code of the command is (docs/reference/commands.md)."""
        names = {verdict.verdict for verdict in self.verdicts}
        if VerdictName.SLOWER in names and self.baseline_declared:
            return ExitCode.FOUND
        if names and names <= {VerdictName.ERROR}:
            return ExitCode.FAILED
        # Beside a comparison the series are context.
        if strict and not self.verdicts and any(one.mean.refused or one.steady.refused for one in self.series):
            return ExitCode.INCONCLUSIVE
        return inconclusive(names, self.tier, strict=strict)

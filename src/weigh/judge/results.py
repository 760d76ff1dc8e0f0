"""What `weigh judge` found in other tools' files, which is its document (``weigh/judge/1``, docs/reference/json.md)."""

from __future__ import annotations

from typing import Any

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


class JudgeDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The whole document but for ``schema``.

    Attributes:
        format: as ``--format`` takes it.
        tool: the same for people.
        events: what the values are, in the plural: ``runs``, ``repetitions``, ``transactions``.
        files: in the order in which they were named.
        baseline: the contender that the others are compared with; None where there is only one.
        interleaved: whether ``--interleaved`` was given.
        rules: margin and error rates.
        tier: what the verdicts are good for; never ``conclusive``.
        timings: every contender on every operation; ``starts`` are process starts, ``temperature`` is ``"unknown"``.
        verdicts: ``starts`` are rounds; ``noise_floor`` is null: no contender was measured against itself.
        series: of logs, and of everything where there is one contender.
        findings: warnings first.
        how: shell lines that make files from which a verdict is possible; None where nothing was refused for its
            design.
    """

    format: str
    tool: str
    events: str
    files: tuple[File, ...]
    baseline: str | None
    interleaved: bool
    rules: Rules
    tier: Tier
    timings: tuple[Timing, ...]
    verdicts: tuple[Verdict, ...]
    series: tuple[SeriesFigure, ...]
    findings: tuple[Finding, ...]
    how: str | None


class JudgeResults(JudgeDocument, frozen=True, kw_only=True):
    """What was found: the document, and what follows from the command line.

    Attributes:
        baseline_declared: whether the user named it; only then a SLOWER sets the exit code.
        starts: what a process start is in these files.
    """

    baseline_declared: bool
    starts: str

    def exit_code(self, *, strict: bool = False) -> ExitCode:
        """What the exit code of the command is (docs/reference/commands.md)."""
        names = {verdict.verdict for verdict in self.verdicts}
        if VerdictName.SLOWER in names and self.baseline_declared:
            return ExitCode.FOUND
        if names and names <= {VerdictName.ERROR}:
            return ExitCode.FAILED
        # Alongside a comparison the series are context.
        if strict and not self.verdicts and any(one.mean.refused or one.steady.refused for one in self.series):
            return ExitCode.INCONCLUSIVE
        return inconclusive(names, self.tier, strict=strict)

    def document(self) -> dict[str, Any]:
        """The document as plain JSON; what is absent is null."""
        plain = {name: msgspec.to_builtins(getattr(self, name)) for name in JudgeDocument.__struct_fields__}
        return {"schema": SCHEMA, **plain}

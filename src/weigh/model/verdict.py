"""Verdicts: what the samples allow to be reported, and how sure it is."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec

from weigh.model.finding import Code
from weigh.model.units import Scale


class VerdictName(StrEnum):
    """The table of statistics.md §3."""

    SLOWER = "slower"
    FASTER = "faster"
    SAME = "same"
    SMALL = "small"
    UNRESOLVED = "unresolved"
    REFUSED = "refused"
    DIVERGED = "diverged"
    ERROR = "error"


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """Why a verdict is what it is. Made from an entry of the registry: ``codes.T7_UNSTABLE.reason(...)``.

    Attributes:
        code: of the registry (docs/reference/findings.md).
        text: one sentence.
        commands: command lines that add what is missing, one after the other; left out where none is known.
    """

    code: Code
    text: str
    commands: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """One contender on one operation, by itself.

    Attributes:
        operation, contender: whose executions.
        metric: ``wall_s``, ``cpu_s``, ``peak_memory`` or ``bytes_read``; one that is zero or missing throughout has no
            rows.
        temperature: ``hot``, ``cold`` or ``first`` (docs/concept/cold.md).
        scale: rows as an integer, a scale factor as a number with a point; None for your own files.
        layout: that the contender reads, by its name; None where all read one.
        starts: fresh starts with at least one measurement; the baseline's two arms together.
        runs: measurements a start, the median over starts.
        min, median, max: over all measurements, in the metric's unit.
        cv: coefficient of variation of all measurements (standard deviation over mean); None where it has none.
        around: of wall time: median seconds that weigh's own clock counts beyond it, from asking for the execution to
            having the reply. None of other metrics, and where it was not measured.
    """

    operation: str
    contender: str
    metric: str = "wall_s"
    temperature: str = "hot"
    scale: Scale | None = None
    layout: str | None = None
    starts: int
    runs: int
    min: float
    median: float
    max: float
    cv: float | None
    around: float | None = None


class SecondOpinionName(StrEnum):
    """The four outcomes of ClickHouse's published rule, in its order."""

    NO_DIFFERENCE = "no difference"
    SMALL = "too small"
    UNSTABLE = "unstable"
    CHANGED = "changed"


class SecondOpinion(msgspec.Struct, frozen=True, kw_only=True):
    """What another rule makes of the same executions. It changes no verdict.

    Attributes:
        rule: whose rule.
        name: its outcome.
        difference: of the medians, a fraction of the baseline's.
        threshold: the largest such difference that shuffling gives in 99 % of cases, a fraction.
        runs: executions of the contender and of the baseline.
    """

    rule: Literal["clickhouse"] = "clickhouse"
    name: SecondOpinionName
    difference: float
    threshold: float
    runs: tuple[int, int]


class Total(msgspec.Struct, frozen=True, kw_only=True):
    """What one waits in all: the ratio of the sums of the times, stalls included.

    Attributes:
        verdict: slower, faster, same, small or unresolved, by the same rules as the verdict; a family of its own.
        ratio: contender over baseline.
        low, high: interval of the ratio at the ``confidence`` of the verdict.
        low_fcr, high_fcr: false-coverage-rate interval.
    """

    verdict: VerdictName
    ratio: float
    low: float
    high: float
    low_fcr: float
    high_fcr: float


class Rebuilt(msgspec.Struct, frozen=True, kw_only=True):
    """What several builds of each side have in common with no other.

    Attributes:
        builds: pairs of builds, one of either side, that were measured: the interval is over them.
        spread: standard deviation of the ratio that another pair of builds brings, alongside what another start does; a
            fraction. None where no pair had two starts: then it is part of what the starts scatter.
    """

    builds: int
    spread: float | None


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One contender against the baseline on one operation: what an execution typically takes.

    Attributes:
        operation, contender: whose executions.
        baseline: what they are compared with.
        verdict: what follows (docs/concept/statistics.md#the-verdicts).
        metric: ``wall_s``, ``cpu_s``, ``peak_memory`` or ``bytes_read``. Wall time decides the exit code.
        temperature: ``hot``, ``cold`` or ``first`` (docs/concept/cold.md).
        scale: rows as an integer, a scale factor as a number with a point; None for your own files.
        layout: that the contender reads, by its name; None where all read one.
        ratio: contender over baseline; above 1 is more. It is that of what one execution typically takes: the median of
            the paired differences of a start, averaged over the starts. This and the other figures are None of a
            verdict without them (diverged, error, disqualified).
        low, high: interval of the ratio at ``confidence``, all looks at the figures counted.
        confidence: level of that interval.
        share: part of the error that this look at the figures may spend: the interval is that at
            ``1 - (1 - confidence) * share``. 1 where the number of starts was fixed beforehand.
        low_fcr, high_fcr: false-coverage-rate interval, which decides whether a difference matters.
        median_ratio: ratio of the medians of all measurements.
        plain_ratio: the same where the verdict is refused and has no ``ratio``: what a reader would divide by hand. It
            is no verdict, and nothing counts or decides by it. None elsewhere, and of what may not be shown.
        margin: the smallest change that matters, declared beforehand, a fraction.
        noise_floor: how far the baseline's two arms are apart, a fraction: what no difference looked like here.
        detectable: smallest effect that this many starts would find (99 % test, 80 % power), a fraction.
        starts: blocks in which both were measured.
        runs: measurements a start.
        starts_needed: of a verdict that is unresolved or unstable: starts that would about settle it; None where no
            reasonable number would, and over several builds, of which there would have to be more.
        total: what one waits in all, of times only; None where there is no ratio.
        second_opinion: of another rule on the same executions; None without ``--rule``.
        rebuilt: of the builds that the interval is over; left out where each side was built once.
        reasons: why, and warnings about assumptions.
    """

    operation: str
    contender: str
    baseline: str
    verdict: VerdictName
    metric: str = "wall_s"
    temperature: str = "hot"
    scale: Scale | None = None
    layout: str | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    confidence: float
    share: float = 1.0
    low_fcr: float | None = None
    high_fcr: float | None = None
    median_ratio: float | None = None
    plain_ratio: float | None = None
    margin: float
    noise_floor: float | None = None
    detectable: float | None = None
    starts: int = 0
    runs: int = 0
    starts_needed: int | None = None
    total: Total | None = None
    second_opinion: SecondOpinion | None = None
    rebuilt: Rebuilt | msgspec.UnsetType = msgspec.UNSET
    reasons: tuple[Reason, ...] = ()

    def refused(self, *reasons: Reason) -> Verdict:
        """The same question refused for these reasons, without any figures."""
        return Verdict(
            operation=self.operation,
            contender=self.contender,
            baseline=self.baseline,
            verdict=VerdictName.REFUSED,
            metric=self.metric,
            temperature=self.temperature,
            scale=self.scale,
            layout=self.layout,
            confidence=self.confidence,
            margin=self.margin,
            reasons=reasons,
        )


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """An operation of the suite that has no ratio.

    Attributes:
        operation: its name.
        why: ``not chosen``, ``not measured``, or the verdict with its code, as in ``refused (T7.unstable)``.
    """

    operation: str
    why: str


class Suite(msgspec.Struct, frozen=True, kw_only=True):
    """What one contender did on the whole workload against the baseline.

    Attributes:
        contender, baseline: whose ratios they are.
        operations: how many operations belong to the suite.
        mean: geometric mean of the ratios; None where any member is missing (R1).
        low, high: smallest and largest ratio of an operation: the spread that one number hides (R2). None without
            a mean.
        missing: members without a ratio.
        temperature: of the executions.
    """

    contender: str
    baseline: str
    operations: int
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    missing: tuple[Missing, ...] = ()
    temperature: str = "hot"


class TierName(StrEnum):
    """From best to worst."""

    CONCLUSIVE = "conclusive"
    SUGGESTIVE = "suggestive"
    INADMISSIBLE = "inadmissible"


class Tier(msgspec.Struct, frozen=True, kw_only=True):
    """The tier of an experiment.

    Attributes:
        name: what may be reported of the comparisons that are left; inadmissible where none is.
        reasons: what is missing for a better tier, each with a code of the catalogue; none when conclusive.
        inadmissible: contenders whose own figures are inadmissible, whatever the rest is good for.
    """

    name: TierName
    reasons: tuple[Reason, ...] = ()
    inadmissible: tuple[str, ...] = ()

"""Verdicts: what the samples allow to be said, and how sure it is."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec

from weigh.model.finding import Code
from weigh.model.units import Scale, Seconds


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
    """Why a verdict is what it is. Made from an entry of the registry: ``codes.T7_UNSTABLE.reason(...)``."""

    code: Code
    text: str


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """One contender on one operation, by itself.

    Attributes:
        starts: fresh starts with at least one measurement.
        runs: measurements a start, the median over starts.
        min, median, max: over all measurements, in the metric's unit.
        cv: coefficient of variation of all measurements (standard deviation over mean).
    """

    operation: str
    contender: str
    metric: str = "wall_s"
    temperature: str = "hot"
    scale: Scale | None = None
    layout: str | None = None
    starts: int
    runs: int
    min: Seconds
    median: Seconds
    max: Seconds
    cv: float | None


class SecondOpinionName(StrEnum):
    """The four outcomes of ClickHouse's published rule, in its order."""

    NO_DIFFERENCE = "no difference"
    SMALL = "too small"
    UNSTABLE = "unstable"
    CHANGED = "changed"


class SecondOpinion(msgspec.Struct, frozen=True, kw_only=True):
    """What another rule makes of the same executions. It changes no verdict.

    Attributes:
        rule: whose.
        name: its outcome.
        difference: of the medians over the baseline's, a fraction.
        threshold: the largest such difference that shuffling gives in 99 % of cases, a fraction.
        runs: executions of the contender and of the baseline.
    """

    rule: Literal["clickhouse"] = "clickhouse"
    name: SecondOpinionName
    difference: float
    threshold: float
    runs: tuple[int, int]


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One contender against the baseline on one operation.

    Attributes:
        ratio: contender over baseline; above 1 is more.
        low, high: interval of the ratio at ``confidence``.
        low_fcr, high_fcr: false-coverage-rate interval, which decides whether a difference matters.
        median_ratio: ratio of the medians of all measurements, printed beside ``ratio``.
        margin: the smallest change that matters, declared beforehand.
        noise_floor: |ratio - 1| of the baseline's two arms: what no difference looked like here.
        detectable: smallest effect that this many starts would find (99 % test, 80 % power), as a fraction.
        starts: blocks in which both were measured.
        runs: measurements a start.
        starts_needed: starts that would resolve it, for an unresolved one.
        second_opinion: of another rule on the same executions, where it was asked for.
        reasons: reasons and warnings about assumptions.
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
    low_fcr: float | None = None
    high_fcr: float | None = None
    median_ratio: float | None = None
    margin: float
    noise_floor: float | None = None
    detectable: float | None = None
    starts: int = 0
    runs: int = 0
    starts_needed: int | None = None
    second_opinion: SecondOpinion | None = None
    reasons: tuple[Reason, ...] = ()


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """An operation of the suite that has no ratio, and why: ``refused (T7.unstable)``, ``not chosen``."""

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
        name: what may be said of the comparisons that are left; inadmissible where none is.
        reasons: what is missing for a better tier, each with a code of the catalogue; none when conclusive.
        inadmissible: contenders whose own figures are inadmissible, whatever the rest is good for.
    """

    name: TierName
    reasons: tuple[Reason, ...] = ()
    inadmissible: tuple[str, ...] = ()

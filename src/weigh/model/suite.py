"""The suite: one contender's ratios over all operations of a workload together, never without their spread."""

from __future__ import annotations

import msgspec


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

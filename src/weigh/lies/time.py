"""Lies about times, and what is concluded from them."""

from __future__ import annotations

from weigh.lies.lie import rows
from weigh.model.codes.code import Page

_VERDICTS = Page("concept/statistics.md", "The verdicts")

ROWS = rows(
    (
        "T1",
        _VERDICTS,
        "a difference inside the noise is called a win",
        "CV and interval alongside every number; what they do not show is UNRESOLVED, with the starts that would "
        "settle it",
    ),
    (
        "T2",
        Page("guide/ladder.md", "What it says"),
        "a scale so small that noise hides what is claimed",
        "`weigh ladder` finds the smallest scale at which the declared margin is resolvable, and says so when none is",
    ),
    (
        "T3",
        Page("concept/series.md", "The mean"),
        "correlated samples, and error bars that take them for independent",
        "the error allows for correlation, the effective number of samples is printed, and no interval is given where "
        "it is too small",
    ),
    (
        "T4",
        Page("concept/machine.md", "Drift"),
        "drift: whoever runs while the machine is fast is flattered",
        "every block has all arms in random order, so drift cancels, and a machine or a ratio that drifts is named; "
        "where arms did not share it there is no verdict",
    ),
    (
        "T5",
        Page("concept/method.md", "Blocks, turns, arms"),
        "A measured first, B later",
        "arms alternate in random blocks; verify recomputes the order from the seed; two sessions are joined only "
        "through a shared reference contender",
    ),
    (
        "T6",
        Page("concept/statistics.md", "Does it matter?"),
        "a difference that is significant and does not matter",
        "SMALL: the margin is declared before the run, and only what exceeds it is SLOWER or FASTER",
    ),
    (
        "T7",
        _VERDICTS,
        "an unstable query is counted as passed",
        "REFUSED (T7.unstable) and listed: it has neither passed nor failed",
    ),
    (
        "T8",
        Page("reference/lies.md", "T8: what counts"),
        "rerun until green",
        "every attempt is in the evidence and the verdicts use them all; one that was removed, or that ended when "
        "nothing decided beforehand ended it, is named",
    ),
    (
        "T9",
        Page("concept/statistics.md", "Does it matter?"),
        "many comparisons, each at its own 1 %: some always differ",
        "false discoveries are controlled over the whole session",
    ),
    (
        "T10",
        Page("concept/statistics.md", "The unit of analysis"),
        "one lucky process start, or one lucky build",
        "no verdict below 5 fresh starts, suggestive below 10; several builds of one revision are a random effect; how "
        "far the claim reaches stands in every report",
    ),
    (
        "T11",
        _VERDICTS,
        "'no significant difference' sold as 'equal'",
        "SAME needs an equivalence test; what is not shown is UNRESOLVED",
    ),
    (
        "T12",
        Page("concept/statistics.md", "Two questions"),
        "the typical execution is shown, and a rare stall is not",
        "two verdicts on the time: of a typical execution and of the total; where they contradict each other that is "
        "reported (T1.total), and a slower total fails the run too",
    ),
    (
        "T13",
        Page("concept/method.md", "When something fails"),
        "slow executions are lost: they end in a time-out, or are struck out",
        "one that did not finish makes ERROR of the whole contender on that operation; verify misses every turn that "
        "the seed demands",
    ),
    (
        "T14",
        Page("concept/statistics.md", "Starts and turns that are not independent"),
        "starts that resemble the one before are counted as so many witnesses",
        "neighbouring starts are compared; where they are alike the comparison is refused",
    ),
    (
        "T15",
        Page("concept/statistics.md", "Starts and turns that are not independent"),
        "a contender leaves full caches, heat or dirty pages to whoever comes next, and never follows itself",
        "the baseline's turns right after it are compared with its others; where they differ they are left out",
    ),
)

"""Lies about answers that are wrong, or that cost something else than what is timed."""

from __future__ import annotations

from weigh.lies.lie import rows
from weigh.model.codes.code import Page

_PROBES = Page("concept/answers.md", "Probes")
_SAME = Page("reference/lies.md", "A7: when answers are the same")
_STATUSES = Page("concept/answers.md", "Statuses")

ROWS = rows(
    (
        "A1",
        _STATUSES,
        "an engine returns a wrong answer, fast and with no error",
        "DIVERGED before any clock, with the differing cells and who is contradicted by what; some literals are drawn "
        "anew for each gate",
    ),
    (
        "A2",
        _SAME,
        "float sums that differ in the last bits are called wrong",
        "agreed within a stated tolerance; integers, decimals, strings and dates are compared exactly",
    ),
    (
        "A3",
        _STATUSES,
        "right on the first execution, wrong on a later one",
        "the answer of every execution is checked, outside the clock",
    ),
    (
        "A4",
        _PROBES,
        "two contenders read different rows",
        "what each one reads is digested through itself and compared with the files",
    ),
    (
        "A5",
        _PROBES,
        "a lazy engine hands back a handle and computes after the clock",
        "answers are fetched while the data is withdrawn, and the CPU time of handing them out is measured",
    ),
    (
        "A6",
        Page("reference/lies.md", "A6: what the clock covers"),
        "the clock covers different work: it is done before the clock starts, or between the executions",
        "one timed region for all; taking the query and freeing the last result are measured apart from executing it, "
        "and a verdict that depends on where the clock begins is refused",
    ),
    (
        "A7",
        _SAME,
        "another row of a tie, another order, scale or type is called wrong, or a wrong answer passes for such",
        "compared by value, ties and tolerances accepted where the query allows them, and each one said and counted",
    ),
    (
        "A8",
        _STATUSES,
        "no expected answer, reported as passed",
        "UNVERIFIED, and checked against itself; never 'passed'; a load says which answers nobody checked, and is "
        "suggestive at most",
    ),
    (
        "A9",
        _PROBES,
        "a result cache answers",
        "caches off, read back, disclosed; others are found on every operation by asking anew, in a form that is drawn "
        "each time, and by exchanging the rows under an open process; where the system says itself that one answered, "
        "or that it scanned nothing, there is no verdict and no cost",
    ),
    (
        "A10",
        Page("concept/method.md", "Two clocks"),
        "a contender meddles with its own clock, or with what it reports",
        "bounded by weigh's own clock on its side; outside the bound the contender is disqualified, and a verdict that "
        "the two clocks do not share is refused; times that a system's scripts or a service report decide nothing, "
        "and where they leave out the queue, or are less than possible, they are not judged",
    ),
    (
        "A11",
        Page("concept/method.md", "Outside the clock (A11)"),
        "work is done outside the clock by others, or at another time: a child, a thread, the collector, release()",
        "the CPU of the contender's whole family is counted over the whole block, and that of whom it is connected to; "
        "what no clock contains is a figure, and past a bound there is no verdict",
    ),
    (
        "A12",
        _PROBES,
        "answers are not computed from the data: a table made beforehand, the truth found in a cache, rows put aside",
        "asked again on rows that are drawn now, under the same paths in files as long and as old, by a fresh process "
        "and by one that has seen the given rows; what is known about the data is hidden from contenders where weigh "
        "is root; what is faster than memory has no verdict",
    ),
    (
        "A13",
        Page("concept/answers.md", "Who answered"),
        "agreement of nothing: a contender that answered nothing, or answers without a row, counted as agreement",
        "the first sentence says who answered how many questions, and empty answers are counted; JSON has the figures "
        "of each contender",
    ),
    (
        "A14",
        Page("concept/answers.md", "What is not checked"),
        "the checker is wrong itself: a value in another form, or one that its reader misreads, is called wrong; or a "
        "wrong value passes for another form",
        "two readers of Parquet that share no code must agree before anybody is accused; values in another type are "
        "compared by value; what cannot be compared is named as unchecked and accuses nobody",
    ),
)

"""The catalogue of lies: ways in which published benchmarks have lied, and whether this version catches them."""

from __future__ import annotations

import msgspec

from weigh.model.codes.code import Page


class Lie(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the catalogue.

    Attributes:
        id: as findings carry it.
        lie: what is done.
        answer: what weigh does about it.
        page: of the documentation that says more.
    """

    id: str
    lie: str
    answer: str
    page: Page


def _rows(*rows: tuple[str, Page, str, str]) -> tuple[Lie, ...]:
    return tuple(Lie(id=id_, lie=lie, answer=answer, page=page) for id_, page, lie, answer in rows)


_CHECKED = Page("reference/workloads.md", "Checked values")
_COLD = Page("concept/cold.md", "What is proven")
_DATA = Page("reference/commands.md", "weigh data")
_PROBES = Page("concept/answers.md", "Probes")
_REFUSED = Page("concept/load.md", "When a run is refused")
_SAME = Page("reference/lies.md", "A7: when answers are the same")
_STATUSES = Page("concept/answers.md", "Statuses")
_SUITE = Page("reference/lies.md", "R1 and R2: the suite")
_VERDICTS = Page("concept/statistics.md", "The verdicts")


CATALOGUE = _rows(
    (
        "A1",
        _STATUSES,
        "an engine returns a wrong answer, fast and with no error",
        "DIVERGED before any clock, with the differing cells and who is contradicted by what",
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
        "caches off, read back, disclosed; others are found on every operation by asking anew",
    ),
    (
        "A10",
        Page("concept/method.md", "Two clocks"),
        "a contender meddles with its own clock, or with what it reports",
        "bounded by weigh's own clock on its side; outside the bound the contender is disqualified, and a verdict that "
        "the two clocks do not share is refused; times that a system's scripts print decide nothing",
    ),
    (
        "A11",
        Page("concept/method.md", "Outside the clock (A11)"),
        "work is done outside the clock by others, or at another time: a child, a thread, the collector, release()",
        "the CPU of the contender's whole family is counted over the whole block; what no clock contains is a figure, "
        "and past a bound there is no verdict",
    ),
    (
        "A12",
        _PROBES,
        "answers are not computed from the data: a table made beforehand, the truth found in a cache, rows put aside",
        "asked again on rows that are drawn after the gate, under the same paths; what is known about the data is "
        "hidden from contenders where weigh is root; what is faster than memory has no verdict",
    ),
    (
        "D1",
        Page("concept/method.md", "What differs besides the contender"),
        "the same codec, and another writer: files of another size and form pass as the same data",
        "what differs between the files of two contenders is listed as their footers say; another writer is called a "
        "comparison of writers, and where something else differs too the result is suggestive",
    ),
    (
        "D2",
        Page("concept/table-formats.md", "The same bytes (D2)"),
        "table formats are compared on different bytes",
        "the files of one layout are registered in each format where they lie, read back and hashed before and after; "
        "other bytes, or another list of files, are not compared",
    ),
    (
        "D3",
        _DATA,
        "a byte hash says 'changed' though only the order moved, or the check protects nothing",
        "typed row digest: same rows same digest, one changed cell another",
    ),
    (
        "D4",
        Page("reference/commands.md", "weigh data check"),
        "a page of a file is corrupt, and every engine sums it without a word",
        "page checksums are compared before weigh reads a file for the first time, and `weigh data check` names the "
        "page; files without them are said to have none",
    ),
    (
        "D5",
        Page("concept/method.md", "What differs besides the contender"),
        "one contender reads one large file, the other one twenty",
        "files and row groups are a declared layout of the contender; what differs is named, and with anything else "
        "that differs the result is suggestive",
    ),
    (
        "D6",
        _COLD,
        "data that was written just now is still in memory, and is measured as if it came from storage",
        "evicted from the page cache before every cold execution, and proven to be; what answers without asking the "
        "device is not called cold",
    ),
    (
        "D7",
        Page("concept/machine.md", "Size against memory"),
        "data so small that it is in memory, sold as a benchmark of storage",
        "data size, memory and their ratio in every report; below 1 it is labelled in-memory",
    ),
    (
        "D8",
        _DATA,
        "data edited or damaged since it was generated",
        "sizes and hashes of all files are verified before and after every run, every row by `weigh data check`",
    ),
    (
        "D9",
        Page("concept/method.md", "What a start costs (D9)"),
        "tables are copied or made anew when they are opened, and what that costs is left out",
        "time, CPU, memory and disk of every start and of loading stand in the report; a contender that answers "
        "without its files is named",
    ),
    (
        "E1",
        _COLD,
        "a 'cold' run that is served from memory",
        "no page of the data is in memory just before the clock, or it is not called cold; what the device then gave "
        "is counted",
    ),
    (
        "E2",
        Page("concept/machine.md", "Where the data lies"),
        "a 'local disk' that is memory, a network volume or a container's layers",
        "devices, transport, RAID, file system and mount of every place; another kind than the one expected "
        "is an error",
    ),
    (
        "E3",
        Page("concept/stores.md"),
        "object storage that is assumed to be slower, or faster, than a disk; or that is not read at all",
        "where the bytes lie is declared; a proxy counts the requests, bytes and parallelism of every execution; who "
        "asks for nothing is named",
    ),
    (
        "E4",
        Page("concept/machine.md", "Contention"),
        "another job uses the machine while one contender is timed",
        "what others used of the CPU during every turn, and every run of a load, is measured; contended turns are "
        "named with who it was and are never dropped, and where it fell on one side of a comparison, by more than a "
        "declared share, there is no verdict",
    ),
    (
        "E5",
        Page("guide/doctor.md", "The knobs"),
        "power plan, governor, turbo, heat: the machine's speed depends on what it did before",
        "`weigh doctor` names what spoils, sets it when asked and restores it; drift within a run is told from fixed "
        "work, also where the host hides its frequency",
    ),
    (
        "E6",
        Page("concept/method.md", "Equal resources"),
        "contenders are given different cores, threads, memory or places to spill",
        "one affinity and one limit of memory for all; what each start had is read back, and every difference is named "
        "with both values",
    ),
    (
        "E7",
        Page("reference/targets.md", "Durability"),
        "durability switched off, exotic settings",
        "settings are read back from the running server and printed beside its defaults; what may lose an acknowledged "
        "write is called not durable, and servers whose writes survive different failures are not ranked",
    ),
    (
        "E8",
        _REFUSED,
        "the load generator is the bottleneck",
        "a run judges itself: lateness and CPU of the generator, the clock, Little's law; past a limit it is REFUSED",
    ),
    (
        "L1",
        Page("concept/load.md", "The figures"),
        "averages",
        "the whole spectrum from p50 to p99.99 and the maximum, or that so many samples do not resolve it; the mean is "
        "never the headline",
    ),
    (
        "L2",
        Page("guide/load.md", "Open and closed loop"),
        "coordinated omission: nobody asks while the server stands still",
        "times count from when a request was due; a closed loop must be asked for, is labelled, and --both shows what "
        "it hides",
    ),
    (
        "L3",
        Page("guide/find-rate.md", "Throughput is not capacity"),
        "throughput bought with waiting: what goes through at a broken tail is sold as capacity",
        "--find-rate finds the highest rate that keeps a stated budget, with its interval, and names what goes through "
        "beyond it and how long that takes",
    ),
    (
        "L4",
        Page("concept/load.md", "Warm-up and length"),
        "the warm-up is counted, and a minute is called steady",
        "steady state is tested, what is cut is shown, and the length is given in periods of what the server does "
        "regularly",
    ),
    (
        "L5",
        Page("guide/tpcc.md", "What is checked"),
        "a mix, draws or users' times that are not the benchmark's: no remote payments, no roll-backs, nobody thinks",
        "mix, draws and users' times are checked when the run is over, with the tables as witnesses, and so are the "
        "twelve consistency conditions; what is off by more than chance is named, and without users at terminals there "
        "is no tpmC",
    ),
    (
        "L6",
        _CHECKED,
        "fast because it does not do the work: lost updates, stale reads, writes that a crash loses",
        "every value that is read is compared with what was written and acknowledged, and rows are read back when the "
        "run is over; scripts have invariants; with --crash the server is killed under load and read back; a "
        "contradiction or a loss is an error",
    ),
    (
        "L7",
        _REFUSED,
        "errors and time-outs are left out of the figures",
        "they are counted, timed and shown; a run above the error budget has no throughput",
    ),
    (
        "L8",
        Page("reference/workloads.md", "Workload E on a key-value store"),
        "YCSB between stores of different kinds, or scans on a store without order",
        "a finding says what kind the store is, and that its scans go over an index of their own",
    ),
    (
        "L9",
        Page("concept/series.md", "The percentiles"),
        "one stall is sold as a resolved percentile",
        "a percentile needs 20 slow requests that came independently of each other; else it is not resolved, and what "
        "this run saw stands there instead",
    ),
    (
        "L10",
        Page("concept/load.md", "What the server did meanwhile"),
        "a spike is blamed by eye on what happened to go on at the same time",
        "checkpoints, autovacuum, snapshots and their like are placed on the axis of time; one kind is blamed only "
        "where its events met more spikes than they would have at other moments, over all kinds that were looked at",
    ),
    (
        "T1",
        _VERDICTS,
        "a difference inside the noise is called a win",
        "CV and interval beside every number; what they do not show is UNRESOLVED, with the starts that would "
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
        "one lucky process start",
        "no verdict below 5 fresh starts, suggestive below 10; how far the claim reaches stands in every report",
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
        "said (T1.total), and a slower total fails the run too",
    ),
    (
        "T13",
        Page("concept/method.md", "When something fails"),
        "slow executions are lost: they end in a time-out, or are struck out",
        "one that did not finish makes ERROR of the whole contender on that operation; verify misses every turn that "
        "the seed demands",
    ),
    (
        "R1",
        _SUITE,
        "the query that failed is dropped, and the mean of the rest is published",
        "a suite with a missing, failed, refused or diverged member has no geometric mean; the members are named",
    ),
    (
        "R2",
        _SUITE,
        "one number",
        "ratios of single operations first; a mean only of a whole suite, and only beside its spread",
    ),
    (
        "R3",
        Page("reference/evidence.md", "weigh verify"),
        "figures without configuration, versions or question",
        "all of it is in the evidence and the report; a report without it cannot be made",
    ),
    (
        "R4",
        Page("reference/lies.md", "R4: what an unkeyed seal can do"),
        "results edited afterwards",
        "verify hashes every file and recomputes every printed number from the journal",
    ),
    (
        "R5",
        Page("concept/method.md", "Tiers"),
        "suggestive evidence presented as conclusive",
        "a tier computed from what was done, with every reason, in every report",
    ),
    (
        "R6",
        Page("guide/history.md", "Where a series is split"),
        "a history whose machine changed under it",
        "series are split where the machine, the data, the query or a setting changed, with what changed; a change of "
        "level is a candidate until both versions were measured side by side",
    ),
    (
        "R7",
        Page("reference/workloads.md", "The notice"),
        "a TPC name or metric on a run that is not a TPC result",
        "every report on such a workload, of a run or a load, says so: derived, not comparable to published results; "
        "no TPC metric appears",
    ),
    (
        "R8",
        Page("reference/lies.md"),
        "publishing what a licence forbids to publish",
        "an engine's plug-in states its vendor's terms with the source, and every report on it says so; none that "
        "comes with weigh has such terms. Of servers under load weigh knows some by their name or address",
    ),
    (
        "R9",
        Page("reference/evidence.md", "The seal, and what it cannot stop"),
        "evidence forged as a whole: consistent and sealed, and never measured",
        "a seal does not tell, and `weigh verify` says so; `weigh sign` vouches for it with a signature, which "
        "`weigh verify --key` checks",
    ),
)
"""What this version catches. A row is added with its liar and its honest twin, not before."""

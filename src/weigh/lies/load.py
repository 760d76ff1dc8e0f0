"""Lies about loads."""

from __future__ import annotations

from weigh.lies.lie import rows
from weigh.model.codes.code import Page

_CHECKED = Page("reference/workloads.md", "Checked values")
_REFUSED = Page("concept/load.md", "When a run is refused")

ROWS = rows(
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
        "L11",
        Page("reference/workloads.md", "Prepared, and as text"),
        "the script does other work than it says: a parameter whose type is guessed resolves to another function",
        "variables have the types of their literals; every statement is asked prepared and as text before the clock, "
        "and what is answered otherwise is named with both answers",
    ),
    (
        "L12",
        Page("guide/isolation.md", "What is reported"),
        "throughput at an isolation level that was not kept, or of a lower level than the other's",
        "the history of transactions is recorded and searched for anomalies that the declared level forbids; what "
        "breaks it is shown as a cycle and has no throughput of that level; servers at different levels are not ranked",
    ),
)

"""X: codes of what is no lie of anybody."""

from __future__ import annotations

from weigh.model.codes import pages
from weigh.model.codes.code import Page, error, graded, note, plain, warning

X_LAYOUT = plain("X.layout", pages.TIERS, "what the contenders were given to read is not recorded")
X_PUBLIC = plain("X.public", pages.LOAD_TIER, "the workload is a benchmark, and no traffic of your own")
X_START = warning("X.start", pages.FAILS, "a fresh start of a contender failed")
X_SERIAL = note(
    "X.serial",
    Page(pages.METHOD, "Blocks, turns, arms"),
    "the arms of a block live one after another, because they do not fit into memory together",
)
X_QUICK = plain("X.quick", pages.BUDGET, "a first look was asked for: its tier is at most suggestive")
X_COLUMNS = note("X.columns", Page(pages.JUDGE, "CSV"), "columns of the file that were not read")
X_DUET = note(
    "X.duet", Page(pages.METHOD, "Duets"), "each contender was measured while the baseline executed alongside it"
)
X_RESUMED = note("X.resumed", Page(pages.EVIDENCE, "Resuming"), "the attempt was killed, and continued later")
X_FRAMES = note("X.frames", pages.FRAMES, "a contender executes functions of a data frame, and no SQL")
X_FRAMES_SQL = note("X.frames_sql", pages.FRAMES, "what exists as SQL alone was not put to a data frame")
X_RELATION = note(
    "X.relation", Page(pages.ANSWERS, "Metamorphic checks"), "a check of the engine against itself could not be made"
)
X_DRAWN = note(
    "X.drawn", Page(pages.ANSWERS, "Large grids"), "of each template of a large grid, some operations were asked again"
)
X_REUSED = note(
    "X.reused", Page(pages.ANSWERS, "An earlier gate"), "the answers are those of an earlier gate of the same inputs"
)
X_EDITED = warning("X.edited", pages.ATTEMPTS, "files of an engine are not those that its installer recorded")
X_POOLED = error(
    "X.pooled", pages.ATTEMPTS, "attempts were measured with other engines under its name", disqualifies=True
)
X_SHRINK = note("X.shrink", pages.REPRODUCERS, "why there is no reproducer of a divergence")
X_SAMPLER = warning(
    "X.sampler",
    Page(pages.MACHINE, "What is watched"),
    "the sampler failed, and from then on nobody watched the machine",
)
X_ACTIVITY = note("X.activity", pages.ACTIVITY, "the sampling of what the server did besides answering failed")
X_WAITS = note("X.waits", pages.WAITS, "the sampling of what the server's sessions wait for failed")
X_METRIC = plain("X.metric", pages.VERDICTS, "a metric is zero or missing in some executions, so it has no ratio")
X_IGNORED = note(
    "X.ignored",
    Page("reference/workloads.md", "YCSB's property files"),
    "properties of a YCSB workload mean nothing here",
)
X_SUITE_UNKNOWN = warning("X.suite_unknown", pages.SUITES, "keys of a suite's files are not understood")
X_SPENT = graded(
    "X.spent",
    pages.COST,
    "what the executions of an attempt cost, and whether the budget ended them; a warning where it did",
)
X_UNPRICED = warning("X.unpriced", pages.COST, "a price was declared by something that the system does not report")
X_SUITE_KEYS = note("X.suite_keys", pages.SUITES, "keys of a suite's files that have no effect here")
X_UNSUPPORTED = plain("X.unsupported", pages.FAILS, "a contender does not support the operation")
X_NEVER_RUN = warning(
    "X.never_run",
    pages.REMOTE,
    "the profile of a system was written from documentation, and no answer was ever compared",
)
X_ERROR = plain("X.error", pages.FAILS, "a contender failed on the operation")
X_TIMEOUT = plain("X.timeout", pages.FAILS, "a contender did not finish the operation in time")
X_CRASH = plain("X.crash", pages.FAILS, "a contender crashed on the operation")
X_LOST = plain("X.lost", pages.FAILS, "a contender by URL lost its connection on the operation")
X_RECONNECTS = warning("X.reconnects", pages.REMOTE, "connections of a contender by URL were lost and opened again")
X_OUT_OF_MEMORY = plain("X.out_of_memory", pages.FAILS, "a contender ran out of memory on the operation")
X_READ_ONLY = note("X.read_only", pages.STREAMS, "it cannot write, so that only its queries alone have a figure")
X_STREAMS = error("X.streams", pages.STREAMS, "a stream ended with an error, or the engine with it")

"""A: codes of answers."""

from __future__ import annotations

from weigh.model.codes import pages
from weigh.model.codes.code import Page, error, graded, note, plain, warning

A1 = plain("A1", pages.STATUSES, "answers are contradicted or differ, on this operation or on another one")
A1_STATEMENT = error(
    "A1.statement", pages.LOAD_ANSWERS, "a statement of the load is answered otherwise than by who is trusted"
)
A1_REPRODUCER = note(
    "A1.reproducer", pages.REPRODUCERS, "a divergence was made small: a file, a query and a script that shows it"
)
A1_REPLAYED = error(
    "A1.replayed",
    Page(pages.REPLAY, "Answers of two servers"),
    "a recorded statement is answered otherwise than by the baseline",
)
A1_ORDER = note(
    "A1.order",
    Page(pages.REPLAY, "Answers of two servers"),
    "recorded statements are answered otherwise, and order or moment explains it",
)
A1_STREAM = error(
    "A1.stream", pages.STREAMS, "an answer in a stream is true of no state that the tables may have had at that moment"
)
A1_MIXED = error(
    "A1.mixed",
    pages.MIXED,
    "a query alongside a load is answered otherwise than by those who are trusted, on the same rows",
)
A1_WITNESS = warning("A1.witness", pages.STREAMS, "a witness could not answer, so fewer of them say what is right")
A2 = plain("A2", pages.SAME, "floating-point columns agree but for rounding, within the tolerance that is stated")
A3 = plain("A3", pages.STATUSES, "a later execution answered differently, so no time is shown")
A3_CHANGED = error(
    "A3.changed", pages.STATUSES, "the answer changed during the measurement: the operation counts as diverged"
)
A3_MIXED = error(
    "A3.mixed",
    pages.MIXED,
    "a query alongside a load has another answer than before it, though nobody changes its tables",
)
A3_SAMPLED = error(
    "A3.sampled", pages.LOAD_ANSWERS, "requests of the run had other answers when they were asked again afterwards"
)
A4_ROWS = error("A4.rows", pages.PROBES, "it reads other rows than it was given", disqualifies=True)
A4_REFRESHED = error(
    "A4.refreshed", pages.STREAMS, "after refresh functions its tables hold other rows than were inserted and deleted"
)
A4_BETWEEN = error("A4.between", pages.STREAMS, "a session saw a part of a refresh function, which is one transaction")
A4_UNREAD = warning("A4.unread", pages.PROBES, "it could not hand out a table, so what it reads was not compared")
A4_SAMPLED = note(
    "A4.sampled", pages.PROBES, "the table is so large that rows drawn by a secret were compared, not all"
)
A4_SERVERS = warning(
    "A4.servers",
    pages.RANKED,
    "the servers that are compared held different rows, so nothing is concluded from their times",
)
A4_COUNTED = note(
    "A4.counted",
    pages.PROBES,
    "the table is large and no column serves to draw rows by, so only its number of rows was compared",
)
A5_LAZY = error(
    "A5.lazy", pages.PROBES, "the answer was not complete, or not computed, when the clock stopped", disqualifies=True
)
A5_DEFERRED = plain(
    "A5.deferred",
    pages.CLOCK,
    "with what handing out the answers costs beyond converting them, the verdict would be another",
)
A6_PREPARE = error("A6.prepare", pages.CLOCK, "the query was executed before the clock started", disqualifies=True)
A6_RELEASE = error(
    "A6.release", pages.CLOCK, "it works between the executions, when the clock stands", disqualifies=True
)
A6_DEFERRED = plain("A6.deferred", pages.CLOCK, "with what freeing the results costs, the verdict would be another one")
A6_PLANNED = note(
    "A6.planned",
    pages.CLOCK,
    "its adapter spends CPU on a query before the clock starts, and does not execute it there",
)
A6_CLOCK = plain(
    "A6.clock", pages.CLOCK, "the verdict depends on whether taking the query belongs to the time, so there is none"
)
A7 = plain("A7", pages.SAME, "what was needed beyond equality for two answers to agree")
A7_LIMIT = warning("A7.limit", Page("guide/your-own-data.md"), "a LIMIT without ORDER BY has many right answers")
A7_ORDER = note(
    "A7.order",
    Page("guide/your-own-data.md"),
    "no column of the answer tells the order that ORDER BY wants, so the order of its rows is not compared",
)
A7_SHOWN = note(
    "A7.shown",
    pages.CLICKBENCH,
    "its answers are read off what its client shows, so they are compared as far as that goes",
)
A8 = plain("A8", pages.STATUSES, "nobody independent confirmed the answers")
A8_UNCHECKED = note(
    "A8.unchecked", pages.LOAD_ANSWERS, "nobody checked some answers of the load, or what its writes left"
)
A9_ENABLED = error("A9.enabled", pages.PROBES, "a result cache is switched on", disqualifies=True)
A9_DETECTED = error(
    "A9.detected", pages.PROBES, "a repeated query is much faster than a new one, so a cache answers", disqualifies=True
)
A9_REPORTED = error(
    "A9.reported", pages.COST, "the system itself says that a cache of results answered", withholds=True
)
A9_PLAN = note(
    "A9.plan", pages.PROBES, "a repeated query is quicker because its plan is kept, and its rows are read all the same"
)
A9_SUSPECT = graded(
    "A9.suspect",
    pages.PROBES,
    "a repeated query is much faster than a new one, and whether a cache answers cannot be determined; a note where "
    "other rows have the same answer",
)
A9_UNKNOWN = warning(
    "A9.unknown", pages.REMOTE, "whether the system has a cache of results, and how it is switched off, is not known"
)
A9_UNVARIED = note("A9.unvaried", pages.PROBES, "whether a repeated query is executed could not be tried")
A10_CLOCK = error(
    "A10.clock", pages.BOUND, "the times it says are not those that go by on weigh's own clock", disqualifies=True
)
A10_CPU = error(
    "A10.cpu", pages.BOUND, "the CPU seconds it says are not those that the kernel charged it", disqualifies=True
)
A10_SAID = note(
    "A10.said", pages.CLICKBENCH, "the system says times of its own; every figure and verdict is by weigh's clock"
)
A10_CLAIM = warning(
    "A10.claim",
    pages.CLICKBENCH,
    "the times that the system prints leave out more than starting its script takes, or are longer than what went by",
)
A10_SERVER = warning(
    "A10.server",
    pages.REMOTE,
    "the time that a system by URL says it took cannot be: it leaves out a part of the query, or is longer than what "
    "went by",
)
A10_SCANNED = warning(
    "A10.scanned", pages.COST, "a system says that it scanned nothing in some executions of a question, and not in all"
)
A10_VERDICT = plain(
    "A10.verdict", pages.BOUND, "by weigh's own clock the verdict would be another one, so there is none"
)
A11_OUTSIDE = error(
    "A11.outside", pages.OUTSIDE, "its processes used much more CPU outside its clocks than inside them", withholds=True
)
A11_PROCESSES = error(
    "A11.processes",
    pages.OUTSIDE,
    "other processes of it did the work while its clock ran, and its adapter does not say so",
    withholds=True,
)
A11_BETWEEN = error(
    "A11.between", pages.OUTSIDE, "its processes kept CPUs busy while others had their turns", disqualifies=True
)
A11_PEER = error(
    "A11.peer",
    pages.OUTSIDE,
    "a process at the other end of a socket, which its adapter does not name, did much of its work",
    disqualifies=True,
)
A11_LEFT = warning(
    "A11.left", pages.OUTSIDE, "processes of it were in another control group than its own, so not all CPU is counted"
)
A11_STRANGERS = warning(
    "A11.strangers", pages.OUTSIDE, "another contender's processes were in its control group, and counted as its own"
)
A11_BACKGROUND = warning(
    "A11.background", pages.OUTSIDE, "it works in the background, as its adapter declares, and no time contains that"
)
A11_SERVER = error(
    "A11.server",
    pages.OUTSIDE,
    "its adapter names a process as its server that cannot be one",
    disqualifies=True,
)
A12_ANSWERS = error(
    "A12.answers",
    pages.PROBES,
    "it answers questions on data that nobody had seen as it did on the given data",
    disqualifies=True,
)
A12_FAST = error(
    "A12.fast",
    pages.PROBES,
    "too fast to be true: memory cannot give so quickly what it must look at; no verdict until explained",
)
A12_STALE = error(
    "A12.stale",
    pages.PROBES,
    "when the rows changed while it lived, it went on with its answers of before",
    disqualifies=True,
)
A12_UNSEEN = note("A12.unseen", pages.PROBES, "that it reads the given data could not be tried")
A13_NONE = warning("A13.none", pages.ANSWERED, "a contender answered no question, so agreement says nothing of it")
A13_SOME = note("A13.some", pages.ANSWERED, "a contender answered some questions, and not all")
A13_EMPTY = graded(
    "A13.empty", pages.ANSWERED, "answers without a row, or with nothing but NULL: agreement on them is weak evidence"
)
A14_READERS = note(
    "A14.readers",
    pages.DOUBTED,
    "two readers of Parquet do not agree on a column of the files, so nobody is accused by it",
)
A14_UNCHECKED = note(
    "A14.unchecked", pages.DOUBTED, "a column came in a type that weigh cannot compare, so it was not compared"
)
A14_FORM = note("A14.form", pages.DOUBTED, "a column came in another type than the files have, with the same values")

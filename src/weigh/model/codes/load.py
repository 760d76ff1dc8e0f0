"""L: codes of loads."""

from __future__ import annotations

from weigh.model.codes import pages
from weigh.model.codes.code import Page, error, graded, note, plain, warning

L1_OVERFLOW = warning("L1.overflow", pages.FIGURES, "requests took more than an hour, which the histograms do not hold")
L2 = note(
    "L2",
    pages.JUDGED_SERIES,
    "a closed loop, or requests counted from their sending: a stall may count once, not for all",
)
L2_CLOSED = graded(
    "L2.closed", pages.LOOPS, "a closed loop: a stall counts once; a note where an open loop was measured as well"
)
L2_RATE = plain("L2.rate", pages.REFUSED, "the rate that was asked for was not reached")
L2_BEHIND = warning(
    "L2.behind", Page(pages.REPLAY, "What is late"), "statements of a recording started later than they were recorded"
)
L2_UNEQUAL = warning(
    "L2.unequal", pages.RANKED, "a server did not keep the rate, so its response times are not compared"
)
L3_THROUGHPUT = note(
    "L3.throughput", pages.FIND_RATE, "more went through than the highest rate that keeps the budget, and broke it"
)
L3_GENERATOR = warning(
    "L3.generator", pages.RATE_NOT_REACHED, "the generator could not offer more: its limit is not the server's"
)
L3_CONNECTIONS = warning(
    "L3.connections",
    pages.RATE_NOT_REACHED,
    "nearly all connections wait for answers at the highest rate: it is theirs",
)
L3_LATE = note(
    "L3.late", pages.PROBES_OF_SEARCH, "the generator was late in the probe that is shown, by less than it matters"
)
L3_UNSURE = warning(
    "L3.unsure", pages.PROBES_OF_SEARCH, "probes counted by what they saw, not resolved or not steady however long"
)
L3_UNRESOLVED = plain(
    "L3.unresolved", pages.RATE_NOT_REACHED, "the search ended before it was clear which rates keep it"
)
L3_LIMIT = warning(
    "L3.limit", pages.TPCC_TERMINALS, "more than 10 % of a transaction of TPC-C took longer than its limit"
)
L4 = note("L4", pages.JUDGED_SERIES, "the values before the series settles are left out")
L4_WARM_UP = note("L4.warm_up", pages.WARM_UP, "the beginning of the run is in no figure")
L4_NOT_STEADY = warning(
    "L4.not_steady", pages.WARM_UP, "the run does not settle, so the next minutes may look different"
)
L4_CYCLES = warning(
    "L4.cycles", pages.WARM_UP, "the run holds fewer than ten periods of what the server does regularly"
)
L4_LENGTH = plain("L4.length", pages.LOAD_TIER, "the run is too short for a conclusive result")
L4_TRACE = warning("L4.trace", Page(pages.LOADING, "The schedule"), "the trace is longer than the run, and is cut")
L4_LEFT_OUT = warning(
    "L4.left_out", Page(pages.REPLAY, "What is not replayed"), "part of the recording is not replayed"
)
L4_SESSIONS = note(
    "L4.sessions",
    Page(pages.REPLAY, "Sessions and transactions"),
    "sessions of the recording are not replayed as they were",
)
L5_MIX = error("L5.mix", pages.TPCC_CHECKED, "the mix of a run of TPC-C is not TPC-C's")
L5_DRAWS = error(
    "L5.draws", pages.TPCC_CHECKED, "what a run of TPC-C asked for, or left behind, is not drawn as TPC-C draws"
)
L5_PACE = error("L5.pace", pages.TPCC_TERMINALS, "users at terminals were faster than TPC-C's users are")
L5_UNREAD = warning("L5.unread", pages.TPCC_CHECKED, "the tables of TPC-C could not be read back")
L6_WORK = error("L6.work", pages.TPCC_CHECKED, "the tables of TPC-C do not show the work that was acknowledged")
L6_WRONG = error("L6.wrong", pages.CHECKED, "answers contradict what the server had acknowledged")
L6_STALE = warning(
    "L6.stale", pages.CHECKED, "reads were older than acknowledged writes, as the declared consistency level allows"
)
L6_MISSING = error("L6.missing", pages.CHECKED, "keys are gone that had been written and acknowledged")
L6_UNREAD = error("L6.unread", pages.CHECKED, "the server did not let what it had acknowledged be read back to the end")
L6_INVARIANT = error("L6.invariant", pages.LOAD_ANSWERS, "after a run something does not hold that must")
L6_BROKEN = error(
    "L6.broken", pages.LOAD_ANSWERS, "before the first run something does not hold that must, so nothing was measured"
)
L7 = warning(
    "L7", pages.JUDGED_SERIES, "requests of the file have no time, failed or never began, or intervals hold no value"
)
L7_RECORDED = note(
    "L7.recorded",
    Page(pages.REPLAY, "Sessions and transactions"),
    "statements that failed when they were recorded are sent",
)
L7_ERRORS = plain("L7.errors", pages.REFUSED, "more requests failed than the error budget allows")
L7_FAILED = warning("L7.failed", pages.TARGETS, "requests failed or timed out; they are counted and in no percentile")
L7_COUNTED = note("L7.counted", pages.TARGETS, "the server counted errors while it was under load")
L7_UNSENT = warning("L7.unsent", pages.REFUSED, "requests were due and never sent")
L7_RECONNECTS = warning("L7.reconnects", pages.TARGETS, "connections were lost and opened again")
L7_GONE = warning("L7.gone", pages.TARGETS, "connections were lost, and none could be opened again")
L8_KIND = note("L8.kind", pages.CHECKED, "YCSB on a relational store: compare it with other relational stores only")
L8_SCANS = warning(
    "L8.scans", pages.SCANS, "the scans go over an index of weigh's own, because the store keeps no order"
)
L9_UNRESOLVED = plain(
    "L9.unresolved",
    pages.RANKED,
    "the runs hold too few independent requests beyond a percentile, so it is not compared",
)
L9_TAIL = plain(
    "L9.tail", pages.LOAD_TIER, "a run holds too few independent requests beyond its 99th percentile to know its tail"
)
L10_BLAMED = note(
    "L10.blamed",
    pages.ACTIVITY,
    "spikes began in what the server did now and then, more often than chance gives: that is blamed for them",
)
L12_VIOLATED = error(
    "L12.violated", pages.ISOLATION, "transactions were isolated less than the level that the server declares"
)
L12_LEVEL = error("L12.level", pages.ISOLATION, "the server ran transactions at another level than they asked for")
L12_ALLOWED = note("L12.allowed", pages.ISOLATION, "anomalies were observed that the level of the server allows")
L12_UNCHECKED = warning("L12.unchecked", pages.ISOLATION, "nothing is known of the isolation of a run")
L12_UNEQUAL = plain(
    "L12.unequal", pages.ISOLATION, "servers were at different levels of isolation, or did not keep theirs"
)
L11_ANSWER = warning(
    "L11.answer", pages.BOTH_WAYS, "prepared, a statement of a script is answered otherwise than as text"
)
L11_TYPES = note(
    "L11.types", pages.BOTH_WAYS, "prepared, a statement of a script has columns of other types than as text"
)
L11_REFUSED = note("L11.refused", pages.BOTH_WAYS, "a statement of a script is answered prepared, and refused as text")

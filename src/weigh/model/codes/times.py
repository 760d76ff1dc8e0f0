"""T: codes of times and verdicts."""

from __future__ import annotations

from weigh.model.codes import pages
from weigh.model.codes.code import error, note, plain, warning

T1 = plain("T1", pages.VERDICTS, "neither a difference that matters nor equality is shown")
T1_MEDIANS = plain("T1.medians", pages.COMPARED, "a difference is claimed, and the medians point the other way")
T1_FLOOR = plain("T1.floor", pages.COMPARED, "a difference is claimed, and the baseline's own arms differ by as much")
T1_TOTAL = plain("T1.total", pages.TWO, "a typical execution and the total of all executions have different verdicts")
T1_CONSTANT = plain("T1.constant", pages.COMPARED, "every start gave exactly the same ratio")
T1_PRECISION = note("T1.precision", pages.PRECISION, "which operations reached the precision, after how many starts")
T1_WIDE = note(
    "T1.wide", pages.PRECISION, "which operations did not reach the precision, and about how many starts they need"
)
T1_CLOCK = plain("T1.clock", pages.VERDICTS, "the clock ticks in steps larger than the margin")
T1_SUMMARIES = plain("T1.summaries", pages.JUDGED, "the file holds summaries and no single measurements")
T2_SMALL = warning("T2.small", pages.LADDER, "noise hides the margin at this scale, and a larger one resolves it")
T2_NONE = warning("T2.none", pages.LADDER, "noise hides the margin at every scale that was measured")
T2_LOST = warning("T2.lost", pages.LADDER, "a larger scale resolves the margin no more")
T3_SHORT = plain("T3.short", pages.MEAN, "the series holds too few independent samples for an interval")
T3_CORRELATED = plain(
    "T3.correlated",
    pages.MEAN,
    "the samples are correlated over an eighth of the run, or those of one connection in many",
)
T3_HEAVY = plain(
    "T3.heavy", pages.MEAN, "the largest samples carry too much of the variance for an interval of the mean"
)
T3_INTERVALS = note(
    "T3.intervals", pages.JUDGED_SERIES, "the log has lost the order inside its intervals: their means count"
)
T4 = plain("T4", pages.COMPARED, "the ratio itself drifts from block to block")
T4_DRIFT = plain("T4.drift", pages.MEAN, "the series drifts, so its mean depends on when it began and ended")
T4_NO_STEADY_STATE = plain("T4.no_steady_state", pages.STEADY, "the series has no steady part, so no level is given")
T4_MACHINE = plain(
    "T4.machine", pages.DRIFT, "the machine changed its speed within a block whose arms did not share it"
)
T5 = plain("T5", pages.VERDICTS, "what is compared was not measured in turn, or shares no reference")
T5_ORDER = plain(
    "T5.order", pages.VERIFY, "the turns are not in the order of the seed, or their order is only vouched for"
)
T5_SEQUENCE = error("T5.sequence", pages.STREAMS, "streams that were to run at the same moment ran one after the other")
T5_FIRST = plain("T5.first", pages.JUDGED, "the same contender began every round")
T5_DATA = plain("T5.data", pages.JOINED, "two sessions read different data")
T5_WORKLOAD = plain("T5.workload", pages.JOINED, "two sessions did not ask the same question")
T5_TEMPERATURE = plain("T5.temperature", pages.JOINED, "two sessions were not both measured hot")
T5_BOUNDS = plain("T5.bounds", pages.JOINED, "two sessions gave their contenders other CPUs or memory")
T5_HOST = warning("T5.host", pages.JOINED, "what is compared was measured on different machines")
T5_JOIN = plain("T5.join", pages.WEAKENS, "that the machine changed alike for all contenders is assumed")
T5_REFERENCE = warning("T5.reference", pages.WEAKENS, "the reference did not move by one factor on all operations")
T5_STATE = warning("T5.state", pages.WEAKENS, "the machine was in another state in the other session")
T5_PROTOCOL = warning("T5.protocol", pages.WEAKENS, "two sessions measured in different ways")
T5_WEIGH = warning("T5.weigh", pages.WEAKENS, "two sessions were measured by different versions of weigh")
T5_RULES = note("T5.rules", pages.WEAKENS, "two sessions declared different rules; those of the first decide")
T5_OPERATIONS = note("T5.operations", pages.WEAKENS, "operations that took part in one session only")
T14 = plain("T14", pages.VERDICTS, "starts resemble the one before, so they are fewer witnesses than they seem")
T15 = plain("T15", pages.COMPARED, "the baseline takes longer right after the contender: those turns are left out")
T7_UNSTABLE = plain(
    "T7.unstable", pages.VERDICTS, "the noise would hide a change of 10 %, so it has neither passed nor failed"
)
T7_STARTS = plain("T7.starts", pages.COMPARED, "some fresh starts of one side are of another kind than the rest")
T8_ATTEMPTS = note("T8.attempts", pages.ATTEMPTS, "how many attempts the verdicts read")
T8_DISAGREE = warning(
    "T8.disagree", pages.SHARED, "attempts of one comparison do not all say the same, and all of them count"
)
T8_MACHINES = note("T8.machines", pages.SHARED, "a comparison was SLOWER on one kind of machine and not on another one")
T8_MISSING = warning("T8.missing", pages.ATTEMPTS, "an earlier attempt was removed, and every attempt counts")
T8_STOP = plain("T8.stop", pages.ATTEMPTS, "measuring ended when nothing that was decided beforehand ended it")
T8_STOPPED = plain("T8.stopped", pages.LOAD_TIER, "the load was broken off before its end")
T8_UNFINISHED = plain("T8.unfinished", pages.TIERS, "an attempt with times was not completed")
T8_LOST = plain("T8.lost", pages.VERDICTS, "starts of one side are missing, and the missing ones may be the slow ones")
T8_GAPS = warning(
    "T8.gaps", pages.JUDGED, "numbers of starts are left out in the file: what was lost may be the slow ones"
)
T10 = plain("T10", pages.COMPARED, "fewer fresh starts than a conclusive result needs")
T10_SESSIONS = warning(
    "T10.sessions", pages.REMOTE, "the starts of a contender are sessions of one server that weigh did not start"
)
T10_STARTS = plain("T10.starts", pages.VERDICTS, "too few fresh starts for a verdict")
T10_BUDGET = note("T10.budget", pages.BUDGET, "the budget allows fewer starts or runs than were asked for")
T10_ONE_LIFE = note("T10.one_life", pages.REPEATS, "the repeats of a load are against one life of the server")
T10_BUILDS = plain("T10.builds", pages.REBUILDS, "too few different builds of a revision for a verdict over builds")
T10_ONE_BUILD = warning("T10.one_build", pages.REBUILDS, "one side was built several times, and the other one once")
T10_REBUILT = note("T10.rebuilt", pages.REBUILDS, "how far another build of the same revision moves its times")
T10_RUN = plain("T10.run", pages.REPEATS, "an interval from inside a run says nothing about the next run")

"""The registry of codes: whatever weigh has to say about an experiment carries one of these, and no other.

The part before the point is the id of a lie (:mod:`weigh.lies`), ``M`` (how another metric moved with the time) or
``X`` (what is no lie of anybody). ``weigh lies``, the page of all findings and the explanations at the end of every
report are made from here.
"""

from __future__ import annotations

from weigh.model.codes.code import Entry, Graded, Page, error, graded, note, plain, warning

_ANSWERS = "concept/answers.md"
_PROBES = Page(_ANSWERS, "Probes")
_REPRODUCERS = Page(_ANSWERS, "Reproducers")
_STATUSES = Page(_ANSWERS, "Statuses")
_COLD = "concept/cold.md"
_PROVEN = Page(_COLD, "What is proven")
_STORES = Page("concept/stores.md", "What is said")
_LOAD = "concept/load.md"
_FIGURES = Page(_LOAD, "The figures")
_LOAD_MACHINE = Page(_LOAD, "The machine during the load")
_LOAD_ANSWERS = Page(_LOAD, "The answers")
_FIND_RATE = Page("guide/find-rate.md", "Throughput is not capacity")
_TPCC_CHECKED = Page("guide/tpcc.md", "What is checked")
_TPCC_TERMINALS = Page("guide/tpcc.md", "Users at terminals")
_RATE_NOT_REACHED = Page("guide/find-rate.md", "What was not reached")
_PROBES_OF_SEARCH = Page("guide/find-rate.md", "A probe")
_LOAD_TIER = Page(_LOAD, "The tier of a load")
_REFUSED = Page(_LOAD, "When a run is refused")
_ACTIVITY = Page(_LOAD, "What the server did meanwhile")
_RANKED = Page(_LOAD, "Several servers")
_WAITS = Page(_LOAD, "What the server's sessions wait for")
_WARM_UP = Page(_LOAD, "Warm-up and length")
_MACHINE = "concept/machine.md"
_CONTENTION = Page(_MACHINE, "Contention")
_DRIFT = Page(_MACHINE, "Drift")
_EXPECTING = Page(_MACHINE, "Expecting a kind")
_METHOD = "concept/method.md"
_BESIDES = Page(_METHOD, "What differs besides the contender")
_BUDGET = Page(_METHOD, "The budget")
_DIFFERENCES = Page(_METHOD, "Differences (E6)")
_FAILS = Page(_METHOD, "When something fails")
_PRECISION = Page(_METHOD, "Until it is precise")
_TIERS = Page(_METHOD, "Tiers")
_SERIES = "concept/series.md"
_MEAN = Page(_SERIES, "The mean")
_STEADY = Page(_SERIES, "Steady state")
_STATISTICS = "concept/statistics.md"
_METRICS = Page(_STATISTICS, "The other metrics")
_BESIDE = Page(_STATISTICS, "Figures next to every verdict")
_VERDICTS = Page(_STATISTICS, "The verdicts")
_TWO = Page(_STATISTICS, "Two questions")
_COMPARE = "guide/compare.md"
_BUILDS = Page("guide/builds.md", "What is said of them")
_JOINED = Page(_COMPARE, "When it refuses")
_WEAKENS = Page(_COMPARE, "What weakens it")
_KNOBS = Page("guide/doctor.md", "The knobs")
_JUDGE = "guide/judge.md"
_JUDGED = Page(_JUDGE, "When there is a verdict")
_JUDGED_SERIES = Page(_JUDGE, "One long series")
_LADDER = Page("guide/ladder.md", "What it says")
_LOADING = "guide/load.md"
_REPLAY = "guide/replay.md"
_LOOPS = Page(_LOADING, "Open and closed loop")
_REPEATS = Page(_LOADING, "More than one run")
_CATALOGS = Page("concept/table-formats.md", "The same bytes (D2)")
_CHECK = Page("reference/commands.md", "weigh data")
_FLIPPED = Page(_ANSWERS, "One flipped bit")
_PAGES = Page("reference/commands.md", "weigh data check")
_EVIDENCE = "reference/evidence.md"
_VERIFY = Page(_EVIDENCE, "weigh verify")
_SIGNING = Page(_EVIDENCE, "The seal, and what it cannot stop")
_LIES = "reference/lies.md"
_CLOCK = Page(_LIES, "A6: what the clock covers")
_OUTSIDE = Page(_METHOD, "Outside the clock (A11)")
_COSTS = Page(_METHOD, "What a start costs (D9)")
_BOUND = Page(_METHOD, "Two clocks")
_SAME = Page(_LIES, "A7: when answers are the same")
_ATTEMPTS = Page(_LIES, "T8: what counts")
_TARGETS = Page("reference/targets.md")
_DURABLE = Page("reference/targets.md", "Durability")
_CRASHES = Page("guide/durability.md", "What is counted")
_CHECKED = Page("reference/workloads.md", "Checked values")
_SCANS = Page("reference/workloads.md", "Workload E on a key-value store")

# A: answers
A1 = plain("A1", _STATUSES, "its answers are contradicted, on this operation or on another one")
A1_STATEMENT = error(
    "A1.statement", _LOAD_ANSWERS, "a statement of the load is answered otherwise than by who is trusted"
)
A1_REPRODUCER = note(
    "A1.reproducer", _REPRODUCERS, "a divergence was made small: a file, a query and a script that shows it"
)
A1_REPLAYED = error(
    "A1.replayed",
    Page(_REPLAY, "Answers of two servers"),
    "a recorded statement is answered otherwise than by the baseline",
)
A1_ORDER = note(
    "A1.order",
    Page(_REPLAY, "Answers of two servers"),
    "recorded statements are answered otherwise, and order or moment explains it",
)
A2 = plain("A2", _SAME, "floating-point columns agree but for rounding, within the tolerance that is stated")
A3 = plain("A3", _STATUSES, "a later execution answered differently, so no time is shown")
A3_CHANGED = error(
    "A3.changed", _STATUSES, "the answer changed during the measurement: the operation counts as diverged"
)
A3_SAMPLED = error(
    "A3.sampled", _LOAD_ANSWERS, "requests of the run had other answers when they were asked again afterwards"
)
A4_ROWS = error("A4.rows", _PROBES, "it reads other rows than it was given", disqualifies=True)
A4_UNREAD = warning("A4.unread", _PROBES, "it could not hand out a table, so what it reads was not compared")
A4_SAMPLED = note("A4.sampled", _PROBES, "the table is so large that rows drawn by a secret were compared, not all")
A4_SERVERS = warning(
    "A4.servers", _RANKED, "the servers that are compared held different rows, so nothing is concluded from their times"
)
A4_COUNTED = note(
    "A4.counted",
    _PROBES,
    "the table is large and no column serves to draw rows by, so only its number of rows was compared",
)
A5_LAZY = error(
    "A5.lazy", _PROBES, "the answer was not complete, or not computed, when the clock stopped", disqualifies=True
)
A5_DEFERRED = plain(
    "A5.deferred",
    _CLOCK,
    "with what handing out the answers costs beyond converting them, the verdict would be another",
)
A6_PREPARE = error("A6.prepare", _CLOCK, "the query was executed before the clock started", disqualifies=True)
A6_RELEASE = error("A6.release", _CLOCK, "it works between the executions, when the clock stands", disqualifies=True)
A6_DEFERRED = plain("A6.deferred", _CLOCK, "with what freeing the results costs, the verdict would be another one")
A6_PLANNED = note(
    "A6.planned", _CLOCK, "its adapter spends CPU on a query before the clock starts, and does not execute it there"
)
A6_CLOCK = plain(
    "A6.clock", _CLOCK, "the verdict depends on whether taking the query belongs to the time, so there is none"
)
A7 = plain("A7", _SAME, "what was needed beyond equality for two answers to agree")
A7_LIMIT = warning("A7.limit", Page("guide/your-own-data.md"), "a LIMIT without ORDER BY has many right answers")
A8 = plain("A8", _STATUSES, "nobody independent confirmed the answers")
A8_UNCHECKED = note("A8.unchecked", _LOAD_ANSWERS, "nobody checked some answers of the load, or what its writes left")
A9_ENABLED = error("A9.enabled", _PROBES, "a result cache is switched on", disqualifies=True)
A9_DETECTED = error(
    "A9.detected", _PROBES, "a repeated query is much faster than a new one, so a cache answers", disqualifies=True
)
A9_PLAN = note(
    "A9.plan", _PROBES, "a repeated query is quicker because its plan is kept, and its rows are read all the same"
)
A9_SUSPECT = error(
    "A9.suspect", _PROBES, "a repeated query is much faster than a new one, and whether a cache answers cannot be told"
)
A9_UNVARIED = note("A9.unvaried", _PROBES, "whether a repeated query is executed could not be tried")
A10_CLOCK = error(
    "A10.clock", _BOUND, "the times it says are not those that go by on weigh's own clock", disqualifies=True
)
A10_CPU = error(
    "A10.cpu", _BOUND, "the CPU seconds it says are not those that the kernel charged it", disqualifies=True
)
A10_VERDICT = plain("A10.verdict", _BOUND, "by weigh's own clock the verdict would be another one, so there is none")
A11_OUTSIDE = error(
    "A11.outside", _OUTSIDE, "its processes used much more CPU outside its clocks than inside them", withholds=True
)
A11_PROCESSES = error(
    "A11.processes",
    _OUTSIDE,
    "other processes of it did the work while its clock ran, and its adapter does not say so",
    withholds=True,
)
A11_BETWEEN = error(
    "A11.between", _OUTSIDE, "its processes kept CPUs busy while others had their turns", disqualifies=True
)
A11_BACKGROUND = warning(
    "A11.background", _OUTSIDE, "it works in the background, as its adapter declares, and no time contains that"
)
A11_SERVER = error(
    "A11.server",
    _OUTSIDE,
    "its adapter names a process as its server that cannot be one",
    disqualifies=True,
)
A12_ANSWERS = error(
    "A12.answers",
    _PROBES,
    "it answers questions on data that nobody had seen as it did on the given data",
    disqualifies=True,
)
A12_FAST = error(
    "A12.fast",
    _PROBES,
    "too fast to be true: memory cannot give so quickly what it must look at; no verdict until explained",
)
A12_UNSEEN = note("A12.unseen", _PROBES, "that it reads the given data could not be tried")

# D: data
D1_WRITER = graded(
    "D1.writer",
    _BESIDES,
    "its files were made by another writer than those of the baseline: a comparison of writers; a warning where "
    "something else differs too",
)
D1_LAYOUT = graded(
    "D1.layout",
    _BESIDES,
    "its files are written in another way than those of the baseline; a warning where something else differs too",
)
D2_FILES = error(
    "D2.files",
    _CATALOGS,
    "the catalog that it reads through lists other files than those of its layout",
    disqualifies=True,
)
D2_BYTES = error(
    "D2.bytes",
    _CATALOGS,
    "what it reads through its catalog is not, byte for byte, what its layout has",
    disqualifies=True,
)
D2_UNREAD = warning("D2.unread", _CATALOGS, "what its catalog lists could not be read back after the measurement")
D2_FORMAT = graded(
    "D2.format",
    _BESIDES,
    "it reads through another table format than the baseline; a warning where something else differs too",
)
D2_SAME = note("D2.same", _CATALOGS, "its catalog lists the files of its layout, byte for byte, before and after")
D5_FILES = graded(
    "D5.files",
    _BESIDES,
    "it reads another number of files or row groups than the baseline; a warning where something else differs too",
)
D7_MEMORY = note("D7.memory", Page(_MACHINE, "Size against memory"), "the data fits into memory")
D4_PAGE = error(
    "D4.page", _PAGES, "a page of a file does not have the checksum that its writer put beside it: it was changed since"
)
D4_HEADER = error("D4.header", _PAGES, "a page of a file is not where it must be, or is no page")
D4_WRONG = note(
    "D4.wrong", _FLIPPED, "over a copy of the data with one flipped bit it answers otherwise, and says nothing"
)
D4_RAISED = note("D4.raised", _FLIPPED, "over a copy of the data with one flipped bit it raises")
D4_RIGHT = note("D4.right", _FLIPPED, "over a copy of the data with one flipped bit it answers as before")
D4_UNTRIED = note("D4.untried", _FLIPPED, "no bit could be flipped in what the operations read")
D8_MISSING = error("D8.missing", _CHECK, "a file of the data is gone")
D8_SIZE = error("D8.size", _CHECK, "a file of the data has another size than when it was made")
D8_DAMAGED = error("D8.damaged", _CHECK, "a file of the data cannot be read")
D8_ROWS = error("D8.rows", _CHECK, "a file of the data holds other rows than when it was made")
D8_BYTES = error("D8.bytes", _CHECK, "a file of the data was written anew: the same rows, other bytes")
D8_MANIFEST = error("D8.manifest", _CHECK, "the manifest of the data contradicts itself")
D9_COPY = warning(
    "D9.copy", _COSTS, "it answers without its files: it holds the rows in a layout of its own, made before any clock"
)
D9_LOADED = note("D9.loaded", _COSTS, "its tables were loaded before, and no time contains what that cost")

# E: environment
E1 = plain("E1", Page(_COLD), "it cannot be measured cold here")
E1_RESIDENT = error("E1.resident", _PROVEN, "the data was in memory just before an execution that is called cold")
E1_UNPRIVILEGED = warning(
    "E1.unprivileged", Page(_COLD, "Without root"), "weigh may not drop the kernel's caches, and the data was in memory"
)
E1_UNSEEN = warning("E1.unseen", _PROVEN, "what was in memory, or what was read from devices, cannot be seen")
E1_UNREAD = warning("E1.unread", _PROVEN, "a cold execution read nothing from a device: it answered from elsewhere")
E1_LITTLE = warning("E1.little", _PROVEN, "a cold execution read far less of the same files than those of others")
E1_FILES = error("E1.files", _PROVEN, "its adapter names other files as its data than it was given", disqualifies=True)
E1_OTHERS = error("E1.others", _PROVEN, "somebody else read the data into memory during a cold execution")
E1_RATE = warning("E1.rate", _PROVEN, "data came faster than the device can read: something below the kernel had it")
E1_WARM = warning("E1.warm", _PROVEN, "a first execution read from devices, though its data should have been in memory")
E1_HYPERVISOR = note(
    "E1.hypervisor", Page(_COLD, "What cannot be excluded"), "what a cold measurement cannot exclude from inside"
)
E1_UNPROVEN = plain("E1.unproven", Page(_COLD, "Hot is proven too"), "that the data was hot, or cold, is not proven")
E2 = plain("E2", _EXPECTING, "the data lies on another kind of storage than was expected")
E2_MEMORY = graded("E2.memory", _EXPECTING, "the data lies in memory, so no figure says anything about a device")
E2_NETWORK = graded("E2.network", _EXPECTING, "the data lies behind a network, not on a disk of this machine")
E2_OVERLAY = graded(
    "E2.overlay", _EXPECTING, "the data lies in the layers of a container, and on what they lie is open"
)
E2_HOST = graded("E2.host", _EXPECTING, "the data lies in a folder of the machine under this one")
E2_SPILL = warning("E2.spill", _EXPECTING, "temporary files lie on another kind of storage than expected of the data")
E3_STORE = graded(
    "E3.store",
    _BESIDES,
    "its data lies in another store than that of the baseline; a warning where something else differs too",
)
E3_LOOPBACK = note("E3.loopback", _STORES, "weigh itself serves the objects, on this machine")
E3_INJECTED = note("E3.injected", _STORES, "weigh adds latency to a store, or limits its bandwidth")
E3_CACHED = graded(
    "E3.cached",
    _STORES,
    "executions read nothing from the store: a copy or a cache answers; a note where only footers were known",
)
E3_OUTSIDE = warning("E3.outside", _STORES, "it asks the store for something when no clock runs")
E3_FAILED = warning("E3.failed", _STORES, "requests of timed executions failed, and were asked again")
E3_GONE = warning(
    "E3.gone", _STORES, "a store no longer answers: what failed on it may be its fault, and nobody else's"
)
E4_BEFORE = warning(
    "E4.before",
    Page(_METHOD, "The quiet check"),
    "others used the machine just before the first block, or just before a run of a load",
)
E4_CONTENDED = graded(
    "E4.contended",
    _CONTENTION,
    "others used more than the declared share of the CPU; a warning where that is over all turns, and no verdict where "
    "it fell on one side of a comparison",
)
E4_STEAL = graded(
    "E4.steal",
    _CONTENTION,
    "the hypervisor gave other guests more than the declared share of the CPU; a warning where that is over all turns, "
    "and no verdict where it fell on one side of a comparison",
)
E4_ALLOWED = graded(
    "E4.allowed",
    _CONTENTION,
    "--contention allowed others more than 5 % of the CPU; a warning where they used more than that",
)
E4_APART = warning(
    "E4.apart", _LOAD_MACHINE, "the server cannot be told from other processes, so contention is not judged"
)
E4_UNWATCHED = plain(
    "E4.unwatched", Page(_MACHINE, "What the tier needs"), "who else used the machine was not watched all the time"
)
E4_BLOCKER = warning(
    "E4.blocker", _WAITS, "sessions of somebody else held locks in the server that the load waited for"
)
E5_ASLR = graded("E5.aslr", _KNOBS, "all starts share one layout of memory, because addresses are not random")
E5_CLOCK_SOURCE = graded("E5.clock_source", _KNOBS, "the clock is coarse, or slow to read")
E5_CONTAINER = graded("E5.container", _KNOBS, "this is a container, and what it hides")
E5_CPU_LIMIT = graded("E5.cpu_limit", _KNOBS, "a control group's quota is below the CPUs that are allowed")
E5_ENERGY_PREFERENCE = graded("E5.energy_preference", _KNOBS, "the processor saves energy between bursts")
E5_GOVERNOR = graded("E5.governor", _KNOBS, "the governor changes the frequency with the load")
E5_HUGE_PAGES = graded(
    "E5.huge_pages", _KNOBS, "how many huge pages a process gets depends on how fragmented memory is"
)
E5_IO_SCHEDULER = graded(
    "E5.io_scheduler", _KNOBS, "the I/O scheduler of a disk shares it out by what processes did before"
)
E5_KERNEL_COMMAND_LINE = graded(
    "E5.kernel_command_line",
    _KNOBS,
    "isolated CPUs are among those that are allowed, so all threads stay on one of them",
)
E5_MEMORY_LIMIT = graded("E5.memory_limit", _KNOBS, "a control group limits the memory below that of the machine")
E5_NUMA_BALANCING = graded("E5.numa_balancing", _KNOBS, "the kernel moves memory between nodes while it is in use")
E5_PAGE_RECLAIM = graded(
    "E5.page_reclaim", _KNOBS, "the kernel puts pages out of memory that nobody touched for a while"
)
E5_POWER_PLAN = graded("E5.power_plan", _KNOBS, "the power plan of Windows below follows the load")
E5_POWER_SUPPLY = graded("E5.power_supply", _KNOBS, "the machine runs on its battery")
E5_ROOT = graded(
    "E5.root",
    Page("reference/commands.md", "Environment variables"),
    "the knobs were read from another folder (WEIGH_ROOT), so those of this machine are not known",
)
E5_SMT = graded("E5.smt", _KNOBS, "two CPUs share a core, so one slows the other")
E5_SWAP = graded("E5.swap", _KNOBS, "memory of an idle contender may be swapped out")
E5_THERMAL = graded("E5.thermal", _KNOBS, "the processor is about to be throttled for heat, or was since boot")
E5_TURBO = graded("E5.turbo", _KNOBS, "the frequency depends on temperature and on the other cores")
E5_VIRTUAL_MACHINE = graded("E5.virtual_machine", _KNOBS, "this is a virtual machine, and what it hides")
E5_UNKNOWN = graded("E5", _KNOBS, "a knob that this version of weigh does not know")
E5_DRIFT = graded(
    "E5.drift",
    _DRIFT,
    "the speed of the machine changed during the measurement; a warning where not all arms shared it",
)
E6_AFFINITY = warning(
    "E6.affinity", _DIFFERENCES, "a contender had other CPUs than were asked for, or than the baseline"
)
E6_THREADS = graded("E6.threads", _DIFFERENCES, "a contender had more or fewer threads; a note where that is declared")
E6_MEMORY = graded("E6.memory", _DIFFERENCES, "a contender had another limit of memory than the baseline")
E6_SERVERS = graded(
    "E6.servers",
    _RANKED,
    "what the servers differ in besides what was declared; a note where it is declared, or follows",
)
E6_SPILL = graded(
    "E6.spill", _DIFFERENCES, "contenders spill to different kinds of storage; a note where it is declared"
)
E7_DURABILITY = note(
    "E7.durability",
    Page(_METHOD, "Durability"),
    "a contender is not durable, which changes nothing where it only reads",
)
E7_NOT_DURABLE = warning("E7.not_durable", _DURABLE, "the server may lose a write that it has acknowledged")
E7_PARITY = warning(
    "E7.parity",
    Page("guide/ingest.md", "Durability"),
    "when a load returns, one contender's rows are safe on the device and another's are not",
)
E7_LOST = error("E7.lost", _CRASHES, "writes that the server had acknowledged were gone after a crash")
E7_TORN = error("E7.torn", _CRASHES, "after a crash rows held what nobody wrote")
E7_NOT_BACK = error("E7.not_back", _CRASHES, "the server did not come back after a crash, or could not be read")
E7_NOT_COUNTED = note(
    "E7.not_counted", _CRASHES, "it is not known what a workload leaves behind, so nothing is counted"
)
E7_NOT_WRITTEN_OUT = note(
    "E7.not_written_out", _DURABLE, "a run began while what had been loaded was not yet on the disk"
)
E7_UNEQUAL = warning(
    "E7.unequal", _RANKED, "the servers' acknowledged writes survive different failures, so they are not ranked"
)
E7_UNREAD = warning("E7.unread", _DURABLE, "the settings of the server cannot be read, so its durability is not known")
E8_LATE = plain("E8.late", _REFUSED, "the load generator itself was late, so the times are its own")
E8_SATURATED = plain("E8.saturated", _REFUSED, "the load generator had no CPU left, so the result is its own")
E8_CLOCK = plain("E8.clock", _REFUSED, "the clock jumped, and no time across a jump can be known")
E8_LITTLE = plain("E8.little", _REFUSED, "rate, times and connections contradict Little's law: a figure is wrong")
E8_SAME_MACHINE = plain("E8.same_machine", _LOAD_TIER, "the load generator takes processors from the server")

# L: load
L1_OVERFLOW = warning("L1.overflow", _FIGURES, "requests took more than an hour, which the histograms do not hold")
L2 = note("L2", _JUDGED_SERIES, "the load was a closed loop: a stall of the server counts once, not for everybody")
L2_CLOSED = graded(
    "L2.closed", _LOOPS, "a closed loop: a stall counts once; a note where an open loop was measured as well"
)
L2_RATE = plain("L2.rate", _REFUSED, "the rate that was asked for was not reached")
L2_BEHIND = warning(
    "L2.behind", Page(_REPLAY, "What is late"), "statements of a recording started later than they were recorded"
)
L2_UNEQUAL = warning("L2.unequal", _RANKED, "a server did not keep the rate, so its response times are not compared")
L3_THROUGHPUT = note(
    "L3.throughput", _FIND_RATE, "more went through than the highest rate that keeps the budget, and broke it"
)
L3_GENERATOR = warning(
    "L3.generator", _RATE_NOT_REACHED, "the generator could not offer more: its limit is not the server's"
)
L3_CONNECTIONS = warning(
    "L3.connections", _RATE_NOT_REACHED, "nearly all connections wait for answers at the highest rate: it is theirs"
)
L3_LATE = note(
    "L3.late", _PROBES_OF_SEARCH, "the generator was late in the probe that is shown, by less than it matters"
)
L3_UNSURE = warning(
    "L3.unsure", _PROBES_OF_SEARCH, "probes counted by what they saw, not resolved or not steady however long"
)
L3_UNRESOLVED = plain("L3.unresolved", _RATE_NOT_REACHED, "the search ended before it was clear which rates keep it")
L3_LIMIT = warning("L3.limit", _TPCC_TERMINALS, "the 90th percentile of a transaction of TPC-C is beyond its limit")
L4 = note("L4", _JUDGED_SERIES, "the values before the series settles are left out")
L4_WARM_UP = note("L4.warm_up", _WARM_UP, "the beginning of the run is in no figure")
L4_NOT_STEADY = warning("L4.not_steady", _WARM_UP, "the run does not settle, so the next minutes may look different")
L4_CYCLES = warning("L4.cycles", _WARM_UP, "the run holds fewer than ten periods of what the server does regularly")
L4_LENGTH = plain("L4.length", _LOAD_TIER, "the run is too short for a conclusive result")
L4_TRACE = warning("L4.trace", Page(_LOADING, "The schedule"), "the trace is longer than the run, and is cut")
L4_LEFT_OUT = warning("L4.left_out", Page(_REPLAY, "What is not replayed"), "part of the recording is not replayed")
L4_SESSIONS = note(
    "L4.sessions", Page(_REPLAY, "Sessions and transactions"), "sessions of the recording are not replayed as they were"
)
L5_MIX = error("L5.mix", _TPCC_CHECKED, "the mix of a run of TPC-C is not TPC-C's")
L5_DRAWS = error(
    "L5.draws", _TPCC_CHECKED, "what a run of TPC-C asked for, or left behind, is not drawn as TPC-C draws"
)
L5_PACE = error("L5.pace", _TPCC_TERMINALS, "users at terminals were faster than TPC-C's users are")
L5_UNREAD = warning("L5.unread", _TPCC_CHECKED, "the tables of TPC-C could not be read back")
L6_WORK = error("L6.work", _TPCC_CHECKED, "the tables of TPC-C do not show the work that was acknowledged")
L6_WRONG = error("L6.wrong", _CHECKED, "answers contradict what the server had acknowledged")
L6_MISSING = error("L6.missing", _CHECKED, "keys are gone that had been written and acknowledged")
L6_INVARIANT = error("L6.invariant", _LOAD_ANSWERS, "after a run something does not hold that must")
L6_BROKEN = error(
    "L6.broken", _LOAD_ANSWERS, "before the first run something does not hold that must, so nothing was measured"
)
L7 = warning("L7", _JUDGED_SERIES, "the file has transactions without a time, or intervals without a value")
L7_RECORDED = note(
    "L7.recorded", Page(_REPLAY, "Sessions and transactions"), "statements that failed when they were recorded are sent"
)
L7_ERRORS = plain("L7.errors", _REFUSED, "more requests failed than the error budget allows")
L7_FAILED = warning("L7.failed", _TARGETS, "requests failed or timed out; they are counted and in no percentile")
L7_UNSENT = warning("L7.unsent", _REFUSED, "requests were due and never sent")
L7_RECONNECTS = warning("L7.reconnects", _TARGETS, "connections were lost and opened again")
L7_GONE = warning("L7.gone", _TARGETS, "connections were lost, and none could be opened again")
L8_KIND = note("L8.kind", _CHECKED, "YCSB on a relational store: compare it with other relational stores only")
L8_SCANS = warning("L8.scans", _SCANS, "the scans go over an index of weigh's own, because the store keeps no order")
L9_UNRESOLVED = plain(
    "L9.unresolved", _RANKED, "the runs hold too few independent requests beyond a percentile, so it is not compared"
)
L10_BLAMED = note(
    "L10.blamed",
    _ACTIVITY,
    "spikes began in what the server did now and then, more often than chance gives: that is blamed for them",
)

# M: how another metric moved with the time
M_SETTLED = plain("M.settled", _METRICS, "the time leaves it open, CPU seconds settle how much work it is")
M_BOUGHT = plain("M.bought", _METRICS, "less time, bought with cores, memory or reading")
M_AGAINST = plain("M.against", _METRICS, "more time, and yet less of another metric")
M_WITH = plain("M.with", _METRICS, "another metric moved with the time")
M_ALONE = plain("M.alone", _METRICS, "the time moved alone, at the same CPU seconds")
M_BESIDE = plain("M.beside", _METRICS, "another metric moved although the time did not, or is open")
M_ZERO = plain("M.zero", _METRICS, "a metric is zero in every execution, so it has no verdict")
M_SOME = plain("M.some", _METRICS, "a metric is zero in some executions, and has no ratio there")
M_MISSING = plain("M.missing", _METRICS, "a metric was not measured, so it has no verdict")

# R: reports
R1 = plain("R1", _JUDGED, "a contender has no measurement of the operation")
R3 = plain("R3", _VERIFY, "there are samples without the configuration that they were measured with")
R3_CONFIGURATION = plain("R3.configuration", _VERIFY, "samples without their configuration make no report")
R3_VERSION = warning("R3.version", _TIERS, "the running engine names another version than its package")
R3_BUILD = graded(
    "R3.build", _BUILDS, "two contenders are the same build, or what was installed is not what the experiment is of"
)
R3_UNREAD = plain("R3.unread", _TIERS, "a version or a setting was not read back from the running engine")
R4_HASH = plain("R4.hash", _VERIFY, "a file, or the seal of an earlier attempt, was changed")
R4_SEALED = plain("R4.sealed", _VERIFY, "a file is missing, or was added after the seal")
R4_CHAIN = plain("R4.chain", _VERIFY, "a line of the journal does not carry the hash of the line before it")
R4_FINDINGS = plain("R4.findings", _VERIFY, "what must have been found, or seen by the sampler, is not in the journal")
R4_DERIVED = plain("R4.derived", _VERIFY, "a file is not what follows from the journal")
R4_FIGURES = plain("R4.figures", _VERIFY, "a status, a verdict or a report does not follow from checks and samples")
R4_SQL = plain(
    "R4.sql", Page(_EVIDENCE, "A second implementation"), "a figure is not what the second implementation computes"
)
R4_UNSEALED = warning(
    "R4.unsealed", _WEAKENS, "a session was killed or is still running, so nothing of it was verified"
)
R8_TERMS = note("R8.terms", Page(_LIES), "the licence of the engine restricts publishing its results")
R9_SIGNATURE = plain("R9.signature", _SIGNING, "nobody who is trusted signed the seal as it is")

# T: times
T1 = plain("T1", _VERDICTS, "neither a difference that matters nor equality is shown")
T1_MEDIANS = plain("T1.medians", _BESIDE, "a difference is claimed, and the medians point the other way")
T1_FLOOR = plain("T1.floor", _BESIDE, "a difference is claimed, and the baseline's own arms differ by as much")
T1_TOTAL = plain("T1.total", _TWO, "a typical execution and the total of all executions have different verdicts")
T1_CONSTANT = plain("T1.constant", _BESIDE, "every start gave exactly the same ratio")
T1_PRECISION = note("T1.precision", _PRECISION, "which operations reached the precision, after how many starts")
T1_WIDE = note(
    "T1.wide", _PRECISION, "which operations did not reach the precision, and about how many starts they need"
)
T1_CLOCK = plain("T1.clock", _VERDICTS, "the clock ticks in steps larger than the margin")
T1_SUMMARIES = plain("T1.summaries", _JUDGED, "the file holds summaries and no single measurements")
T2_SMALL = warning("T2.small", _LADDER, "noise hides the margin at this scale, and a larger one resolves it")
T2_NONE = warning("T2.none", _LADDER, "noise hides the margin at every scale that was measured")
T2_LOST = warning("T2.lost", _LADDER, "a larger scale resolves the margin no more")
T3_SHORT = plain("T3.short", _MEAN, "the series holds too few independent samples for an interval")
T3_CORRELATED = plain(
    "T3.correlated", _MEAN, "the samples are correlated over an eighth of the run, or those of one connection in many"
)
T3_HEAVY = plain("T3.heavy", _MEAN, "the largest samples follow a law without a variance, so no interval of the mean")
T3_INTERVALS = note(
    "T3.intervals", _JUDGED_SERIES, "the log has lost the order inside its intervals: their means count"
)
T4 = plain("T4", _BESIDE, "the ratio itself drifts from block to block")
T4_DRIFT = plain("T4.drift", _MEAN, "the series drifts, so its mean depends on when it began and ended")
T4_NO_STEADY_STATE = plain("T4.no_steady_state", _STEADY, "the series has no steady part, so no level is given")
T4_MACHINE = plain("T4.machine", _DRIFT, "the machine changed its speed within a block whose arms did not share it")
T5 = plain("T5", _VERDICTS, "what is compared was not measured in turn, or shares no reference")
T5_ORDER = plain("T5.order", _VERIFY, "the turns are not in the order of the seed, or their order is only vouched for")
T5_FIRST = plain("T5.first", _JUDGED, "the same contender began every round")
T5_DATA = plain("T5.data", _JOINED, "two sessions read different data")
T5_WORKLOAD = plain("T5.workload", _JOINED, "two sessions did not ask the same question")
T5_TEMPERATURE = plain("T5.temperature", _JOINED, "two sessions were not both measured hot")
T5_BOUNDS = plain("T5.bounds", _JOINED, "two sessions gave their contenders other CPUs or memory")
T5_HOST = warning("T5.host", _JOINED, "what is compared was measured on different machines")
T5_JOIN = plain("T5.join", _WEAKENS, "that the machine changed alike for all contenders is assumed")
T5_REFERENCE = warning("T5.reference", _WEAKENS, "the reference did not move by one factor on all operations")
T5_STATE = warning("T5.state", _WEAKENS, "the machine was in another state in the other session")
T5_PROTOCOL = warning("T5.protocol", _WEAKENS, "two sessions measured in different ways")
T5_WEIGH = warning("T5.weigh", _WEAKENS, "two sessions were measured by different versions of weigh")
T5_RULES = note("T5.rules", _WEAKENS, "two sessions declared different rules; those of the first decide")
T5_OPERATIONS = note("T5.operations", _WEAKENS, "operations that took part in one session only")
T7_UNSTABLE = plain(
    "T7.unstable", _VERDICTS, "the noise would hide a change of 10 %, so it has neither passed nor failed"
)
T7_STARTS = plain("T7.starts", _BESIDE, "some fresh starts of one side are of another kind than the rest")
T8_ATTEMPTS = note("T8.attempts", _ATTEMPTS, "how many attempts the verdicts read")
T8_MISSING = warning("T8.missing", _ATTEMPTS, "an earlier attempt was removed, and every attempt counts")
T8_STOP = plain("T8.stop", _ATTEMPTS, "measuring ended when nothing that was decided beforehand ended it")
T8_STOPPED = plain("T8.stopped", _LOAD_TIER, "the load was broken off before its end")
T8_UNFINISHED = plain("T8.unfinished", _TIERS, "an attempt with times was not completed")
T8_LOST = plain("T8.lost", _VERDICTS, "starts of one side are missing, and the missing ones may be the slow ones")
T8_GAPS = warning("T8.gaps", _JUDGED, "numbers of starts are left out in the file: what was lost may be the slow ones")
T10 = plain("T10", _BESIDE, "fewer fresh starts than a conclusive result needs")
T10_STARTS = plain("T10.starts", _VERDICTS, "too few fresh starts for a verdict")
T10_BUDGET = note("T10.budget", _BUDGET, "the budget allows fewer starts or runs than were asked for")
T10_ONE_LIFE = note("T10.one_life", _REPEATS, "the repeats of a load are against one life of the server")
T10_RUN = plain("T10.run", _REPEATS, "an interval from inside a run says nothing about the next run")

# X: no lie of anybody
X_LAYOUT = plain("X.layout", _TIERS, "what the contenders were given to read is not recorded")
X_START = warning("X.start", _FAILS, "a fresh start of a contender failed")
X_SERIAL = note(
    "X.serial",
    Page(_METHOD, "Blocks, turns, arms"),
    "the arms of a block live one after another, because they do not fit into memory together",
)
X_COLUMNS = note("X.columns", Page(_JUDGE, "CSV"), "columns of the file that were not read")
X_DUET = note("X.duet", Page(_METHOD, "Duets"), "each contender was measured while the baseline executed beside it")
X_RESUMED = note("X.resumed", Page(_EVIDENCE, "Resuming"), "the attempt was killed, and continued later")
X_RELATION = note(
    "X.relation", Page(_ANSWERS, "Metamorphic checks"), "a check of the engine against itself could not be made"
)
X_SHRINK = note("X.shrink", _REPRODUCERS, "why there is no reproducer of a divergence")
X_SAMPLER = warning(
    "X.sampler", Page(_MACHINE, "What is watched"), "the sampler failed, and from then on nobody watched the machine"
)
X_ACTIVITY = note("X.activity", _ACTIVITY, "the sampling of what the server did beside answering failed")
X_WAITS = note("X.waits", _WAITS, "the sampling of what the server's sessions wait for failed")
X_METRIC = plain("X.metric", _VERDICTS, "a metric is zero or missing in some executions, so it has no ratio")
X_IGNORED = note(
    "X.ignored",
    Page("reference/workloads.md", "YCSB's property files"),
    "properties of a YCSB workload mean nothing here",
)
X_UNSUPPORTED = plain("X.unsupported", _FAILS, "a contender does not support the operation")
X_ERROR = plain("X.error", _FAILS, "a contender failed on the operation")
X_TIMEOUT = plain("X.timeout", _FAILS, "a contender did not finish the operation in time")
X_CRASH = plain("X.crash", _FAILS, "a contender crashed on the operation")
X_OUT_OF_MEMORY = plain("X.out_of_memory", _FAILS, "a contender ran out of memory on the operation")

REGISTRY: dict[str, Entry] = {one.code: one for one in tuple(globals().values()) if isinstance(one, Entry)}
"""All codes, in the order above."""


def knob(name: str) -> Graded:
    """The code of a knob (:mod:`weigh.host.knobs`)."""
    found = REGISTRY.get(f"E5.{name}")
    return found if isinstance(found, Graded) else E5_UNKNOWN

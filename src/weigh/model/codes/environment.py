"""E: codes of the environment."""

from __future__ import annotations

from weigh.model.codes import pages
from weigh.model.codes.code import Page, error, graded, note, plain, warning

E1 = plain("E1", Page(pages.COLD), "it cannot be measured cold here")
E1_RESIDENT = error("E1.resident", pages.PROVEN, "the data was in memory just before an execution that is called cold")
E1_UNPRIVILEGED = warning(
    "E1.unprivileged",
    Page(pages.COLD, "Without root"),
    "weigh may not drop the kernel's caches, and the data was in memory",
)
E1_UNSEEN = warning("E1.unseen", pages.PROVEN, "what was in memory, or what was read from devices, cannot be observed")
E1_UNREAD = warning(
    "E1.unread", pages.PROVEN, "a cold execution read nothing from a device: it answered from elsewhere"
)
E1_LITTLE = warning("E1.little", pages.PROVEN, "a cold execution read far less of the same files than those of others")
E1_FILES = error(
    "E1.files", pages.PROVEN, "its adapter names other files as its data than it was given", disqualifies=True
)
E1_OTHERS = error(
    "E1.others", pages.PROVEN, "somebody else had the data in memory, read it in or put it out; no contender is named"
)
E1_RATE = warning(
    "E1.rate", pages.PROVEN, "data came faster than the device can read: something below the kernel had it"
)
E1_WARM = warning(
    "E1.warm", pages.PROVEN, "a first execution read from devices, though its data should have been in memory"
)
E1_HYPERVISOR = note(
    "E1.hypervisor", Page(pages.COLD, "What cannot be excluded"), "what a cold measurement cannot exclude from inside"
)
E1_UNPROVEN = plain(
    "E1.unproven", Page(pages.COLD, "Hot is proven too"), "that the data was hot, or cold, is not proven"
)
E2 = plain("E2", pages.EXPECTING, "the data lies on another kind of storage than was expected")
E2_MEMORY = graded("E2.memory", pages.EXPECTING, "the data lies in memory, so no figure says anything about a device")
E2_NETWORK = graded("E2.network", pages.EXPECTING, "the data lies behind a network, not on a disk of this machine")
E2_OVERLAY = graded(
    "E2.overlay", pages.EXPECTING, "the data lies in the layers of a container, and on what they lie is open"
)
E2_HOST = graded("E2.host", pages.EXPECTING, "the data lies in a folder of the machine under this one")
E2_SPILL = warning(
    "E2.spill", pages.EXPECTING, "temporary files lie on another kind of storage than expected of the data"
)
E3_STORE = graded(
    "E3.store",
    pages.BESIDES,
    "its data lies in another store than that of the baseline; a warning where something else differs too",
)
E3_LOOPBACK = note("E3.loopback", pages.STORES, "weigh itself serves the objects, on this machine")
E3_INJECTED = note("E3.injected", pages.STORES, "weigh adds latency to a store, or limits its bandwidth")
E3_CACHED = graded(
    "E3.cached",
    pages.STORES,
    "executions read nothing from the store: a copy or a cache answers; a note where only footers were known",
)
E3_OUTSIDE = warning("E3.outside", pages.STORES, "it asks the store for something when no clock runs")
E3_FAILED = warning("E3.failed", pages.STORES, "requests of timed executions failed, and were asked again")
E3_GONE = warning(
    "E3.gone", pages.STORES, "a store no longer answers: what failed on it may be its fault, and nobody else's"
)
E4_BEFORE = warning(
    "E4.before",
    Page(pages.METHOD, "The quiet check"),
    "others used the machine just before the first block, or just before a run of a load",
)
E4_CONTENDED = graded(
    "E4.contended",
    pages.CONTENTION,
    "others used more than the declared share of the CPU; a warning where that is over all turns, and no verdict where "
    "it fell on one side of a comparison",
)
E4_STEAL = graded(
    "E4.steal",
    pages.CONTENTION,
    "the hypervisor gave other guests more than the declared share of the CPU; a warning where that is over all turns, "
    "and no verdict where it fell on one side of a comparison",
)
E4_ALLOWED = graded(
    "E4.allowed",
    pages.CONTENTION,
    "--contention allowed others more than 5 % of the CPU; a warning where they used more than that",
)
E4_APART = warning(
    "E4.apart",
    pages.LOAD_MACHINE,
    "the server cannot be distinguished from other processes, so contention is not judged",
)
E4_UNWATCHED = plain(
    "E4.unwatched", Page(pages.MACHINE, "What the tier needs"), "who else used the machine was not watched all the time"
)
E4_BLOCKER = warning(
    "E4.blocker", pages.WAITS, "sessions of somebody else held locks in the server that the load waited for"
)
E5_ASLR = graded("E5.aslr", pages.KNOBS, "all starts share one layout of memory, because addresses are not random")
E5_CLOCK_SOURCE = graded("E5.clock_source", pages.KNOBS, "the clock is coarse, or slow to read")
E5_CONTAINER = graded("E5.container", pages.KNOBS, "this is a container, and what it hides")
E5_CPU_LIMIT = graded("E5.cpu_limit", pages.KNOBS, "a control group's quota is below the CPUs that are allowed")
E5_ENERGY_PREFERENCE = graded("E5.energy_preference", pages.KNOBS, "the processor saves energy between bursts")
E5_GOVERNOR = graded("E5.governor", pages.KNOBS, "the governor changes the frequency with the load")
E5_HUGE_PAGES = graded(
    "E5.huge_pages", pages.KNOBS, "how many huge pages a process gets depends on how fragmented memory is"
)
E5_IO_SCHEDULER = graded(
    "E5.io_scheduler", pages.KNOBS, "the I/O scheduler of a disk shares it out by what processes did before"
)
E5_KERNEL_COMMAND_LINE = graded(
    "E5.kernel_command_line",
    pages.KNOBS,
    "isolated CPUs are among those that are allowed, so all threads stay on one of them",
)
E5_MEMORY_LIMIT = graded("E5.memory_limit", pages.KNOBS, "a control group limits the memory below that of the machine")
E5_NUMA_BALANCING = graded("E5.numa_balancing", pages.KNOBS, "the kernel moves memory between nodes while it is in use")
E5_PAGE_RECLAIM = graded(
    "E5.page_reclaim", pages.KNOBS, "the kernel puts pages out of memory that nobody touched for a while"
)
E5_POWER_PLAN = graded("E5.power_plan", pages.KNOBS, "the power plan of Windows below follows the load")
E5_POWER_SUPPLY = graded("E5.power_supply", pages.KNOBS, "the machine runs on its battery")
E5_ROOT = graded(
    "E5.root",
    Page("reference/commands.md", "Environment variables"),
    "the knobs were read from another folder (WEIGH_ROOT), so those of this machine are not known",
)
E5_SMT = graded("E5.smt", pages.KNOBS, "two CPUs share a core, so one slows the other")
E5_SWAP = graded("E5.swap", pages.KNOBS, "memory of an idle contender may be swapped out")
E5_THERMAL = graded("E5.thermal", pages.KNOBS, "the processor is about to be throttled for heat, or was since boot")
E5_TURBO = graded("E5.turbo", pages.KNOBS, "the frequency depends on temperature and on the other cores")
E5_VIRTUAL_MACHINE = graded("E5.virtual_machine", pages.KNOBS, "this is a virtual machine, and what it hides")
E5_UNKNOWN = graded("E5", pages.KNOBS, "a knob that this version of weigh does not know")
E5_DRIFT = graded(
    "E5.drift",
    pages.DRIFT,
    "the speed of the machine changed during the measurement; a warning where not all arms shared it",
)
E6_AFFINITY = warning(
    "E6.affinity", pages.DIFFERENCES, "a contender had other CPUs than were asked for, or than the baseline"
)
E6_THREADS = graded(
    "E6.threads", pages.DIFFERENCES, "a contender had more or fewer threads; a note where that is declared"
)
E6_PRIORITY = warning(
    "E6.priority", pages.DIFFERENCES, "a contender is scheduled with another priority than it was started with"
)
E6_MEMORY = graded("E6.memory", pages.DIFFERENCES, "a contender had another limit of memory than the baseline")
E6_SERVERS = graded(
    "E6.servers",
    pages.RANKED,
    "what the servers differ in besides what was declared; a note where it is declared, or follows",
)
E6_SPILL = graded(
    "E6.spill", pages.DIFFERENCES, "contenders spill to different kinds of storage; a note where it is declared"
)
E7_DURABILITY = note(
    "E7.durability",
    Page(pages.METHOD, "Durability"),
    "a contender is not durable, which changes nothing where it only reads",
)
E7_NOT_DURABLE = warning("E7.not_durable", pages.DURABLE, "the server may lose a write that it has acknowledged")
E7_PARITY = warning(
    "E7.parity",
    Page("guide/ingest.md", "Durability"),
    "when a load returns, one contender's rows are safe on the device and another's are not",
)
E7_GROWN = warning("E7.grown", pages.REMOTE, "a system by URL had another size in one session than in another")
E7_LOST = error("E7.lost", pages.CRASHES, "writes that the server had acknowledged were gone after a crash")
E7_TORN = error("E7.torn", pages.CRASHES, "after a crash rows held what nobody wrote")
E7_NOT_BACK = error("E7.not_back", pages.CRASHES, "the server did not come back after a crash, or could not be read")
E7_NOT_COUNTED = note(
    "E7.not_counted", pages.CRASHES, "it is not known what a workload leaves behind, so nothing is counted"
)
E7_NOT_WRITTEN_OUT = note(
    "E7.not_written_out", pages.DURABLE, "a run began while what had been loaded was not yet on the disk"
)
E7_UNEQUAL = warning(
    "E7.unequal", pages.RANKED, "the servers' acknowledged writes survive different failures, so they are not ranked"
)
E7_UNREAD = warning(
    "E7.unread", pages.DURABLE, "the settings of the server cannot be read, so its durability is not known"
)
E8_LATE = plain("E8.late", pages.REFUSED, "the load generator itself was late, so the times are its own")
E8_SATURATED = plain("E8.saturated", pages.REFUSED, "the load generator had no CPU left, so the result is its own")
E8_CLOCK = plain("E8.clock", pages.REFUSED, "the clock jumped, and no time across a jump can be known")
E8_STOPPED = warning(
    "E8.stopped", pages.STANDSTILL, "weigh, or the process of a contender, was stopped while something was measured"
)
E8_LITTLE = plain("E8.little", pages.REFUSED, "rate, times and connections contradict Little's law: a figure is wrong")
E10_LOST = plain("E10.lost", pages.AGENTS, "an agent of the load was lost, so less was offered than was declared")
E10_LATE = plain("E10.late", pages.AGENTS, "one agent of the load was late, so its times are its own")
E10_SATURATED = plain("E10.saturated", pages.AGENTS, "one agent of the load had no CPU left")
E10_THROTTLED = plain("E10.throttled", pages.AGENTS, "the kernel held one agent of the load back, by a limit of CPU")
E10_STILL = plain("E10.still", pages.AGENTS, "one agent of the load stood still, and the tail is its")
E10_CLOCK = plain("E10.clock", pages.AGENTS, "the clock of one agent jumped, was set, or ran at another speed")
E10_REFUSED = warning("E10.refused", pages.AGENTS, "a run is refused for one of its agents")
E10_PAUSED = warning(
    "E10.paused", pages.AGENTS, "one agent of the load stood still for so short that only the maximum shows it"
)
E10_WALL = warning("E10.wall", pages.AGENTS, "the wall clock of one agent's machine is wrong")
E10_SLOW = warning(
    "E10.slow", pages.AGENTS, "one agent waits longer than the others at the same moments: not for the server"
)
E10_SCHEDULE = note(
    "E10.schedule", pages.AGENTS, "how far the arrivals of all agents together may be from the declared ones"
)
E8_SAME_MACHINE = plain("E8.same_machine", pages.LOAD_TIER, "the load generator takes processors from the server")
E9_OTHERS = error(
    "E9.others",
    pages.SABOTAGE,
    "it tried to slow, stop or end processes of others, or to move them to other CPUs",
    disqualifies=True,
)
E9_FILES = error(
    "E9.files",
    pages.SABOTAGE,
    "it tried to keep the data files from others",
    disqualifies=True,
)
E9_TURN = error(
    "E9.turn", pages.SABOTAGE, "it has the kernel prefer it while it executes, and puts that back", disqualifies=True
)

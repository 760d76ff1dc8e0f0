"""Lies about the machine and the server."""

from __future__ import annotations

from weigh.lies.lie import rows
from weigh.model.codes import pages
from weigh.model.codes.code import Page

_COLD = Page("concept/cold.md", "What is proven")
_REFUSED = Page("concept/load.md", "When a run is refused")

ROWS = rows(
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
        "`weigh doctor` names what spoils, sets it when asked and restores it; fixed work tells drift within a "
        "run, also where the host hides its frequency",
    ),
    (
        "E6",
        Page("concept/method.md", "Equal resources"),
        "contenders are given different cores, threads, memory or places to spill, or another priority",
        "one affinity and one limit of memory for all; what each start had is read back, and every difference is named "
        "with both values",
    ),
    (
        "E7",
        Page("reference/targets.md", "Durability"),
        "durability switched off, exotic settings",
        "settings are read back from the running server, printed next to its defaults, and held against the flushes "
        "of its device; what may lose an acknowledged write is called not durable, and servers whose writes survive "
        "different failures are not ranked; a service that grows meanwhile is named",
    ),
    (
        "E8",
        _REFUSED,
        "the load generator is the bottleneck",
        "a run judges itself: lateness and CPU of the generator, the clock, Little's law; past a limit it is REFUSED",
    ),
    (
        "E9",
        Page("concept/method.md", "What one contender does to another (E9)"),
        "one contender slows the other: leases, locks, priority, CPUs, signals, page cache",
        "the kernel asks weigh before one process touches another one: what would harm is refused, and who tried is "
        "disqualified; locks on the data files are read in every turn; who prefers itself in its own turns alone is "
        "found too, and no victim is named",
    ),
    (
        "E10",
        pages.AGENTS,
        "one of several load agents is late, stopped, lost or has a wrong clock, and hides in the merged figures",
        "each agent is judged by itself and compared with the others at the same moments; one that fails is named, and "
        "the run is REFUSED; a lost one ends it",
    ),
)

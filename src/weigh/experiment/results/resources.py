"""Parity: whether the contenders had the same CPUs, threads, priority, memory and place to spill (E6). Pure.

What differs is named with both values. A difference that the user declared, as threads=1 against threads=2, is what is
compared, and a note; one that nobody declared is a warning.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from weigh.model import codes, units
from weigh.model.errors import UsageError
from weigh.model.resources import ResourcesRead, cpus_text
from weigh.model.sample import Samples

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from weigh.experiment.record import Record
    from weigh.model.finding import Finding, Severity
    from weigh.model.sample import Sample
    from weigh.model.spec import Spec

UNLIMITED = float("inf")
_NEAR = 0.5
"""Share of the smaller limit of memory: where nobody's peak came so near, neither limit changed anything."""
_SHORT = 0.005
"""Seconds. Shorter executions have too few CPU seconds to tell how many threads worked."""
_DECLARED = "nothing to do: it is declared, and part of what is compared"
_BY_WHOM = (
    "it is the one that loses by it, and who did it is not known: look which process changes priorities or CPUs of "
    "others, and run again"
)
_UNASKED = "if nobody set that, look which process changes the CPUs of others"
_HELPERS = 0.5
"""CPU seconds a second that readers and the client may use alongside the threads that an engine names."""


def resources_read(record: Record) -> dict[str, tuple[ResourcesRead, ...]]:
    """What every contender said: before the gate, and each of its lives at its end."""
    found: dict[str, list[ResourcesRead]] = defaultdict(list)
    for read in record.environment.contenders if record.environment else ():
        if read.resources:
            found[read.name].append(read.resources)
    for worker in record.workers:
        found[worker.contender].append(worker.resources)
    return {name: tuple(reads) for name, reads in found.items()}


def findings(record: Record, samples: Sequence[Sample]) -> Iterator[Finding]:
    """What the contenders were not given alike.

    Args:
        record: of the latest attempt; nothing is reported of one that did not record it.
        samples: of all attempts.
    """
    every = resources_read(record)
    spec = record.spec
    base = every.get(spec.baseline, ())
    for name, reads in every.items():
        yield from _declared(name, reads, spec)
        yield from _unsteady(name, reads)
        yield from _grown(name, reads)
        yield from _crowded(name, reads[-1])
        yield from _overdone(name, reads, samples)
        if name != spec.baseline and base:
            yield from _pair(name, reads[-1], spec.baseline, base[-1], record, samples)


def parallelism(samples: Iterable[Sample]) -> dict[tuple[str, str], float]:
    """Effective parallelism of (operation, contender): median of CPU seconds over wall seconds."""
    every = Samples.of(samples)
    return every.once("parallelism", lambda: _parallelism(every))


def _parallelism(samples: Samples) -> dict[tuple[str, str], float]:
    wall, cpu = samples.floats("wall_s"), samples.floats("cpu_s")
    among = samples.timed & ~np.isnan(cpu) & ~np.isnan(wall) & (wall != 0)
    groups = samples.groups("operation", "contender", among=among)
    return {pair: float(np.median(cpu[those] / wall[those])) for pair, those in groups.items()}


def _declared(name: str, reads: tuple[ResourcesRead, ...], spec: Spec) -> Iterator[Finding]:
    """What was asked for all, and is not in force for this one."""
    allowed = set(spec.affinity or ())
    # Some of them suffice where there are fewer threads, or where two share them in a duet.
    fewer = bool(spec.duet) or any(one.threads is not None and one.threads < len(allowed) for one in reads)
    cpus = next((one.cpus for one in reads if one.cpus and _other(set(one.cpus), allowed, fewer=fewer)), None)
    if cpus and spec.affinity:
        fewer_cpus = set(cpus) < allowed
        text = f"it runs on CPUs {cpus_text(cpus)}; {cpus_text(spec.affinity)} was asked for all"
        yield codes.E6_AFFINITY.finding(
            contender=None if fewer_cpus else name,
            text=f"{name} had fewer CPUs than the others: {text}" if fewer_cpus else text,
            remedy=_BY_WHOM if fewer_cpus else "its adapter, or what it loads, sets its own affinity: it must not",
        )
    if priority := next((one.priority for one in reads if one.priority), ""):
        behind = lowered(priority)
        text = f"it is scheduled with {priority}"
        yield codes.E6_PRIORITY.finding(
            contender=None if behind else name,
            text=f"{name} came after the others: {text}" if behind else text,
            remedy=_BY_WHOM
            if behind
            else "unless somebody else raised it, its adapter or what it loads does: it must not; start weigh itself "
            "with nice where all are to have another one",
        )


def lowered(priority: str) -> bool:
    """Whether a priority is behind the one that was started with: ``nice 10, started with nice 0``."""
    now, _, before = priority.partition(", started with ")
    nice = [re.fullmatch(r"nice (-?\d+)", one) for one in (now, before)]
    if nice[0] and nice[1]:
        return int(nice[0][1]) > int(nice[1][1])
    return now in ("SCHED_IDLE", "SCHED_BATCH") or before.startswith(("SCHED_FIFO", "SCHED_RR", "SCHED_DEADLINE"))


def _other(cpus: set[int], allowed: set[int], *, fewer: bool) -> bool:
    """Whether these are other CPUs than were asked for; nothing was where there are none."""
    return bool(allowed) and (not cpus <= allowed if fewer else cpus != allowed)


def _unsteady(name: str, reads: tuple[ResourcesRead, ...]) -> Iterator[Finding]:
    """One that has more in one life than in another, or at the end of a life than when it was asked before."""
    threads = sorted({one.threads for one in reads if one.threads is not None})
    fits = all(one.cpus and one.threads is not None and one.threads <= len(one.cpus) for one in reads)
    if len(threads) > 1 and fits and len({len(one.cpus) for one in reads}) > 1:
        text = f"the lives of {name} had {' and '.join(map(str, threads))} threads, and other numbers of CPUs too"
        yield codes.E6_THREADS.finding("warning", text=text, remedy=_BY_WHOM)
    elif len(threads) > 1:
        text = f"its lives had {' and '.join(map(str, threads))} threads"
        yield codes.E6_THREADS.finding(
            "warning", contender=name, text=text, remedy="declare its threads in its settings"
        )


def _grown(name: str, reads: tuple[ResourcesRead, ...]) -> Iterator[Finding]:
    """A system by URL that was not as large all the time."""
    for setting in {setting: 0 for one in reads for setting in one.sizes or {}}:
        values = list(dict.fromkeys((one.sizes or {}).get(setting, "not told") for one in reads))
        if len(values) > 1:
            yield codes.E7_GROWN.finding(
                contender=name,
                text=f"{setting} was {' and then '.join(values)}: its times, and what they cost, are not those of one "
                "system",
                remedy="switch its scaling off, or fix its size, while it is measured",
            )


def _crowded(name: str, read: ResourcesRead) -> Iterator[Finding]:
    """More threads than CPUs, and nobody asked for them."""
    if read.cpus and read.threads and read.threads > len(read.cpus) and "threads" not in read.declared:
        text = f"it has {read.threads} threads for {units.count(len(read.cpus), 'CPU')}, and nobody asked for that"
        yield codes.E6_THREADS.finding(
            "note", contender=name, text=text, remedy="declare as many threads as CPUs in the settings of all"
        )


def _overdone(name: str, reads: tuple[ResourcesRead, ...], samples: Sequence[Sample]) -> Iterator[Finding]:
    """More CPU time than the threads that it names can use."""
    threads = max((one.threads for one in reads if one.threads is not None), default=None)
    if not threads:
        return
    samples_of = [one for one in samples if one.contender == name and (one.wall_s or 0.0) >= _SHORT]
    most = max(((ratio, operation) for (operation, _), ratio in parallelism(samples_of).items()), default=None)
    if most and most[0] > threads + _HELPERS:
        text = (
            f"it says it has {units.count(threads, 'thread')}, and used {most[0]:.1f} CPU seconds a second on {most[1]}"
        )
        yield codes.E6_THREADS.finding(
            "warning",
            contender=name,
            text=text,
            remedy="it has threads besides those: see its settings for readers and pools",
        )


def _pair(
    name: str, one: ResourcesRead, baseline: str, base: ResourcesRead, record: Record, samples: Sequence[Sample]
) -> Iterator[Finding]:
    def severity(what: str) -> Severity:
        return "note" if what in one.declared or what in base.declared else "warning"

    if one.cpus and base.cpus and one.cpus != base.cpus and not (record.spec.affinity or record.spec.duet):
        text = f"{name} may run on CPUs {cpus_text(one.cpus)}, the baseline {baseline} on {cpus_text(base.cpus)}"
        yield codes.E6_AFFINITY.finding(text=text, remedy=f"give --affinity for all; {_UNASKED}")
    if None not in (one.threads, base.threads) and one.threads != base.threads:
        text = f"it has {units.count(one.threads or 0, 'thread')}, the baseline {baseline} {base.threads}"
        grade = severity("threads")
        remedy = "declare the threads of both in their settings" if grade == "warning" else _DECLARED
        yield codes.E6_THREADS.finding(grade, contender=name, text=text, remedy=remedy)
    if one.group != base.group:
        text = (
            f"the control group of {name} allows {_limit(one.group)}, that of the baseline {baseline} "
            f"{_limit(base.group)}"
        )
        yield codes.E6_MEMORY.finding("warning", text=text, remedy="see who else changes control groups here")
    limits = (limit(one.memory), limit(base.memory))
    if None not in limits and limits[0] != limits[1]:
        text = (
            f"its own limit of memory is {_memory_limit(one)}, that of the baseline {baseline} is {_memory_limit(base)}"
        )
        far = one.group is not None or _far(min(filter(None, limits)), (name, baseline), samples)
        peaks = "; no peak came near" if far and samples else ""
        why = "; a control group holds both" if one.group is not None else peaks
        kind: Severity = "note" if far else severity("memory")
        yield codes.E6_MEMORY.finding(
            kind, contender=name, text=text + why, remedy="give --memory-limit for all, or declare it in settings"
        )
    if one.spill_on and base.spill_on and one.spill_on != base.spill_on:
        text = f"it spills to {one.spill} ({one.spill_on}), the baseline {baseline} to {base.spill} ({base.spill_on})"
        yield codes.E6_SPILL.finding(
            severity("spill"), contender=name, text=text, remedy="let both spill to the same place"
        )


def limit(text: str) -> float | None:
    """An engine's own limit in bytes; infinite for none, None where it says nothing or in another way."""
    if not text:
        return None
    if text.lower() in ("0", "unlimited", "none", "max", "-1"):
        return UNLIMITED
    try:
        return float(units.parse_size(text))
    except UsageError:
        return None


def _far(least: float, names: tuple[str, ...], samples: Iterable[Sample]) -> bool:
    """Whether every peak of both is known and stays far below the smaller limit."""
    peaks: Mapping[str, list[int | None]] = {name: [] for name in names}
    for one in samples:
        if one.timed and one.contender in peaks:
            peaks[one.contender].append(one.peak_memory)
    return all(None not in found and all((peak or 0) < _NEAR * least for peak in found) for found in peaks.values())


def _memory_limit(read: ResourcesRead) -> str:
    return "none" if limit(read.memory) == UNLIMITED else read.memory


def _limit(group: int | None) -> str:
    return "anything" if group is None else units.size(group)

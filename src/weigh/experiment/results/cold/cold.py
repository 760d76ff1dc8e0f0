"""Warm or cold: what the readings around the executions prove (docs/concept/cold.md). Pure.

Cold: not one page of the data was in memory just before the clock, and the contender's own processes then read from a
device what came in. First: the same execution in a fresh life that read next to nothing from a device. Hot: timed
executions that read next to nothing. What is not proven is not called so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from weigh.experiment.results.cold.cold_proof import ColdProof
from weigh.experiment.results.cold.refutation import refuted, tolerated
from weigh.model import codes
from weigh.model.data.store import FILE, TMPFS
from weigh.model.units import count, size
from weigh.model.verdict import Reason, Verdict, VerdictName
from weigh.verdict.question import Question

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from weigh.experiment.record import Record
    from weigh.experiment.results.analysis import MetricAnalysis
    from weigh.model.codes.code import Fixed
    from weigh.model.cold import CacheState, Drive
    from weigh.model.finding import Finding
    from weigh.model.sample import Sample


RARE = 0.02
"""Share of the timed executions of an operation by a contender that may read more: the typical time stays as it is."""
_REMEDIES: dict[Fixed, str] = {
    codes.E1_RESIDENT: "something keeps the data in memory: a mapping, a lock, or another process that reads it; end "
    "that, or measure hot",
    codes.E1_UNPRIVILEGED: "run weigh as root, which may drop the kernel's caches, or measure hot",
    codes.E1_UNSEEN: "its adapter can name the files that hold its data (docs/reference/plugins.md); else measure hot",
    codes.E1_UNREAD: "the query needs no data, or the engine has it in memory of its own or in a copy: see what it "
    "does when it opens its tables",
    codes.E1_OTHERS: "end what reads, maps or puts out the same files meanwhile",
    codes.E1_RATE: "something below this kernel keeps the data: a hypervisor, a controller, a file server; let it "
    "forget, or take more data than it holds",
    codes.E1_WARM: "free memory, so that the data stays in it",
}
_REMEDY = {code.code: (code, remedy) for code, remedy in _REMEDIES.items()}


LITTLE = 0.1
"""Share of the least of the others."""
FILES = "the files"
"""What the gate writes of a contender that answers from the files that it was given."""


class Attempt(NamedTuple):
    """What one attempt recorded.

    Attributes:
        number: of the attempt.
        samples: of its executions.
        cache_states: readings.
        drives: what its storage can do.
        at_stores: contenders whose data lies in a store, and in no files.
    """

    number: int
    samples: Sequence[Sample]
    cache_states: Sequence[CacheState]
    drives: Sequence[Drive]
    at_stores: frozenset[str] = frozenset()


Unproven = Mapping[tuple[Question, str], Reason]
"""Why executions of (question, contender) are not what they are called."""


def cold_proofs(attempts: Iterable[Attempt]) -> tuple[ColdProof, ...]:
    """The account of everything that was to be cold or first, in the order measured."""
    groups: dict[tuple[str, str, str], list[tuple[CacheState | None, float | None]]] = defaultdict(list)
    for one in attempts:
        limit = max((rate for drive in one.drives for rate in drive.rates), default=None)
        # Of a turn that a kill tore and that was measured again, the later readings.
        states = {(w.block, w.turn, w.temperature): w for w in one.cache_states if w.place == "life"}
        for sample in one.samples:
            if sample.timed and sample.temperature != "hot":
                reading = states.get((sample.block, sample.turn, sample.temperature))
                groups[sample.temperature, sample.operation, sample.contender].append((reading, limit))
    order = {"cold": 0, "first": 1}
    named = sorted(groups, key=lambda key: order.get(key[0], 2))
    return tuple(_proof(*key, groups[key]) for key in named)


def unproven(found: Iterable[ColdProof]) -> Unproven:
    """What is refused, as the judge takes it."""
    return {(Question(one.operation, one.temperature), one.contender): one.refused for one in found if one.refused}


def findings(
    found: Iterable[ColdProof], drives: Sequence[Drive], readers: Iterable[Collection[str]] = ()
) -> Iterator[Finding]:
    """What is refused and why, and what nobody can exclude.

    Args:
        found: accounts of everything that was to be cold or first.
        drives: what the storage can do.
        readers: contenders that read the same files where they lie: they need about the same of them.
    """
    found = tuple(found)
    for alike in readers:
        yield from _little([one for one in found if one.contender in alike])
    for one in found:
        if one.refused:
            code, remedy = _REMEDY[one.refused.code]
            whose = code is not codes.E1_OTHERS
            yield code.finding(
                contender=one.contender if whose else None,
                operation=one.operation,
                text=one.refused.text if whose else f"{one.contender}, {one.refused.text}",
                remedy=remedy,
            )
    if any(one.temperature == "cold" for one in found):
        yield _below(drives)


def _little(found: Sequence[ColdProof]) -> Iterator[Finding]:
    """E1: one that brought in far less of the same files than every other one."""
    for one in found:
        others = [
            other.came_in
            for other in found
            if (other.operation, other.temperature) == (one.operation, "cold")
            and other.contender != one.contender
            and not other.refused
        ]
        if one.temperature == "cold" and not one.refused and others and one.came_in < LITTLE * min(others):
            # What it read and is no longer in memory, anybody may have put out.
            elsewhere = (one.bytes_read or 0) >= LITTLE * min(others)
            text = f"{size(one.came_in)} of the data came into memory, {size(min(others))} at least with every other "
            text += "contender that reads these files"
            yield codes.E1_LITTLE.finding(
                contender=None if elsewhere else one.contender,
                operation=one.operation,
                text=f"{one.contender}: {text}, though it read {size(one.bytes_read or 0)}" if elsewhere else text,
                remedy="see whether somebody puts the data out of memory meanwhile, or it answers from other files"
                if elsewhere
                else "see whether it answers from elsewhere, such as files of its own",
            )


def withheld(analysis: MetricAnalysis, refused: Unproven) -> MetricAnalysis:
    """The analysis without figures of what is not what it is called; they stay in the evidence."""
    if not refused:
        return analysis
    return msgspec.structs.replace(
        analysis,
        timings=tuple(
            one for one in analysis.timings if (Question(one.operation, one.temperature), one.contender) not in refused
        ),
        verdicts=tuple(_bare(one, refused) for one in analysis.verdicts),
        floors=tuple(
            one for one in analysis.floors if not _of_baseline(one.operation, one.temperature, analysis, refused)
        ),
    )


def assumed(attempts: Iterable[Attempt], found: Iterable[ColdProof]) -> str | None:
    """Why the temperature is not proven; None where it is, and empty where nothing was recorded about it."""
    attempts = tuple(attempts)
    refused = sum(one.refused is not None for one in found)
    if refused:
        return f"{count(refused, 'account')} of cold and first executions did not hold"
    if not any(one.cache_states for one in attempts):
        return ""
    hot = [_hot(one) for one in attempts if any(s.timed and s.temperature == "hot" for s in one.samples)]
    return next((proof for proof in hot if proof), None)


def _proof(
    temperature: str, operation: str, contender: str, readings: Sequence[tuple[CacheState | None, float | None]]
) -> ColdProof:
    reasons = [refuted(reading, limit) for reading, limit in readings]
    bad = [reason for reason in reasons if reason]
    known = [reading for reading, _ in readings if reading is not None]
    read = [one.bytes_read for one in known if one.bytes_read is not None]
    rates = [one.bytes_read / one.seconds for one in known if one.bytes_read is not None and one.seconds]
    shares = [
        one.bytes_read / one.seconds / limit
        for one, limit in readings
        if one is not None and one.bytes_read is not None and one.seconds and limit
    ]
    resident = [one.before.resident for one in known if one.before]
    devices = [sum(one.devices.values()) for one in known if one.devices]
    proof = None
    if bad:
        which = f"{len(bad)} of {count(len(readings), 'execution')} called {temperature}"
        proof = Reason(code=bad[0].code, text=f"{which}: {bad[0].text}")
    return ColdProof(
        operation=operation,
        contender=contender,
        temperature=temperature,
        executions=len(readings),
        proven=len(readings) - len(bad),
        pages=max((one.before.pages for one in known if one.before), default=0),
        resident=max(resident) if resident else None,
        bytes_read=int(median(read)) if read else None,
        came_in=int(median([one.came_in for one in known])) if known else 0,
        device_bytes=int(median(devices)) if devices else None,
        rate=median(rates) if rates else None,
        share=median(shares) if shares else None,
        refused=proof,
    )


def _below(drives: Sequence[Drive]) -> Finding:
    """What cannot be excluded from inside this machine."""
    text = "cold means that no page of the data was in this machine's memory. What "
    virtual = any(drive.virtual for drive in drives)
    text += "the hypervisor under this virtual machine" if virtual else "the device or whatever is behind it"
    text += " keeps in its own memory cannot be observed from here"
    rates = next((drive.rates for drive in drives if len(drive.rates) == 2), ())
    if rates:
        part = next(drive.bytes for drive in drives if drive.rates)
        text += (
            f"; past the page cache {size(part)} of the data were read at {size(rates[0])} a second, and again at "
            f"{size(rates[1])} a second"
        )
    return codes.E1_HYPERVISOR.finding(
        text=text,
        remedy="nothing is wrong; a second reading that is much faster than the first shows such a memory",
    )


def _bare(verdict: Verdict, refused: Unproven) -> Verdict:
    """A verdict on executions that are not what they are called has reasons and no figures."""
    question = Question(verdict.operation, verdict.temperature)
    if (question, verdict.contender) not in refused and (question, verdict.baseline) not in refused:
        return verdict
    if verdict.verdict in (VerdictName.DIVERGED, VerdictName.ERROR):
        return verdict
    return verdict.refused(*verdict.reasons)


def _of_baseline(operation: str, temperature: str, analysis: MetricAnalysis, refused: Unproven) -> bool:
    return any((Question(operation, temperature), one.baseline) in refused for one in analysis.verdicts)


def _hot(attempt: Attempt) -> str:
    """Why the hot executions of an attempt are not shown to be hot; empty where they are."""
    before = {(w.block, arm): w for w in attempt.cache_states if w.place == "before" for arm in w.arms}
    after = {(w.block, arm): w for w in attempt.cache_states if w.place == "after" for arm in w.arms}
    turns = {(w.block, w.turn): w.bytes_read for w in attempt.cache_states if w.place == "turn"}
    # What a store holds in memory is not the page cache of these files: its requests are counted instead.
    hot = [
        one
        for one in attempt.samples
        if one.timed and one.temperature == "hot" and one.contender not in attempt.at_stores
    ]
    every = Counter((one.operation, one.contender) for one in hot)
    cold = defaultdict[tuple[str, str], list[int]](list)
    for one in hot:
        reading = before.get((one.block, one.arm))
        read = one.bytes_read if one.bytes_read is not None else turns.get((one.block, one.turn))
        if reading is None or not reading.files:
            return f"how much of the data of {one.contender} was in memory before its turns was not observed"
        if read is None:
            return f"what {one.contender} reads from devices cannot be observed"
        whole = all(_whole(found) for found in (reading, after.get((one.block, one.arm))))
        if read > tolerated(reading.bytes) and not whole:
            cold[one.operation, one.contender].append(read)
    if not any(len(found) > RARE * every[question] for question, found in cold.items()):
        return ""
    reads = [read for found in cold.values() for read in found]
    return f"{len(reads):,} of {count(len(hot), 'timed execution')} read from devices, up to {size(max(reads))}"


def _whole(one: CacheState | None) -> bool:
    return one is not None and one.before is not None and 0 < one.before.pages == one.before.resident


def _readers(record: Record) -> list[set[str]]:
    """Contenders that answer from the files that they were given, as the gate found, by layout."""
    alike: dict[str, set[str]] = defaultdict(set)
    for name, reader in record.gate.layouts.items() if record.gate else ():
        if reader == FILES:
            alike[record.spec.contender(name).layout].add(name)
    return list(alike.values())


class ColdResults(NamedTuple):
    """What is shown, and what is not.

    Attributes:
        proofs: of cold and first executions, in the order of the tables.
        refused: which of them are not what they are called, as the judge takes it.
        findings: about these, and about what cannot be excluded.
        assumed: why the temperature is not proven; None where it is, and empty where nothing was recorded about it.
    """

    proofs: tuple[ColdProof, ...]
    refused: Unproven
    findings: tuple[Finding, ...]
    assumed: str | None


def cold_results(attempts: Sequence[Record]) -> ColdResults:
    """The heat of all attempts together.

    Args:
        attempts: records, oldest first.
    """
    latest = attempts[-1]
    at_stores = frozenset(one.name for one in latest.spec.contenders if one.store not in ("", FILE, TMPFS))
    readings = [Attempt(one.attempt, one.samples, one.cache_states, one.drives, at_stores) for one in attempts]
    operations = [one.operation for one in latest.gate.operations] if latest.gate else []
    order = {name: place for place, name in enumerate(operations)}
    cast = [latest.spec.baseline, *(one.name for one in latest.spec.contenders)]
    proofs = sorted(
        cold_proofs(readings),
        key=lambda one: (
            latest.spec.temperatures.index(one.temperature),
            order.get(one.operation, len(order)),
            cast.index(one.contender),
        ),
    )
    drives = [drive for record in attempts for drive in record.drives]
    return ColdResults(
        proofs=tuple(proofs),
        refused=unproven(proofs),
        findings=tuple(findings(proofs, drives, _readers(latest))),
        assumed=assumed(readings, proofs),
    )

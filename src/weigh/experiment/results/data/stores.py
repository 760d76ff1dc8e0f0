"""Stores: what executions asked of them, and what follows from that (E3). Pure."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.results import resources
from weigh.model import codes, units
from weigh.model.units import Bytes, Seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from weigh.experiment.record import Record
    from weigh.model.data.store import ExecutionRequests, StoreRead
    from weigh.model.finding import Finding

_NAMED = 3
"""Operations that a finding names; the others are counted."""


class RequestFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What the timed executions of one operation asked of a store; medians where nothing else is reported.

    Attributes:
        operation, contender: whose executions.
        store: its name.
        executions: how many were counted.
        gets, heads: requests of one execution.
        bytes: of the bodies of all answers to one execution.
        first, first_bytes: requests and bytes of the first execution in a process: more where something is kept.
        failed: requests of all executions together that were refused or broke off.
        outside: requests between two executions, when no clock runs.
        parallel: requests under way at the same moment, on average over the time in which there was one; 0 without any.
        peak: most of them in any execution.
        waiting_s: seconds of an execution in which at least one was under way.
        cpu_parallelism: CPU seconds a second of wall time; None where either is not known.
    """

    operation: str
    contender: str
    store: str
    executions: int
    gets: float
    heads: float
    bytes: Bytes
    first: float
    first_bytes: Bytes
    failed: int
    outside: float
    parallel: float
    peak: int
    waiting_s: Seconds
    cpu_parallelism: float | None

    @property
    def requests(self) -> float:
        """Of one execution."""
        return self.gets + self.heads


def read(record: Record) -> tuple[StoreRead, ...]:
    """The stores that contenders read from; none where nobody does."""
    return (record.environment.stores or ()) if record.environment else ()


def figures(attempts: Sequence[Record]) -> tuple[RequestFigures, ...]:
    """What was asked, of every operation and contender whose tables lie in a store.

    Args:
        attempts: of one experiment; every one counts.
    """
    spec = attempts[-1].spec
    stores = {one.name: one.store for one in spec.contenders}
    found: dict[tuple[str, str], list[ExecutionRequests]] = defaultdict(list)
    for record in attempts:
        for one in _latest(record):
            found[one.operation, one.contender].append(one)
    samples = [sample for record in attempts for sample in record.samples]
    cpu = resources.parallelism(samples)
    return tuple(
        _figures(key, stores.get(key[1], ""), requests, cpu.get(key))
        for key, requests in found.items()
        if any(one.run for one in requests)
    )


def _latest(record: Record) -> Iterable[ExecutionRequests]:
    """Of a turn that was measured again after a kill, what the second time asked; only of executions that are kept."""
    if not record.requests:
        return []
    executions = {(one.block, one.turn, one.run, one.arm) for one in record.samples if one.timed or one.run == 0}
    requests = {(one.block, one.turn, one.run, one.arm): one for one in record.requests}
    return [one for key, one in requests.items() if key in executions]


def _figures(
    key: tuple[str, str], store: str, requests: Sequence[ExecutionRequests], cpu: float | None
) -> RequestFigures:
    timed = [one.use for one in requests if one.run]
    firsts: dict[tuple[int, str], ExecutionRequests] = {}
    for one in requests:
        if one.run == 0:
            firsts.setdefault((one.start, one.arm), one)
    return RequestFigures(
        operation=key[0],
        contender=key[1],
        store=store,
        executions=len(timed),
        gets=median(one.inside.gets for one in timed),
        heads=median(one.inside.heads for one in timed),
        bytes=round(median(one.inside.bytes for one in timed)),
        first=median(one.use.inside.count for one in firsts.values()) if firsts else 0,
        first_bytes=round(median(one.use.inside.bytes for one in firsts.values())) if firsts else 0,
        failed=sum(one.inside.failed for one in timed),
        outside=median(one.before.count for one in timed),
        parallel=median(one.inside.parallel for one in timed),
        peak=max(one.inside.peak for one in timed),
        waiting_s=median(one.inside.busy_s for one in timed),
        cpu_parallelism=cpu,
    )


def findings(record: Record, found: Sequence[RequestFigures]) -> Iterator[Finding]:
    """What is to be reported of the stores, and of who does not read from them while the clock runs.

    Args:
        record: of the latest attempt.
        found: figures of all attempts.
    """
    for store in read(record):
        yield from _of_store(store)
    for name in dict.fromkeys(one.contender for one in found):
        findings_of = [one for one in found if one.contender == name]
        yield from _cached(name, findings_of)
        if between := [one for one in findings_of if one.outside > 0]:
            yield codes.E3_OUTSIDE.finding(
                contender=name,
                text=f"it asks the store for something between its executions ({_listed(between)}), when no clock runs",
                remedy="what is read then is in no time: see its settings for prefetching",
            )
        if failed := [one for one in findings_of if one.failed]:
            count = units.count(sum(one.failed for one in failed), "request")
            yield codes.E3_FAILED.finding(
                text=f"the store {failed[0].store} refused or broke off {count} of timed executions of {name} "
                f"({_listed(failed)}), whose times contain that",
                remedy="see what ails the store or the way to it, and run again",
            )


def _of_store(store: StoreRead) -> Iterator[Finding]:
    who = ", ".join(store.contenders)
    if store.server:
        yield codes.E3_LOOPBACK.finding(
            text=f"loopback store: the objects that {who} reads from {store.name} are served by {store.server} on this "
            "machine, which uses its CPUs and its memory: it stands for no store elsewhere",
            remedy=f"name the endpoint of the store that you mean in [store.{store.name}]",
        )
    added = []
    if store.spec.latency:
        added.append(f"{units.seconds(store.spec.latency)} on every request")
    if store.spec.bandwidth:
        added.append(f"at most {units.size(store.spec.bandwidth)} a second")
    if added:
        yield codes.E3_INJECTED.finding(
            text=f"weigh's proxy before the store {store.name} adds {' and '.join(added)}",
            remedy="nothing is wrong: it was asked for",
        )


def _cached(name: str, requests: Sequence[RequestFigures]) -> Iterator[Finding]:
    # To ask whether an object is still the same is not to read it.
    quiet = [one for one in requests if not one.bytes]
    if not quiet:
        return
    nothing = f"its timed executions read nothing from the store {quiet[0].store}"
    if len(quiet) == len(requests):
        yield codes.E3_CACHED.finding(
            "warning",
            contender=name,
            text=f"{nothing}: it reads a copy of its own or a cache, and its times are not those of the store",
            remedy="switch its cache off, or compare it as what it is: data in memory or on the disk",
        )
        return
    cached = [one for one in quiet if one.first_bytes]
    if cached:
        yield codes.E3_CACHED.finding(
            "warning",
            contender=name,
            text=f"{nothing} after the first one on {_listed(cached)}: what it keeps answers, and the times are not "
            "those of the store",
            remedy="switch its cache off, or leave these operations out",
        )
    if known := [one for one in quiet if not one.first_bytes]:
        yield codes.E3_CACHED.finding(
            "note",
            contender=name,
            text=f"{nothing} on {_listed(known)}: what it read when its tables were opened suffices, as footers do "
            "for a count",
            remedy="on these operations its time is not that of the store",
        )


def _listed(found: Sequence[RequestFigures]) -> str:
    names = [one.operation for one in found]
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")

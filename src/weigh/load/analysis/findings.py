"""What is to be said of a load experiment beside its figures: the target, the workload, the answers, the length."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import msgspec

from weigh.host.settle import Quiet
from weigh.load.activity import analysis as blamed
from weigh.load.activity import cycles
from weigh.load.analysis import conditions, machine
from weigh.load.analysis.cycles import of_load
from weigh.load.disturbances import results as disturbances
from weigh.load.durability import results as crashes
from weigh.load.gate import findings as gate
from weigh.load.replay import findings as replay
from weigh.load.runs import unreached
from weigh.load.tpcc import findings as tpcc
from weigh.load.waits import analysis
from weigh.load.ycsb import properties as ycsb_properties
from weigh.machine.elsewhere import elsewhere
from weigh.machine.working_set import WorkingSet, working_set
from weigh.model import codes
from weigh.model.finding import gravest_first
from weigh.model.units import count, percent, seconds, size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from weigh.load.activity.kinds import RunActive
    from weigh.load.analysis.figures import OperationFigures, RunFigures
    from weigh.load.analysis.machine import LoadMachine
    from weigh.load.disturbances.results import DisturbedResults
    from weigh.load.durability.results import Durability
    from weigh.load.gate.results import GateResults
    from weigh.load.record import LoadRecord
    from weigh.load.replay.results import ReplayResults
    from weigh.load.runs import LoadSummary
    from weigh.load.spec import LoadSpec
    from weigh.load.tpcc.results import TpccFigures
    from weigh.load.waits.analysis import RunWaited
    from weigh.model.finding import Finding

_LISTED = 3
"""Violations that are quoted; the evidence has them all."""
_IN_THE_WAY = re.compile(r"\((?:40001|40P01|1205|1020)\)$")
_OLDER = "a lost update or a stale read"
"""What the generator says of a value that was replaced before it was asked for."""


def findings(
    record: LoadRecord,
    runs: Sequence[RunFigures],
    watched: LoadMachine | None = None,
    waits: Mapping[int, RunWaited] | None = None,
    activity: Mapping[int, RunActive] | None = None,
    crashed: Durability | None = None,
    answers: GateResults | None = None,
    replayed: ReplayResults | None = None,
    of_tpcc: Sequence[TpccFigures] = (),
    disturbed: DisturbedResults | None = None,
) -> tuple[Finding, ...]:
    """Everything that is found, the gravest first."""
    found = [
        *record.findings,
        *_durability(record),
        *gate.findings(
            answers, record.spec, len(record.runs), record.environment.target.kind if record.environment else ""
        ),
        *_prepared(record),
        *replay.findings(replayed),
        *_terms(record),
        *_counted(record),
    ]
    found += _surroundings(record)
    found += [*_stores(record), *_loops(record), *_lives(record), *_of_runs(runs, _stale(record))]
    found += cycles.findings(of_load(record, activity or {}), record.spec.duration_s)
    found += [*conditions.findings(record), *conditions.knobs(record), *conditions.drift(record.calibrations)]
    found += machine.findings(watched) if watched else ()
    found += crashes.findings(crashed) if crashed else ()
    found += disturbances.findings(disturbed) if disturbed else ()
    found += tpcc.findings(of_tpcc)
    for number, one in (waits or {}).items():
        found += analysis.findings(one, None if len(runs) == 1 else number)
    for number, activity_of_run in (activity or {}).items():
        found += blamed.findings(activity_of_run, None if len(runs) == 1 else number)
    return gravest_first(found)


def _terms(record: LoadRecord) -> Iterator[Finding]:
    """R8: what the vendor's terms say about publishing these figures."""
    target = record.environment.target if record.environment else None
    if target is not None and target.terms is not msgspec.UNSET:
        yield codes.R8_TERMS.finding(
            text=f"publishing results of {target.product} is subject to its vendor's terms: {target.terms}",
            remedy="read the terms, and ask the vendor, before these figures leave the house",
        )


def _counted(record: LoadRecord) -> Iterator[Finding]:
    """L7: errors that the server counted between the first look and the last, whoever caused them."""
    before = record.environment.target.errors if record.environment else msgspec.UNSET
    after = record.after.errors if record.after else msgspec.UNSET
    if before is msgspec.UNSET or after is msgspec.UNSET:
        return
    # One that was started anew counts from 0.
    more = {name: number - before.get(name, 0) for name, number in after.items()}
    found = sorted(((number, name) for name, number in more.items() if number > 0), reverse=True)
    if found:
        yield codes.L7_COUNTED.finding(
            text="while it was under load the server counted errors, of this load or of others (system.errors): "
            + ", ".join(f"{number:,} x {name}" for number, name in found[:_LISTED]),
            remedy="compare them with the requests that failed; the server's log says more",
        )


def cut_trace(spec: LoadSpec) -> Iterator[Finding]:
    """What of a recorded trace is not offered, because the run is shorter; known before it begins."""
    times = spec.arrivals.times_s or ()
    left = sum(at >= spec.duration_s for at in times)
    if left:
        yield codes.L4_TRACE.finding(
            text=f"the trace is cut: {left:,} of its {count(len(times), 'request')} come after the "
            f"{seconds(spec.duration_s)} of a run, and are not offered",
            remedy=f"--duration {math.floor(times[-1]) + 1}s holds all of it",
        )


def ignored_properties(spec: LoadSpec) -> Iterator[Finding]:
    """What of YCSB's property files means nothing here; known before it begins."""
    names = spec.ycsb.ignored if spec.ycsb is not msgspec.UNSET else ()
    if names:
        named = [f"{name} ({ycsb_properties.means(name)})" for name in names]
        yield codes.X_IGNORED.finding(
            text=f"of the properties of the YCSB workload, these mean nothing here: {'; '.join(named)}",
            remedy="see that none of them was to change what is measured",
        )


def gone(summary: LoadSummary, number: int, errors: Iterable[str]) -> Iterator[Finding]:
    """That a server, or a node, which went away during a run did not come back; by the errors of its requests."""
    if summary.gone:
        who = unreached(errors)
        yield codes.L7_GONE.finding(
            text=f"run {number}: connections {f'to {who} ' if who else ''}were lost and none could be opened again; "
            f"{count(summary.failed_connects, 'attempt')} failed",
            remedy="look into the server's log, and run again when it is back",
        )


def _durability(record: LoadRecord) -> Iterator[Finding]:
    target = record.environment.target if record.environment else None
    if target is None:
        return
    if target.durable is None:
        yield codes.E7_UNREAD.finding(
            text=f"the settings of the server could not be read ({target.unread}): whether it is durable is not known",
            remedy="let the user of the load read them, or say in the report what they are",
        )
    if found := record.undurable:
        yield codes.E7_NOT_DURABLE.finding(
            text=f"not durable: {'; '.join(found)}. A write that the server has acknowledged can be lost",
            remedy="compare it only with servers that may lose as much, or switch durability on",
        )


def _prepared(record: LoadRecord) -> Iterator[Finding]:
    """What was not quiet before the clock of a run, once for each kind of disturbance."""
    runs = len(record.prepared)
    busy = [one for one in record.prepared if Quiet(foreign=one.foreign, dirty=one.dirty).busy]
    waiting = [one for one in record.prepared if Quiet(foreign=one.foreign, dirty=one.dirty).undrained]
    refused = [one for one in record.prepared if one.ready and one.ready.written_out is False]
    if busy:
        most = max(one.foreign or 0.0 for one in busy)
        yield codes.E4_BEFORE.finding(
            text=f"just before {len(busy)} of {count(runs, 'run')} others than weigh used up to {percent(most)} of the "
            "CPUs, the server itself among them",
            remedy="stop others and run again, or let the server finish what it began: WEIGH_SETTLE=60s waits longer",
        )
    if waiting:
        most_bytes = max(one.dirty or 0 for one in waiting)
        yield codes.E4_BEFORE.finding(
            text=f"just before {len(waiting)} of {count(runs, 'run')} up to {size(most_bytes)} still waited to be "
            "written",
            remedy="WEIGH_SETTLE=60s waits longer",
        )
    for one in refused[:1]:
        yield codes.E7_NOT_WRITTEN_OUT.finding(
            text="the server refused the checkpoint after the loading: the first minutes also write out what was "
            f"loaded ({one.ready.refused if one.ready else ''})",
            remedy="let the user of the load checkpoint (GRANT pg_checkpoint), or measure longer",
        )


def in_memory(record: LoadRecord) -> WorkingSet | None:
    """The server's data against the memory of its machine; None where one is not known."""
    environment = record.environment
    if environment is None or environment.target.same_host is not True:
        return None
    held = next((one for one in record.memory if one is not None), None)
    return working_set(data_bytes(record), held or environment.host.get("memory_allowed_bytes"))


def data_bytes(record: LoadRecord) -> int | None:
    """How large the server said that its data is, before the first run; None where it did not."""
    return next((one.ready.data_bytes for one in record.prepared if one.ready and one.ready.data_bytes), None)


def _surroundings(record: LoadRecord) -> Iterator[Finding]:
    found = in_memory(record)
    if found and found.in_memory:
        yield codes.D7_MEMORY.finding(
            text=f"{found}: it fits into memory, so reads need not touch a device",
            remedy="load more (--records, --warehouses, --define scale=N) until the ratio is above 1 to measure a "
            "device",
        )
    place = record.environment.storage if record.environment else None
    other = elsewhere(place) if place else None
    if place and other:
        code, what = other
        yield code.finding(
            "note",
            text=f"the server's data lies on {place.on} at {place.mount}: {what}",
            remedy="compare its writes only with those of servers whose data lies on the same",
        )


def _stores(record: LoadRecord) -> Iterator[Finding]:
    if not record.spec.is_ycsb or record.environment is None:
        return
    kind = {"redis": "key-value", "cql": "wide-column"}.get(record.environment.target.kind, "relational")
    if kind == "wide-column":
        yield codes.L8_KIND.finding(
            text="YCSB on a wide-column store: an update or an insert writes without a look whether the row is there, "
            "which a relational store has to find out",
            remedy="compare it with other wide-column stores, at the same consistency level and replication",
        )
    if kind == "relational":
        yield codes.L8_KIND.finding(
            text="YCSB on a relational store: it asks for no transactions, joins or constraints, which this store "
            "pays for and a key-value store does not have",
            remedy="compare it with other relational stores only",
        )
    if record.spec.scans and kind == "key-value":
        yield codes.L8_SCANS.finding(
            text="the workload scans ranges of keys, and this store keeps no order: the scans go over an index that is "
            "kept alongside the records, which is other work than a scan of an ordered store",
            remedy="compare it only with stores that need such an index too",
        )


def _loops(record: LoadRecord) -> Iterator[Finding]:
    # A user at a terminal of TPC-C waits for the answer, by its definition.
    if "closed" in record.spec.loops and not record.spec.terminals:
        yield codes.L2_CLOSED.finding(
            "note" if "open" in record.spec.loops else "warning",
            text="closed loop: each connection waits for its answer before it asks again, so while the server stands "
            "still nobody asks, and the wait is counted once instead of for everybody who would have come",
            remedy="leave --closed out and give a --rate: response times then count from when a request was due",
        )


def _how_long(run: RunFigures) -> str:
    if run.summary is None or not run.summary.reconnect_s:
        return ""
    longest = f", the longest {seconds(run.summary.longest_reconnect_s)}" if run.reconnects > 1 else ""
    return f", in {seconds(run.summary.reconnect_s)}{longest}"


def _stale(record: LoadRecord) -> str:
    """Why a read may be older than an acknowledged write; empty where it may not."""
    target = record.environment.target if record.environment else None
    return target.stale or "" if target else ""


def _of_runs(runs: Sequence[RunFigures], stale: str) -> Iterator[Finding]:
    for run in runs:
        name = f"run {run.number}: " if len(runs) > 1 else ""
        yield from _answers(run, name, stale)
        yield from _failures(run, name)
        yield from _warm_up(run, name)
        if run.reconnects:
            yield codes.L7_RECONNECTS.finding(
                text=f"{name}{count(run.reconnects, 'connection')} were lost and opened again{_how_long(run)}",
                remedy="look into the server's log",
            )
        if run.summary and run.summary.overflows:
            yield codes.L1_OVERFLOW.finding(
                text=f"{name}{count(run.summary.overflows, 'request')} took longer than an hour, which the histograms "
                "do not hold: they are counted, and not in the percentiles",
                remedy="set a --timeout",
            )


def _answers(run: RunFigures, name: str, stale: str) -> Iterator[Finding]:
    violations = run.summary.violations if run.summary else ()
    for one in run.operations[1:] or run.operations:
        if stale and (one.wrong or one.missing) and all(_OLDER in _words(text) for text in one.messages):
            number = one.wrong + one.missing
            yield codes.L6_STALE.finding(
                operation=one.name,
                text=f"{name}{count(number, 'answer')} {'was' if number == 1 else 'were'} older than what had been "
                f"acknowledged before, which the declared level allows ({stale}): {listed(one.messages)}",
                remedy="ask for a level at which reads and writes meet (QUORUM), or compare it only with servers that "
                "promise as little",
            )
            continue
        if one.wrong:
            yield codes.L6_WRONG.finding(
                operation=one.name,
                text=f"{name}{count(one.wrong, 'answer')} of the server {contradict(one.wrong)} "
                "what it had acknowledged: " + listed(one.messages),
                remedy="it loses updates or serves stale values; its figures are those of less work",
            )
        if one.missing:
            yield codes.L6_MISSING.finding(
                operation=one.name,
                text=f"{name}{count(one.missing, 'time')} a key was not there that had been written and acknowledged",
                remedy="the server lost it, or somebody else writes to the same table",
            )
    number = (run.summary.violation_count if run.summary else None) or len(violations)
    if number and not any(one.wrong for one in run.operations):
        yield codes.L6_WRONG.finding(
            text=f"{name}{count(number, 'answer')} {contradict(number)} what was acknowledged: " + listed(violations),
            remedy="the server loses updates or serves stale values; its figures are those of less work",
        )


def contradict(number: int) -> str:
    """The verb of so many answers."""
    return "contradicts" if number == 1 else "contradict"


def listed(details: Sequence[object]) -> str:
    """The first violations, in words."""
    return "; ".join(map(_words, details[:_LISTED]))


def _words(detail: object) -> str:
    """A violation as the generator describes it."""
    if isinstance(detail, dict):
        return str(detail.get("text") or ", ".join(f"{key} {value}" for key, value in detail.items()))
    return str(detail)


def _failures(run: RunFigures, name: str) -> Iterator[Finding]:
    for one in run.operations[1:] or run.operations:
        if one.failed:
            texts = [f"{number:,} x {text}" for text, number in list(one.errors.items())[:_LISTED]]
            texts += [f"{one.timeouts:,} timed out"] if one.timeouts else []
            texts += [f"the slowest after {seconds(one.failures.max)}"] if one.failures.max is not None else []
            yield codes.L7_FAILED.finding(
                operation=one.name,
                text=f"{name}{one.failed:,} of {one.failed + one.count:,} requests failed: {'; '.join(texts)}",
                remedy=f"{_mending(one)}; errors are in no percentile, time-outs are in the response with the wait",
            )
    if run.unsent:
        yield codes.L7_UNSENT.finding(
            text=f"{name}{count(run.unsent, 'request')} {'was' if run.unsent == 1 else 'were'} due and never sent",
            remedy="lower --rate (of a replay --speed), or raise --connections or --max-in-flight",
        )


def _mending(operation: OperationFigures) -> str:
    if not operation.timeouts and all(_IN_THE_WAY.search(text) for text in operation.errors):
        return "lower --connections or --rate: these transactions gave way to others, each as often as it was tried"
    return "mend them"


def _lives(record: LoadRecord) -> Iterator[Finding]:
    """That repeats are of one life."""
    lives = {run.life for run in record.runs}
    if len(lives) == 1 and record.spec.repeats > 1 and not record.spec.crash:
        yield codes.T10_ONE_LIFE.finding(
            text=f"{count(record.spec.repeats, 'repeat')} against one life of the server: they do not show how much "
            "its starts differ, and another start may fall outside of their intervals",
            remedy="let --start-command CMD begin each run's life; weigh starts embedded servers anew for every run",
        )


def _warm_up(run: RunFigures, name: str) -> Iterator[Finding]:
    found = run.settled
    if found is None:
        return
    if found.intervals:
        how = "as asked" if found.fixed else f"by a test of the typical response time ({found.shape})"
        yield codes.L4_WARM_UP.finding(
            text=f"{name}the first {seconds(found.cut_s)} are left out of the figures, {how}; they are in the evidence "
            "and drawn",
            remedy="--warmup 0s counts them",
        )
    if found.refused:
        yield codes.L4_NOT_STEADY.finding(
            text=f"{name}no steady state: {found.refused.text}. The throughput has no interval, and the next minutes "
            "may look different",
            remedy="measure longer",
        )

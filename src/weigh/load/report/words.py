"""A load experiment in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load import rows
from weigh.load.analysis.findings import data_bytes, in_memory
from weigh.load.isolation import report as isolation
from weigh.load.rate_search import report as searches
from weigh.load.requirements import report as requirements
from weigh.load.spec import QUANTILES
from weigh.model import codes, units
from weigh.model.text import one_line
from weigh.render.blocks import Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.analysis.figures import OperationFigures, RunFigures
    from weigh.load.analysis.repeats import Between, Loops, Page
    from weigh.load.record import Loaded, LoadEnvironment, LoadRecord
    from weigh.load.results import Group, LoadResults
    from weigh.load.runs import TargetRead
    from weigh.load.spec import Arrivals, LoadSpec
    from weigh.model.units import Seconds
    from weigh.render.blocks import Phrase
    from weigh.statistics.percentiles import Percentile

DIFFERENCE = (
    "Response is what a user waits, from when the request was due; service is what the server needed, from when it was "
    "sent. The difference is waiting in the queue before a busy server."
)
_STATEMENT = 160
"""Characters of a statement that was left out."""
_FLOOR = 100.0
"""From this ratio on a factor is told without decimals."""
_TELLS_NOTHING = 100.0
"""From this ratio of its ends on an interval of the next run tells nothing: that of two runs may end after an hour."""


def arrivals(one: Arrivals) -> str:
    """How requests arrive, in a few words."""
    rate = f"{one.rate:,.6g}/s" if one.rate is not None else ""
    match one.kind:
        case "constant":
            return f"{rate}, evenly spaced".removeprefix(", ")
        case "poisson":
            return f"{rate} on average, at random (Poisson)".removeprefix(" on average, ")
        case "bursts" | "even-bursts":
            when = "at random (Poisson)" if one.kind == "bursts" else "evenly spaced"
            each = f"{units.seconds(one.length_s)} at {one.peak:g} times the mean"
            return f"{rate} on average, in bursts of {each}, {when}".removeprefix(" on average, ")
        case "ramp":
            return f"from {rate} to {one.to:,.6g}/s"
        case "steps":
            return "steps of " + ", ".join(f"{step:,.6g}" for step in one.rates or ()) + "/s"
        case "trace":
            return f"a recorded trace of {len(one.times_s):,} requests" if one.times_s else f"as recorded, {rate}"
        case "closed":
            return "closed loop"


def offered(spec: LoadSpec) -> str:
    """What asks, and how it is sent."""
    if spec.terminals:
        return f"{units.count(max(spec.connections), 'user')} at terminals"
    return arrivals(spec.arrivals) + modes(spec)


def length(spec: LoadSpec) -> str:
    """How long each run is; of a search, what is searched."""
    if spec.find_rate:
        return f", the highest rate with {spec.find_rate}"
    return f", {units.seconds(spec.duration_s)} a run"


def modes(spec: LoadSpec) -> str:
    """How requests are sent, where it is not the usual way."""
    spinning = ", the generator spins until each is due" if spec.spin is True else ""
    return spinning + (", statements sent as text" if spec.query_mode == "simple" else "")


def ycsb(spec: LoadSpec) -> str:
    """What a workload of YCSB's properties is made of; empty of the six."""
    if spec.ycsb is msgspec.UNSET:
        return ""
    one = spec.ycsb
    sum_of = sum(one.mix.values())
    shares = [
        f"{name.replace('_', '-')} {units.percent(share / sum_of)}" for name, share in one.mix.items() if share > 0
    ]
    width = one.field_bytes
    length = f"{width.most}" if width.lengths == "constant" else f"{width.least} to {width.most}"
    parts = [", ".join(shares), f"keys {one.requests.kind}", f"{units.count(one.fields, 'field')} of {length} bytes"]
    parts += [] if one.read_all else ["reads of one field"]
    parts += ["updates of all fields"] if one.write_all else []
    parts += [f"scans of {one.scan_rows.least} to {one.scan_rows.most} rows"] if spec.scans else []
    return "; ".join(parts)


def way(target: TargetRead) -> str:
    """How a server by URL was reached: whether in clear, and whether somebody stands between."""
    if target.tls is msgspec.UNSET:
        return ""
    pooler = ", through a pooler, whose time is in every figure" if target.pooler is True else ""
    encrypted = {
        "off": ", no TLS",
        "require": ", over TLS, its certificate not checked",
        "verify": ", over TLS, its certificate checked",
    }.get(target.tls, "")
    return encrypted + pooler


def data(record: LoadRecord) -> str:
    """How large the server's data is, and where it lies."""
    size, place = data_bytes(record), record.environment.storage if record.environment else None
    known = in_memory(record)
    size_text = (
        str(known) if known else f"data {units.size(size)}" if size is not None else "the size of its data not known"
    )
    return size_text + (f", on {place.on}" if place else "")


def server_facts(record: LoadRecord, environment: LoadEnvironment) -> tuple[str, str, str]:
    """What the server is, its data, and the machine of the generator."""
    target, host = environment.target, environment.host
    durable = {True: "durable", False: "NOT DURABLE", None: "durability not known"}[record.durable]
    return (
        f"{target.product} {one_line(target.version, 80)}, {durable}{way(target)}",
        one_line(data(record), 200),
        f"{host.get('cpu')}, {host.get('cores_allowed')} cores, {units.size(host.get('memory_bytes'))}; "
        f"{host.get('system')}",
    )


def server_sentence(record: LoadRecord, environment: LoadEnvironment) -> str:
    """Processor, memory, system and settings of the server, in one sentence."""
    target, host = environment.target, environment.host
    begun = ", started by weigh" if target.embedded else ""
    cpu, cores = host.get("cpu") or "a processor not told", host.get("cores_allowed") or "?"
    memory, system = units.size(host.get("memory_bytes")), host.get("system") or "system not told"
    return (
        f"{target.product} {one_line(target.version)}{begun}{way(target)}; {one_line(data(record), 200)}; the "
        f"generator on {cpu}, {cores} cores, {memory}, {system}."
    )


def value(one: Percentile) -> str:
    """A percentile, or that it is not resolved."""
    return units.seconds(one.value) if one.resolved else "not resolved"


def by_sample(count: int, value: float | None) -> str:
    """Of a percentile that is not resolved: by how many samples, and what they saw."""
    return f"by {count:,}" + (f": saw {units.seconds(value)}" if value is not None else "")


def between(low: float | None, high: float | None) -> str:
    """An interval of times."""
    if low is None or high is None:
        return ""
    return f"{units.seconds(low)} to {units.seconds(high)}"


def percentile_name(q: float) -> str:
    """``p99.9`` for 0.999."""
    return f"p{100 * q:.6g}"


def percentile_rows(one: OperationFigures) -> Iterator[tuple[str, float, Seconds | None]]:
    """Names of the percentiles of an operation, the first of each, and what was observed.

    Neighbours that nothing resolves are one row where the run saw the same of both: of five answers there is no tail.
    """
    groups: list[list[float]] = []
    before: Seconds | None = -1.0
    for q, observed in zip(QUANTILES, one.response.empirical, strict=True):
        resolved = one.response.at(q).resolved or one.service.at(q).resolved
        if groups and not resolved and observed == before:
            groups[-1].append(q)
        else:
            groups.append([q])
        before = -1.0 if resolved else observed
    for qs in groups:
        yield ("from " if len(qs) > 1 else "") + percentile_name(qs[0]), qs[0], one.response.value_at(qs[0])


def label(name: str) -> str:
    """A figure over repeats as readers call it: ``p99.9`` for ``p999``."""
    return f"{name[:3]}.{name[3:]}" if name[:1] == "p" and name[3:].isdigit() else name


def throughput(run: RunFigures) -> str:
    """What a run achieved, with its error and the number of samples it is worth."""
    if run.refused:
        return "no throughput: the run is refused"
    found = run.rate_achieved
    if found is None:
        return "no throughput: too short"
    text = f"{units.quantity(found.mean, 5)} answers/s"
    varied = f"; its intervals vary by {units.percent(run.rate_cv)} (CV)" if run.rate_cv is not None else ""
    if found.low is not None and found.high is not None:
        ends = f"{units.quantity(found.low, 5)} to {units.quantity(found.high, 5)}"
        text += f" ({100 * found.confidence:g} % interval {ends}, "
        return text + f"{found.count} intervals worth {found.effective:,.3g} independent ones){varied}"
    return text + (f" (no interval: {found.refused.text})" if found.refused else "") + varied


def lives(record: LoadRecord) -> str:
    """That each run had a life of the server of its own; empty where they shared one."""
    number = rows.lives(record)
    if number < 2:
        return ""
    text = f"{number} lives of the server, one for each run, begun from a copy of its data"
    return text + ("; each had the same rows" if rows.same(record) else "")


def server(run: RunFigures) -> str:
    """What the server used in a run; empty where its processes are not known."""
    if run.server is None:
        return ""
    answered = run.summary.done if run.summary else 0
    each = f", {units.seconds(run.server.cpu_s / answered)} an answer" if answered else ""
    memory = f", and {units.size(run.server.memory_bytes)} of memory" if run.server.memory_bytes else ""
    return f"The server used {units.seconds(run.server.cpu_s)} of CPU{each}{memory}."


def shape(run: RunFigures) -> str:
    """How the response time moved over a run, and what is in no figure; empty where that is not known."""
    if run.settled is None:
        return ""
    cut = run.settled.cut_s
    out = f"; the shaded {units.seconds(cut)} at the beginning are in no figure" if cut else ""
    return f" Typical response time over the run: {run.settled.shape}{out}."


def account(run: RunFigures) -> str:
    """What became of the requests of a run."""
    one = run.summary
    assert one
    return (
        f"{one.scheduled:,} requests were due, {one.done:,} were answered, {run.unsent:,} never sent; at most "
        f"{one.max_queue:,} waited for a free connection at one moment; {one.verified_reads:,} answers were compared "
        f"with what had been written. The generator used {units.seconds(one.client_cpu_s)} of CPU. {server(run)}"
    )


def loops(one: Loops) -> str:
    """What the closed loop hides, for somebody who has never heard of coordinated omission."""
    if one.refused:
        return (
            "A run of the two loops is refused, so nothing is concluded from them: its figures may be the generator's. "
            "The reasons stand above; mend them and run it again."
        )
    if one.ratio < 2:
        return (
            f"Both loops agree: p99 is {units.seconds(one.open_p99)} on schedule and {units.seconds(one.closed_p99)} "
            "in the closed loop. They do as long as the server never stands still."
        )
    times = f"{one.ratio:,.0f}" if one.ratio >= _FLOOR else f"{one.ratio:.3g}"
    return (
        f"The closed loop says p99 = {units.seconds(one.closed_p99)}. On schedule it is {units.seconds(one.open_p99)}, "
        f"{times} times as long. Both saw waits of up to {units.seconds(max(one.open_max, one.closed_max))}: while the "
        "server stood still the closed loop stopped asking and counted one slow request for each connection, but users "
        "do not stop coming, and each of them waits. The figure on schedule is what they feel."
    )


def page(one: Page) -> str:
    """What a page of many requests means."""
    p50, p99 = (units.seconds(part) if part is not None else "not resolved" for part in (one.p50, one.p99))
    return (
        f"A page that makes {units.count(one.fanout, 'request')} and waits for the slowest: p50 {p50}, p99 {p99}. "
        f"{units.percent(one.hit)} of the pages meet a request slower than the p99 of single ones, if slow requests "
        "come independently; where they come together fewer pages are hit."
    )


def of_repeats(one: Between) -> str:
    """A figure over the repeats: what the next run will be."""
    in_unit = (lambda number: f"{units.quantity(number)}/s") if one.name == "rate" else units.seconds
    if one.high > _TELLS_NOTHING * one.low:
        of = "lives" if one.lives == len(one.values) else "runs"
        return f"{in_unit(one.mean)} (where the next one falls {len(one.values)} {of} cannot tell)"
    interval = f"{in_unit(one.low)} to {in_unit(one.high)}"
    if one.lives < len(one.values):
        return f"{in_unit(one.mean)} (next run in this life: {interval}, from {len(one.values)} runs)"
    return f"{in_unit(one.mean)} (next start: {interval}, from {len(one.values)} lives)"


def headline(results: LoadResults) -> str:
    """The whole experiment in one sentence."""
    if results.rate_search:
        return searches.headline(results.rate_search) + ended(results)
    if results.requirements:
        return requirements.headline(results.requirements, results.record.spec) + ended(results)
    # One that is refused speaks for its repeats: what lies between them is no figure then.
    runs = results.groups[0].runs if results.groups else ()
    run = next((one for one in runs if one.refused), results.headline)
    if results.isolation:
        # The level is what was asked for; whether it was kept hangs on no time.
        times = f"Its times are refused: {_refusal(run)}." if run and run.refused else _times(results, run)
        return " ".join([*isolation.unviolated(results.isolation), times]) + ended(results)
    if run and run.operations and run.refused:
        others = sum(one.refused for one in results.runs)
        of = f" ({others} of {len(results.runs)} runs)" if len(results.runs) > 1 else ""
        return f"REFUSED{of}: {_refusal(run)}.{ended(results)}"
    return _times(results, run) + ended(results)


def _refusal(run: RunFigures) -> str:
    """Why a run is refused."""
    reason = run.reasons[0].text
    # Who it was stands with the tier.
    return reason.partition(": ")[0] if run.reasons[0].code == codes.E4_CONTENDED.code else reason


def _times(results: LoadResults, run: RunFigures | None) -> str:
    """What requests took."""
    if run is None or not run.operations:
        return "Nothing was measured."
    if not run.whole.count:
        failed = f"; {units.count(run.whole.failed, 'request')} failed" if run.whole.failed else ""
        return f"Nothing was answered in the part of the run that counts{failed}."
    response, group = run.whole.response, results.groups[0]
    if group.between:
        named = {one.name: one for one in group.between}
        parts = [f"{name} {of_repeats(named[name])}" for name in ("p50", "p99") if name in named]
        return f"Over {units.count(len(group.runs), 'run')}: {'; '.join(parts)}."
    p99 = response.at(0.99)
    tail = (
        f"99 % within {units.seconds(p99.value)}"
        if p99.resolved
        else f"99 % within about {units.seconds(response.value_at(0.99))} (not resolved)"
    )
    half = response.at(0.5)
    middle = f"half of the requests within {units.seconds(half.value)}, " if half.resolved else ""
    text = f"{middle}{tail}, the slowest {units.seconds(response.max)}."
    return text[0].upper() + text[1:]


def ended(results: LoadResults) -> str:
    """How it ended, where it did not end as planned."""
    end = results.record.end
    if end is None:
        return " It was killed before its end."
    return "" if end.how == "complete" else f" It was broken off: {end.reason}."


def group_name(group: Group) -> str:
    """Loop and connections, and the rate where it is a run's own."""
    if (rate := group.first.probe_rate) is not None:
        return f"The probe at {units.quantity(rate)}/s, {units.count(group.first.connections, 'connection')}"
    return f"{group.first.loop} loop, {units.count(group.first.connections, 'connection')}"


def loaded(done: Loaded) -> str:
    """What was loaded before the first run."""
    if done.found:
        return "the rows of an earlier load were there, and nothing had been done to them since"
    return f"{done.rows:,} records loaded in {units.seconds(done.seconds)}"


def skipped(done: Loaded) -> str:
    """What was left out of a file that made the data; empty where nothing was."""
    if not done.skipped:
        return ""
    first = one_line(done.skipped[0], _STATEMENT)
    return (
        f"Left out of the file that made the data: {units.count(len(done.skipped), 'statement')} for owners, roles, "
        f"extensions or settings that this server has not, the first: {first}."
    )


def refusals(results: LoadResults, run: RunFigures) -> list[Phrase]:
    """Why a run is refused; what the tier says above it is not repeated."""
    above = {one.text for one in results.tier.reasons}
    return [
        (
            Part("REFUSED", "strong"),
            " ",
            Part(one.code, "explained"),
            ": see above" if one.text in above else f" {one_line(one.text, 1000)}",
        )
        for one in run.reasons
    ]

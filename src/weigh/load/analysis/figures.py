"""One load run in figures: what its operations took, what it achieved, and whether the generator can be believed."""

from __future__ import annotations

from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.analysis import expected_interval
from weigh.load.analysis.expected_interval import Corrected
from weigh.load.analysis.percentiles import Spectrum, spectrum
from weigh.load.analysis.validity import RunFacts, refusals
from weigh.load.analysis.warmup import Settled, settled
from weigh.load.runs import LoadRun, LoadSummary, ServerUse
from weigh.load.spec import CONFIDENCE, LoadSpec, Loop
from weigh.model.units import Seconds
from weigh.model.verdict import Reason
from weigh.statistics.histogram import EMPTY, Histogram, decode, merged
from weigh.statistics.series.correlated_mean import SeriesMean, mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.load.runs import LoadInterval

ALL = "all"
"""The name of all operations together."""
_KINDS = ("response", "service", "lag_free", "lag_late", "failed")


class OperationFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One operation, over the part of the run that counts.

    Attributes:
        count: answered.
        errors: text of the error -> how often.
        timeouts: given up.
        wrong: how many answers contradict what was written.
        messages: the first of them, as the generator describes them.
        missing: keys that should have been there.
        response: intended time to answer: what a user feels.
        service: sent to answer: what the server did.
        lag_free: waiting for a connection: the server's.
        lag_late: sent late although a connection was free: the generator's.
        failures: intended time to error; time-outs are in ``response``, with as long as was waited.
    """

    name: str
    count: int
    errors: dict[str, int]
    timeouts: int
    wrong: int
    messages: tuple[Any, ...] = msgspec.field(name="said")
    missing: int
    response: Spectrum
    service: Spectrum
    lag_free: Spectrum
    lag_late: Spectrum
    failures: Spectrum

    @property
    def failed(self) -> int:
        """Requests without an answer."""
        return sum(self.errors.values()) + self.timeouts


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """One interval, for drawing; times in seconds.

    Attributes:
        under_way: requests sent and not answered when it ended.
        waiting: requests due and not sent then.
    """

    at: Seconds
    until: Seconds
    rate: float
    p50: Seconds | None
    p99: Seconds | None
    max: Seconds | None
    service_p99: Seconds | None
    failed: int
    under_way: int
    waiting: int


class RunFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One run.

    Attributes:
        life: of the server in which it was made, from 1.
        rate_target: requests a second that were asked for; of random bursts that were due; None of a closed loop.
        probe_rate: the same where it is not the spec's, as of a probe; else None.
        rate_cv: coefficient of variation of that of its intervals, over the part that counts; None of fewer than two.
        rate_achieved: answered a second over the part that counts; its interval allows for correlation.
        settled: what counts of it.
        operations: each by itself; :data:`ALL` first where there are several.
        moments: every interval, what was cut included.
        corrected: of a closed loop: what it would have seen at an interval; None where none was named.
        reasons: why the run is refused; none when it counts.
        unsent: requests that were due and never sent.
        server: what the server used; None where its processes are not known.
        reconnects: connections that were lost and opened again.
        summary: the generator's own account; None of a run that was broken off.
    """

    number: int
    loop: Loop
    connections: int
    repeat: int
    life: int
    rate_target: float | None
    probe_rate: float | None = msgspec.field(name="rate_own")
    rate_cv: float | None
    rate_achieved: SeriesMean | None
    settled: Settled | None
    operations: tuple[OperationFigures, ...]
    moments: tuple[Moment, ...]
    corrected: Corrected | None
    reasons: tuple[Reason, ...]
    unsent: int
    reconnects: int
    summary: LoadSummary | None
    server: ServerUse | None

    @property
    def complete(self) -> bool:
        """Whether it ran to its end."""
        return self.summary is not None

    @property
    def whole(self) -> OperationFigures:
        """All operations together."""
        return self.operations[0]

    @property
    def refused(self) -> bool:
        """Whether its figures are not to be used."""
        return bool(self.reasons)


def figures(run: LoadRun, spec: LoadSpec) -> RunFigures:
    """Compute everything that is reported of a run.

    Args:
        run: as it was measured.
        spec: of the experiment; what the run had of its own counts instead.
    """
    spec = spec.varied(run.rate, run.duration_s)
    # What comes after the last request was due is the end of the queue, and in the histograms; it is no full interval.
    regular = [one for one in run.intervals if one.to_s <= spec.duration_s + spec.interval_s / 2]
    decoded = [_decoded(one) for one in run.intervals]
    medians = [merged(parts["response"].values()).quantile(0.5) for parts in decoded[: len(regular)]]
    known = sum(one is not None for one in medians)
    found = settled(medians, spec.interval_s, spec.warmup_s) if known > 1 else None
    cut = found.intervals if found else 0
    counted, spectra = run.intervals[cut:], decoded[cut:]
    operations = _operations(counted, spectra)
    target = _offered(run, spec) if run.loop == "open" else None
    rates = [_rate(one) for one in regular[cut:]]
    achieved = mean(rates, confidence=CONFIDENCE, intervals=True) if len(rates) > 1 else None
    if achieved is not None and found is not None and found.refused and not achieved.refused:
        achieved = msgspec.structs.replace(achieved, low=None, high=None, refused=found.refused)
    account = RunFacts(
        loop=run.loop,
        connections=run.connections,
        threads=min(spec.threads, run.connections),
        target=target,
        due=run.summary.scheduled if run.summary else None,
        stopped=run.summary is not None and run.summary.seconds < spec.duration_s - spec.interval_s / 2,
        answered=_in_time(run, regular),
        unsent=run.summary.unsent if run.summary else 0,
        gone=run.summary is not None and run.summary.gone,
        seconds=regular[-1].to_s if regular else 0.0,
        steady_s=sum(one.to_s - one.from_s for one in counted),
        cpu_s=sum(one.client_cpu_s for one in counted),
        generating=not spec.in_process and (run.loop == "closed" or spec.spin is not True),
        in_process=spec.in_process,
        agents=spec.agents is not msgspec.UNSET,
        spin=spec.spin is True,
        clock_jumps=run.summary.clock_jumps if run.summary else 0,
        response=operations[0].response if operations else None,
        service=operations[0].service if operations else None,
        late=operations[0].lag_late if operations else None,
        late_histogram=merged(one for parts in spectra for one in parts["lag_late"].values()),
        response_histogram=merged(one for parts in spectra for one in parts["response"].values()),
        requests=operations[0].count + operations[0].failed if operations else 0,
        failed=operations[0].failed if operations else 0,
        budget=spec.error_budget,
    )
    interval = spec.expected_interval_s
    corrected = (
        expected_interval.estimate(account.response_histogram, interval)
        if run.loop == "closed" and interval is not msgspec.UNSET
        else None
    )
    return RunFigures(
        number=run.number,
        loop=run.loop,
        connections=run.connections,
        repeat=run.repeat,
        life=run.life,
        rate_target=target,
        probe_rate=run.rate,
        rate_cv=_variation(rates),
        rate_achieved=achieved,
        settled=found,
        operations=operations,
        moments=tuple(_moment(one, parts) for one, parts in zip(run.intervals, decoded, strict=True)),
        corrected=corrected,
        reasons=tuple(refusals(account)),
        unsent=account.unsent,
        reconnects=sum(one.reconnects for one in run.intervals),
        summary=run.summary,
        server=run.server,
    )


def moments(run: LoadRun) -> tuple[Moment, ...]:
    """Every interval of a run, for drawing."""
    return tuple(_moment(one, _decoded(one)) for one in run.intervals)


def _variation(rates: Sequence[float]) -> float | None:
    """Standard deviation over the mean."""
    if len(rates) < 2 or not (mean_of := fmean(rates)):
        return None
    return stdev(rates) / mean_of


def _offered(run: LoadRun, spec: LoadSpec) -> float | None:
    """Requests a second that were due: how many bursts a run holds is chance, and their mean is that of many."""
    if spec.arrivals.kind == "bursts" and run.summary is not None:
        return run.summary.scheduled / spec.duration_s
    return spec.arrivals.mean_rate(spec.duration_s)


def _decoded(interval: LoadInterval) -> dict[str, dict[str, Histogram]]:
    """Histograms of an interval: kind -> operation -> values."""
    return {kind: {one.name: decode(getattr(one, kind)) for one in interval.operations} for kind in _KINDS}


def _in_time(run: LoadRun, regular: Sequence[LoadInterval]) -> int:
    """Requests answered or failed before the last one was due; by its intervals, where the run did not sum up."""
    if run.summary is not None and run.summary.in_time is not None:
        return run.summary.in_time
    return sum(one.count + _failed(one) for part in regular for one in part.operations)


def _failed(one: Any) -> int:
    return int(sum(one.errors.values()) + one.timeouts)


def _rate(interval: LoadInterval) -> float:
    return sum(one.count for one in interval.operations) / max(interval.to_s - interval.from_s, 1e-9)


def _operations(
    intervals: Sequence[LoadInterval], decoded: Sequence[dict[str, dict[str, Histogram]]]
) -> tuple[OperationFigures, ...]:
    names = list(dict.fromkeys(one.name for interval in intervals for one in interval.operations))
    wanted: list[tuple[str, ...]] = [(name,) for name in names]
    if len(names) != 1:
        wanted.insert(0, tuple(names))
    made = []
    for group in wanted:
        measured = [one for interval in intervals for one in interval.operations if one.name in group]
        if len(group) > 1 and not measured:
            continue
        errors: dict[str, int] = {}
        for one in measured:
            for text, number in one.errors.items():
                errors[text] = errors.get(text, 0) + number
        spectra = {
            kind: spectrum([merged(parts[kind].get(name, EMPTY) for name in group) for parts in decoded])
            for kind in _KINDS
        }
        made.append(
            OperationFigures(
                name=group[0] if len(group) == 1 else ALL,
                count=sum(one.count for one in measured),
                errors=errors,
                timeouts=sum(one.timeouts for one in measured),
                wrong=sum(one.contradictions for one in measured),
                messages=tuple(text for one in measured for text in one.wrong),
                missing=sum(one.missing for one in measured),
                failures=spectra.pop("failed"),
                **spectra,
            )
        )
    return tuple(made)


def _moment(interval: LoadInterval, parts: dict[str, dict[str, Histogram]]) -> Moment:
    response = merged(parts["response"].values())
    return Moment(
        at=interval.from_s,
        until=interval.to_s,
        rate=_rate(interval),
        p50=response.quantile(0.5),
        p99=response.quantile(0.99),
        max=response.max,
        service_p99=merged(parts["service"].values()).quantile(0.99),
        failed=sum(_failed(one) for one in interval.operations),
        under_way=interval.in_flight,
        waiting=interval.queued,
    )

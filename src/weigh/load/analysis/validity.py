"""The run judges itself: whether its figures are the server's, or those of whoever measured it (E8, L2, L7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weigh.model import codes
from weigh.model.units import count, percent, quantity, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.analysis.percentiles import Spectrum
    from weigh.load.spec import Loop
    from weigh.model.units import Seconds
    from weigh.model.verdict import Reason
    from weigh.statistics.histogram import Histogram

LATE = 1.0
"""The generator's own lateness at p90 may be this share of the median response time."""
MISSED = 0.02
"""Share of the requests due that may be without an answer when the run ends."""
SATURATED = 0.9
"""Share of its threads' time that the generator may compute."""
LITTLE = 1.05
"""Requests in flight over connections that cannot be; the rest is rounding."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a run is judged by; times in seconds, over the part that counts unless stated otherwise.

    Attributes:
        target: requests a second that were asked for; None of a closed loop.
        due: requests of the whole run; None where it was broken off.
        stopped: whether it was ended before its schedule was: what was due in that moment is nobody's fault.
        answered: answered or failed before the last one was due, over the whole run.
        gone: whether the server went away in it and did not come back.
        seconds: of the whole run.
        steady_s: of the part that counts.
        cpu_s: CPU of the generator.
        generating: whether that CPU was the work of generating; not where it spins until a request is due, nor where
            the engine computes in its threads.
        in_process: whether it does.
        spin: whether it spins.
        agents: whether several generators made it, each of which is judged by itself.
        response, service, late: spectra; None where nothing was answered.
        requests: requests of the part that counts, answered or not.
        failed: those without an answer.
        budget: share of them that is allowed.
    """

    loop: Loop
    connections: int
    threads: int
    target: float | None
    due: int | None
    stopped: bool
    answered: int
    unsent: int
    gone: bool
    seconds: Seconds
    steady_s: Seconds
    cpu_s: Seconds
    generating: bool
    in_process: bool
    spin: bool
    agents: bool
    clock_jumps: int
    response: Spectrum | None
    service: Spectrum | None
    late: Spectrum | None
    late_histogram: Histogram
    response_histogram: Histogram
    requests: int
    failed: int
    budget: float


def refusals(run: RunFacts) -> Iterator[Reason]:
    """Every reason for which the run is refused."""
    if run.clock_jumps and not run.agents:
        yield codes.E8_CLOCK.reason(
            f"the clock jumped {count(run.clock_jumps, 'time')}: the machine slept or was moved, and no time "
            "across a jump can be known. Run again"
        )
    # Late and punctual generators together would look like one that is a little late.
    if not run.agents:
        yield from _late(run)
        yield from _saturated(run)
    yield from _missed(run)
    yield from _little(run)
    yield from _failed(run)


def _late(run: RunFacts) -> Iterator[Reason]:
    late, felt = run.late_histogram.quantile(0.9), run.response_histogram.quantile(0.5)
    if run.in_process:
        fewer = "ower the rate, or --connections to the number of processors"
        remedy = f"L{fewer}" if run.spin else f"Ask for --spin, or l{fewer}"
    else:
        remedy = "Lower --rate (of a replay --speed), raise --threads, or use another machine for the generator"
    if run.loop == "open" and late is not None and felt is not None and late > LATE * felt:
        yield codes.E8_LATE.reason(
            f"the generator itself was late: one request in ten left {seconds(late)} or more after it was due "
            f"although a connection was free, and the median response time is {seconds(felt)}. The times are the "
            f"generator's. {remedy}"
        )


def _saturated(run: RunFacts) -> Iterator[Reason]:
    share = run.cpu_s / (run.threads * run.steady_s) if run.steady_s else 0.0
    # A closed loop asks as fast as it can: a busy generator is then the limit itself.
    if share > SATURATED and run.generating:
        yield codes.E8_SATURATED.reason(
            f"the generator computed for {percent(share, 0)} of the time of its "
            f"{count(run.threads, 'thread')}: the result is the generator's, not the server's. Raise --threads, or "
            "give it a machine of its own"
        )


def _missed(run: RunFacts) -> Iterator[Reason]:
    if run.target is None or not run.due:
        return
    left = run.due - run.answered
    if left > MISSED * run.due or (run.unsent and not run.stopped):
        achieved = run.answered / run.seconds if run.seconds else 0.0
        done = "answered or failed" if run.failed else "answered"
        remedy = (
            "The server went away and did not come back: look into its log"
            if run.gone
            else "Lower --rate (of a replay --speed), or raise --connections"
        )
        yield codes.L2_RATE.reason(
            f"the rate was missed: {run.target:,.6g} requests a second were asked for and {quantity(achieved)} "
            f"{done}; {left:,} of {run.due:,} had no answer when the last one was due, {run.unsent:,} of them were "
            f"never sent. How long they would have taken nobody knows. {remedy}"
        )


def _little(run: RunFacts) -> Iterator[Reason]:
    """Requests in flight are the rate times the mean time of one (Little 1961): no more than there are connections.

    Of each connection one request may have been on its way when the part that counts began, as in a stall that the
    warm-up's cut falls into: it is counted with all of its time, and some of that lies before.
    """
    if run.service is None or run.service.mean is None or not run.steady_s:
        return
    busy = run.service.count / run.steady_s * run.service.mean
    before = (run.service.max or 0.0) / run.steady_s
    if busy > (LITTLE + before) * run.connections:
        yield codes.E8_LITTLE.reason(
            f"{quantity(run.service.count / run.steady_s)} requests a second of {seconds(run.service.mean)} each keep "
            f"{busy:.1f} connections busy (Little's law), and there were {run.connections}: one of these figures is "
            "wrong. Please report it"
        )


def _failed(run: RunFacts) -> Iterator[Reason]:
    requests = run.requests
    if requests and run.failed > run.budget * requests:
        yield codes.L7_ERRORS.reason(
            f"{run.failed:,} of {requests:,} requests failed or timed out ({percent(run.failed / requests, 2)}), and "
            f"{percent(run.budget, 2)} may: a server that refuses work is fast, so the run has no throughput. Mend the "
            "errors, or allow them with --error-budget"
        )

"""What is the matter with what systems report of executions: caches, times that cannot be, bytes of nothing. Pure."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.results.clock.claim import Claim, impossible
from weigh.model import codes
from weigh.model.units import count, seconds, size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.experiment.results.analysis import MetricAnalysis
    from weigh.model.finding import Finding
    from weigh.model.sample import Sample, Samples
    from weigh.model.spec import Spec

_ROWS = 1_000
"""Rows of an answer from which on fetching it may take longer than a quick query does in all."""
_WITHHOLDS = {
    "server_s": codes.A10_SERVER.code,
    "queue_s": codes.A10_SERVER.code,
    "cost": codes.A10_SCANNED.code,
}
"""Findings that forbid the verdict on one metric alone."""


def findings(samples: Samples, spec: Spec) -> Iterator[Finding]:
    """What forbids to believe a report.

    Args:
        samples: of all attempts.
        spec: of the experiment.
    """
    if not spec.reported:
        return
    executions: dict[str, dict[str, list[Sample]]] = defaultdict(lambda: defaultdict(list))
    for one in samples:
        executions[one.contender][one.operation].append(one)
    for contender, by_operation in executions.items():
        for operation, those in by_operation.items():
            yield from _cached(contender, operation, [one for one in those if one.timed])
            yield from _scanned(contender, operation, those, spec)
        yield from _times(contender, by_operation)


def _cached(contender: str, operation: str, timed: list[Sample]) -> Iterator[Finding]:
    if cached := sum(one.cached is True for one in timed):
        yield codes.A9_REPORTED.finding(
            contender=contender,
            operation=operation,
            text="it says itself that a cache of results answered "
            f"{cached:,} of {count(len(timed), 'timed execution')}",
            remedy="switch the cache off where the system lets you; neither its time nor its bill is that of the work",
        )


def _scanned(contender: str, operation: str, every: list[Sample], spec: Spec) -> Iterator[Finding]:
    """Nothing in some executions and something in others; one that always says nothing may have counted right."""
    price = spec.prices.get(contender)
    if price is None or "bytes" not in price.quantities:
        return
    timed = [one.scanned_bytes for one in every if one.timed and not one.cached]
    most = max((one.scanned_bytes or 0 for one in every), default=0)
    nothing = sum(one == 0 for one in timed)
    if nothing and most:
        yield codes.A10_SCANNED.finding(
            contender=contender,
            operation=operation,
            text=f"it says that it scanned nothing in {nothing:,} of {count(len(timed), 'timed execution')}, and "
            f"{size(most)} in another one: a cache answered, or what it holds is not counted",
            remedy="there is no cost of it: what a new question costs is not what it charges for a repeated one",
        )


def _times(contender: str, by_operation: dict[str, list[Sample]]) -> Iterator[Finding]:
    claims = {
        operation: [
            Claim(one.reported_s, one.wall_s)
            for one in those
            if one.timed
            and one.reported_s is not None
            and one.wall_s is not None
            and one.temperature == "hot"
            and (one.rows or 0) <= _ROWS
        ]
        for operation, those in by_operation.items()
    }
    claims = {operation: those for operation, those in claims.items() if those}
    for one in impossible(claims) if claims else ():
        if one.left_out is None:
            text = f"it says that it took {seconds(one.claim)}, and no more than {seconds(one.went_by)} went by"
        else:
            text = (
                f"it says that it took {seconds(one.claim)} with its queue, while {seconds(one.went_by)} went by: it "
                f"leaves out at least {seconds(one.left_out)}, and its quickest query takes {seconds(one.starting)} in "
                "all, with the network"
            )
        yield _server(contender, one.operation, text)
    for operation, those in by_operation.items():
        waited = [one for one in those if one.timed and one.queue_s and one.queue_s > (one.reported_s or 0.0)]
        if waited:
            yield _server(
                contender,
                operation,
                f"it says that it took {seconds(waited[0].reported_s)} with its queue, and that the queue took "
                f"{seconds(waited[0].queue_s)}",
            )


def _server(contender: str, operation: str, text: str) -> Finding:
    return codes.A10_SERVER.finding(
        contender=contender,
        operation=operation,
        text=text,
        remedy="believe no time that it reports; the client's clock decides, and has the whole query",
    )


def withheld(analysis: MetricAnalysis, metric: str, found: Iterable[Finding]) -> MetricAnalysis:
    """The analysis without what a report makes that is not believed.

    Args:
        analysis: of a metric.
        metric: its name.
        found: findings of the experiment.
    """
    code = _WITHHOLDS.get(metric)
    of = {(one.contender, one.operation): one for one in found if one.code == code} if code else {}
    if not of:
        return analysis
    entry = codes.REGISTRY[code] if code else codes.A10_SERVER
    return msgspec.structs.replace(
        analysis,
        timings=tuple(one for one in analysis.timings if (one.contender, one.operation) not in of),
        verdicts=tuple(
            one.refused(entry.reason(finding.text))
            if (finding := of.get((one.contender, one.operation)) or of.get((one.baseline, one.operation)))
            else one
            for one in analysis.verdicts
        ),
    )

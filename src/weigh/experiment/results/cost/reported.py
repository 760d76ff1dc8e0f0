"""What systems themselves report of executions, next to the client's clock. Pure."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import msgspec

from weigh.model.units import Seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.model.sample import Sample, Samples
    from weigh.model.spec import Spec
    from weigh.model.verdict import Timing


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """One contender on one operation: medians over its timed executions.

    Attributes:
        operation, contender, temperature: of the executions.
        wall_s: by the client's clock, which decides: sending the query and fetching every row.
        server_s: by the system's clock, without the queue; None where it does not say.
        queue_s: that the query waited there before anything worked on it; None where it does not say.
        network_s: the rest of the client's time: the way there and back, fetching and converting rows, and what the
            system leaves out.
        scanned_bytes, billed_bytes, credits: as the system counts them; None where it does not say.
        cached: how many of the executions it says a cache of results answered; None where it never says.
    """

    operation: str
    contender: str
    temperature: str
    wall_s: Seconds
    server_s: Seconds | None
    queue_s: Seconds | None
    network_s: Seconds | None
    scanned_bytes: float | None
    billed_bytes: float | None
    credits: float | None
    cached: int | None


def reported(samples: Samples, spec: Spec, timings: Iterable[Timing]) -> tuple[Reported, ...]:
    """A row of each contender and operation of which a system reports anything, and that may be shown.

    Args:
        samples: of all attempts.
        spec: of the experiment.
        timings: of wall time.
    """
    if not spec.reported:
        return ()
    groups = samples.groups("operation", "contender", "temperature", among=samples.timed)
    found = []
    for one in timings:
        places = groups.get((one.operation, one.contender, one.temperature), ())
        row = _row(one, [samples[place] for place in places])
        if any(getattr(row, name) is not None for name in ("server_s", "scanned_bytes", "credits", "cached")):
            found.append(row)
    return tuple(found)


def _row(one: Timing, samples: Sequence[Sample]) -> Reported:
    server = [sample.reported_s - (sample.queue_s or 0.0) for sample in samples if sample.reported_s is not None]
    network = [
        sample.wall_s - sample.reported_s
        for sample in samples
        if sample.reported_s is not None and sample.wall_s is not None
    ]
    flags = [sample.cached for sample in samples if sample.cached is not None]
    return Reported(
        operation=one.operation,
        contender=one.contender,
        temperature=one.temperature,
        wall_s=one.median,
        server_s=_median(server),
        queue_s=_median([sample.queue_s for sample in samples]),
        network_s=_median(network),
        scanned_bytes=_median([sample.scanned_bytes for sample in samples]),
        billed_bytes=_median([sample.billed_bytes for sample in samples]),
        credits=_median([sample.credits for sample in samples]),
        cached=sum(flags) if flags else None,
    )


def _median(values: Iterable[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return median(known) if known else None

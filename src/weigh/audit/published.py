"""A published result, as far as its file shows: whatever tool wrote it. What it does not show is None or empty."""

from __future__ import annotations

from typing import Literal

import msgspec

from weigh.model.units import Seconds

Loop = Literal["", "open", "closed"]


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """Response times of one kind of request, in seconds.

    Attributes:
        name: of the requests.
        count: how many.
        mean, least, most, total: of their times; ``total`` is the sum.
        percentiles: value by rank, 99.9 for p99.9.
        step: half of the last digit that is printed: every value may be off by that much.
        coarse: percentiles are upper ends of wide buckets.
        share: of a percentile by which it may be off, where buckets widen with the value.
        width: of the buckets whose lower ends percentiles are: the true one may be above by that much.
    """

    name: str
    count: float | None = None
    mean: Seconds | None = None
    least: Seconds | None = None
    most: Seconds | None = None
    total: Seconds | None = None
    percentiles: dict[float, Seconds] = {}
    step: Seconds = 0.0
    coarse: bool = False
    share: float = 0.0
    width: Seconds = 0.0


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """A rate with what it is of.

    Attributes:
        name: of what.
        count: how many there were.
        seconds: that it took.
        rate: a second, as the file states it.
    """

    name: str
    count: float
    seconds: Seconds
    rate: float


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A sum with its parts, each as the file states it.

    Attributes:
        name: of what.
        total: the sum.
        parts: by name.
        incomplete: whether some may not be listed, so that they are at most the sum.
    """

    name: str
    total: float
    parts: dict[str, float]
    incomplete: bool = False


class Contradiction(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of one file that cannot all be true.

    Attributes:
        row: of the catalogue of lies that it is about.
        text: which figures, in a sentence.
    """

    row: str
    text: str


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """A result, as its file shows it.

    Attributes:
        form: the tool whose form it has.
        file: its name.
        benchmark: what was measured, as the file calls it.
        system, version: of what.
        workload: the nearest workload of weigh; empty where there is none.
        scale: of that workload: a scale factor, rows or warehouses.
        configuration, machine, date: as stated.
        data_bytes, memory_bytes: sizes.
        loop: whether requests waited for answers (closed) or were due at their times (open).
        clients: that had one request each under way, at most.
        pipelined: whether a client may have several, so that rate times latency says nothing.
        offered, rate: requests a second: as asked for, and as reached.
        seconds, warm_up: length of the measurement, and of what was cut.
        errors: requests that failed; None where the file does not count them.
        latencies: by kind of request.
        rates, parts: figures that must fit each other.
        times: seconds of every execution by query; None for one that failed.
        expected: queries that the benchmark has; 0 where that is not known.
        shows: more that it shows, by row of the catalogue.
        lacks: more that it does not show, by row.
        contradicted: what its form alone can tell.
    """

    form: str
    file: str
    benchmark: str = ""
    system: str = ""
    version: str = ""
    workload: str = ""
    scale: float | None = None
    configuration: str = ""
    machine: str = ""
    date: str = ""
    data_bytes: float | None = None
    memory_bytes: float | None = None
    loop: Loop = ""
    clients: float | None = None
    pipelined: bool = False
    offered: float | None = None
    rate: float | None = None
    seconds: Seconds | None = None
    warm_up: Seconds | None = None
    errors: float | None = None
    latencies: tuple[Latency, ...] = ()
    rates: tuple[Rate, ...] = ()
    parts: tuple[Part, ...] = ()
    times: dict[str, tuple[Seconds | None, ...]] = {}
    expected: int = 0
    shows: dict[str, str] = {}
    lacks: dict[str, str] = {}
    contradicted: tuple[Contradiction, ...] = ()

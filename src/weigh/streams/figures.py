"""Figures of one life, from the times of its steps. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from weigh.streams.spec import is_query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.streams.record import Life, StreamTest
    from weigh.streams.spec import StreamsSpec, TestName

FigureName = Literal["power", "throughput", "maintenance", "composite", "queries alone"]
FIGURES: tuple[FigureName, ...] = ("power", "throughput", "maintenance", "composite", "queries alone")
HOUR = 3600.0
_WIDEST = 1000.0
"""A time of the power test counts with at least the longest one's thousandth (specification of TPC-H 5.4.1.4)."""
_LOAD_SHARE = 0.01
"""Of the time of the load, for each stream (specification of TPC-DS, clause 7)."""


UNIT = "an hour x SF"
"""Of each figure: queries or refresh sets an hour, times the scale factor."""


def figures_of(spec: StreamsSpec) -> tuple[FigureName, ...]:
    """The figures that a benchmark has."""
    return tuple(one for one in FIGURES if one != "maintenance" or spec.maintains)


def value_of(figure: FigureName, life: Life, spec: StreamsSpec) -> float | None:
    """A figure of one life; None where its test was not completed.

    Of TPC-H: power is 3600 SF over the geometric mean of the times of 22 queries and two refresh functions; throughput
    is S times 22 queries an hour, times SF, from the beginning of the first to the end of the last step of all streams;
    the composite is their geometric mean (specification 5.4).

    Of TPC-DS: power is 99 queries an hour, times SF, over the whole test; throughput is 2 S times 99 queries over both
    tests; maintenance is refresh sets an hour, times SF; the composite is S times 99 times SF over the fourth root of
    S times the hours of the power test, those of both throughput tests, those of both maintenance tests, and 0.01 S
    times those of the load (specification, clause 7).

    Queries alone is of both 3600 SF over the geometric mean of the times of the queries of one session.
    """
    scale = spec.experiment.scale or 1.0
    tests = {one.name: one for one in life.tests if not one.error}
    if figure == "queries alone":
        test = tests.get("power") or tests.get("queries")
        times = [one.seconds for one in test.steps if is_query(one.name)] if test else []
        return HOUR * scale / _geometric(times) if len(times) == spec.shape.queries else None
    return (_maintained if spec.maintains else _refreshed)(figure, life, spec, tests, scale)


def _refreshed(
    figure: FigureName, life: Life, spec: StreamsSpec, tests: dict[TestName, StreamTest], scale: float
) -> float | None:
    """Of TPC-H."""
    steps = spec.shape.queries + len(spec.shape.functions)
    if figure == "power":
        times = [one.seconds for one in tests["power"].steps] if "power" in tests else []
        return HOUR * scale / _geometric(times) if len(times) == steps else None
    if figure == "throughput":
        span = _span(tests, ("throughput",), spec.streams * steps)
        return spec.streams * spec.shape.queries * HOUR * scale / span if span else None
    power, throughput = (value_of(one, life, spec) for one in ("power", "throughput"))
    return math.sqrt(power * throughput) if power and throughput else None


def _maintained(
    figure: FigureName, life: Life, spec: StreamsSpec, tests: dict[TestName, StreamTest], scale: float
) -> float | None:
    """Of TPC-DS."""
    queries, streams = spec.shape.queries, spec.streams
    power = _span(tests, ("power",), queries)
    throughput = _span(tests, ("throughput", "throughput 2"), streams * queries)
    maintenance = _span(tests, ("maintenance", "maintenance 2"), spec.sets * len(spec.shape.functions))
    if figure == "power":
        return queries * HOUR * scale / power if power else None
    if figure == "throughput":
        return 2 * streams * queries * HOUR * scale / throughput if throughput else None
    if figure == "maintenance":
        return 2 * spec.sets * HOUR * scale / maintenance if maintenance else None
    if not (power and throughput and maintenance and life.load_s):
        return None
    product = streams * power * throughput * maintenance * _LOAD_SHARE * streams * life.load_s
    return streams * queries * scale * HOUR / math.sqrt(math.sqrt(product))


def _span(tests: dict[TestName, StreamTest], names: Sequence[TestName], steps: int) -> float | None:
    """Seconds from the first beginning to the last end, of all tests together; None where one lacks a step."""
    total = 0.0
    for name in names:
        test = tests.get(name)
        if test is None or len(test.steps) != steps:
            return None
        total += max(one.ended for one in test.steps) - min(one.began for one in test.steps)
    return total


def _geometric(times: Sequence[float]) -> float:
    least = max(times, default=0.0) / _WIDEST
    return math.exp(math.fsum(math.log(max(one, least, 1e-9)) for one in times) / len(times)) if times else math.nan

"""What a result shows of every row of the catalogue of lies."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from weigh.audit import contradictions
from weigh.audit.published import Published
from weigh.lies import CATALOGUE
from weigh.model import units

if TYPE_CHECKING:
    from collections.abc import Callable

_RESOLVED = 20
"""Requests beyond a percentile that it needs to be more than a few (L9)."""
_STEADY = 600.0
"""Seconds after warming up that a steady state takes at least to show."""


class State(StrEnum):
    """What a file says of a row.

    Attributes:
        EVIDENT: what a reader needs to judge it.
        ABSENT: nothing, or not enough.
        CONTRADICTED: its own figures cannot all be true.
    """

    EVIDENT = "shown"
    ABSENT = "not shown"
    CONTRADICTED = "contradicted"


class CatalogueRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the catalogue, for one result.

    Attributes:
        id: of the row.
        lie: what it is about.
        state: what the file says of it.
        text: why.
    """

    id: str
    lie: str
    state: State
    text: str


class Audited(msgspec.Struct, frozen=True, kw_only=True):
    """A result with all rows.

    Attributes:
        published: the result.
        rows: one a row of the catalogue, in its order.
    """

    published: Published
    rows: tuple[CatalogueRow, ...]

    @property
    def contradicted(self) -> tuple[CatalogueRow, ...]:
        """Those that its own figures contradict, but for R11, which says that there are any."""
        return tuple(one for one in self.rows if one.state is State.CONTRADICTED and one.id != "R11")


_NOT: dict[str, str] = {
    "A1": "no answer was compared with an independent one",
    "A2": "no rule says which differences of answers are allowed",
    "A3": "the answers of timed executions were not checked",
    "A4": "that all read the same rows is not shown: no digest of the data",
    "A5": "whether all rows were read by the client is not shown",
    "A6": "what lies inside of the clock is not shown",
    "A8": "no expected answers: what was timed may be wrong",
    "A9": "whether a cache of results was off is not shown",
    "A11": "CPU time outside of the clock is not shown",
    "D1": "how the data was written is not shown",
    "D7": "the size of the data against memory is not shown",
    "D9": "what loading cost is not shown",
    "E1": "whether anything was cold is not shown",
    "E2": "on which storage the data lay is not shown",
    "E4": "what else used the machine is not shown",
    "E5": "frequency, governor and throttling are not shown",
    "E6": "which CPUs and how much memory each had is not shown",
    "E7": "settings that differ from the defaults, and durability, are not shown",
    "E8": "whether the generator was the bottleneck is not shown",
    "L1": "only a mean: no percentile",
    "L2": "a closed loop: while the server stalls nobody asks, and the waiting is not in the times",
    "L3": "no limit of response times that the rate kept",
    "L4": "no warm-up and no test of a steady state",
    "L5": "the mix as executed is not shown",
    "L6": "no check of what was written",
    "L7": "whether requests failed is not counted",
    "L9": "no percentile",
    "L12": "the isolation level is not shown",
    "T1": "no interval and no noise alongside the figures",
    "T4": "the order of measurements is not shown",
    "T5": "one system alone: a comparison with another file is one of two sessions",
    "T8": "whether it was run more than once is not shown",
    "T10": "one start of the server",
    "R1": "which queries the benchmark has is not known here",
    "R2": "one number",
    "R3": "version, configuration or machine are not all there",
    "R7": "whether the name of a benchmark of the TPC is used as the TPC allows is not shown",
    "R8": "what the vendor allows to publish is not shown",
    "R9": "nobody vouches for it: no signature",
    "R10": "no hash of the engine's files",
}
"""What is missing, in a few words."""


def audited(one: Published) -> Audited:
    """All rows of the catalogue for a result."""
    wrong: dict[str, list[str]] = {}
    for contradiction in contradictions.found(one):
        wrong.setdefault(contradiction.row, []).append(contradiction.text)
    evident = {row: text for row, find in _FINDERS.items() if (text := find(one))} | one.shows
    rows = []
    for lie in CATALOGUE:
        if lie.id == "R11":
            state, text = _whole(sum(map(len, wrong.values())))
        elif lie.id in wrong:
            state, text = State.CONTRADICTED, "; ".join(wrong[lie.id])
        elif lie.id in evident and lie.id not in one.lacks:
            state, text = State.EVIDENT, evident[lie.id]
        else:
            state, text = (
                State.ABSENT,
                one.lacks.get(lie.id) or _NOT.get(lie.id, f"nothing in it speaks of it: {lie.lie}"),
            )
        rows.append(CatalogueRow(id=lie.id, lie=lie.lie, state=state, text=text))
    return Audited(published=one, rows=tuple(rows))


def _whole(count: int) -> tuple[State, str]:
    if count:
        return State.CONTRADICTED, f"{units.count(count, 'contradiction')} among its own figures"
    return State.EVIDENT, "its figures fit each other, as far as they can be computed from one another"


def _size(one: Published) -> str:
    if not one.data_bytes or not one.memory_bytes:
        return ""
    return f"{units.size(int(one.data_bytes))} of data, {units.size(int(one.memory_bytes))} of memory"


def _percentiles(one: Published) -> str:
    ranks = sorted({rank for latency in one.latencies for rank in latency.percentiles})
    above = [latency.name for latency in one.latencies if _below_mean(latency.percentiles, latency.mean)]
    note = (
        f"; the mean of {', '.join(above[:3])} lies above p99: a few requests weigh more than all others"
        if above
        else ""
    )
    return ", ".join(f"p{rank:g}" for rank in ranks) + note if ranks else ""


def _below_mean(percentiles: dict[float, float], mean: float | None) -> bool:
    return mean is not None and 99.0 in percentiles and percentiles[99.0] < mean


def _resolved(one: Published) -> str:
    known = [(latency, max(latency.percentiles)) for latency in one.latencies if latency.percentiles and latency.count]
    if not known or any((latency.count or 0.0) * (1 - rank / 100) < _RESOLVED for latency, rank in known):
        return ""
    latency, rank = min(known, key=lambda pair: (pair[0].count or 0.0) * (100 - pair[1]))
    return f"at least {(latency.count or 0.0) * (1 - rank / 100):,.0f} requests lie beyond p{rank:g} of {latency.name}"


def _errors(one: Published) -> str:
    if one.times:
        failed = sum(value is None for values in one.times.values() for value in values)
        return f"{failed} executions failed" if failed else "no execution failed, or none is listed as failed"
    return f"{one.errors:,.0f} failed" if one.errors is not None else ""


def _executions(one: Published) -> str:
    counts = {len(values) for values in one.times.values()}
    if not counts or max(counts) < 2:
        return ""
    least = f"{min(counts)} to " if min(counts) < max(counts) else ""
    return f"{least}{max(counts)} executions of each query; no interval"


def _suite(one: Published) -> str:
    if not one.expected or not one.times:
        return ""
    whole = [name for name, values in one.times.items() if values and None not in values]
    if len(whole) < one.expected:
        return ""
    if len(one.times) == one.expected:
        return f"all {one.expected} queries have times"
    return f"{len(whole)} queries of {len(one.times)} have times; the benchmark has {one.expected}"


def _question(one: Published) -> str:
    parts = (one.system, one.version, one.configuration, one.machine)
    return f"{one.system} {one.version}, {one.machine}" if all(parts) else ""


def _long(one: Published) -> str:
    if one.warm_up and one.seconds and one.seconds >= _STEADY:
        return f"{units.seconds(one.warm_up)} of warm-up, {units.seconds(one.seconds)} measured"
    return ""


def _offered(one: Published) -> str:
    if one.offered and one.rate:
        return f"{one.rate:,.6g} of {one.offered:,.6g} offered a second were answered"
    return ""


def _several(one: Published) -> str:
    if len(one.times) > 1:
        return f"{len(one.times)} queries, one by one"
    return f"{len(one.latencies)} kinds of requests" if len(one.latencies) > 1 else ""


_FINDERS: dict[str, Callable[[Published], str]] = {
    "D7": _size,
    "E7": lambda one: f"a configuration: {one.configuration}" if one.configuration else "",
    "L1": _percentiles,
    "L2": lambda one: "an open loop: requests were due at their times" if one.loop == "open" else "",
    "L3": _offered,
    "L4": _long,
    "L5": lambda one: f"{len(one.rates)} kinds, with the number of each" if len(one.rates) > 1 else "",
    "L7": _errors,
    "L9": _resolved,
    "R1": _suite,
    "R2": _several,
    "R3": _question,
    "T1": _executions,
}
"""What a result may show, by row: in a few words, or nothing."""

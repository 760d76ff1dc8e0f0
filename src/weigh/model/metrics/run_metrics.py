"""The metrics of an execution: fields of a sample that are judged, with the words that reports use of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.model.metrics.metric import Metric, Unit

if TYPE_CHECKING:
    from collections.abc import Collection

    from weigh.model.rules import Rules


class RunMetric(Metric, frozen=True, kw_only=True):
    """A field of a sample that is judged.

    Attributes:
        title: heading of its column.
        noun: of what moves with the time, ``CPU seconds``; empty of what says nothing more than the time.
        less: what fewer of the noun is: ``fewer`` or ``less``.
        price: what a gain in time was bought with.
        does, longer, shorter, times: ``q1 costs 12 % more CPU seconds``, ``fewer CPU seconds``, ``twice the``.
        within: where two are the same: ``in CPU seconds``; empty of the time.
        often_zero: whether zero is usual, so that a row that says no more than that is left out.
        of: where it is judged: everywhere; of the loading of tables; where prices are declared; where a system reports.
        more, fewer: what SLOWER and FASTER are called of it.
    """

    title: str
    noun: str = ""
    less: str = "fewer"
    price: str = ""
    does: str
    longer: str
    shorter: str
    times: str
    within: str
    often_zero: bool = False
    of: Literal["all", "loading", "price", "service"] = "all"
    more: str = "more"
    fewer: str = "less"


_ALL = (
    RunMetric(
        name="wall_s", unit=Unit.SECONDS, absent="the wall time is zero or missing", title="wall time",
        does="takes", longer="longer", shorter="less time", times="as long", within="",
    ),
    RunMetric(
        name="cpu_s", unit=Unit.SECONDS, absent="the CPU time is zero or missing", title="CPU time",
        noun="CPU seconds", price="cores",
        does="costs", longer="more CPU seconds", shorter="fewer CPU seconds", times="the CPU seconds",
        within=" in CPU seconds",
    ),
    RunMetric(
        name="peak_memory", unit=Unit.BYTES, absent="the memory at the peak is zero or missing", title="peak memory",
        noun="memory at the peak", less="less", price="memory",
        does="needs", longer="more memory at its peak", shorter="less memory at its peak",
        times="the memory at its peak", within=" in memory",
    ),
    RunMetric(
        name="bytes_read", unit=Unit.BYTES, absent="nothing was read, or not counted,", title="bytes read",
        noun="bytes read", price="reading",
        does="reads", longer="more bytes", shorter="fewer bytes", times="the bytes", within=" in bytes read",
        often_zero=True,
    ),
    RunMetric(
        name="stored_bytes", unit=Unit.BYTES, absent="nothing was stored, or not counted,", title="bytes stored",
        noun="bytes stored", price="disk",
        does="leaves", longer="more bytes on the disk", shorter="fewer bytes on the disk",
        times="the bytes on the disk", within=" in bytes stored", of="loading",
    ),
    RunMetric(
        name="first_query_s", unit=Unit.SECONDS, absent="the time until the first answer is zero or missing",
        title="first answer after",
        does="lets the first query be answered", longer="later", shorter="earlier", times="as late",
        within=" in the time until the first answer", of="loading",
    ),
    RunMetric(
        name="cost", unit=Unit.MONEY, absent="nothing was charged, or not told,", title="cost",
        noun="money", less="less", price="money",
        does="costs", longer="more", shorter="less", times="as much", within=" in cost", of="price",
        more="dearer", fewer="cheaper",
    ),
    RunMetric(
        name="server_s", unit=Unit.SECONDS, absent="the server's time is zero or missing", title="server time",
        does="takes", longer="longer in the server", shorter="less time in the server", times="as long in the server",
        within=" in the server's time", of="service",
    ),
    RunMetric(
        name="queue_s", unit=Unit.SECONDS, absent="the time in the queue is zero or missing", title="queue time",
        does="waits", longer="longer in the queue", shorter="less time in the queue", times="as long in the queue",
        within=" in the queue", often_zero=True, of="service",
    ),
)  # fmt: skip
RUN_METRICS = {one.name: one for one in _ALL}
"""By name; the first one decides the exit code, the others are judged alongside it."""
HEADLINE = _ALL[0].name


def metrics_of(groups: Collection[str] = ()) -> tuple[str, ...]:
    """The metrics that are judged, the headline first.

    Args:
        groups: those that are judged alongside what always is (:attr:`RunMetric.of`).
    """
    return tuple(one.name for one in _ALL if one.of == "all" or one.of in groups)


def rules_of(metric: str, rules: Rules, groups: Collection[str] = ()) -> Rules:
    """The rules under which a metric is judged: its share of the false discovery rate.

    Wall time is declared beforehand as what decides, and has the rate q by itself. The others share another q evenly,
    whether or not all of them can be judged. The false discoveries among all claims beside wall time are then at most q
    in expectation, however the metrics depend on each other, because the share over the union of families is at most
    the sum of the shares in each.

    Args:
        metric: that is judged.
        rules: of the experiment.
        groups: as of :func:`metrics_of`.
    """
    others = len(metrics_of(groups)) - 1
    return rules if metric == HEADLINE else msgspec.structs.replace(rules, fdr=rules.fdr / others)

"""The metrics of a load: figures of a run that are judged, with the words that reports use of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from weigh.load.spec import Loop
from weigh.model.metrics.metric import Metric, Unit
from weigh.model.units import Bytes, Seconds
from weigh.model.verdict import Reason

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.load.analysis.figures import OperationFigures, RunFigures


class LoadMetric(Metric, frozen=True, kw_only=True):
    """A figure of a run that is judged.

    Attributes:
        of: computes it of a run and one of its operations; None where there is none.
        title: in the tables of a comparison.
        label: by itself, as in a list of everything.
        spent: whether it is used or lost, so that there is more and less of it, and not slower and faster; it has no
            verdict where no run has any.
        decides: whether it decides the exit code: what users meet does, and what it costs does not.
        optional: whether evidence of earlier versions has none of it: only where a run has one does it take a share of
            the false discovery rate.
    """

    of: Callable[[RunFigures, OperationFigures], float | None]
    title: str
    label: str
    each: str = "runs"
    spent: bool = False
    decides: bool = True
    optional: bool = False


def _quantile(name: str, run: RunFigures, figures: OperationFigures) -> float | None:
    """By rank, resolved or not: runs in which one is not resolved are those in which a stall came, or none.

    To leave them out would choose among the blocks.
    """
    return figures.response.value_at(PERCENTILES[name])


def _rate(run: RunFigures, figures: OperationFigures) -> float | None:
    return run.rate_achieved.mean if run.rate_achieved else None


def _errors(run: RunFigures, figures: OperationFigures) -> float | None:
    return figures.failed / (figures.count + figures.failed) if figures.count else None


def _cpu(run: RunFigures, figures: OperationFigures) -> float | None:
    done = run.summary.done if run.summary else 0
    return run.server.cpu_s / done if run.server and done else None


def _memory(run: RunFigures, figures: OperationFigures) -> int | None:
    return (run.server.memory_bytes or None) if run.server else None


def _written(run: RunFigures, figures: OperationFigures) -> float | None:
    written = run.server.written_bytes if run.server else msgspec.UNSET
    return written / run.summary.done if written is not msgspec.UNSET and run.summary and run.summary.done else None


def _searched(run: RunFigures, figures: OperationFigures) -> None:
    """A search has one rate, and its runs have none of it."""


PERCENTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}
"""Of the response time: metrics and what they are."""
RATE, ERRORS, HIGHEST = "rate", "errors", "highest_rate"
RESPONSE = Metric(name="response", unit=Unit.SECONDS, absent="the response time is zero or missing", each="runs")
"""What all percentiles are of: they are judged together."""
_TITLES = {"p50": "p50", "p95": "p95", "p99": "p99", "p999": "p99.9"}
_ALL = (
    *(
        LoadMetric(
            name=name, unit=Unit.SECONDS, absent=RESPONSE.absent, of=partial(_quantile, name), title=_TITLES[name],
            label=_TITLES[name],
        )
        for name in PERCENTILES
    ),
    LoadMetric(
        name=RATE, unit=Unit.PER_SECOND, absent="no request was answered", of=_rate, title="answers/s", label=RATE,
    ),
    LoadMetric(
        name=ERRORS, unit=Unit.SHARE, absent="no request was answered", of=_errors, title="failed",
        label="share that failed", spent=True,
    ),
    LoadMetric(
        name="server_cpu_s", unit=Unit.SECONDS, absent="the CPU time of the server is zero or missing", of=_cpu,
        title="CPU/request", label="CPU for each request", spent=True, decides=False,
    ),
    LoadMetric(
        name="server_memory", unit=Unit.BYTES, absent="the memory of the server is zero or missing", of=_memory,
        title="memory", label="memory of the server", spent=True, decides=False,
    ),
    LoadMetric(
        name="server_written", unit=Unit.BYTES, absent="the server wrote nothing", of=_written, title="written/request",
        label="bytes written for each request", spent=True, decides=False, optional=True,
    ),
    LoadMetric(
        name=HIGHEST, unit=Unit.PER_SECOND, absent="no rate was kept", of=_searched, title="highest rate",
        label="highest rate",
    ),
)  # fmt: skip


class BlockRow(msgspec.Struct, frozen=True, kw_only=True):
    """One run of one arm in one block: what the verdicts go by.

    Attributes:
        attempt, block: from 1.
        arm: its name.
        loop, connections: of the run.
        life: number of the server's life, from 1.
        run: its number in the arm's own load.
        verdict: ``counts`` or ``refused``.
        reasons: why it is refused.
        p50, p95, p99, p999: of the response times of all operations, by rank, resolved or not; None where nothing was
            answered.
        resolved: which of these are resolved.
        rate: answers a second; None where there is no mean.
        errors: share of the requests without an answer.
        server_cpu_s: CPU seconds of the server for each request; None where its processes are not known.
        server_memory: bytes; None likewise.
        server_written: bytes that the server wrote to storage devices for each request; left out where that is not
            known.
    """

    attempt: int
    block: int
    arm: str
    loop: Loop
    connections: int
    life: int
    run: int
    verdict: str
    reasons: tuple[Reason, ...]
    p50: Seconds | None
    p95: Seconds | None
    p99: Seconds | None
    p999: Seconds | None
    resolved: tuple[str, ...]
    rate: float | None
    errors: float | None
    server_cpu_s: Seconds | None
    server_memory: Bytes | None
    server_written: float | msgspec.UnsetType = msgspec.UNSET


LOAD_METRICS = {one.name: one for one in _ALL}
"""By name. Seconds, answers a second, a share, or bytes."""
RUN_METRICS = tuple(one for one in LOAD_METRICS if one not in (*PERCENTILES, HIGHEST))
"""Those of a whole run. They share a false discovery rate of their own alongside the response times."""

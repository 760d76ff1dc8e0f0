"""Plausibility (A12): an execution that must look at every value of some columns cannot be faster than memory. Pure.

Only what surely has to be read counts: columns that are summed, averaged or grouped by over a whole table, in the bytes
that they take in the files. Counts of rows, extremes, distinct values and whatever has a filter, a join or a subquery
may be answered from statistics, dictionaries or indexes, and are not judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weigh.experiment.record import samples
from weigh.model import codes
from weigh.model.units import seconds, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weigh.experiment.record import Record
    from weigh.model.dataset import Manifest
    from weigh.model.finding import Finding
    from weigh.model.sample import Samples
    from weigh.model.units import Bytes

CALIBRATED: Bytes = 2 * (64 << 20)
"""What the calibration of memory reads (crates/weigh-host/src/calibration.rs)."""
GENEROUS = 2.0
"""One core's caches are faster than the memory that is calibrated; decoding is slower than either by far."""


def implausible(attempts: Sequence[Record]) -> list[Finding]:
    """Contenders that were too fast to have read the columns they were asked about, by operation."""
    latest = attempts[-1]
    rate = _rate(attempts)
    if latest.workload is None or latest.manifest is None or not rate:
        return []
    # A copy that an engine loads is a layout of its own, with its own size.
    loads = (
        {place.contender for place in (latest.environment.storage or ()) if place.contender}
        if latest.environment
        else set()
    )
    queries = {one.name: one.sql for one in latest.workload.operations}
    found = []
    for (contender, operation), took in _medians(samples(attempts)).items():
        manifest = latest.manifest_of(contender)
        if contender in loads or operation not in queries or manifest is None:
            continue
        # Whoever had time to read everything is spared the parsing of its query.
        if took >= _bytes(manifest) / rate:
            continue
        needed = _bytes(manifest, _columns(queries[operation]))
        if took < needed / rate:
            found.append(_too_fast(contender, operation, took, needed, needed / rate))
    return found


def _rate(attempts: Sequence[Record]) -> float:
    """Bytes a second that all CPUs together can read at the very most; 0 where nothing was calibrated."""
    latest = attempts[-1]
    quickest = min(
        (took for record in attempts for one in record.calibrations if one.kernel == "memory" for took in one.seconds),
        default=0.0,
    )
    allowed = latest.host.get("cores_allowed")
    cpus = len(latest.spec.affinity or ()) or (allowed if isinstance(allowed, int) else 0)
    return GENEROUS * cpus * CALIBRATED / quickest if quickest and cpus else 0.0


def _medians(every: Samples) -> dict[tuple[str, str], float]:
    """Seconds of the timed executions by contender and operation."""
    wall = every.floats("wall_s")
    groups = every.groups("contender", "operation", among=every.timed & ~np.isnan(wall))
    return {pair: float(np.median(wall[those])) for pair, those in groups.items()}


def _bytes(manifest: Manifest, only: tuple[str, set[str]] | None = None) -> Bytes:
    """What some columns of a table take in all its files, or all columns of all tables."""
    return sum(
        int(facts.get("compressed_bytes") or 0)
        for file in manifest.files
        if only is None or file.table == only[0]
        for name, facts in file.parquet.get("columns", {}).items()
        if only is None or name.lower() in only[1]
    )


def _columns(sql: str) -> tuple[str, set[str]]:
    """The table and those of its columns of which every value must be looked at; none where that is not sure."""
    import sqlglot
    from sqlglot import exp

    try:
        query = sqlglot.parse_one(sql, read="duckdb")
    except (sqlglot.errors.SqlglotError, RecursionError):
        return "", set()
    tables = list(query.find_all(exp.Table))
    grouping = query.args.get("group")
    unsure = (exp.Where, exp.Join, exp.Subquery, exp.With, exp.TableSample, exp.Filter, exp.Case, exp.If, exp.Window)
    if not isinstance(query, exp.Select) or len(tables) != 1 or query.find(*unsure) is not None:
        return "", set()
    if query.args.get("limit") is not None and query.args.get("order") is None:
        return "", set()
    sums = [one for one in query.find_all(exp.Sum, exp.Avg) if one.find(exp.Distinct) is None]
    counted = sums or list(query.find_all(exp.Count))
    within = [*sums, *([grouping] if grouping is not None and counted else [])]
    return tables[0].name, {column.name.lower() for one in within for column in one.find_all(exp.Column)}


def _too_fast(contender: str, operation: str, took: float, needed: Bytes, least: float) -> Finding:
    return codes.A12_FAST.finding(
        contender=contender,
        operation=operation,
        text=f"too fast to be true: it takes {seconds(took)}, and the columns that it must look at are {size(needed)} "
        f"in the files, which this machine's memory cannot give in less than {seconds(least)}",
        remedy="no verdict on this operation until it is explained: a cache, answers from elsewhere, or another layout",
    )

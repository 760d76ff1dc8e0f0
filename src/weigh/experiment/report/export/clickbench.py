"""ClickBench's results JSON (github.com/ClickHouse/ClickBench, ``*/results/*/*.json``): one system on one machine.

Three tries a query are all that it has: of the first one the system is cold, of the next two it is not. What fills them
here are medians over the starts: of the cold executions, of the first and of the second hot one. Neither what makes a
result trustworthy nor what it is of has a place in the form, so whoever reads it is told in its name and its comment,
and evidence that shows nothing is not written.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.model import units
from weigh.model.errors import UsageError
from weigh.model.sample import Outcome
from weigh.model.text import one_line
from weigh.model.verdict import TierName, VerdictName

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weigh.experiment.record import Record
    from weigh.experiment.report.export.exported import Exported
    from weigh.model.sample import Sample

_HOT = 2
"""Tries after the first one."""
_NOTHING = (VerdictName.REFUSED, VerdictName.DIVERGED, VerdictName.ERROR)
_LABEL = "not ClickBench"


def write(exported: Exported) -> bytes:
    """The whole file.

    Raises:
        UsageError: the run shows nothing that this form could say, or is not of queries.
    """
    results, record, name = exported.results, exported.results.record, exported.contender
    if name is None:
        raise UsageError("a file of ClickBench is of one system", remedy="name it: --contender NAME")
    if record.spec.ingest:
        raise UsageError("it loaded a table, and tries are of queries", remedy="--format csv has the times")
    if results.tier is not None and results.tier.name is TierName.INADMISSIBLE:
        why = results.tier.reasons[0].text if results.tier.reasons else "nothing in it may be compared"
        raise UsageError(
            f"the run is INADMISSIBLE ({why}), which the form cannot say", remedy="run again, or use --format csv"
        )
    title = f"{record.spec.workload}{f' {units.scale(record.spec.scale)}' if record.spec.scale is not None else ''}"
    refused = _refused(exported, name)
    samples = [one for one in exported.samples if one.arm == name and one.operation not in refused]
    # What is called cold must be proven to be.
    tries = _tries(samples, cold=results.assumed is None)
    if not any(value is not None for one in tries.values() for value in one):
        raise UsageError(f"no execution of {name} may be quoted", remedy="see `weigh report` for the reason")
    operations = [one.name for one in record.workload.operations] if record.workload else list(tries)
    document = {
        "system": one_line(f"{name} ({title}, {_LABEL})"),
        "date": exported.written.isoformat(),
        "machine": _machine(record),
        "cluster_size": 1,
        "proprietary": "yes" if _terms(record, name) else "no",
        "hardware": "cpu",
        "tuned": "yes" if record.spec.contender(name).engine_settings() else "no",
        "comment": _comment(exported, operations),
        "tags": ["weigh", _LABEL],
        "load_time": _load_time(exported, name),
        "data_size": _data_size(exported, name),
        "concurrent_qps": None,
        "concurrent_error_ratio": None,
    }
    rows = [tries.get(one, (None,) * (1 + _HOT)) for one in operations]
    return _text(document, rows)


def _refused(exported: Exported, name: str) -> set[str]:
    """Operations of which nothing may be reported of this contender: none of its verdicts stands."""
    stands: dict[str, bool] = {}
    for one in exported.results.headline.verdicts:
        if name in (one.contender, one.baseline):
            stands[one.operation] = stands.get(one.operation, False) or one.verdict not in _NOTHING
    return {operation for operation, some in stands.items() if not some}


def _tries(samples: Iterable[Sample], *, cold: bool) -> dict[str, tuple[float | None, ...]]:
    """Three tries by operation; none where an execution did not end well."""
    tries: dict[str, list[list[float]]] = defaultdict(lambda: [[] for _ in range(1 + _HOT)])
    failed: set[str] = set()
    observed: dict[tuple[int, int, str], int] = defaultdict(int)
    for one in samples:
        if one.outcome is not Outcome.OK:
            failed.add(one.operation)
        if not one.timed or one.wall_s is None:
            continue
        if one.temperature == "cold" and cold:
            tries[one.operation][0].append(one.wall_s)
        elif one.temperature == "hot":
            start = one.attempt, one.start, one.operation
            observed[start] += 1
            if observed[start] <= _HOT:
                tries[one.operation][observed[start]].append(one.wall_s)
    return {
        name: tuple(round(median(times), 6) if times and name not in failed else None for times in found)
        for name, found in tries.items()
    }


def _comment(exported: Exported, operations: list[str]) -> str:
    return one_line(
        f"weigh {exported.evidence}: not comparable with published results of ClickBench. Tries are medians over the "
        "starts: of proven cold executions, of the first and of the second hot one. null is what was not measured, "
        f"failed, or may not be compared. Queries: {', '.join(operations)}"
    )


def _machine(record: Record) -> str:
    host = record.host
    memory = host.get("memory_bytes")
    words = [str(host.get("cpu") or "unknown"), f"{host['cores']} cores" if host.get("cores") else ""]
    words.append(units.size(memory) if memory else "")
    return one_line(", ".join(word for word in words if word))


def _terms(record: Record, name: str) -> str:
    read = record.environment.contenders if record.environment else ()
    return next((one.terms for one in read if one.name == name), "")


def _load_time(exported: Exported, name: str) -> float | None:
    """Seconds of loading; None where weigh did not see it, or the files are read where they lie."""
    costs = [one for one in exported.results.start_costs if one.contender == name and one.how == "load"]
    return round(costs[0].tables_s, 3) if costs else None


def _data_size(exported: Exported, name: str) -> int | None:
    """Bytes of what was loaded, or of the files that are read where they lie; None where neither is known."""
    costs = {one.how: one for one in exported.results.start_costs if one.contender == name}
    if "load" in costs:
        return costs["load"].disk
    manifest = exported.results.record.manifest_of(name)
    return manifest.bytes if manifest and "bind" in costs else None


def _text(document: dict[str, Any], rows: list[tuple[float | None, ...]]) -> bytes:
    """As published files are written: a line a query."""
    head = msgspec.json.format(msgspec.json.encode(document), indent=4).decode()
    lines = ",\n".join(f"        {msgspec.json.format(msgspec.json.encode(row), indent=0).decode()}" for row in rows)
    return (head.removesuffix("\n}") + f',\n    "result": [\n{lines}\n    ]\n}}\n').encode()

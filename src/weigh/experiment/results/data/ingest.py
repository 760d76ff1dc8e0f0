"""Loading tables: what it came to, and whether the contenders promise the same when it returns (E7). Pure."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from weigh.model import codes
from weigh.model.units import Bytes, Rows, Seconds, size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.experiment.record import Record
    from weigh.model.dataset import Manifest
    from weigh.model.finding import Finding
    from weigh.model.gate import Guarantee
    from weigh.model.sample import Sample
    from weigh.model.verdict import Timing

_GROWTH, _SLACK = 1.5, 256 << 10
"""What a finished load may grow by while its rows are read: a factor, and bytes of the engine's own bookkeeping."""


class Ingested(msgspec.Struct, frozen=True, kw_only=True):
    """One table loaded by one contender, medians over its executions.

    Attributes:
        operation: that loads it.
        contender: who.
        rows: how many there are.
        rows_per_s: of them in a second.
        stored_bytes: that its files take on the disk.
        of_files: the same over the bytes of its Parquet files.
        first_query_s: seconds until the first query after it was answered, the loading among them.
        durable: whether the rows survive a loss of power once the load has returned; None where nobody can tell.
        by: the settings that decide it.
    """

    operation: str
    contender: str
    rows: Rows
    rows_per_s: float
    stored_bytes: Bytes | None
    of_files: float | None
    first_query_s: Seconds | None
    durable: bool | None
    by: str


def ingested(record: Record, timings: Iterable[Timing]) -> tuple[Ingested, ...]:
    """A row for each load that may be shown.

    Args:
        record: of the latest attempt.
        timings: of all metrics.
    """
    if not record.spec.ingest or record.workload is None or record.manifest is None:
        return ()
    typical = {(one.operation, one.contender, one.metric): one.median for one in timings}
    found = []
    for operation in record.workload.operations:
        if not (load := operation.ingest):
            continue
        for contender in record.spec.contenders:
            wall = typical.get((operation.name, contender.name, "wall_s"))
            if not wall:
                continue
            stored = typical.get((operation.name, contender.name, "stored_bytes"))
            rows, promised = record.manifest.rows(load.table), _guarantees(record).get(contender.name)
            files = _bytes(record.manifest_of(contender.name) or record.manifest, load.table)
            found.append(
                Ingested(
                    operation=operation.name,
                    contender=contender.name,
                    rows=rows,
                    rows_per_s=rows / wall,
                    stored_bytes=None if stored is None else round(stored),
                    of_files=stored / files if stored and files else None,
                    first_query_s=typical.get((operation.name, contender.name, "first_query_s")),
                    durable=promised.durable if promised else None,
                    by=promised.by if promised else "",
                )
            )
    return tuple(found)


def _bytes(manifest: Manifest, table: str) -> Bytes:
    return sum(file.bytes for file in manifest.files if file.table == table)


def findings(record: Record, samples: Iterable[Sample]) -> Iterator[Finding]:
    """Who wrote rows after its load had returned (A5), who may lose what it has loaded, and what that means (E7).

    Args:
        record: of the latest attempt.
        samples: of all attempts.
    """
    yield from _unfinished(samples)
    promised = _guarantees(record)
    for name, one in promised.items():
        if one.durable is None:
            yield codes.E7_UNREAD.finding(
                contender=name,
                text="nobody can tell whether what it has loaded survives a loss of power",
                remedy="say in the report what is known about it",
            )
        elif not one.durable:
            yield codes.E7_NOT_DURABLE.finding(
                contender=name,
                text=f"not durable: {one.by}. Rows whose loading it has acknowledged can be lost",
                remedy="compare it only with contenders that may lose as much, or switch durability on",
            )
    safe = [name for name, one in promised.items() if one.durable]
    lax = [name for name, one in promised.items() if one.durable is False]
    if safe and lax:
        yield codes.E7_PARITY.finding(
            text=f"when a load returns, the rows are safe on the device of {', '.join(safe)} and not of "
            f"{', '.join(lax)}: their times are not those of the same work",
            remedy="give all contenders the same durability",
        )


def _unfinished(samples: Iterable[Sample]) -> Iterator[Finding]:
    """Loads that had returned before the rows lay on the disk."""
    sizes: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for one in samples:
        if one.timed and one.stored_bytes is not None and one.settled_bytes is not None:
            sizes[one.contender, one.operation].append((one.stored_bytes, one.settled_bytes))
    for (contender, operation), found in sizes.items():
        loaded, settled = (round(median(side)) for side in zip(*found, strict=True))
        if settled > _GROWTH * loaded + _SLACK:
            yield codes.A5_LAZY.finding(
                contender=contender,
                operation=operation,
                text=f"when its load returned, {size(loaded)} lay on the disk, and {size(settled)} when its rows had "
                "been read back: the rest was written outside the clock",
                remedy="its adapter must have written all rows when ingest() returns; it is not compared",
            )


def _guarantees(record: Record) -> dict[str, Guarantee]:
    return (record.gate.guarantees or {}) if record.gate else {}

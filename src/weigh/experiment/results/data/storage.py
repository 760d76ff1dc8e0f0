"""What the surroundings of a measurement say by themselves: storage (E2), size against memory (D7), durability (E7).

Pure. Of evidence that did not record them yet nothing is reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.experiment.results import resources
from weigh.machine.elsewhere import elsewhere
from weigh.machine.working_set import working_set as against_memory
from weigh.model import codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from weigh.experiment.record import Record
    from weigh.machine.working_set import WorkingSet
    from weigh.model.data.storage import Place
    from weigh.model.finding import Finding, Severity
    from weigh.model.sample import Sample

_DURABILITY = {"fsync": ("off",), "full_page_writes": ("off",), "synchronous_commit": ("off", "local")}
"""Settings of PostgreSQL under which an acknowledged write can be lost, or a crash can corrupt (manual, 19.5)."""


def working_set(record: Record) -> WorkingSet | None:
    """The data against the memory, in its largest layout; None where either is not recorded."""
    memory = record.environment.host.get("memory_allowed_bytes") if record.environment else None
    return against_memory(max((one.bytes for one in record.manifests), default=None), memory)


def places(record: Record) -> tuple[Place, ...]:
    """Where everything lies; empty where it is not recorded."""
    return (record.environment.storage or ()) if record.environment else ()


def findings(record: Record, samples: Sequence[Sample]) -> list[Finding]:
    """Everything that follows from what was read around the measurement."""
    return [*_storage(record), *_size(record), *resources.findings(record, samples), *_durability(record)]


def _storage(record: Record) -> Iterator[Finding]:
    expected = record.spec.expect_storage
    # Hot data is read from memory wherever it lies.
    severity: Severity = "note" if record.spec.temperature == "hot" else "warning"
    for one in places(record):
        if one.use == "temp":
            if expected and one.kind != expected:
                text = f"temporary files and what is spilled lie on {one.on}; {expected} was expected of the data"
                yield codes.E2_SPILL.finding(text=text, remedy="set TMPDIR to a folder alongside the data")
        elif one.use == "data" and one.contender:
            # Its store is declared: what differs from the baseline is reported as such (E3).
            continue
        elif (found := elsewhere(one)) and one.kind != expected:
            code, what = found
            text = f"{'the data lies' if one.use == 'data' else 'its tables lie'} on {one.on} at {one.mount}: {what}"
            yield code.finding(
                severity,
                text=text,
                remedy=f"expect it (expect_storage = {one.kind!r}), or move it",
                contender=one.contender,
            )


def _size(record: Record) -> Iterator[Finding]:
    found = working_set(record)
    if found and found.in_memory and record.manifest and record.manifest.digests:
        text = f"{found}: it fits into memory, and what is measured is the work on data that is there"
        text += "" if record.spec.temperature == "hot" else ", but for cold executions"
        how = "give more data" if record.spec.user_data else "raise --scale"
        yield codes.D7_MEMORY.finding(text=text, remedy=f"{how} until the ratio is above 1 to measure a device")


def lax(in_force: Mapping[str, Any]) -> list[str]:
    """Settings in force under which PostgreSQL is not durable, as ``name=value``."""
    found = []
    for name, values in _DURABILITY.items():
        value = str((in_force.get(name) or {}).get("value", "")).lower()
        if value in values:
            found.append(f"{name}={value}")
    return found


def _durability(record: Record) -> Iterator[Finding]:
    # Of loads the gate asked each contender itself (weigh.experiment.results.data.ingest).
    reading = places(record) and not record.spec.ingest
    for read in (record.environment.contenders if record.environment else ()) if reading else ():
        if read.engine == "postgres" and (settings := lax(read.in_force)):
            text = f"not durable: {', '.join(settings)}; these operations only read, so it changes nothing here"
            yield codes.E7_DURABILITY.finding(
                text=text, remedy="compare no writes of it with those of others", contender=read.name
            )

"""Files of evidence, as a test writes and reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pyarrow.parquet as pq

from weigh.evidence import journal
from weigh.experiment import derived
from weigh.model.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def chained(events: Iterable[journal.Event]) -> Iterator[bytes]:
    """Lines of a journal with these events, each with the hash of the one before it."""
    before = journal.link(b"")
    for event in events:
        line = msgspec.json.encode(journal.Event(event.event, event.body, before))
        before = journal.link(line)
        yield line + b"\n"


def read_samples(folder: Path) -> list[Sample]:
    """The samples of ``samples.parquet``."""
    return msgspec.convert(pq.read_table(folder / derived.SAMPLES).to_pylist(), list[Sample])

"""netflow: rows a second, generated and written to Parquet."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from weigh.data import layout, store
from weigh.data.generator import dataset_name
from weigh.engines import environment
from weigh.model.spec import LayoutSpec
from weigh.protocol.prepare import cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROWS = 5_000_000


def run() -> Iterator[str]:
    """Each writer in turn, into an empty cache."""
    python = environment.ensure([layout.DUCKDB], cache_folder()).python
    for spec in (LayoutSpec(writer="duckdb"), LayoutSpec(writer="pyarrow")):
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            store.ensure(dataset_name("netflow", _ROWS, 1), spec, Path(folder), python=lambda: python)
            seconds = time.perf_counter() - began
        yield (
            f"netflow by {spec.writer}: {_ROWS / seconds / 1e6:.2f} M rows/s, manifest with digests included "
            "(goal: at least 2)"
        )

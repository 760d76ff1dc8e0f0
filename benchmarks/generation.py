"""netflow: rows a second, generated and written to Parquet."""

from __future__ import annotations

import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from weigh.data.generator import generator
from weigh.data.layout import file_facts, parquet
from weigh.engines import environment
from weigh.engines.prepared import cache_folder
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROWS = 5_000_000
_ROUNDS = 3
_THREADS = 2


def run() -> Iterator[str]:
    """The writers in turn, three times."""
    python = environment.ensure([parquet.DUCKDB], cache_folder()).python
    specs = (LayoutSpec(writer="pyarrow"), LayoutSpec(writer="duckdb"))
    written: dict[str, list[float]] = {spec.writer: [] for spec in specs}
    described: dict[str, list[float]] = {spec.writer: [] for spec in specs}
    for _ in range(_ROUNDS):
        for spec in specs:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "events.parquet"
                began = time.perf_counter()
                _write(spec, path, python)
                written[spec.writer].append(time.perf_counter() - began)
                file_facts.file_facts(path, "events")
                described[spec.writer].append(time.perf_counter() - began)
    for spec in specs:
        yield (
            f"netflow by {spec.writer}: {_ROWS / median(written[spec.writer]) / 1e6:.2f} M rows/s generated with their "
            f"ground truth and written ({spec.codec}), {_ROWS / median(described[spec.writer]) / 1e6:.2f} with hash "
            "and digest of the file (goal: at least 2)"
        )


def _write(spec: LayoutSpec, path: Path, python: Path) -> None:
    source = generator("netflow").open(_ROWS, 1)
    (table,) = source.tables.values()
    with ThreadPoolExecutor(_THREADS) as pool:
        parquet.write(
            table.batches(pool),
            spec,
            [path],
            schema=table.schema,
            rows=table.rows,
            python=python,
            threads=_THREADS,
        )
    source.truth()

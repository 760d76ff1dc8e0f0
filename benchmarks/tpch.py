"""TPC-H: how fast its data is made, and how much of an experiment's time is spent outside the engine."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.experiments import measured
from weigh.data import cache as store
from weigh.data.generator import dataset_name
from weigh.engines import environment
from weigh.engines.prepared import cache_folder
from weigh.model import units
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weigh.model.sample import Sample

_FACTORS = (0.1, 1.0)
_FORMS = (("tpchgen", "duckdb"), ("tpchgen", "tpchgen"), ("dbgen", "duckdb"))
"""Generator and writer."""
_STARTS = 5
_RUNS = 3


def run() -> Iterator[str]:
    """Each generator at each scale factor once; then an experiment."""
    for factor in _FACTORS:
        for generator, writer in _FORMS:
            yield _making(generator, writer, factor)
    yield _experiment(1.0)


def _making(generator: str, writer: str, factor: float) -> str:
    cache = cache_folder()
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        began = time.perf_counter()
        made = store.ensure(
            dataset_name(generator, factor, None),
            LayoutSpec(writer=writer),  # type: ignore[arg-type]
            Path(folder),
            environment=lambda requirements: environment.ensure(requirements, cache).python,
        )
        seconds = time.perf_counter() - began
    rows = sum(file.rows for file in made.manifest.files)
    return (
        f"tpch by {generator}, {units.scale(factor)}, written by {writer}: {seconds:.1f} s, "
        f"{rows / seconds / 1e6:.2f} M rows/s, {units.size(made.manifest.bytes / seconds)}/s, digested and verified"
    )


def _experiment(factor: float) -> str:
    """One contender in its two arms, through the command line; what it cost is read from the evidence.

    Over dbgen's data, where every answer is published: one contender alone has no need to be checked against itself.
    """
    flags = ["--workload", "tpch-dbgen", "--scale", str(factor), "--contender", "duckdb@2.0.0"]
    samples = measured(*flags, "--starts", str(_STARTS), "--runs", str(_RUNS)).samples
    engine = sum(sample.wall_s or 0.0 for sample in samples)
    answers = sum(sample.answer_s or 0.0 for sample in samples)
    spent = measuring(samples)
    return (
        f"experiment tpch-dbgen {units.scale(factor)} on DuckDB, {len(samples)} executions: {spent:.1f} s beyond "
        f"start-ups, {engine:.1f} s in the engine, {answers:.1f} s handing out answers, ratio {spent / engine:.3f} "
        "(goal: at most 1.15)"
    )


def measuring(samples: Iterable[Sample]) -> float:
    """Seconds from the first execution of each block to the end of its last one: what lies between is start-ups."""
    blocks: dict[int, list[Sample]] = defaultdict(list)
    for sample in samples:
        blocks[sample.block].append(sample)
    return sum(
        max(one.at + (one.wall_s or 0.0) + (one.answer_s or 0.0) for one in block) - min(one.at for one in block)
        for block in blocks.values()
    )

"""The sampler: what it costs, how much room its moments take, and whether an engine alongside it is slower."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh import stats, workloads
from weigh.engines.prepared import cache_folder, ready
from weigh.evidence.timeline import unpack
from weigh.experiment.data import dataset
from weigh.experiment.data.data_link import DataLink
from weigh.host.sampling import HZ, Sampler
from weigh.model.contender import parse_contender
from weigh.model.progress import Silence
from weigh.model.schedule import permuted
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.engines.process import WorkerProcess

_SECONDS = 20
_BURN = "while True: pass"
_FACTOR = float(os.environ.get("WEIGH_SAMPLER_FACTOR", "1"))
_BLOCKS = int(os.environ.get("WEIGH_SAMPLER_BLOCKS", "10"))
_RUNS = 3
_ARMS = ("without", "with", "without#2")


def run() -> Iterator[str]:
    """Its cost at rest and where all CPUs are busy; then TPC-H with and without it, in one session."""
    yield _cost("at rest", 0)
    yield _cost("all CPUs busy", os.cpu_count() or 1)
    yield from _with_sampler()


def _cost(name: str, burning: int) -> str:
    with contextlib.ExitStack() as stack:
        for _ in range(burning):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", _BURN]))
            stack.callback(process.kill)
        sampler = Sampler(time.monotonic())
        stack.callback(sampler.stop)
        sampler.drain()
        began, size, cost, readings = time.monotonic(), 0, 0.0, 0
        for _ in range(_SECONDS):
            # As after a turn of a second.
            time.sleep(1)
            sampler.mark()
            columns = sampler.drain()
            size += len(msgspec.json.encode(columns)) + 1
            watch = unpack(columns)
            cost += watch.cost_s
            readings += len(watch.moments)
        passed = time.monotonic() - began
    return (
        f"sampler at {HZ:g} Hz, {name}: {100 * cost / passed:.2f} % of one core, "
        f"{1e6 * cost / readings:.0f} us a reading, {60 * size / passed / 1000:.0f} kB of journal a minute"
    )


def _with_sampler() -> Iterator[str]:
    """Three arms of one engine, fresh in every block; alongside the turns of one of them the sampler runs."""
    source = workloads.load("tpch-dbgen")
    cache, quiet = cache_folder(), Silence()
    contender = ready(parse_contender("duckdb"), cache)
    data = dataset.make(source.dataset, _FACTOR, None, LayoutSpec(), cache, quiet)
    operations = source.build(data.truth, 0).operations
    times = np.full((len(_ARMS), len(operations), _BLOCKS, _RUNS), np.nan)
    with DataLink({"": data}) as link:
        for block in range(_BLOCKS):
            with contextlib.ExitStack() as stack:
                order = permuted(_ARMS, "sampler", block)
                lives = {arm: stack.enter_context(contender.start(link.tables(contender))) for arm in order}
                for name in permuted([one.name for one in operations], "sampler", block):
                    at = next(at for at, one in enumerate(operations) if one.name == name)
                    sql = operations[at].text(operations[at].cases[0], contender.engine.dialect)
                    for arm in permuted(_ARMS, "sampler", block, name):
                        watched = arm == "with"
                        times[_ARMS.index(arm), at, block] = _turn(lives[arm], sql, watched=watched)
    without, with_sampler, again = times
    found = stats.verdicts(with_sampler, without, second=again)
    counts = ", ".join(f"{number} {name}" for name, number in Counter(map(str, found.names)).items())
    for one, name, ratio, low, high in zip(operations, found.names, found.ratio, found.low, found.high, strict=True):
        if name not in ("same", "small"):
            yield f"sampler, TPC-H SF {_FACTOR:g}, {one.name}: {name}, {ratio:.4f} ({low:.4f} to {high:.4f})"
    # The noise of single queries of 0.1 s hides a few per cent; that of all of them together does not.
    whole = np.exp(np.log(times).mean(axis=1, keepdims=True))
    all_of_them = stats.verdicts(whole[1], whole[0], second=whole[2])
    yield (
        f"sampler, TPC-H SF {_FACTOR:g}, geometric mean of the queries: {all_of_them.names[0]}, "
        f"{all_of_them.ratio[0]:.4f} ({all_of_them.low[0]:.4f} to {all_of_them.high[0]:.4f})"
    )
    yield (
        f"sampler, TPC-H SF {_FACTOR:g}, duckdb, {_BLOCKS} blocks of {_RUNS} runs, with it against without: {counts}; "
        f"ratios {found.ratio.min():.4f} to {found.ratio.max():.4f}, median {median(found.ratio):.4f}"
    )


def _turn(life: WorkerProcess, sql: str, *, watched: bool) -> list[float]:
    """Seconds of each timed execution; nobody times the first."""
    with contextlib.ExitStack() as stack:
        if watched:
            sampler = Sampler(time.monotonic())
            stack.callback(sampler.stop)
        life.prepare(sql, 60)
        return [life.run(60).wall_s for _ in range(_RUNS + 1)][1:]

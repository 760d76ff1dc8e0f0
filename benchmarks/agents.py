"""Merging what many load agents have seen: 100 of them for an hour, which must take under 10 s and 500 MB.

WEIGH_BENCH_AGENTS and WEIGH_BENCH_AGENTS_INTERVALS make it smaller.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from weigh._native import Load
from weigh.engines.prepared import cache_folder
from weigh.load.target.valkey.target import EmbeddedValkey

if TYPE_CHECKING:
    from collections.abc import Iterator

_AGENTS = int(os.environ.get("WEIGH_BENCH_AGENTS", "100"))
_INTERVALS = int(os.environ.get("WEIGH_BENCH_AGENTS_INTERVALS", "3600"))
_SECONDS, _RATE, _INTERVAL = 12.0, 1500, 0.2
"""Of the load whose intervals are used again and again."""
_MERGE = """
import json, resource, sys, time
from weigh._native import merge_journals
began = time.perf_counter()
intervals = 0
def take(texts):
    global intervals
    intervals += len(texts)
merge_journals(sys.argv[2:], 1, int(sys.argv[1]), take)
took = time.perf_counter() - began
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([took, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, intervals]))
"""


def run() -> Iterator[str]:
    """YCSB-A's two operations, five histograms of each, an interval a second."""
    with tempfile.TemporaryDirectory(prefix="weigh-bench-agents-") as name:
        folder = Path(name)
        intervals = _intervals()
        paths = []
        for agent in range(_AGENTS):
            path = folder / f"{agent}.jsonl"
            with path.open("w") as file:
                for at in range(_INTERVALS):
                    # Each agent has other values in each of its intervals.
                    one = {**intervals[(at + 7 * agent) % len(intervals)], "from_s": float(at), "to_s": at + 1.0}
                    body = json.dumps({"run": 1, "interval": one}, separators=(",", ":"))
                    file.write(f'{{"event":"interval","body":{body},"before":""}}\n')
            paths.append(str(path))
        size = sum(Path(path).stat().st_size for path in paths)
        time.sleep(1)
        command = [sys.executable, "-c", _MERGE, str(-(-_INTERVALS // 120)), *paths]
        took, cpu, peak, merged = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    histograms = _AGENTS * _INTERVALS * 10
    yield (
        f"merging {_AGENTS} agents x {_INTERVALS:,} intervals: {took:.1f} s, {cpu:.1f} s of CPU, {peak / 1e6:.0f} MB "
        f"at most ({size / 1e6:,.0f} MB of journals, {histograms:,} histograms, {merged:,} merged intervals)"
    )


def _intervals() -> list[dict[str, object]]:
    """Intervals of a real load."""
    with EmbeddedValkey().reach(cache_folder(), 8) as reached:
        load = Load(
            json.dumps(
                {
                    "target": reached.connect,
                    "workload": {"kind": "ycsb", "core": "A", "records": 10_000, "seed": 1, "ordered_index": False},
                    "arrivals": {"kind": "poisson", "rate": _RATE, "seed": 1},
                    "duration_s": _SECONDS,
                    "connections": 8,
                    "threads": 1,
                    "max_in_flight": 8,
                    "timeout_s": 10,
                    "interval_s": _INTERVAL,
                }
            )
        )
        load.load()
        load.start()
        load.finish()
        found: list[dict[str, object]] = json.loads(load.poll())
    return found[:-1]

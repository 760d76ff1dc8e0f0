"""The row digest against DuckDB's ``bit_xor(hash(...))`` over the same columns of the same file."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from weigh._native import digest_parquet
from weigh.engines import environment
from weigh.engines.prepared import cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROUNDS = 7

_HASH = """
import duckdb, sys, time, json
connection = duckdb.connect(":memory:", config={"threads": int(sys.argv[2])})
columns = [row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM '{sys.argv[1]}'").fetchall()]
sql = f"SELECT bit_xor(hash({', '.join(columns)})) FROM '{sys.argv[1]}'"
connection.execute(sql).fetchall()
began = time.perf_counter()
connection.execute(sql).fetchall()
print(json.dumps(time.perf_counter() - began))
"""

_PEAK = """
import resource, sys
from weigh._native import digest_parquet
digest_parquet(sys.argv[2:], threads=int(sys.argv[1]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def run() -> Iterator[str]:
    """TPC-H lineitem at scale factor 1: 6 M rows, 16 columns."""
    cache = cache_folder()
    file = _lineitem(cache)
    duckdb = environment.ensure(["duckdb==2.0.0"], cache).python
    for threads in (1, 2):
        ours, theirs = [], []
        for _ in range(_ROUNDS):
            done = subprocess.run(
                [str(duckdb), "-c", _HASH, str(file), str(threads)],
                check=True,
                capture_output=True,
                text=True,
            )
            theirs.append(json.loads(done.stdout))
            began = time.perf_counter()
            digest_parquet([file], threads=threads)
            ours.append(time.perf_counter() - began)
        yield (
            f"digest of lineitem SF1, {threads} threads: {median(ours):.2f} s, DuckDB hash {median(theirs):.2f} s, "
            f"ratio {median(ours) / median(theirs):.2f} (goal: at most 2)"
        )
    once, four = _peak([file]), _peak([file] * 4)
    yield f"digest, peak memory: {once / 1024:.0f} MiB for one file, {four / 1024:.0f} MiB for four times the rows"


def _peak(files: list[Path]) -> int:
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, "2", *map(str, files)], check=True, capture_output=True, text=True
    )
    return int(done.stdout)


def _lineitem(cache: Path) -> Path:
    """Made once by tpchgen-cli in an environment of its own, like a contender's."""
    file = cache / "bench" / "lineitem-sf1.parquet"
    if file.exists():
        return file
    tool = environment.ensure(["tpchgen-cli==4.0.0"], cache).python.with_name("tpchgen-cli")
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        subprocess.run(
            [str(tool), "parquet", "-s", "1", "--tables", "lineitem", "--output-dir", folder],
            check=True,
            capture_output=True,
        )
        made = next(Path(folder).rglob("lineitem*.parquet"))
        made.rename(file)
    return file

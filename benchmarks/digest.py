"""The row digest against DuckDB's hash of the same columns, and page checksums against reading the same file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from weigh._native import check_pages, digest_parquet, hash_file
from weigh.engines import environment
from weigh.engines.prepared import cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ROUNDS = 7

_HASH = """
import duckdb, sys, time, json
connection = duckdb.connect(":memory:", config={"threads": int(sys.argv[2])})
# On a slow machine it would be on standard output.
connection.execute("SET enable_progress_bar = false")
columns = [row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM '{sys.argv[1]}'").fetchall()]
sql = f"SELECT bit_xor(hash({', '.join(columns)})) FROM '{sys.argv[1]}'"
connection.execute(sql).fetchall()
began = time.perf_counter()
connection.execute(sql).fetchall()
print(json.dumps(time.perf_counter() - began))
"""

_PEAK = """
import resource, sys
from weigh._native import check_pages, digest_parquet, hash_file
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
            f"ratio {median(ours) / median(theirs):.2f} (goal: at most 1.2)"
        )
    once, four = _peak([file]), _peak([file] * 4)
    yield f"digest, peak memory: {once / 1024:.0f} MiB for one file, {four / 1024:.0f} MiB for four times the rows"
    # After it: what the writer of that file held would count as the peak of the processes that come from this one.
    yield from _checksums(_with_checksums(file))


def _checksums(file: Path) -> Iterator[str]:
    """Rates over the bytes of a file that is in memory; all work on it with as many threads as there are processors."""
    threads = len(os.sched_getaffinity(0))
    work: dict[str, Callable[[], object]] = {
        "read": lambda: _read(file, threads),
        "page checksums": lambda: check_pages(file, threads=threads),
        "BLAKE3 of the file (which uses one)": lambda: hash_file(file),
        # The decoder compares checksums as it goes: the digest alone is both together.
        "row digest, page checksums compared": lambda: digest_parquet([file], threads=threads),
    }
    size = file.stat().st_size
    assert check_pages(file)["with_checksum"] == check_pages(file)["pages"]
    rates = {what: size / 1e9 / median(_seconds(do) for _ in range(_ROUNDS)) for what, do in work.items()}
    for what, rate in rates.items():
        share = rate / rates["read"]
        yield f"{what}, {threads} threads: {rate:.2f} GB/s, {share:.2f} of reading it from memory (goal: at least 0.5)"


def _seconds(do: Callable[[], object]) -> float:
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


def _read(file: Path, threads: int) -> None:
    """The whole file into buffers that are used again, each thread a part."""
    size = file.stat().st_size
    parts = [(size * n // threads, size * (n + 1) // threads) for n in range(threads)]

    def read(part: tuple[int, int]) -> None:
        at, end = part
        buffer = bytearray(1 << 18)
        with file.open("rb", buffering=0) as source:
            while at < end:
                at += os.preadv(source.fileno(), [memoryview(buffer)[: end - at]], at)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(read, parts))


def _with_checksums(file: Path) -> Path:
    """The same rows as PyArrow writes them with page checksums."""
    made = file.with_name("lineitem-sf1-checksums.parquet")
    if not made.exists():
        aside = made.with_suffix(".part")
        pq.write_table(pq.read_table(file), aside, compression="zstd", write_page_checksum=True)
        aside.rename(made)
    return made


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

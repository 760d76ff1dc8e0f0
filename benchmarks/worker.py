"""In-clock overhead of the worker: the same engine calls through it and in a bare loop."""

from __future__ import annotations

import json
import subprocess
from statistics import median
from typing import TYPE_CHECKING

from weigh.engines import engine as engines
from weigh.engines.loaded import Tables
from weigh.engines.prepared import cache_folder, ready
from weigh.model.contender import parse_contender

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROUNDS = 12
_RUNS = 100
_QUERIES = {
    "select 42": "SELECT 42",
    "sum over 200,000 rows": "SELECT sum(i % 7) AS s FROM range(200000) t(i)",
}

_BARE = """
import json, sys, time
import duckdb, nanoarrow
connection = duckdb.connect(":memory:")
sql, runs = sys.argv[1], int(sys.argv[2])
def execute():
    chunks = []
    stream = nanoarrow.c_array_stream(connection.sql(sql))
    stream.get_schema()
    rows = 0
    for chunk in stream:
        chunks.append(chunk)
        rows += chunk.length
    return rows
execute()
found = []
for _ in range(runs):
    began = time.perf_counter_ns()
    execute()
    found.append((time.perf_counter_ns() - began) / 1e9)
print(json.dumps(found))
"""


def run() -> Iterator[str]:
    """Fresh processes of both in turn; the difference of their medians."""
    contender = ready(parse_contender("duckdb"), cache_folder())
    assert engines.load("duckdb").name == contender.engine.name
    for name, sql in _QUERIES.items():
        through, bare = [], []
        for _ in range(_ROUNDS):
            done = subprocess.run(
                [str(contender.environment.python), "-c", _BARE, sql, str(_RUNS)],
                check=True,
                capture_output=True,
                text=True,
            )
            bare.append(median(json.loads(done.stdout)))
            with contender.start(Tables({}, "none")) as life:
                life.prepare(sql, 10)
                life.run(10)
                through.append(median(life.run(10).wall_s for _ in range(_RUNS)))
        extra = 1e6 * (median(through) - median(bare))
        yield (
            f"worker, {name}: {1e6 * median(through):.0f} us in the clock, {1e6 * median(bare):.0f} us in a bare "
            f"loop, overhead {extra:+.0f} us, ratio {median(through) / median(bare):.3f} (goal: under 100 us)"
        )

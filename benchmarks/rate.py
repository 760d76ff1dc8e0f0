"""``--find-rate``: against a proxy of known capacity, and twice against one server. About a quarter of an hour."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weigh.engines.prepared import cache_folder
from weigh.load.target.registry import target

if TYPE_CHECKING:
    from collections.abc import Iterator

_BUCKET = Path(__file__).parents[1] / "tests" / "support" / "token_bucket.py"
_WEIGH = Path(sys.executable).with_name("weigh")
_CAPACITY, _BEYOND_S, _DEPTH = 3_000, 0.02, 30
"""Tokens a second, the wait of what finds none, and tokens of the full bucket."""
_KNOWN = ("--find-rate", "p99<=10ms", "--records", "1K", "--connections", "32")
_TWICE = ("--find-rate", "p99<=20ms", "--records", "10K")


def run() -> Iterator[str]:
    """The known one, and then PostgreSQL twice."""
    with bucket(_CAPACITY, _BEYOND_S, _DEPTH) as port:
        found, took = _search("ycsb-c", f"redis://127.0.0.1:{port}", *_KNOWN)
        # One request in a hundred may find no token.
        truth = _CAPACITY / 0.99
        yield f"rate: a token bucket of {_CAPACITY:,}/s: {_line(found, took)}; {_off(found, truth)}"
    both = [_search("ycsb-b", "postgres:embedded", *_TWICE) for _ in range(2)]
    for found, took in both:
        yield f"rate: postgres:embedded, ycsb-b, p99<=20ms: {_line(found, took)}"
    low, high = (one["rate_search"]["threshold"] for one, _ in both)
    if low and high:
        overlap = low["low"] <= high["high"] and high["low"] <= low["high"]
        yield f"rate: the two intervals {'overlap' if overlap else 'DO NOT OVERLAP'}"


@contextmanager
def bucket(rate: float, beyond_s: float, depth: float) -> Iterator[int]:
    """A port behind which a Valkey has that capacity, and no more."""
    with target("valkey:embedded").reach(cache_folder(), 64) as reached:
        command = [sys.executable, str(_BUCKET), reached.connect["socket"], str(rate), str(beyond_s), str(depth)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdin
            assert process.stdout
            yield int(process.stdout.readline())
            process.stdin.close()


def _search(workload: str, to: str, *flags: str) -> tuple[dict[str, Any], float]:
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        command = [str(_WEIGH), "load", workload, "--target", to, *flags, "--json", "--quiet"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        took = time.monotonic() - began
    if not done.stdout:
        raise RuntimeError(done.stderr)
    document: dict[str, Any] = json.loads(done.stdout)
    return document, took


def _line(found: dict[str, Any], took: float) -> str:
    search = found["rate_search"]
    one = search["threshold"]
    line = f"{one['rate']:,.0f}/s ({one['low']:,.0f} to {one['high']:,.0f})" if one else f"no rate: {search['status']}"
    return f"{line} in {took:.0f} s, {len(search['probes'])} probes, {search['ended']}"


def _off(found: dict[str, Any], truth: float) -> str:
    one = found["rate_search"]["threshold"]
    return f"{100 * (one['rate'] / truth - 1):+.1f} % off" if one else "NOT FOUND"

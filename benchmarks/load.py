"""The load generator against pgbench: the same script on the same server, in turn; then other generators, and minutes.

Shares and speeds of one machine move from minute to minute; what is printed as a ratio comes from neighbouring turns.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from hdrh.histogram import HdrHistogram

from benchmarks import load_long, load_others
from weigh._native import Load
from weigh.engines.prepared import cache_folder
from weigh.load.target.registry import target

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROUNDS = 7
_SECONDS = 3
_CONNECTIONS = 16
_SCALE = 10
_RATE = 10_000
_HOUR = 3_600_000_000_000
_PR_SET_TIMERSLACK = 29
"""Of Linux' prctl.h."""


class _Turn(NamedTuple):
    """Requests a second, CPU seconds of the client for 100,000 of them, and the median send lag in microseconds."""

    speed: float
    cpu: float
    lag: float


def run() -> Iterator[str]:
    """In turn with pgbench, with other generators; then long runs at a rate that follows from the closed loop."""
    yield from _against_pgbench()
    yield from load_others.run()
    with target("postgres:embedded").reach(cache_folder(), _CONNECTIONS) as reached:
        _load(reached.connect, {"kind": "closed"}, 1).load()
        capacity = median(_ours(reached.connect, 1, None).speed for _ in range(3))
    yield from load_long.run(capacity)


def _against_pgbench() -> Iterator[str]:
    """Both in turn, in a closed loop and at a fixed rate."""
    program = shutil.which("pgbench")
    if program is None:
        yield "load: pgbench is not installed; there is nothing to compare with"
        return
    with target("postgres:embedded").reach(cache_folder(), _CONNECTIONS) as reached:
        _load(reached.connect, {"kind": "closed"}, 1).load()
        for threads in (1, 2):
            closed = [(_ours(reached.connect, threads, None), _pgbench(program, reached.connect, threads, None))
                      for _ in range(_ROUNDS)]  # fmt: skip
            yield (
                f"load, closed, {threads} threads: {_middle(closed, 0, 'speed'):,.0f} requests/s, "
                f"{_ratio(closed, 'speed'):.2f} x pgbench's {_middle(closed, 1, 'speed'):,.0f}; "
                f"client CPU {_middle(closed, 0, 'cpu'):.2f} s/100k, "
                f"{_ratio(closed, 'cpu'):.2f} x pgbench's {_middle(closed, 1, 'cpu'):.2f}"
            )
        floors, asleep, spinning = [], [], []
        for _ in range(_ROUNDS):
            floors.append(_oversleeping())
            slept, spun = (_ours(reached.connect, 1, _RATE, spin=spin) for spin in (False, True))
            theirs = _pgbench(program, reached.connect, 1, _RATE)
            asleep.append((slept, theirs))
            spinning.append((spun, theirs))
        for name, fixed in (("", asleep), (", spinning", spinning)):
            yield (
                f"load, {_RATE:,} requests/s by Poisson{name}: send lag p50 {_middle(fixed, 0, 'lag'):.0f} us, "
                f"{_ratio(fixed, 'lag'):.2f} x pgbench's {_middle(fixed, 1, 'lag'):.0f}; "
                f"client CPU {_middle(fixed, 0, 'cpu'):.2f} s/100k, "
                f"{_ratio(fixed, 'cpu'):.2f} x pgbench's {_middle(fixed, 1, 'cpu'):.2f}"
            )
        yield f"load, at the same moments: a thread that only sleeps wakes {median(floors):.0f} us late (p50)"


def _oversleeping() -> float:
    """Microseconds until a thread is awake whose time has come, at the median: nobody who sleeps can be quicker."""
    late = []

    def sleep() -> None:
        # The kernel's usual slack of 50 us would be counted too. It is the calling thread's.
        ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, 1)
        for _ in range(5_000):
            due = time.monotonic() + 1 / _RATE
            time.sleep(1 / _RATE)
            late.append(time.monotonic() - due)

    thread = threading.Thread(target=sleep)
    thread.start()
    thread.join()
    return 1e6 * median(late)


def _middle(turns: list[tuple[_Turn, _Turn]], which: int, figure: str) -> float:
    return median(getattr(turn[which], figure) for turn in turns)


def _ratio(turns: list[tuple[_Turn, _Turn]], figure: str) -> float:
    return median(getattr(ours, figure) / getattr(theirs, figure) for ours, theirs in turns)


def _load(connect: dict[str, Any], arrivals: dict[str, Any], threads: int, *, spin: bool = False) -> Load:
    return Load(
        json.dumps(
            {
                "target": connect,
                "workload": {
                    "kind": "script",
                    "scripts": [{"name": "select-only", "weight": 1}],
                    "variables": {"scale": _SCALE},
                    "seed": 0,
                    "prepared": True,
                },
                "arrivals": arrivals,
                "duration_s": _SECONDS,
                "connections": _CONNECTIONS,
                "threads": threads,
                "max_in_flight": _CONNECTIONS,
                "timeout_s": 60,
                "interval_s": _SECONDS,
                "spin": spin,
            }
        )
    )


def _ours(connect: dict[str, Any], threads: int, rate: int | None, *, spin: bool = False) -> _Turn:
    arrivals = {"kind": "closed"} if rate is None else {"kind": "poisson", "rate": rate, "seed": 0}
    load = _load(connect, arrivals, threads, spin=spin)
    before = _cpu(resource.RUSAGE_SELF)
    load.start()
    done = json.loads(load.finish())
    # All of it: opening connections and reading the histograms too, as in the process of pgbench.
    cpu = _cpu(resource.RUSAGE_SELF) - before
    lag = HdrHistogram(1, _HOUR, 3)
    for interval in json.loads(load.poll()):
        for operation in interval["operations"]:
            lag.add(HdrHistogram.decode(operation["lag_late"]))
    return _Turn(done["done"] / done["seconds"], cpu / done["done"] * 1e5, lag.get_value_at_percentile(50) / 1e3)


def _pgbench(program: str, connect: dict[str, Any], threads: int, rate: int | None) -> _Turn:
    with tempfile.TemporaryDirectory() as folder:
        command = [
            program, "--no-vacuum", "--protocol=prepared", "--select-only", f"--client={_CONNECTIONS}",
            f"--jobs={threads}", f"--time={_SECONDS}", f"--host={connect['socket'] or connect['host']}",
            f"--port={connect['port']}", f"--username={connect['user']}",
        ]  # fmt: skip
        lag = 1.0
        before = _cpu(resource.RUSAGE_CHILDREN)
        output = _output_of([*command, *([f"--rate={rate}"] if rate else []), connect["database"]], folder)
        cpu = _cpu(resource.RUSAGE_CHILDREN) - before
        if rate:
            # In a run of its own: the log costs CPU time.
            _output_of([*command, f"--rate={rate}", "--log", connect["database"]], folder)
            lines = (line for log in Path(folder).glob("pgbench_log.*") for line in log.read_text().splitlines())
            lag = median(float(line.split()[6]) for line in lines)
    done = int(_after(output, "number of transactions actually processed: "))
    return _Turn(float(_after(output, "tps = ")), cpu / done * 1e5, lag)


def _output_of(command: list[str], folder: str) -> str:
    environment = {"PATH": os.defpath, "LC_ALL": "C"}
    return subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout


def _after(output: str, words: str) -> str:
    return output.partition(words)[2].split()[0].partition("/")[0]


def _cpu(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime

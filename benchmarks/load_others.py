"""The load generator against generators other than pgbench, as far as they are installed: the same work, in turn."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from weigh._native import Load
from weigh.engines.prepared import cache_folder
from weigh.load.target.registry import target

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROUNDS = int(os.environ.get("WEIGH_BENCH_LOAD_ROUNDS", "5"))
_SECONDS = 3
_CONNECTIONS = 16
_RECORDS = 100_000
_KEY = "weigh:user6284781860667377211"
"""The record that weigh's YCSB calls its first one; all are of the same size."""


class _Turn(NamedTuple):
    """Requests a second, and CPU seconds of the client for 100,000 of them."""

    speed: float
    cpu: float


def run() -> Iterator[str]:
    """Closed loops over 16 connections."""
    yield from _key_values()
    yield from _points()
    yield from _of_mariadb()


def _key_values() -> Iterator[str]:
    """A whole record by its key, HGETALL: from the benchmark of Valkey or Redis."""
    found = shutil.which("valkey-benchmark") or shutil.which("redis-benchmark")
    if found is None:
        yield "load: neither valkey-benchmark nor redis-benchmark is installed; there is nothing to compare with"
        return
    with target("valkey:embedded").reach(cache_folder(), _CONNECTIONS) as reached:
        work = {"kind": "ycsb", "core": "C", "records": _RECORDS, "seed": 0}
        generator = _load(reached.connect, work)
        generator.load()
        # As many as take about as long as ours do.
        first = _ours(generator)
        command = [
            found, "-s", reached.connect["socket"], "-c", str(_CONNECTIONS), "-n", str(round(first.speed * _SECONDS)),
            "HGETALL", _KEY,
        ]  # fmt: skip
        turns = [(_ours(_load(reached.connect, work)), _bench(command)) for _ in range(_ROUNDS)]
    yield _output_of("HGETALL, of which only weigh reads the answers", Path(found).name, turns)


def _bench(command: list[str]) -> _Turn:
    output, cpu = _ran(command)
    done = re.search(r"(\d+) requests completed in ([\d.]+) seconds", output)
    assert done is not None, output
    return _Turn(int(done[1]) / float(done[2]), cpu / int(done[1]) * 1e5)


def _points() -> Iterator[str]:
    """One column by the primary key: from sysbench's oltp_point_select, over its table."""
    found = shutil.which("sysbench")
    if found is None:
        yield "load: sysbench is not installed; there is nothing to compare with"
        return
    with target("postgres:embedded").reach(cache_folder(), 2 * _CONNECTIONS) as reached:
        connect = reached.connect
        command = [
            found, "oltp_point_select", "--db-driver=pgsql", f"--pgsql-host={connect['socket']}",
            f"--pgsql-port={connect['port']}", f"--pgsql-user={connect['user']}", f"--pgsql-db={connect['database']}",
            "--tables=1", f"--table-size={_RECORDS}", "--rand-type=uniform", f"--threads={_CONNECTIONS}",
            f"--time={_SECONDS}",
        ]  # fmt: skip
        _ran([*command, "prepare"])
        text = f"\\set id random(1, {_RECORDS})\nSELECT c FROM sbtest1 WHERE id = :id;\n"
        script = {"name": "point", "text": text, "weight": 1}
        work = {"kind": "script", "scripts": [script], "seed": 0, "prepared": True}
        # It has a thread for each connection: ours may use as many processors.
        threads = len(os.sched_getaffinity(0))
        turns = [(_ours(_load(connect, work, threads)), _sysbench(command)) for _ in range(_ROUNDS)]
    yield _output_of("one row by its key", "sysbench", turns)


def _of_mariadb() -> Iterator[str]:
    """The same, and an update of one row by its key, from sysbench over the protocol of MySQL."""
    found = shutil.which("sysbench")
    if found is None or not any(Path("/usr", place, "mariadbd").exists() for place in ("sbin", "bin")):
        yield "load: sysbench or MariaDB is not installed; there is nothing to compare with over MySQL's protocol"
        return
    # What a commit waits for on the disk is no matter of who asks.
    lax = "mariadb:embedded@/usr?innodb_flush_log_at_trx_commit=0"
    with target(lax).reach(cache_folder(), 2 * _CONNECTIONS) as reached:
        connect = reached.connect
        flags = (
            "--db-driver=mysql", f"--mysql-socket={connect['socket']}", f"--mysql-user={connect['user']}",
            f"--mysql-db={connect['database']}", "--tables=1", f"--table-size={_RECORDS}", "--rand-type=uniform",
            f"--threads={_CONNECTIONS}", f"--time={_SECONDS}",
        )  # fmt: skip
        _ran([found, "oltp_point_select", *flags, "prepare"])
        threads = len(os.sched_getaffinity(0))
        drawn = f"\\set id random(1, {_RECORDS})\n"
        for what, name, text in (
            ("one row by its key", "oltp_point_select", f"{drawn}SELECT c FROM sbtest1 WHERE id = :id;\n"),
            ("an update by its key", "oltp_update_index", f"{drawn}UPDATE sbtest1 SET k = k + 1 WHERE id = :id;\n"),
        ):
            script = {"name": "other", "text": text, "weight": 1}
            work = {"kind": "script", "scripts": [script], "seed": 0, "prepared": True}
            # It updates inside a transaction of its own only where it is told to.
            command = [found, name, *flags, "--skip-trx=on"] if name != "oltp_point_select" else [found, name, *flags]
            turns = [(_ours(_load(connect, work, threads)), _sysbench(command)) for _ in range(_ROUNDS)]
            yield _output_of(f"MariaDB, {what}", "sysbench", turns)


def _sysbench(command: list[str]) -> _Turn:
    output, cpu = _ran([*command, "run"])
    done = re.search(r"transactions:\s+(\d+)\s+\(([\d.]+) per sec", output)
    assert done is not None, output
    return _Turn(float(done[2]), cpu / int(done[1]) * 1e5)


def _output_of(work: str, other: str, turns: list[tuple[_Turn, _Turn]]) -> str:
    parts = [
        f"{name} {median(getattr(ours, figure) for ours, _ in turns):,.{places}f}{unit}, "
        f"{median(getattr(ours, figure) / getattr(theirs, figure) for ours, theirs in turns):.2f} x {other}'s "
        f"{median(getattr(theirs, figure) for _, theirs in turns):,.{places}f}"
        for figure, name, unit, places in (("speed", "requests", "/s", 0), ("cpu", "client CPU", " s/100k", 2))
    ]
    return f"load, closed, {work}: {'; '.join(parts)}"


def _load(connect: dict[str, Any], work: dict[str, Any], threads: int = 1) -> Load:
    return Load(
        json.dumps(
            {
                "target": connect,
                "workload": work,
                "arrivals": {"kind": "closed"},
                "duration_s": _SECONDS,
                "connections": _CONNECTIONS,
                "threads": threads,
                "max_in_flight": _CONNECTIONS,
                "timeout_s": 60,
                "interval_s": _SECONDS,
            }
        )
    )


def _ours(load: Load) -> _Turn:
    before = _cpu(resource.RUSAGE_SELF)
    load.start()
    done = json.loads(load.finish())
    cpu = _cpu(resource.RUSAGE_SELF) - before
    return _Turn(done["done"] / done["seconds"], cpu / done["done"] * 1e5)


def _ran(command: list[str]) -> tuple[str, float]:
    """What it says, and the CPU seconds that it took."""
    environment = {"PATH": os.defpath, "LC_ALL": "C"}
    before = _cpu(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True)
    return done.stdout, _cpu(resource.RUSAGE_CHILDREN) - before


def _cpu(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime

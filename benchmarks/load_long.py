"""``weigh load`` over minutes, by the command line: its memory, twice the rate that a server can do, six repeats."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_MINUTES = float(os.environ.get("WEIGH_BENCH_LOAD_MINUTES", "0.5"))
"""Of the run that is watched for its memory."""
_LOAD = ("select-only", "--target", "postgres:embedded")
_RATE = 10_000
_OVERLOAD_S = 60
_REPEATS, _REPEAT_S, _REPEAT_RATE = 6, 10, 2_000
_GLANCE = 0.2


class _Done(NamedTuple):
    """What a load came to.

    Attributes:
        code: its exit code.
        document: of ``--json``.
        memory: resident bytes of the process while it offered the load, in order.
    """

    code: int
    document: dict[str, Any]
    memory: list[int]


def run(capacity: float) -> Iterator[str]:
    """Memory over time, overload, and what lies between runs.

    Args:
        capacity: requests a second that the server does in a closed loop.
    """
    yield _flat(_weigh("--rate", str(_RATE), "--duration", f"{round(_MINUTES * 60)}s", seconds=_MINUTES * 60))
    yield _overloaded(
        round(2 * capacity),
        _weigh("--rate", str(round(2 * capacity)), "--duration", f"{_OVERLOAD_S}s", seconds=_OVERLOAD_S),
    )
    flags = ("--rate", str(_REPEAT_RATE), "--duration", f"{_REPEAT_S}s", "--repeats", str(_REPEATS))
    yield from _repeated(_weigh(*flags, seconds=_REPEATS * _REPEAT_S))


def _flat(done: _Done) -> str:
    fifth = max(len(done.memory) // 5, 1)
    early, late = fmean(done.memory[fifth : 2 * fifth] or done.memory), fmean(done.memory[-fifth:])
    return (
        f"load, {_RATE:,}/s for {_MINUTES:g} minutes: weigh's memory {early / 1e6:,.1f} MB in the second fifth of the "
        f"run, {late / 1e6:,.1f} MB in the last ({100 * (late / early - 1):+.1f} %)"
    )


def _overloaded(rate: int, done: _Done) -> str:
    (told,) = done.document["runs"]
    requests = told["requests"]
    whole = requests["scheduled"] == requests["sent"] + requests["unsent"]
    codes = ", ".join(one["code"] for one in told["reasons"])
    return (
        f"load, {rate:,}/s, twice what it does, for {_OVERLOAD_S} s: {told['verdict']} ({codes}), exit {done.code}; "
        f"of {requests['scheduled']:,} due {requests['answered']:,} answered and {requests['unsent']:,} never sent"
        f"{'' if whole else ', AND SOME NOT COUNTED'}; memory at most {max(done.memory) / 1e6:,.0f} MB"
    )


def _repeated(done: _Done) -> Iterator[str]:
    """Text 002's experiment: an interval from inside a run, alongside where the other runs fall."""
    means = [one["operations"][0]["response"]["mean"] for one in done.document["runs"]]
    for number, one in enumerate(means, 1):
        interval = f"{_us(one['low'])} to {_us(one['high'])} us (95 %)" if one["resolved"] else "no interval of its own"
        yield f"load, repeat {number} of {_REPEATS}: mean response {_us(one['value'])} us, {interval}"
    known = [one for one in means if one["resolved"]]
    apart = sum(a["high"] < b["low"] or b["high"] < a["low"] for a, b in combinations(known, 2))
    pairs = len(known) * (len(known) - 1) // 2
    (group,) = done.document["groups"]
    between = next(one for one in group["between"] if one["name"] == "mean")
    yield (
        f"load, between {_REPEATS} repeats: the next run's mean falls in {_us(between['low'])} to "
        f"{_us(between['high'])} us (95 %); of the runs' own intervals {apart} of {pairs} pairs do not touch"
    )


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:,.0f}"


def _weigh(*flags: str, seconds: float) -> _Done:
    """One load, and its memory between the first interval and ``seconds`` later."""
    weigh = Path(sys.executable).with_name("weigh")
    with tempfile.TemporaryDirectory() as folder:
        command = [str(weigh), "load", *_LOAD, *flags, "--out", folder, "--json", "--quiet"]
        with Path(folder, "said").open("wb") as said:
            process = subprocess.Popen(command, stdout=said)
            try:
                memory = _watched(process, Path(folder), seconds)
            except BaseException:
                process.terminate()
                raise
            finally:
                process.wait()
        if process.returncode not in (0, 3):
            raise subprocess.CalledProcessError(process.returncode, command)
        return _Done(process.returncode, json.loads(Path(folder, "said").read_bytes()), memory)


def _watched(process: subprocess.Popen[bytes], folder: Path, seconds: float) -> list[int]:
    while process.poll() is None and not _begun(folder):
        time.sleep(_GLANCE)
    memory: list[int] = []
    # The report, which reads every histogram again, comes after it.
    until = time.monotonic() + seconds - 2 * _GLANCE
    while process.poll() is None and time.monotonic() < until:
        with suppress(FileNotFoundError):
            memory.append(_resident(process.pid))
        time.sleep(_GLANCE)
    return memory or [0]


def _begun(folder: Path) -> bool:
    return any(b'"event":"interval"' in path.read_bytes() for path in folder.glob("*/journal.jsonl"))


def _resident(pid: int) -> int:
    for line in Path("/proc", str(pid), "status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return 1024 * int(line.split()[1])
    return 0

"""Histories of a million operations checked: one transaction after the other, under locks, and torn."""

from __future__ import annotations

import gzip
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

OPERATIONS = 1_000_000
_APPENDS = 32
_LISTS = 12
_PROCESSES = 16

_CHECK = """
import json, resource, sys, time
from pathlib import Path
from weigh._native import check_history
began = time.perf_counter()
found = json.loads(check_history(sys.argv[1]))
took = time.perf_counter() - began
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(json.dumps([took, int(peak.split()[1]), found]))
"""


def run() -> Iterator[str]:
    """How long it takes and how much memory, on histories without anomalies and on one that is full of them."""
    with tempfile.TemporaryDirectory() as place:
        for name, torn in (("in order", False), ("serializable by locks", False), ("torn", True)):
            path = Path(place) / f"{name}.jsonl.gz"
            made(path, OPERATIONS, torn=name != "in order", locks=name == "serializable by locks")
            command = [sys.executable, "-c", _CHECK, str(path)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            took, peak, found = json.loads(done.stdout)
            names = ", ".join(one["name"] for one in found["anomalies"]) or "nothing"
            assert bool(found["anomalies"]) == torn, names
            yield (
                f"history of {found['operations']:,} operations in {found['committed']:,} transactions "
                f"(and {found['aborted']:,} aborted), {name}: "
                f"{took:.1f} s (goal: under 60 s), {peak / 1024:.0f} MiB (goal: under 2,048); shows {names}"
            )


def made(path: Path, operations: int, *, torn: bool, locks: bool = False) -> None:
    """Write a history.

    Args:
        path: of the file.
        operations: of all transactions together, about.
        torn: whether statements of transactions come between one another, each seeing what is there; else each
            transaction is made at one moment.
        locks: whether each locks what it asks for until it ends, and is aborted where another has it locked.
    """
    draw = random.Random(7)
    keys = list(range(1, _LISTS + 1))
    lists: dict[int, list[int]] = {key: [] for key in keys}
    fresh, index, done, written = _LISTS + 1, 0, 0, 0
    with gzip.open(path, "wt", compresslevel=1) as file:

        def told(kind: str, process: int, value: list[list[object]]) -> None:
            nonlocal index
            index += 1
            one: dict[str, object] = {"index": index, "type": kind, "process": process, "time": index, "value": value}
            if locks and kind != "invoke":
                one["isolation"] = "serializable"
            file.write(json.dumps(one, separators=(",", ":")) + "\n")

        while done < operations:
            plans = [[(draw.randrange(_LISTS), draw.random() < 0.5) for _ in range(3)] for _ in range(_PROCESSES)]
            values: list[list[list[object]]] = [[] for _ in plans]
            for process in range(_PROCESSES):
                told("invoke", process, [])
            # Which transaction the next statement is of.
            turns = [process for process, plan in enumerate(plans) for _ in plan]
            if torn:
                draw.shuffle(turns)
            holds: dict[int, int] = {}
            gone: set[int] = set()
            left = Counter(turns)
            for process in turns:
                left[process] -= 1
                if process in gone:
                    continue
                place, writes = plans[process][len(values[process])]
                own = lists[keys[place]]
                if locks and holds.setdefault(place, process) != process:
                    # Nobody has seen what it wrote: it had that locked.
                    for kind, key, value in values[process]:
                        if kind == "append":
                            lists[int(str(key))].remove(int(str(value)))
                    gone.add(process)
                    holds = {one: who for one, who in holds.items() if who != process}
                    told("fail", process, values[process])
                    continue
                if writes:
                    written += 1
                    own.append(written)
                    values[process].append(["append", keys[place], own[-1]])
                else:
                    values[process].append(["r", keys[place], list(own)])
                if locks and not left[process]:
                    holds = {one: who for one, who in holds.items() if who != process}
            for process, value in enumerate(values):
                if process not in gone:
                    told("ok", process, value)
                    done += len(value)
            for place, key in enumerate(keys):
                if len(lists[key]) >= _APPENDS:
                    del lists[key]
                    keys[place], lists[fresh], fresh = fresh, [], fresh + 1

"""The native load generator: made from a spec, called, and its errors as weigh's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load.generator_errors import call
from weigh.load.recording.generator import arrivals as of_trace
from weigh.load.recording.generator import workload as replay
from weigh.load.spec import LONGEST_CRASH

if TYPE_CHECKING:
    from weigh.load.files import LoadFiles
    from weigh.load.spec import LoadSpec, Loop
    from weigh.load.target.target import Reached


def make_generator(
    spec: LoadSpec, files: LoadFiles, reached: Reached, loop: Loop, connections: int, *, samples: int = 0
) -> Any:
    """The native generator for one run.

    Args:
        spec: of the load.
        files: of it.
        reached: the server.
        loop: open or closed.
        connections: how many.
        samples: requests of scripts that each thread keeps with their answers.

    Raises:
        EngineFault: the workload is wrong, or the server refuses it.
    """
    from weigh._native import Load

    workload: dict[str, Any]
    if spec.replay and files.plan:
        workload = replay(spec.replay, files.plan)
    elif spec.is_ycsb:
        workload = {
            "kind": "ycsb",
            "core": spec.letter or _parts(spec),
            "records": spec.records,
            "seed": spec.seed,
            "ordered_index": spec.ordered_index,
        }
    elif spec.tpcc:
        workload = {"kind": "tpcc", "seed": spec.seed, "terminals": False, **msgspec.to_builtins(spec.tpcc)}
    else:
        scripts = [{"name": one.name, "text": one.text or None, "weight": one.weight} for one in spec.scripts]
        workload = {
            "kind": "script",
            "scripts": scripts,
            "seed": spec.seed,
            "variables": spec.variables,
            "prepared": spec.query_mode != "simple",
            "samples": samples,
        }
        if files.prepare:
            workload["prepare"] = str(files.prepare)
        if spec.crash:
            workload["history"] = "whole" if has_own_data(spec, reached) else "part"
    # What only loads data, or sees whether a script is right, offers nothing: of a search it has no rate.
    arrivals = spec.arrivals.at(1.0) if spec.find_rate and spec.arrivals.rate is None else spec.arrivals
    asked = {name: value for name, value in msgspec.to_builtins(arrivals).items() if value is not None}
    threads = min(spec.threads, connections)
    config = {
        "target": reached.connect,
        "workload": workload,
        "arrivals": of_trace()
        if spec.replay
        else {"kind": "closed"}
        if loop == "closed"
        else {**asked, "seed": spec.seed},
        # However long a crash takes: the probe ends the run when it has seen as much of it afterwards as was left.
        "duration_s": spec.duration_s + (LONGEST_CRASH if spec.crash else 0.0),
        "connections": connections,
        "threads": threads,
        "max_in_flight": max(min(spec.max_in_flight or connections, connections), threads),
        "timeout_s": spec.timeout_s,
        "interval_s": spec.interval_s,
        "spin": spec.spin is True,
    }
    return call(Load, msgspec.json.encode(config).decode())


def has_own_data(spec: LoadSpec, reached: Reached) -> bool:
    """Whether weigh loads the data: of workloads with their own tables, and of built-in scripts on a server of ours."""
    if spec.replay:
        return bool(spec.replay.prepare)
    return (
        spec.has_tables
        or bool(spec.prepare)
        or ((reached.read.embedded or reached.fresh) and not any(script.text for script in spec.scripts))
    )


def _parts(spec: LoadSpec) -> dict[str, Any]:
    """What a workload of YCSB is made of, as the generator takes it."""
    parts: dict[str, Any] = msgspec.to_builtins(spec.ycsb)
    return {name: value for name, value in parts.items() if name != "ignored"}

"""The native load generator: made from a spec, called, and its errors as weigh's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.load import generator_errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.load.spec import LoadSpec, Loop
    from weigh.load.target.target import Reached


def make_generator(spec: LoadSpec, reached: Reached, loop: Loop, connections: int, *, samples: int = 0) -> Any:
    """The native generator for one run.

    Args:
        spec: of the load.
        reached: the server.
        loop: open or closed.
        connections: how many.
        samples: requests of scripts that each thread keeps with their answers.

    Raises:
        EngineFault: the workload is wrong, or the server refuses it.
    """
    from weigh._native import Load

    workload: dict[str, Any]
    if spec.is_ycsb:
        workload = {
            "kind": "ycsb",
            "core": spec.letter or _parts(spec),
            "records": spec.records,
            "seed": spec.seed,
            "ordered_index": spec.ordered_index,
        }
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
    # What only loads data, or sees whether a script is right, offers nothing: of a search it has no rate.
    arrivals = spec.arrivals.at(1.0) if spec.find_rate and spec.arrivals.rate is None else spec.arrivals
    asked = {name: value for name, value in msgspec.to_builtins(arrivals).items() if value is not None}
    threads = min(spec.threads, connections)
    config = {
        "target": reached.connect,
        "workload": workload,
        "arrivals": {"kind": "closed"} if loop == "closed" else {**asked, "seed": spec.seed},
        "duration_s": spec.duration_s,
        "connections": connections,
        "threads": threads,
        "max_in_flight": max(min(spec.max_in_flight or connections, connections), threads),
        "timeout_s": spec.timeout_s,
        "interval_s": spec.interval_s,
        "spin": spec.spin is True,
    }
    return call(Load, msgspec.json.encode(config).decode())


def _parts(spec: LoadSpec) -> dict[str, Any]:
    """What a workload of YCSB is made of, as the generator takes it."""
    parts: dict[str, Any] = msgspec.to_builtins(spec.ycsb)
    return {name: value for name, value in parts.items() if name != "ignored"}


def call(what: Callable[..., Any], *arguments: Any) -> Any:
    """A call into the generator; its errors as weigh's.

    Raises:
        EngineFault: the server is in the way, or the workload is wrong.
    """
    from weigh._native import LoadError

    try:
        return what(*arguments)
    except LoadError as error:
        raise generator_errors.read(error) from None

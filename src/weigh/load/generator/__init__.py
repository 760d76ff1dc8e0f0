"""The native load generator: made from a spec, called, and its errors as weigh's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from weigh.load.generator.settings import (
    ArrivalSettings,
    GeneratorSettings,
    IsolationSettings,
    NamedScript,
    ReplaySettings,
    ScriptSettings,
    TpccSettings,
    YcsbSettings,
)
from weigh.load.generator_errors import call
from weigh.load.spec import LONGEST_CRASH, LONGEST_QUERIES
from weigh.load.target import secrecy
from weigh_worker import masking

if TYPE_CHECKING:
    from weigh.load.files import LoadFiles
    from weigh.load.recording.plan import Plan
    from weigh.load.recording.spec import Replay
    from weigh.load.spec import LoadSpec, Loop
    from weigh.load.target.target import Reached
    from weigh.model.units import Seconds


_ANSWER_BYTES = 1024
"""Of the rows of an answer of a replay that is kept; of longer ones a digest is."""
_TRACED = ArrivalSettings(kind="trace", times_s=(0.0,))
"""Of a replay: the moments stand in the file of the workload."""


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

    settings = generator_settings(spec, files, reached, loop, connections, samples=samples)
    return call(Load, msgspec.json.encode(settings).decode())


def generator_settings(
    spec: LoadSpec, files: LoadFiles, reached: Reached, loop: Loop, connections: int, *, samples: int = 0
) -> GeneratorSettings:
    """The settings of it; arguments are those of :func:`make_generator`."""
    # What only loads data, or sees whether a script is right, offers nothing: of a search it has no rate.
    arrivals = spec.arrivals.at(1.0) if spec.find_rate and spec.arrivals.rate is None else spec.arrivals
    threads = min(spec.threads, connections)
    return GeneratorSettings(
        target=_target(reached.connect, spec.expect),
        workload=_workload(spec, files, reached, samples),
        arrivals=_TRACED
        if spec.replay
        else ArrivalSettings(kind="closed")
        if loop == "closed"
        else ArrivalSettings(**msgspec.structs.asdict(arrivals), seed=spec.seed),
        duration_s=spec.duration_s + _longer_s(spec),
        connections=connections,
        threads=threads,
        max_in_flight=max(min(spec.max_in_flight or connections, connections), threads),
        timeout_s=spec.timeout_s,
        interval_s=spec.interval_s,
        spin=spec.spin is True,
    )


def _target(connect: dict[str, Any], expect: Any) -> dict[str, Any]:
    """The server, with the forms in which it may repeat the password, and what answers of HTTP must be."""
    forms = masking.forms(secrecy.secrets(connect.get("user"), connect.get("password")))
    return {**connect, **({"secrets": forms} if forms else {}), **({"expect": expect} if expect else {})}


def _longer_s(spec: LoadSpec) -> Seconds:
    """However long a crash, or all queries, take: who makes them happen ends the run when enough was observed."""
    if not (spec.crash or spec.disturbances):
        return 0.0
    return LONGEST_QUERIES if spec.disturbances and spec.disturbances.queries else LONGEST_CRASH


def _workload(
    spec: LoadSpec, files: LoadFiles, reached: Reached, samples: int
) -> YcsbSettings | TpccSettings | IsolationSettings | ScriptSettings | ReplaySettings:
    if spec.replay and files.plan:
        return _replay(spec.replay, files.plan)
    if spec.is_ycsb:
        return YcsbSettings(
            core=spec.letter or _parts(spec), records=spec.records, seed=spec.seed, ordered_index=spec.ordered_index
        )
    if spec.tpcc:
        return TpccSettings(**{"terminals": False, **msgspec.to_builtins(spec.tpcc)}, seed=spec.seed)
    if spec.isolation is not msgspec.UNSET:
        return IsolationSettings(seed=spec.seed, level=spec.isolation.sql)
    history: Literal["whole", "part"] | None = None
    if spec.crash or (spec.disturbances and spec.disturbances.nemeses):
        history = "whole" if loads_data(spec, reached) else "part"
    return ScriptSettings(
        scripts=[NamedScript(name=one.name, text=one.text or None, weight=one.weight) for one in spec.scripts],
        seed=spec.seed,
        variables=spec.variables,
        prepared=spec.query_mode != "simple",
        samples=samples,
        history=history,
        prepare=str(files.prepare) if files.prepare else None,
    )


def _replay(one: Replay, plan: Plan) -> ReplaySettings:
    return ReplaySettings(
        path=str(plan.path),
        operations=plan.operations,
        speed=one.speed,
        lanes=plan.lanes,
        prepare=str(plan.prepare) if plan.prepare else None,
        begin=plan.begin or None,
        reset=plan.reset or None,
        keep=one.answers,
        answer_bytes=0 if one.hidden else _ANSWER_BYTES,
    )


def loads_data(spec: LoadSpec, reached: Reached) -> bool:
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

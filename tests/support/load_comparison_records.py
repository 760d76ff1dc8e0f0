"""Records of several servers under one load, made by hand: what each run saw, as it would have been written down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from support import load_records
from weigh.evidence.journal import Journal
from weigh.evidence.sealing import End
from weigh.load import record as load_record
from weigh.load.comparison import record as comparison_record
from weigh.load.comparison.record import BlockBegun, LoadComparisonEnvironment, LoadComparisonRecord
from weigh.load.comparison.spec import LoadComparisonSpec, LoadContender
from weigh.load.record import LoadEnvironment, LoadRecord, RowsRead
from weigh.load.runs import LoadRun, ServerUse, TableRows, TargetRead
from weigh.load.spec import Arrivals

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from weigh.load.comparison.spec import LoadArm, LoadTurn
    from weigh.load.spec import LoadSpec

    Times = NDArray[np.float64]
    Law = Callable[[np.random.Generator, int], Times]

INTERVALS, EACH = 20, 150
"""Of a run: enough for 20 slow requests beyond its p99, whether or not they come together a little."""


_OFFERED = {
    "target": "",
    "seed": 7,
    "contention": 1.0,
    "arrivals": Arrivals(rate=EACH / load_records.EACH),
}


def usual(draw: np.random.Generator, count: int) -> Times:
    """Response times of a server in good health: around 0.5 ms."""
    return draw.gamma(16, 3.1e-5, count)


def behind_a_proxy(draw: np.random.Generator, count: int) -> Times:
    """The same behind a proxy that adds 0.5 ms to 2 % of the requests."""
    return usual(draw, count) + np.where(draw.random(count) < 0.02, 5e-4, 0.0)


def spec(blocks: int = 10, contenders: Mapping[str, str] | None = None, **changed: Any) -> LoadComparisonSpec:
    """A comparison of two servers, the first one the baseline; what is changed is of the load, or of the comparison."""
    named = contenders or {"old": "valkey:embedded", "new": "valkey:embedded?io-threads=2"}
    own = {name: changed.pop(name) for name in ("twice", "baseline_declared", "rules") if name in changed}
    length = changed.pop("length", INTERVALS)
    return LoadComparisonSpec(
        load=load_records.spec(length, **{**_OFFERED, **changed}),
        contenders=tuple(LoadContender(name=name, target=target) for name, target in named.items()),
        baseline=next(iter(named)),
        blocks=blocks,
        **own,
    )


def comparison(
    asked: LoadComparisonSpec | None = None,
    laws: Mapping[str, Law] | None = None,
    *,
    scatter: float = 0.005,
    seed: int = 1,
    targets: Mapping[str, TargetRead] | None = None,
    change: Callable[[LoadRun, LoadArm], LoadRun] | None = None,
    lives: Mapping[str, int] | None = None,
    rows: Mapping[str, str] | None = None,
) -> LoadComparisonRecord:
    """A whole comparison.

    Args:
        asked: what is to be done.
        laws: response times by contender, :func:`usual` where there is none.
        scatter: standard deviation of the logarithm by which every fresh life differs from others.
        seed: of the draws.
        targets: the servers as they describe themselves, by contender.
        change: what happened to a run.
        lives: the only life of a contender's server, where it was never started anew.
        rows: digest of the rows that a contender's server holds before each run.
    """
    whole = asked or spec()
    loads: dict[str, LoadRecord] = {}
    for at, arm in enumerate(whole.arms):
        law = (laws or {}).get(arm.contender, usual)
        runs: list[LoadRun] = []
        held: list[RowsRead] = []
        for turn in (one for one in whole.order if one.arm == arm.name):
            draw = np.random.default_rng([seed, at, turn.block])
            level = float(np.exp(draw.normal(0, scatter)))
            made = _turn(turn, whole.load, lambda count, d=draw, f=level, own=law: own(d, count) * f, len(runs))
            life = (lives or {}).get(arm.contender, turn.block)
            for run in made:
                lived = msgspec.structs.replace(
                    run, life=life, server=ServerUse(cpu_s=0.5 * level, memory_bytes=1 << 24)
                )
                runs.append(change(lived, arm) if change else lived)
                digest = (rows or {}).get(arm.contender, "same")
                tables = {"weigh_ycsb": TableRows(rows=200, digest=digest)}
                held.append(RowsRead(when="before", run=run.number, life=life, tables=tables))
        target = (targets or {}).get(arm.contender, load_records.target())
        loads[arm.name] = LoadRecord(
            attempt=1,
            spec=whole.load_of(arm),
            environment=LoadEnvironment(weigh="0", command="weigh load ycsb-b", host={"cpu": "some"}, target=target),
            runs=tuple(runs),
            rows=tuple(held),
            end=End(how="complete"),
        )
    order = whole.order
    return LoadComparisonRecord(
        attempt=1,
        spec=whole,
        environment=environment(),
        blocks=tuple(
            BlockBegun(block=block, arms=tuple(turn.arm for turn in order if turn.block == block))
            for block in range(1, whole.blocks + 1)
        ),
        loads=loads,
        end=End(how="complete"),
    )


def environment() -> LoadComparisonEnvironment:
    """Where it ran."""
    return LoadComparisonEnvironment(
        weigh="0",
        command="weigh load ycsb-b --contender old=valkey:embedded --contender 'new=valkey:embedded?io-threads=2' "
        "--rate 1500",
        host={"cpu": "some", "cores_allowed": 2, "memory_bytes": 1 << 33},
    )


def _turn(turn: LoadTurn, load: LoadSpec, times: Callable[[int], Times], before: int) -> list[LoadRun]:
    """The runs of one life, one of each kind."""
    made = []
    for number, (connections, loop) in enumerate(turn.kinds, before + 1):
        length = round(load.duration_s / load.interval_s)
        intervals = [load_records.interval(at, times(EACH)) for at in range(length)]
        one = load_records.run(intervals, number=number, loop=loop)
        made.append(msgspec.structs.replace(one, connections=connections, repeat=turn.block))
    return made


def written(folder: Path, record: LoadComparisonRecord) -> None:
    """The journals of a record: of the comparison, and of each arm's load."""
    own = Journal(folder)
    own.append(
        comparison_record.OPENED, comparison_record.LoadComparisonOpened(attempt=record.attempt, spec=record.spec)
    )
    if record.environment is not None:
        own.append("environment", record.environment)
    for block in record.blocks:
        own.append("block", block)
    for finding in record.findings:
        own.append("finding", finding)
    for arm in record.spec.arms:
        if arm.name in record.loads:
            place = comparison_record.folder_of(folder, arm)
            place.mkdir(parents=True)
            written_load(place, record.loads[arm.name])
    if record.end is not None:
        own.append("end", record.end)
    own.close()


def written_load(folder: Path, record: LoadRecord) -> None:
    """The journal of one load."""
    own = Journal(folder)
    own.append(load_record.OPENED, load_record.LoadOpened(attempt=record.attempt, spec=record.spec))
    if record.environment is not None:
        own.append("environment", record.environment)
    held = {one.run: one for one in record.rows}
    for run in record.runs:
        if run.number in held:
            own.append("rows", held[run.number])
        fields = {field: getattr(run, field) for field in load_record.RunBegun.__struct_fields__}
        own.append("run", load_record.RunBegun(**fields))
        for interval in run.intervals:
            own.append("interval", load_record.RunInterval(run=run.number, interval=interval))
        if run.summary is not None:
            own.append("summary", load_record.RunEnded(run=run.number, summary=run.summary, server=run.server))
    if record.end is not None:
        own.append("end", record.end)
    own.close()


def reordered(record: LoadComparisonRecord) -> LoadComparisonRecord:
    """The same with the arms of the first block in the opposite order."""
    first, *others = record.blocks
    other = BlockBegun(block=first.block, arms=first.arms[::-1])
    return msgspec.structs.replace(record, blocks=(other, *others))

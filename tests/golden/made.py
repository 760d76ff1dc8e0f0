"""Records of experiments that were never run, each for one thing that a report can say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from support import experiment_records, load_comparison_records, load_records
from support.cold_records import DRIVE, cooled
from support.machine_timelines import watched
from support.stopping_attempts import HONEST
from weigh.answers.votes import conclude
from weigh.experiment.record import Planned
from weigh.model.finding import Finding
from weigh.model.operation import Case, Operation, Workload
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from weigh.experiment.record import Record
    from weigh.load.comparison.record import LoadComparisonRecord
    from weigh.load.record import LoadRecord
    from weigh.model.sample import Sample

BASELINE, SECOND, THIRD = experiment_records.names(3)
replace = msgspec.structs.replace


def agreed(noise: float = 0.02) -> Record:
    """Every answer agreed; the second contender is as fast as the first, the third is slower."""
    return _whole(experiment_records.record(noise=noise))


def ranked() -> Record:
    """Four contenders over six operations, judged together; the last one crashed on one of them."""
    four, operations = experiment_records.names(4), tuple(f"q{at}" for at in range(1, 7))
    made = experiment_records.record(contenders=four, operations=operations, noise=0.01)
    record = _whole(experiment_records.with_outcome(made, Outcome.CRASH, "q2", four[-1]))
    return replace(record, plan=replace(record.plan, overall=True) if record.plan else None)


def diverged() -> Record:
    """The third contender is wrong on the second operation, which nobody is timed on."""
    asked = experiment_records.workload(("q1", "q2"))
    gate = experiment_records.gate(asked, experiment_records.names(3), [("q2", THIRD)])
    record = experiment_records.record(operations=("q1",))
    return _whole(replace(record, workload=asked, gate=gate))


def refused() -> Record:
    """So much noise that most ratios are unstable; the third contender defers its work on one operation."""
    lazy = Finding(code="A5.lazy", severity="error", text="lazy", remedy="consume", contender=THIRD, operation="q1")
    return _whole(experiment_records.record(noise=0.3, findings=(lazy,)))


def few() -> Record:
    """Two starts."""
    return _whole(experiment_records.record(starts=2))


def failed() -> Record:
    """One execution crashed, and a later answer was wrong."""
    crashed = experiment_records.with_outcome(experiment_records.record(), Outcome.CRASH, "q2", THIRD)
    detail = "4 rows, digest of another answer"
    return _whole(experiment_records.with_outcome(crashed, Outcome.WRONG, "q1", SECOND, detail))


def contended() -> Record:
    """Others worked while the third contender had its turns."""
    record = watched(experiment_records.record(), lambda one: 0.4 if one.contender == THIRD else 0.0)
    return _whole(record)


def killed() -> Record:
    """Killed while measuring."""
    whole = _whole(experiment_records.record())
    return replace(whole, samples=whole.samples[:100], blocks=whole.blocks[:4], end=None)


def clickhouse() -> Record:
    """With the second opinion that was asked for."""
    record = experiment_records.record(contenders=experiment_records.names(3), operations=("q1",))
    return _whole(replace(record, spec=replace(record.spec, rule="clickhouse")))


def both() -> Record:
    """Hot blocks, and cold ones after them; a little of one answer's data was in memory."""
    hot = experiment_records.record(runs=1)
    cold = cooled(hot, lambda one: 25 if (one.contender, one.operation) == (THIRD, "q2") else 0)
    begins = len(hot.blocks)
    later = tuple(replace(one, block=one.block + begins, start=2 * one.start + one.run) for one in cold.samples)
    return replace(
        hot,
        spec=replace(hot.spec, temperature="both"),
        plan=Planned(cases=hot.blocks[0].cases, starts=begins, runs=1, cold=begins),
        blocks=(*hot.blocks, *(replace(one, block=one.block + begins) for one in cold.blocks)),
        samples=(*hot.samples, *(_slower(one) for one in later)),
        cache_states=tuple(replace(one, block=one.block + begins) for one in cold.cache_states),
        drives=(DRIVE,),
    )


def _slower(one: Sample) -> Sample:
    """What was not in memory has to be read."""
    assert one.wall_s is not None
    return replace(one, wall_s=one.wall_s + 0.05, bytes_read=10 << 20) if one.temperature == "cold" else one


def precision() -> Record:
    """Stopped when the intervals were narrow enough: one operation early, the other at the most starts."""
    names = [one.name for one in HONEST.spec.contenders]
    cases = (Case(name="only", timed=True),)
    (question,) = experiment_records.workload(("q",)).operations
    operations: list[Operation] = [
        replace(question, name=name, sql="SELECT count(*) FROM lineitem", cases=cases)
        for name in dict(HONEST.blocks[0].cases)
    ]
    asked = Workload(name="w", dataset="tpch", operations=tuple(operations))
    return _whole(
        replace(
            HONEST,
            environment=experiment_records.environment(names),
            workload=asked,
            manifest=experiment_records.manifest(),
            gate=experiment_records.gate(asked, names),
        )
    )


def session(seed: int, candidate: str, slower: float, cpu: str = "A Processor") -> Record:
    """A session in which a version of a candidate takes so many times as long as a reference; ten starts."""
    names = ("reference", "candidate")
    draw = np.random.default_rng(seed)
    plain = experiment_records.record(contenders=names, operations=("q1",), runs=1)
    read = experiment_records.environment(names)
    reads = (replace(read.contenders[0], settings={"threads": 2}), replace(read.contenders[1], version=candidate))
    samples = tuple(
        replace(one, wall_s=0.01 * float(np.exp(draw.normal(0, 0.002))) * (slower if one.contender == names[1] else 1))
        for one in plain.samples
    )
    environment = replace(read, contenders=reads, host={**read.host, "cpu": cpu})
    return _whole(replace(plain, environment=environment, samples=samples))


def other_data() -> Record:
    """A session that read other bytes."""
    made = session(4, "2.2.0", 1.2)
    assert made.manifest is not None
    digests = dict.fromkeys(made.manifest.digests, "x3s2:20000:00000000000000000000000000000000")
    return replace(made, manifest=replace(made.manifest, digests=digests))


def _whole(record: Record) -> Record:
    """With the gate's words as its checks demand, and the plan that it kept to: it verifies."""
    assert record.gate is not None
    assert record.workload is not None
    names = [one.name for one in record.spec.contenders]
    asked = {one.name: len(one.cases) for one in record.workload.operations}
    gate = replace(record.gate, operations=conclude(record.gate.checks, asked, names))
    plan = record.plan or Planned(cases=record.blocks[0].cases, starts=len(record.blocks), runs=record.spec.runs)
    return replace(record, gate=gate, plan=plan)


def calm_load() -> LoadRecord:
    """Four repeats of 6 s at 1,000/s without an event, each with a speed of its own, on a store that may lose data."""
    draw = np.random.default_rng(5)
    runs = []
    for number in range(1, 5):
        pace = draw.lognormal(0, 0.1)
        parts = [
            load_records.interval(at, pace * own) for at, own in enumerate(load_records.steady_times(60, 50, number))
        ]
        runs.append(replace(load_records.run(parts, number=number), life=number))
    where = load_records.target(durable=False, undurable=("appendonly is off",))
    asked = load_records.spec(60, repeats=4, fanout=100, arrivals=load_records.Arrivals(rate=500.0))
    return load_records.record(runs, asked, where)


def killed_load() -> LoadRecord:
    """Killed in its only run."""
    whole = load_records.calm(60)
    (run,) = whole.runs
    return replace(whole, end=None, runs=(replace(run, summary=None),))


def wrong_load() -> LoadRecord:
    """An answer contradicted what had been written, requests failed, and some were never sent."""
    times = load_records.steady_times(60)
    errors = ({"out of memory": 10} if at % 20 == 0 else None for at in range(60))
    parts = [
        load_records.interval(at, own, errors=failed)
        for at, (own, failed) in enumerate(zip(times, errors, strict=True))
    ]
    violations = [{"text": "user7: version 3 after 4 was acknowledged"}]
    return load_records.record([load_records.run(parts, scheduled=20_000, unsent=7_000, violations=violations)])


def servers() -> LoadComparisonRecord:
    """Two servers under one load, one of them behind a proxy that slows two requests in a hundred."""
    return load_comparison_records.comparison(
        load_comparison_records.spec(6, length=16), {"new": load_comparison_records.behind_a_proxy}
    )


def unequal_servers() -> LoadComparisonRecord:
    """The same server, one of them without writing to the disk."""
    lax = load_records.target(
        durable=False,
        undurable=("appendfsync is everysec: a loss of power takes a second of acknowledged writes",),
        in_force={"appendfsync": {"value": "everysec", "default": "everysec"}},
    )
    named = {"old": "valkey:embedded", "new": "valkey:embedded?appendfsync=everysec"}
    asked = load_comparison_records.spec(5, named, length=4, workload="ycsb-a")
    return load_comparison_records.comparison(asked, targets={"new": lax})

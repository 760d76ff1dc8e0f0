"""A measured suite whose templates have known true ratios."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import msgspec

from weigh.experiment.record import Record
from weigh.experiment.results.results import experiment_results
from weigh.model.answer import GateStatus, ResultSchema
from weigh.model.contender import Contender
from weigh.model.gate import Gate, OperationGate
from weigh.model.operation import Case, Operation, Workload
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import Spec

if TYPE_CHECKING:
    from weigh.experiment.results.results import ExperimentResults

SPEC = Spec(
    workload="sql",
    contenders=(Contender(name="old", engine="duckdb"), Contender(name="new", engine="duckdb")),
    baseline="old",
    baseline_declared=True,
)


def measured(ratios: dict[str, list[float]], scatter: float, blocks: int = 10, spec: Spec = SPEC) -> ExperimentResults:
    """A suite whose templates have these true ratios, an operation each; two rounds a start."""
    draw = random.Random(7)
    operations = [
        (f"{template}(x={number})", template, ratio)
        for template, own in ratios.items()
        for number, ratio in enumerate(own)
    ]
    samples = []
    for block in range(blocks):
        for turn, (name, _, ratio) in enumerate(operations):
            for round_ in range(2):
                for at, (arm, contender) in enumerate((("old", "old"), ("old#2", "old"), ("new", "new"))):
                    time = 0.01 * (ratio if contender == "new" else 1.0) * math.exp(draw.gauss(0, scatter))
                    samples.append(
                        Sample(
                            attempt=1, block=block, start=3 * block + at, turn=100 * turn + 10 * round_ + at,
                            round=round_, run=1, arm=arm, contender=contender, operation=name, case="only",
                            outcome=Outcome.OK, wall_s=time, cpu_s=time, rows=1, answer_cpu_s=0.0,
                        )
                    )  # fmt: skip
    every = {one.name: GateStatus.AGREED for one in spec.contenders}
    gate = tuple(OperationGate(operation=name, status=GateStatus.AGREED, contenders=every) for name, _, _ in operations)
    workload = Workload(
        name="sql",
        dataset="files",
        operations=tuple(
            Operation(
                name=name,
                sql="SELECT 1",
                schema=ResultSchema(columns=()),
                cases=(Case(name="only", timed=True),),
                template=template or msgspec.UNSET,
            )
            for name, template, _ in operations
        ),
    )
    record = Record(
        attempt=1,
        spec=spec,
        gate=Gate(operations=gate, checks=(), truth=True),
        samples=tuple(samples),
        workload=workload,
    )
    return experiment_results([record])

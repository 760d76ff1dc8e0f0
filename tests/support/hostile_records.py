"""Records with hostile text wherever text can come from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from support import experiment_records
from weigh.model.answer import GateStatus
from weigh.model.contender import Contender
from weigh.model.finding import Finding
from weigh.model.gate import Check, Difference, Gate, OperationGate

if TYPE_CHECKING:
    from weigh.experiment.record import Record
    from weigh.model.operation import Workload


HOSTILE = """"><script src="http://evil.example/x.js">alert(1)</script><img src=x onerror='a()'>&amp;</title>{{7*7}}"""


def hostile(record: Record) -> Record:
    """The record with a hostile text wherever one can come from outside, under the control of an engine or a user."""
    names = [f"{HOSTILE}{number}" for number in range(3)]
    spec = msgspec.structs.replace(
        record.spec,
        name=HOSTILE,
        workload=HOSTILE,
        baseline=names[0],
        answers=HOSTILE,
        contenders=tuple(Contender(name=name, engine="x", version=HOSTILE) for name in names),
    )
    old = [contender.name for contender in record.spec.contenders]
    renamed = dict(zip(old, names, strict=True))
    assert record.environment is not None
    assert record.manifest is not None
    workload = experiment_records.workload([HOSTILE, f"{HOSTILE}2"], notice=HOSTILE)
    workload = msgspec.structs.replace(
        workload,
        operations=tuple(
            msgspec.structs.replace(
                one,
                about=HOSTILE,
                sql=f"{HOSTILE}\n\x1b[31m{one.sql}",
                dialect={HOSTILE: HOSTILE},
                cases=tuple(
                    msgspec.structs.replace(case, name=f"{HOSTILE}{at}", literals={"region": HOSTILE})
                    for at, case in enumerate(one.cases)
                ),
            )
            for one in workload.operations
        ),
    )
    operation = {"q1": HOSTILE, "q2": f"{HOSTILE}2"}
    reads = tuple(
        msgspec.structs.replace(
            one,
            name=renamed[one.name],
            engine=HOSTILE,
            lineage=HOSTILE,
            version=HOSTILE,
            environment=HOSTILE,
            lock=HOSTILE,
            terms=HOSTILE,
            in_force={HOSTILE: {"value": HOSTILE, "default": None}},
        )
        for one in record.environment.contenders
    )
    (file, *_) = record.manifest.files
    column = {"physical_type": HOSTILE, "logical_type": HOSTILE, "codec": HOSTILE, "encodings": [HOSTILE]}
    facts = msgspec.structs.replace(
        file, path=HOSTILE, table=HOSTILE, blake3=HOSTILE, digest=HOSTILE,
        parquet={"row_groups": {"count": 1, "min_rows": 1, "max_rows": 1}, "created_by": HOSTILE,
                 "columns": {HOSTILE: column}},
    )  # fmt: skip
    return msgspec.structs.replace(
        record,
        spec=spec,
        workload=workload,
        environment=msgspec.structs.replace(
            record.environment,
            weigh=HOSTILE,
            command=HOSTILE,
            contenders=reads,
            host={"cpu": HOSTILE, HOSTILE: HOSTILE},
        ),
        manifest=msgspec.structs.replace(record.manifest, writer=HOSTILE, files=(facts,), digests={HOSTILE: HOSTILE}),
        gate=hostile_gate(workload, names),
        samples=tuple(
            msgspec.structs.replace(
                sample,
                contender=renamed[sample.contender],
                arm=renamed[sample.contender] + ("#2" if sample.arm.endswith("#2") else ""),
                operation=operation[sample.operation],
                case=f"{HOSTILE}0",
            )
            for sample in record.samples
        ),
        findings=(
            Finding(
                code=HOSTILE, severity="warning", text=HOSTILE, remedy=HOSTILE, contender=names[1], operation=HOSTILE
            ),
        ),
    )


def hostile_gate(workload: Workload, names: list[str]) -> Gate:
    """Wrong on the second operation, hostile in every word."""
    first, second = (one.name for one in workload.operations)
    difference = Difference(row=HOSTILE, column=HOSTILE, got=HOSTILE, expected=HOSTILE)
    words_: dict[str, Any] = {"case": f"{HOSTILE}0", "witness": HOSTILE, "detail": HOSTILE, "notes": (HOSTILE,)}
    good, bad = GateStatus.AGREED, GateStatus.DIVERGED
    return Gate(
        truth=True,
        reads={names[0]: {HOSTILE: HOSTILE}},
        checks=(
            *(Check(operation=first, contender=name, status=good, **words_) for name in names),
            *(
                Check(operation=second, contender=name, status=bad, differences=(difference,), **words_)
                for name in names
            ),
        ),
        operations=(
            OperationGate(operation=first, status=good, contenders=dict.fromkeys(names, good), detail=HOSTILE),
            OperationGate(operation=second, status=bad, contenders=dict.fromkeys(names, bad), detail=HOSTILE),
        ),
    )

"""Records of experiments that were never run, for tests of reports."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

import msgspec

from weigh.answers.votes import conclude
from weigh.evidence.sealing import End
from weigh.experiment.record import BlockBegun, EnvironmentRead, Record
from weigh.model.answer import Column, GateStatus, ResultSchema
from weigh.model.contender import Contender, ContenderRead
from weigh.model.dataset import DatasetName, FileFacts, Manifest
from weigh.model.gate import Check, Difference, Gate
from weigh.model.operation import Case, Operation, Workload
from weigh.model.sample import Outcome, Sample
from weigh.model.schedule import arms, block_order
from weigh.model.spec import LayoutSpec, Spec
from weigh.model.units import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

_CONTENDERS = ("duckdb@2.0.0", "duckdb@1.5.5", "chdb@4.4.0", "datafusion@54.0.0", "polars@1.40.0", "sqlite@3.51.0")
_QUESTION = """
SELECT
    l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price,
    sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price, avg(l_discount) AS avg_disc, count(*) AS count_order
FROM lineitem, orders, customer, supplier, nation, region
WHERE l_orderkey = o_orderkey AND o_custkey = c_custkey AND l_suppkey = s_suppkey AND s_nationkey = n_nationkey
    AND n_regionkey = r_regionkey AND r_name = {region} AND l_shipdate <= DATE '1998-12-01' - INTERVAL '90' DAY
    AND EXISTS (SELECT * FROM partsupp WHERE ps_suppkey = s_suppkey AND ps_availqty > 100)
GROUP BY l_returnflag, l_linestatus
ORDER BY l_returnflag, l_linestatus
"""


def names(count: int) -> tuple[str, ...]:
    """Names of contenders, the baseline first."""
    return _CONTENDERS[:count]


def workload(operations: Sequence[str], notice: str = "") -> Workload:
    """A workload with questions as long as those of analytical benchmarks."""
    columns = tuple(
        Column(name=name, kind="decimal", match="quotient" if name.startswith("avg") else "exact")
        for name in ("l_returnflag", "l_linestatus", "sum_qty", "sum_base_price", "sum_disc_price", "avg_disc", "n")
    )
    return Workload(
        name="tpch",
        dataset="tpch",
        notice=notice,
        operations=tuple(
            Operation(
                name=name,
                about="pricing summary of shipped lines",
                sql=_QUESTION,
                schema=ResultSchema(columns=columns, ordered_by=(0, 1), keys=(0, 1)),
                cases=tuple(
                    Case(name=f"region-{at}", literals={"region": region}, timed=at == 1)
                    for at, region in enumerate(("ASIA", "EUROPE", "AFRICA", "O'BRIEN"), 1)
                ),
            )
            for name in operations
        ),
    )


def record(
    *,
    operations: Sequence[str] = ("q1", "q2"),
    contenders: Sequence[str] = names(3),
    starts: int = 10,
    runs: int = 3,
    rounds: int = 1,
    noise: float = 0.02,
    **fields: Any,
) -> Record:
    """A complete record in which every answer agreed; the second contender is as fast as the first, the rest slower.

    Args:
        operations: names.
        contenders: names, the baseline first.
        starts, runs, rounds: as of the spec.
        noise: standard deviation of the logarithm of an execution.
        fields: of the record, instead of what is made.
    """
    spec = Spec(
        workload="tpch",
        contenders=tuple(Contender(name=name, engine="duckdb") for name in contenders),
        baseline=contenders[0],
        scale=1.0,
        starts=starts,
        runs=runs,
        rounds=rounds,
    )
    asked = workload(operations)
    cases = tuple((one.name, case.name) for one in asked.operations for case in one.timed())
    made: dict[str, Any] = {
        "attempt": 1,
        "spec": spec,
        "environment": environment(contenders),
        "workload": asked,
        "manifest": manifest(),
        "gate": gate(asked, contenders),
        "blocks": tuple(
            BlockBegun(
                block=block,
                cases=cases,
                arms=tuple(arm.name for arm in arms(spec)),
                rounds=dict.fromkeys(operations, rounds),
                runs=runs,
            )
            for block in range(starts)
        ),
        "samples": _samples(spec, cases, noise),
        "end": End(how="complete"),
    }
    return Record(**(made | fields))


def with_outcome(
    whole: Record, outcome: Outcome, operation: str, contender: str, detail: str = "signal SIGSEGV"
) -> Record:
    """The record with the last execution of a contender on an operation ended otherwise."""
    samples = list(whole.samples)
    last = max(i for i, one in enumerate(samples) if (one.operation, one.contender) == (operation, contender))
    samples[last] = msgspec.structs.replace(samples[last], outcome=outcome, detail=detail)
    return msgspec.structs.replace(whole, samples=tuple(samples))


def environment(contenders: Sequence[str], **fields: Any) -> EnvironmentRead:
    """What was read of the machine and the engines."""
    made: dict[str, Any] = {
        "weigh": "0.1.0",
        "command": "weigh run --workload tpch --scale 1",
        "host": {"cpu": "A Processor", "cores": 8, "cores_allowed": 8, "memory_bytes": 1 << 34, "governor": None},
        "contenders": tuple(
            ContenderRead(
                name=name,
                engine="duckdb",
                lineage="duckdb",
                version="2.0.0",
                in_force={f"setting_{at}": {"value": at, "default": at if at % 4 else at + 1} for at in range(24)},
                environment="4aebc1fd907bb06f",
                lock="\n".join(f"package-{at}==1.{at}.0" for at in range(12)),
            )
            for name in contenders
        ),
    }
    return EnvironmentRead(**(made | fields))


def manifest() -> Manifest:
    """Eight tables, a file each."""
    column = {
        "physical_type": "BYTE_ARRAY", "logical_type": "UTF8", "codec": "ZSTD", "encodings": ["PLAIN_DICTIONARY"],
        "compressed_bytes": 34488, "uncompressed_bytes": 56152, "bloom_filter_bytes": 0,
    }  # fmt: skip
    tables = ("lineitem", "orders", "customer", "supplier", "part", "partsupp", "nation", "region")
    digest = "x3s2:20000:9c34adfcf0a5fadebdfc179790669f8c"
    files = tuple(
        FileFacts(
            path=f"{table}-0000.parquet",
            table=table,
            bytes=763_991,
            blake3="1b57b421367180b24cb51461ea0eec69f1a845715e8f1254d7c4d2ab4186b4c5",
            rows=20_000,
            digest=digest,
            parquet={
                "row_groups": {"count": 1, "min_rows": 20_000, "max_rows": 20_000},
                "created_by": "DuckDB version v2.0.0",
                "columns": {f"{table[0]}_column_{at}": column for at in range(8)},
            },
        )
        for table in tables
    )
    return Manifest(
        dataset=DatasetName(generator="tpch/1", scale=1.0),
        layout=LayoutSpec(),
        writer="duckdb 2.0.0",
        files=files,
        digests=dict.fromkeys(tables, digest),
    )


def gate(asked: Workload, contenders: Sequence[str], wrong: Sequence[tuple[str, str]] = ()) -> Gate:
    """A gate in which everybody is equal to the ground truth but those who are wrong.

    Args:
        asked: the workload.
        contenders: names.
        wrong: pairs of operation and contender.
    """
    difference = Difference(row="'A', 'F'", column="sum_qty", got="37734106.00", expected="37734107.00")

    def check(operation: str, case: str, contender: str) -> Check:
        bad = (operation, contender) in wrong
        return Check(
            operation=operation,
            case=case,
            contender=contender,
            status=GateStatus.DIVERGED if bad else GateStatus.AGREED,
            witness="ground truth",
            rows=4,
            differences=(difference,) if bad else (),
            notes=() if bad else ("A7: averages agree within one unit of the coarser scale",),
        )

    checks = tuple(
        check(one.name, case.name, name) for one in asked.operations for case in one.cases for name in contenders
    )
    return Gate(
        truth=True,
        reads={name: {"lineitem": "x3s2:20000:9c34adfcf0a5fadebdfc179790669f8c"} for name in contenders},
        checks=checks,
        operations=conclude(checks, {one.name: len(one.cases) for one in asked.operations}, contenders),
    )


def _samples(spec: Spec, cases: tuple[tuple[str, str], ...], noise: float) -> tuple[Sample, ...]:
    """Every execution in the order that the seed demands."""
    draw = random.Random(1)
    every = {arm.name: arm.contender for arm in arms(spec)}
    place = {contender.name: number for number, contender in enumerate(spec.contenders)}
    found = []
    for block in range(spec.starts):
        level = {name: draw.gauss(0, noise / 2) for name in every}
        rounds = dict.fromkeys((operation for operation, _ in cases), spec.rounds or 1)
        for turn, slot in enumerate(block_order(spec.seed, block, cases, list(every), rounds)):
            (arm,) = slot.arms
            name = every[arm]
            base = math.log(0.004 * (1 + max(0, place[name] - 1)) * (1 + len(slot.operation) % 3))
            for run in range((spec.runs or 1) + 1):
                wall = whole(math.exp(base + level[arm] + draw.gauss(0, noise) + (0.3 if run == 0 else 0)))
                found.append(
                    Sample(
                        block=block, start=block * len(every), turn=turn, round=slot.round, run=run, arm=arm,
                        contender=name, operation=slot.operation, case=slot.case,
                        outcome=Outcome.OK, wall_s=wall, cpu_s=whole(1.7 * wall),
                        rows=4, answer_cpu_s=1e-5, peak_memory=90_000_000 + round(1e7 * draw.random()),
                    )
                )  # fmt: skip
    return tuple(found)


def slowed(record: Record, name: str) -> Record:
    """The record with one contender half as fast again."""
    samples = (
        msgspec.structs.replace(one, wall_s=1.5 * (one.wall_s or 0), cpu_s=1.5 * (one.cpu_s or 0))
        if one.contender == name
        else one
        for one in record.samples
    )
    return msgspec.structs.replace(record, samples=tuple(samples))

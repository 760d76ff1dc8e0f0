"""What the tests of PostgreSQL share: a contender, its lives, its processes."""

from __future__ import annotations

import datetime
import threading
import time
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from weigh.engines.exchange import WorkerEnded
from weigh.engines.loaded import Tables
from weigh.engines.prepared import PreparedContender, cache_folder, ready
from weigh.experiment.gate.queries import read_answer
from weigh.model.contender import parse_contender

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from weigh.engines.process import WorkerProcess
    from weigh.engines.run_cost import RunCost


SECRET = "sesame-open-7731"
ENDLESS = "SELECT count(*) AS n FROM many a, many b, many c WHERE a.n * b.n * c.n % 7 = 1"


def made(text: str = "postgres", cache: Path | None = None) -> PreparedContender:
    """A contender whose environment is cached and whose stores are the test's own."""
    one = ready(parse_contender(text), cache_folder())
    return msgspec.structs.replace(one, cache=cache) if cache else one


def written(folder: Path, **tables: pa.Table) -> Tables:
    """Tables as Parquet files, one each."""
    paths = {}
    for name, table in tables.items():
        path = folder / f"{name}.parquet"
        pq.write_table(table, path)
        paths[name] = [str(path)]
    return Tables(paths, key=str(folder))


def asked(worker: WorkerProcess, sql: str) -> tuple[RunCost, pa.Table]:
    worker.prepare(sql, 60)
    cost = worker.run(60)
    path, _ = worker.answer(60)
    return cost, read_answer(path)


def cells(worker: WorkerProcess, sql: str) -> list[dict[str, Any]]:
    return asked(worker, sql)[1].to_pylist()


def value(worker: WorkerProcess, sql: str) -> Any:
    return asked(worker, sql)[1].column(0)[0].as_py()


def servers(below: Path, besides: AbstractSet[int] = frozenset()) -> set[int]:
    """Processes of PostgreSQL whose data lies below a folder; helpers and all.

    Args:
        below: a folder.
        besides: servers that ran before. What they start meanwhile, as every server does now and then, is theirs.
    """
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) not in besides:
            with suppress(OSError):
                if "postgres" in (entry / "comm").read_text() and below in (entry / "cwd").resolve().parents:
                    parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                    found |= {int(entry.name)} if parent not in besides else set()
    return found


def segments(processes: AbstractSet[int]) -> set[Path]:
    """Files in shared memory that processes have mapped."""
    found = set()
    for pid in processes:
        with suppress(OSError):
            for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
                where = line.partition("/")[2]
                found |= {Path(f"/{where}")} if where.startswith("dev/shm/") else set()
    return found


def eventually(check: Callable[[], bool], seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < until, "it did not come to pass"
        time.sleep(0.05)


def planned(sql: str, helpers: int) -> str:
    """The query in front of which the planner is told how many helpers to use, also for a small table."""
    free = "parallel_setup_cost", "parallel_tuple_cost", "min_parallel_table_scan_size"
    settings = {**dict.fromkeys(free, 0), "max_parallel_workers_per_gather": helpers}
    return "".join(f"SET {name} = {value}; " for name, value in settings.items()) + sql


def asking(worker: WorkerProcess, sql: str) -> threading.Thread:
    """A question that nobody waits for."""

    def ask() -> None:
        with suppress(WorkerEnded):
            asked(worker, sql)

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


def everything() -> pa.Table:
    """Every type that has one in PostgreSQL, with the values at which conversions go wrong."""
    instant = datetime.datetime(2024, 2, 29, 23, 59, 59, 999999)
    columns: dict[str, tuple[pa.DataType, list[Any]]] = {
        "b": (pa.bool_(), [True, False]),
        "i8": (pa.int8(), [-128, 127]),
        "i16": (pa.int16(), [-(2**15), 2**15 - 1]),
        "i32": (pa.int32(), [-(2**31), 2**31 - 1]),
        "i64": (pa.int64(), [-(2**63), 2**63 - 1]),
        "u8": (pa.uint8(), [0, 255]),
        "u16": (pa.uint16(), [0, 2**16 - 1]),
        "u32": (pa.uint32(), [0, 2**32 - 1]),
        "u64": (pa.uint64(), [0, 2**64 - 1]),
        "f32": (pa.float32(), [0.1, float("-inf")]),
        "f64": (pa.float64(), [float("nan"), 5e-324]),
        "g64": (pa.float64(), [-0.0, 1.7976931348623157e308]),
        "d": (pa.decimal128(38, 4), [Decimal("-1.1000"), Decimal("9" * 34 + ".9999")]),
        "wide": (pa.decimal256(60, 2), [Decimal("8" * 58 + ".25"), Decimal("0.00")]),
        "day": (pa.date32(), [datetime.date(1, 1, 1), datetime.date(9999, 12, 31)]),
        "ts": (pa.timestamp("us"), [datetime.datetime(1, 1, 1), instant]),
        "ms": (pa.timestamp("ms"), [datetime.datetime(1969, 12, 31, 23, 59, 59, 999000), None]),
        "utc": (pa.timestamp("us", "UTC"), [instant, None]),
        "berlin": (pa.timestamp("us", "Europe/Berlin"), [instant, None]),
        "t": (pa.time64("us"), [datetime.time(23, 59, 59, 999999), datetime.time(0)]),
        "s": (pa.string(), ["", 'a "quoted",\r\n\\.\n\\N line']),
        "l": (pa.large_string(), ["NULL", "é漢🐘"]),
        "raw": (pa.binary(), [b"", b"\x00\xff\\x"]),
        "six": (pa.binary(2), [b"\x00\x01", b"ab"]),
    }
    made = {name: pa.array([*values, None], kind) for name, (kind, values) in columns.items()}
    made["word"] = pa.array(["x", "", None]).dictionary_encode()
    return pa.table(made)

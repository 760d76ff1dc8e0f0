"""Lives of contenders for tests: tables made of files, questions asked, answers read."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from weigh.engines.loaded import Tables
from weigh.engines.prepared import PreparedContender, cache_folder, ready
from weigh.experiment.gate.queries import read_answer
from weigh.model.contender import parse_contender

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from weigh.engines.process import WorkerProcess
    from weigh.engines.run_cost import RunCost
    from weigh.model.spec import Format


def prepared(contender: str, form: Format = "parquet") -> PreparedContender:
    """A contender with its environment."""
    return ready(parse_contender(contender), cache_folder(), files=form)


def files(folder: Path, name: str, table: pa.Table, number: int = 1, **options: Any) -> Tables:
    """A table in so many Parquet files."""
    folder.mkdir(parents=True, exist_ok=True)
    size = -(-table.num_rows // number)
    paths = [folder / f"{one}.parquet" for one in range(number)]
    for one, path in enumerate(paths):
        pq.write_table(table.slice(one * size, size), path, **options)
    return tables({name: paths})


def tables(paths: dict[str, list[Path]]) -> Tables:
    """Tables of files that are there, or not; a store of them belongs to their bytes."""
    content = hashlib.sha256()
    for name, those in paths.items():
        content.update(name.encode())
        for path in those:
            content.update(path.read_bytes() if path.exists() else b"missing")
    return Tables({name: [str(path) for path in those] for name, those in paths.items()}, content.hexdigest())


def asked(worker: WorkerProcess, sql: str) -> tuple[RunCost, pa.Table]:
    """What executing a query cost, and its answer."""
    worker.prepare(sql, 30)
    cost = worker.run(60)
    path, _ = worker.answer(30)
    return cost, read_answer(path)


def rows(worker: WorkerProcess, sql: str) -> list[tuple[Any, ...]]:
    """The answer as rows, in the order in which they came."""
    columns = [column.to_pylist() for column in asked(worker, sql)[1].columns]
    return list(zip(*columns, strict=True))

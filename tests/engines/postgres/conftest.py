"""Contenders, tables and lives of PostgreSQL."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.postgres_contenders import (
    made,
    written,
)
from weigh.engines.loaded import Tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.engines.prepared import PreparedContender
    from weigh.engines.process import WorkerProcess


@pytest.fixture(scope="module")
def cache() -> Iterator[Path]:
    """A cache that every user can reach, so that data lies in it also for root."""
    folder = Path(tempfile.mkdtemp(prefix="postgres-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def contender(cache: Path) -> PreparedContender:
    return made(cache=cache)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """One table in two files, in a folder whose name wants to be quoted, and one to keep a processor busy."""
    folder = tmp_path_factory.mktemp("it's data")
    things = pa.table({"n": pa.array([1, 2, 3, None], pa.int64()), "S": ["a", "", None, "é'"]})
    paths = [folder / f"{number}.parquet" for number in range(2)]
    for number, path in enumerate(paths):
        pq.write_table(things.slice(2 * number, 2), path)
    many = written(folder, many=pa.table({"n": range(20_000)}))
    return Tables({"Things": [str(path) for path in paths], **many.paths}, key="things")


@pytest.fixture(scope="module")
def worker(contender: PreparedContender, tables: Tables) -> Iterator[WorkerProcess]:
    with contender.start(tables) as started:
        yield started

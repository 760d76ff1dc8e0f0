"""Loading under the clock: what is refused before anything is loaded, and the question that is asked after it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from weigh.data.cache import CachedData
from weigh.data.ground_truth import Truth
from weigh.experiment.config.spec import make_spec
from weigh.experiment.data import ingest
from weigh.model.contender import parse_contender
from weigh.model.dataset import DatasetName, FileFacts, Manifest
from weigh.model.errors import EnvironmentFault, UsageError
from weigh.workloads.ingest import workload

if TYPE_CHECKING:
    from pathlib import Path

FLAGS: dict[str, Any] = {"contender": ("duckdb", "sqlite"), "ingest": True, "scale": "1K"}


def dataset(folder: Path, unpacked: int) -> CachedData:
    """One table of that many bytes without compression."""
    facts = {"columns": {"n": {"uncompressed_bytes": unpacked}}}
    file = FileFacts(path="t.parquet", table="t", bytes=10, blake3="", rows=1, digest="x3s2:1:0", parquet=facts)
    name = DatasetName(generator="files/1", scale=None, seed=1)
    return CachedData(folder, Manifest(dataset=name, layout=None, writer="", files=(file,), digests={}), Truth({}))


@pytest.mark.promise("Before anything is loaded, the disk is asked for twice the size of the largest table, unpacked")
def test_a_disk_that_is_too_small_is_said(tmp_path: Path) -> None:
    spec, free = make_spec(None, FLAGS), shutil.disk_usage(tmp_path).free
    ingest.check_space(dataset(tmp_path, 1000), spec, tmp_path)
    with pytest.raises(EnvironmentFault, match="3 lives that load at the same time"):
        ingest.check_space(dataset(tmp_path, free // 5), spec, tmp_path)


@pytest.mark.parametrize("spec", ["polars", "postgres?weigh.url=postgres://127.0.0.1/x"])
def test_who_cannot_be_loaded_is_refused(spec: str) -> None:
    with pytest.raises(UsageError):
        ingest.check(parse_contender(spec))


@pytest.mark.parametrize("more", [{"duet": True}, {"temperature": "cold", "starts": 5}])
def test_what_does_not_go_with_loading_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="loading is measured"):
        make_spec(None, {**FLAGS, **more})


def test_an_experiment_that_loads_is_another_one() -> None:
    asked, loaded = make_spec(None, {**FLAGS, "ingest": None}), make_spec(None, FLAGS)
    assert asked.id == make_spec(None, {**FLAGS, "ingest": False}).id
    assert asked.id != loaded.id


def test_the_first_question_has_one_right_answer() -> None:
    rows = pa.table({"name": ["a", "b"], "Size": pa.array([7, None], pa.int32())})
    (one,) = workload("w", "d", {"Things": rows}).operations
    assert one.ingest
    assert one.ingest.answer == (2, 7, 7)
    assert one.sql == 'SELECT count(*) AS loaded, min("Size") AS lowest, max("Size") AS highest FROM "Things"'
    assert one.text(one.cases[0], "postgres").endswith('min("size") AS lowest, max("size") AS highest FROM "things"')
    (bare,) = workload("w", "d", {"t": pa.table({"name": ["a"]})}).operations
    assert bare.ingest
    assert bare.ingest.answer == (1,)

"""The sampler and the calibration of a run as a user finds them in the evidence."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import duckdb
import pytest

from support.command import Run, Weigh
from weigh.evidence import timeline
from weigh.experiment import record as records

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.experiment.record import Record


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One short run, calibrated."""
    return Weigh(tmp_path_factory.mktemp("timeline"))(
        "run", "--contender", "a=fork@2.0.0", "--scale", "10K", "--quiet", "--operations", "by_action",
        "--starts", "2", "--rounds", "1", "--runs", "1", WEIGH_CALIBRATION="yes",
    )  # fmt: skip


@pytest.fixture(scope="module")
def record(run: Run) -> Record:
    assert run.code in (0, 1, 3), run.err
    return records.read(run.evidence)


def test_every_turn_was_watched(record: Record) -> None:
    moments = [moment for watch in record.watches for moment in watch.moments]
    assert all(abs(one.end - after.at) < 1e-9 for one, after in pairwise(moments))
    for sample in record.samples:
        assert sample.wall_s is not None
        assert moments[0].at <= sample.at
        assert sample.at + sample.wall_s <= moments[-1].end
    assert all(moment.tracked is not None and moment.foreign is not None for moment in moments)
    assert sum(moment.tracked or 0.0 for moment in moments) > 0
    assert sum(watch.cost_s for watch in record.watches) > 0
    assert not [one for one in record.findings if one.code == "X.sampler"]


def test_an_event_for_each_turn_before_its_samples(record: Record) -> None:
    turns = {(one.block, one.turn) for one in record.samples}
    assert len(record.watches) == len(turns) + 1, "and one for what came after the last"


def test_calibrated_before_between_and_after(record: Record) -> None:
    places = dict.fromkeys((one.place, one.block) for one in record.calibrations)
    assert list(places) == [("before", 0), ("between", 1), ("after", 1)]
    assert {one.kernel for one in record.calibrations} == {"integer", "memory", "disk"}
    begins = [sample.at for sample in record.samples if sample.block == 0]
    before = [one for one in record.calibrations if one.place == "before"]
    assert all(one.at + sum(one.seconds) <= min(begins) for one in before)


def test_sql_over_all_timelines(run: Run, record: Record) -> None:
    rows = duckdb.sql(
        f"SELECT operation, count(*), sum(own_s), sum(foreign_s) FROM '{run.folder}/runs/*/timeline.parquet' GROUP BY 1"
    ).fetchall()
    assert {row[0] for row in rows} == {"by_action", None}
    assert sum(row[1] for row in rows) == sum(len(watch.moments) for watch in record.watches)


@pytest.mark.promise("It follows from the journal alone, and `weigh verify` compares it with that.")
def test_a_timeline_that_was_edited_is_named(run: Run) -> None:
    assert Weigh(run.folder)("verify", str(run.evidence)).code == 0
    path = run.evidence / timeline.TIMELINE
    said = path.read_bytes()
    try:
        duckdb.sql(f"COPY (SELECT * REPLACE (0.0 AS foreign_s) FROM '{path}') TO '{path}.new' (FORMAT parquet)")
        path.write_bytes(path.with_suffix(".parquet.new").read_bytes())
        problems = Weigh(run.folder)("verify", str(run.evidence), "--json").json["verification"]["problems"]
    finally:
        path.write_bytes(said)
        path.with_suffix(".parquet.new").unlink()
    assert {"R4.hash", "R4.derived"} <= {one["code"] for one in problems if one["file"] == timeline.TIMELINE}


@pytest.mark.promise("There is none where nothing was watched.")
def test_a_run_without_a_sampler_says_so_by_having_no_timeline(weigh: Weigh, tmp_path: Path) -> None:
    done = weigh(
        "run", "--contender", "a=fork@2.0.0", "--scale", "1K", "--quiet", "--operations", "by_action",
        "--starts", "1", "--rounds", "1", "--runs", "1", WEIGH_SAMPLER="no",
    )  # fmt: skip
    assert done.code in (0, 1, 3), done.err
    assert records.read(done.evidence).watches == ()
    assert not (done.evidence / timeline.TIMELINE).exists()
    assert weigh("verify", str(done.evidence)).code == 0
    refused = weigh("run", "--contender", "a=fork@2.0.0", WEIGH_SAMPLER="often")
    assert (refused.code, list((tmp_path / "runs").iterdir())) == (2, [done.evidence])

"""``weigh.open``: evidence as Python objects, and its samples as Arrow."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import duckdb
import msgspec
import nanoarrow
import pytest

import weigh
from support.experiment_records import record
from support.sessions import written
from weigh.evidence import attempts, journal, sealing
from weigh.experiment import derived
from weigh.experiment.report import files
from weigh.experiment.results.results import experiment_results
from weigh.model.sample import OF_SOME

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.experiment.record import Record


@pytest.fixture(scope="module")
def whole() -> Record:
    return record()


@pytest.fixture
def folder(tmp_path: Path, whole: Record) -> Path:
    return written(tmp_path / "runs", whole)


def test_everything_is_what_the_report_says(folder: Path, whole: Record) -> None:
    evidence = weigh.open(str(folder))
    (attempt,) = evidence.attempts
    results = experiment_results([attempt])
    assert isinstance(evidence, weigh.Evidence)
    assert evidence.path == folder
    assert evidence.spec == whole.spec
    assert attempt.samples == whole.samples
    assert evidence.verdicts == results.verdicts != ()
    assert evidence.timings == results.timings != ()
    assert evidence.findings == results.findings
    assert evidence.tier == results.tier is not None
    assert evidence.gate == results.gate is not None
    assert repr(evidence) == f"<weigh.Evidence {folder.name}: tpch, duckdb@2.0.0, duckdb@1.5.5, chdb@4.4.0>"


def test_the_samples_are_those_of_the_parquet_file(folder: Path, whole: Record) -> None:
    derived.derive(folder)
    samples = weigh.open(folder).samples
    # A column of what only loads and scripts have is left out of others.
    queries = [{k: v for k, v in msgspec.to_builtins(one).items() if k not in OF_SOME} for one in whole.samples]
    assert samples.to_pylist() == queries
    assert samples.schema == duckdb.read_parquet(str(folder / "samples.parquet")).to_arrow_table().schema


class Foreign:
    """Something of which nothing is known but that it speaks the PyCapsule interface."""

    def __init__(self, table: Any) -> None:
        self.__arrow_c_stream__ = table.__arrow_c_stream__


def test_what_speaks_arrow_reads_the_samples_without_a_copy(folder: Path) -> None:
    samples = weigh.open(folder).samples
    (array,) = nanoarrow.ArrayStream(Foreign(samples)).read_all().iter_chunks()
    at = samples.schema.get_field_index("wall_s")
    ours = samples.column(at).chunk(0).buffers()[1].address
    assert nanoarrow.c_array(array).child(at).buffers[1] == ours


def test_duckdb_counts_the_same(folder: Path, whole: Record) -> None:
    samples = weigh.open(folder).samples
    (counted,) = duckdb.sql("SELECT count(*), count(DISTINCT arm), sum(wall_s) FROM samples").fetchall()
    assert samples.num_rows == len(whole.samples)
    assert counted == (
        len(whole.samples),
        4,
        pytest.approx(sum(one.wall_s for one in whole.samples if one.wall_s is not None)),
    )


def test_earlier_attempts_are_read_and_a_killed_one_counts(folder: Path, whole: Record) -> None:
    with (folder / journal.NAME).open("a") as file:
        file.write('{"event":"turn","bo')
    second = weigh.open(written(folder.parent, whole))
    assert [attempt.attempt for attempt in second.attempts] == [1, 2]
    assert second.samples.num_rows == 2 * len(whole.samples)
    assert set(second.samples["attempt"].to_pylist()) == {1, 2}
    assert {verdict.starts for verdict in second.verdicts} == {20}
    assert len(weigh.open(folder).attempts) == 1


def test_before_anything_was_measured_there_are_no_verdicts(tmp_path: Path) -> None:
    empty = record(gate=None, blocks=(), samples=(), end=None)
    folder, _ = attempts.begin(tmp_path, empty.spec.id)
    book = journal.Journal(folder)
    book.append("opened", {"attempt": 1, "spec": empty.spec})
    book.close()
    evidence = weigh.open(folder)
    assert (evidence.gate, evidence.tier, evidence.verdicts, evidence.timings) == (None, None, (), ())
    assert evidence.samples.num_rows == 0
    assert "wall_s" in evidence.samples.column_names


def test_it_verifies_and_reports(folder: Path) -> None:
    with pytest.raises(weigh.errors.EvidenceFault, match="no seal"):
        weigh.open(folder).verify()
    derived.derive(folder)
    files.write(folder)
    sealing.seal(folder, "0")
    (folder / files.TEXT).write_text("better")
    evidence = weigh.open(folder)
    assert ("R4.hash", files.TEXT) in {(problem.code, problem.file) for problem in evidence.verify().problems}
    assert evidence.report() != "better"
    assert "q1" in evidence.report()


def test_what_is_not_there_or_not_evidence(tmp_path: Path, folder: Path) -> None:
    # A directory that holds evidence and nothing else stands for it.
    (tmp_path / "other").mkdir()
    for path, words in (
        (tmp_path / "nothing", "no such directory"),
        (tmp_path, "no journal"),
        (folder / journal.NAME, "it is a file"),
    ):
        with pytest.raises(weigh.errors.EvidenceFault, match=words) as caught:
            weigh.open(path)
        assert caught.value.remedy


def test_what_is_damaged(folder: Path) -> None:
    path = folder / journal.NAME
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:3], b"{", *lines[3:]]))
    with pytest.raises(weigh.errors.EvidenceFault, match="line 4 is damaged"):
        weigh.open(folder)
    # Samples of nobody knows what (R3).
    path.write_bytes(b"\n".join(line for line in lines if b'"event":"environment"' not in line))
    with pytest.raises(weigh.errors.EvidenceFault, match=r"R3: .* no environment"):
        weigh.open(folder)
    path.write_bytes(b"")
    with pytest.raises(weigh.errors.EvidenceFault, match="nothing is recorded"):
        weigh.open(folder)


def test_importing_weigh_loads_nothing() -> None:
    code = (
        "import sys, weigh, weigh.cli.main; "
        "heavy = {'numpy', 'scipy', 'pyarrow', 'msgspec', 'weigh.kinds.evidence', 'weigh.stats'} & set(sys.modules); "
        "assert not heavy, heavy; assert weigh.stats.ratio and weigh.errors.WeighError and weigh.Evidence"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = weigh.nonsense

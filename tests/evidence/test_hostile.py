"""Evidence that somebody made to harm its reader: plain errors, quickly, and nothing outside its folder is touched."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from golden.kept import Kept
from support import evidence_files
from support.command import Run, Weigh
from weigh._version import __version__
from weigh.evidence import journal, seal, sealing

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sealed evidence; not to be changed."""
    kept = Kept(tmp_path_factory.mktemp("hostile"))
    return kept.folder / kept.path("run")


@pytest.fixture
def evidence(honest: Path, tmp_path: Path) -> Path:
    return shutil.copytree(honest, tmp_path / "runs" / honest.name)


def verify(evidence: Path, code: int = 1) -> Run:
    run = weigh(evidence, "verify", str(evidence))
    assert run.code == code, (run.out, run.err)
    return run


def weigh(evidence: Path, *words: str) -> Run:
    """In a process apart: what is to be shown is that it neither hangs nor fills the machine."""
    run = Weigh(evidence.parent)(*words, timeout=20)
    assert run.code in (0, 1, 2)
    assert "internal error" not in run.err, run.err
    return run


def test_untouched_it_passes(evidence: Path) -> None:
    verify(evidence, 0)


@pytest.mark.long
@pytest.mark.parametrize("name", ["gate.json", "verdicts.json", "seal.json", "journal.jsonl", "report.txt"])
@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"[" * 200_000, b"[]", b"null", b""])
def test_a_document_that_is_none_fails(evidence: Path, name: str, content: bytes) -> None:
    (evidence / name).write_bytes(content)
    shown = verify(evidence)
    assert name in shown.out
    weigh(evidence, "report", str(evidence))


@pytest.mark.long
@pytest.mark.promise("every file has its sealed hash and is a regular file, none is missing, none was added")
@pytest.mark.parametrize("name", ["journal.jsonl", "samples.parquet", "verdicts.json", "seal.json", "more.txt"])
@pytest.mark.parametrize("kind", ["pipe", "link", "device"])
def test_what_is_no_regular_file_is_not_opened(evidence: Path, name: str, kind: str) -> None:
    secret = evidence.parent / "secret"
    secret.write_text("secret")
    (evidence / name).unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(evidence / name)
    else:
        (evidence / name).symlink_to(secret if kind == "link" else "/dev/zero")
    assert name in verify(evidence).out
    weigh(evidence, "report", str(evidence))
    weigh(evidence, "runs", "--out", str(evidence.parent))


@pytest.mark.parametrize("name", ["../../../../dev/zero/..", "/dev/zero", "..", "", "a/../b", "x" * 5000, "\0"])
def test_a_seal_that_names_files_elsewhere(evidence: Path, name: str) -> None:
    sealed = seal.read_seal(evidence)
    seal.write_json(evidence, seal.SEAL, {"files": sealed.files, "earlier": {name: "0"}, "weigh": __version__})
    assert "no name of a directory" in verify(evidence).out


def test_a_number_of_an_attempt_beyond_all_measure(evidence: Path) -> None:
    far = evidence.with_name("20260102-run-999999999")
    shutil.copytree(evidence, far)
    sealing.seal(far, __version__)
    shown = verify(far)
    assert "attempt 100" in shown.out
    assert "attempt 101 and later ones" in shown.out
    weigh(far, "report", str(far))


def test_a_sparse_file_of_a_terabyte(evidence: Path) -> None:
    for name in ("journal.jsonl", "gate.json", "more.bin"):
        with (evidence / name).open("ab") as file:
            file.truncate(1 << 40)
    said = verify(evidence).out
    assert "more.bin: it was added" in said
    assert "journal.jsonl: it cannot be read: it is larger" in said


def test_samples_that_unpack_to_more_than_there_is_memory(evidence: Path) -> None:
    path = evidence / "samples.parquet"
    before = pq.read_table(path)
    text = pa.array(["x" * (1 << 20)]).take(pa.array([0] * before.num_rows))
    place = before.schema.get_field_index("detail")
    pq.write_table(before.set_column(place, before.schema.field(place), text), path, compression="zstd")
    sealing.seal(evidence, __version__)
    assert path.stat().st_size < 1 << 20
    assert "samples.parquet: its samples are not the journal's" in verify(evidence).out


def test_a_plan_of_more_turns_than_there_are_atoms(evidence: Path) -> None:
    lines = [json.loads(line) for line in (evidence / journal.NAME).read_bytes().splitlines()]
    for line in lines:
        if line["event"] in ("plan", "block"):
            line["body"]["rounds"] = 2**40 if line["event"] == "plan" else dict.fromkeys(line["body"]["rounds"], 2**40)
    events = (journal.Event(line["event"], line["body"]) for line in lines)
    (evidence / journal.NAME).write_bytes(b"".join(evidence_files.chained(events)))
    verify(evidence)

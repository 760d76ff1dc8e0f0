"""R10: two sessions that name two versions of one engine are refused, or called an A/A; two engines are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.sessions import READ, changed, record, session, written
from weigh.compare import same_engine
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh
    from weigh.experiment.record import Record
    from weigh.model.contender import ContenderRead

OLD = changed(
    READ, name="it", engine="chdb", version="26.9.2.1", package="4.1.0", lock="chdb==4.1.0\nchdb-core==26.9.0\n"
)
NEW = changed(OLD, package="4.4.0", lock="chdb==4.4.0\nchdb-core==26.9.0\n")
PAIR = [("it", "it")]


def with_files(one: ContenderRead, files: str) -> ContenderRead:
    return changed(one, files=files * 64)


def times(one: Record, seconds: float) -> Record:
    return changed(one, samples=tuple(changed(sample, wall_s=seconds) for sample in one.samples))


def found(old: ContenderRead, new: ContenderRead, *, allowed: bool = False) -> list[tuple[str, str]]:
    pair = session(record(READ, old)), session(record(READ, new))
    return [(one.code, one.severity) for one in same_engine.check(*pair, PAIR, same_engine=allowed)]


@pytest.mark.parametrize(
    ("core", "version", "codes"),
    [("26.9.0", "26.9.2.1", ["R10.same"]), ("26.3.0", "26.9.2.1", []), ("26.9.0", "26.3.1", [])],
)
def test_evidence_without_files_is_doubted_by_its_packages(core: str, version: str, codes: list[str]) -> None:
    new = changed(NEW, version=version, lock=f"chdb==4.4.0\nchdb-core=={core}\n")
    assert [code for code, _ in found(OLD, new)] == codes
    assert not found(OLD, OLD)


def test_the_files_decide_where_they_are_recorded() -> None:
    with pytest.raises(UsageError, match=r"it is one and the same engine as it in the first session.*sha256 aaaaaaaa"):
        found(with_files(OLD, "a"), with_files(NEW, "a"))
    assert found(with_files(OLD, "a"), with_files(NEW, "a"), allowed=True) == [("R10.same", "note")]
    assert found(with_files(OLD, "a"), with_files(NEW, "b")) == []
    pinned = changed(NEW, pins=("pyarrow==25.0.0",), package=OLD.package)
    assert found(with_files(OLD, "a"), with_files(pinned, "a")) == []


@pytest.mark.parametrize(
    ("files", "flags", "code", "words"),
    [
        ("aa", (), 2, "both said that they were chdb 26.9.2.1, and loaded the same files (sha256 aaaa"),
        ("aa", ("--same-engine",), 3, "what differs between them is noise (A/A)"),
        ("ab", (), 3, ""),
    ],
)
def test_through_the_command_line(
    weigh: Weigh, tmp_path: Path, files: str, flags: tuple[str, ...], code: int, words: str
) -> None:
    folders: list[Any] = [
        written(tmp_path / name, times(record(READ, with_files(one, digest)), seconds))
        for name, one, digest, seconds in zip(("first", "second"), (OLD, NEW), files, (1.0, 2.0), strict=True)
    ]
    run = weigh("compare", *map(str, folders), "--reference", "ref", *flags)
    text = " ".join((run.out + run.err).split())
    assert (run.code, words in text) == (code, True), text
    assert ("one and the same" in text) is bool(words)

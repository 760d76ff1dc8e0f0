"""One engine under two names: by its version and its files."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import msgspec

from weigh.experiment import same_engine

if TYPE_CHECKING:
    from pathlib import Path


def running(folder: Path, release: str, content: bytes) -> same_engine.RunningEngine:
    """An engine that says it is 1.0, whatever its package is called, with one file."""
    place = folder / release
    place.mkdir()
    (place / "core.so").write_bytes(content)
    contender = SimpleNamespace(build=msgspec.UNSET, release=release, pins=(), spec=f"some@{release}")
    engine = SimpleNamespace(name="some", package="some", tested="3")
    ready = SimpleNamespace(
        name=release, engine=engine, contender=contender, environment=SimpleNamespace(python=place / "bin" / "python")
    )
    read = SimpleNamespace(version="1.0", elsewhere=False)
    return same_engine.RunningEngine(cast("Any", ready), cast("Any", read), {"core.so": place / "core.so"})


def test_one_number_and_two_builds_is_a_note_that_accuses_nobody(tmp_path: Path) -> None:
    same, notes = same_engine.compared([running(tmp_path, "1", b"one"), running(tmp_path, "2", b"other")])
    assert same == []
    ((code, severity, text),) = ((one.code, one.severity, one.text) for one in notes)
    assert (code, severity) == ("R10.number", "note")
    assert text == "it says that it is 1.0, as 1 does; their files differ, so they are two builds"


def test_one_number_and_one_build_is_one_engine(tmp_path: Path) -> None:
    same, notes = same_engine.compared([running(tmp_path, "1", b"one"), running(tmp_path, "2", b"one")])
    assert ([(one.one, one.other) for one in same], notes) == ([("1", "2")], [])

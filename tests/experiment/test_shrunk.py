"""Reproducers that are taken over: whole, of the last 24 hours, and said to be of then."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from weigh.experiment.reproducer import package, shrunk
from weigh.model import codes

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SUSPECT: Any = SimpleNamespace(ready=SimpleNamespace(name="new"), operation=SimpleNamespace(name="q1"))


def made(evidence: Path, remedy: str = "uv run script") -> Any:
    """A reproducer in an evidence directory, and its finding."""
    folder = evidence / package.FOLDER / "q1-new"
    folder.mkdir(parents=True)
    (folder / package.SCRIPT).write_text("it differs")
    return codes.A1_REPRODUCER.finding(contender="new", operation="q1", text="0, not 1", remedy=remedy)


def test_it_is_taken_over_for_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, cache = tmp_path / "first", tmp_path / "second", tmp_path / "cache"
    shrunk.store(cache, "key", first, made(first))
    second.mkdir()
    found = shrunk.find(cache, "key", SUSPECT, second)
    assert found
    assert found.text.startswith("0, not 1; shrunk 20")
    place = second / package.FOLDER / "q1-new" / package.SCRIPT
    assert (found.remedy, place.read_text()) == (f"uv run {place}", "it differs")
    third = tmp_path / "third"
    third.mkdir()
    assert shrunk.find(cache, "other", SUSPECT, third) is None
    assert shrunk.find(cache, "", SUSPECT, third) is None
    monkeypatch.setattr(shrunk, "LASTS", 0.0)
    assert shrunk.find(cache, "key", SUSPECT, third) is None
    assert not (third / package.FOLDER).exists()


def test_what_has_no_script_is_searched_each_time(tmp_path: Path) -> None:
    evidence, cache = tmp_path / "first", tmp_path / "cache"
    shrunk.store(cache, "key", evidence, made(evidence, remedy="ask it query.sql on the data alongside it"))
    assert not cache.exists()

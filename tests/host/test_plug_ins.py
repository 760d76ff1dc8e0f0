from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from weigh.host import plug_ins

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

GROUP = "weigh.engines"


def brought(folder: Path, name: str) -> str:
    """A package that brings an engine of this name."""
    described = folder / f"{name}-1.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (described / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {name}_module:engine\n")
    return str(folder)


def test_packages_are_read_once_and_again_where_modules_come_from_another_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = plug_ins.entries(GROUP)
    assert "duckdb" in before
    monkeypatch.setattr(sys, "path", [*sys.path, brought(tmp_path / "first", "one")])
    assert set(plug_ins.entries(GROUP)) - set(before) == {"one"}
    brought(tmp_path / "first", "two")
    assert set(plug_ins.entries(GROUP)) - set(before) == {"one"}
    monkeypatch.setattr(sys, "path", [*sys.path, brought(tmp_path / "second", "three")])
    assert {"one", "two", "three"} <= set(plug_ins.entries(GROUP))


def test_who_changes_what_it_was_given_changes_nothing_for_others() -> None:
    plug_ins.entries(GROUP).clear()
    assert plug_ins.entries(GROUP)

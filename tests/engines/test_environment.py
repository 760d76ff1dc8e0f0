"""Environments of contenders, really made."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from weigh.engines import environment
from weigh.host import scratch

if TYPE_CHECKING:
    from pathlib import Path


IMPORTED = """
import sys
from pathlib import Path
import duckdb
kept = [one.__cached__ for name, one in sys.modules.items() if name.split(".")[0] == "duckdb" and one.__spec__.cached]
print(len(kept) > 10, [path for path in kept if not Path(path).exists()])
"""


@pytest.mark.long
def test_what_is_installed_is_compiled_before_any_life_begins(tmp_path: Path) -> None:
    """A life writes no bytecode: what is missing here would be compiled at each start."""
    made = environment.ensure(["duckdb==2.0.0"], tmp_path)
    said = subprocess.run([str(made.python), "-IBc", IMPORTED], capture_output=True, text=True, check=True)
    assert said.stdout == "True []\n"


@pytest.mark.long
def test_what_was_changed_or_is_not_complete_is_made_anew(tmp_path: Path) -> None:
    """Only what weigh itself needs in every environment: a small package."""
    made = environment.ensure([], tmp_path)
    folder = made.python.parent.parent
    site = next(folder.glob("lib/python*/site-packages"))
    package = site / "nanoarrow" / "__init__.py"
    whole = package.read_text()
    before = folder.stat().st_ino
    assert environment.ensure([], tmp_path) == made
    assert folder.stat().st_ino == before, "what is intact is not made again"

    def edited() -> None:
        package.write_text(f"{whole}\nfast = True\n")

    def added() -> None:
        (site / "other-1.0.dist-info").mkdir()
        (site / "other-1.0.dist-info" / "RECORD").write_text("")

    for damage in (edited, added, package.unlink, (folder / "complete").unlink, (folder / "lock.txt").unlink):
        damage()
        assert environment.ensure([], tmp_path) == made
        assert package.read_text() == whole
        assert (folder / "complete").exists()
        assert not (site / "other-1.0.dist-info").exists()
    assert [path.name for path in folder.parent.iterdir()] == [made.key], "nothing is left alongside it"


def test_what_a_killed_maker_left_is_swept(tmp_path: Path) -> None:
    mine = scratch.made("making", tmp_path)
    parts = mine.name.split("-")
    parts[1], parts[2] = "4194304", "1"
    (tmp_path / "envs").mkdir()
    left = tmp_path / "envs" / "-".join(parts)
    for _ in ("made", "there already"):
        left.mkdir()
        environment.ensure([], tmp_path)
        assert not left.exists()


def test_a_cache_that_another_user_shares_can_be_read(tmp_path: Path) -> None:
    made = environment.ensure([], tmp_path)
    folder = made.python.parent.parent
    assert folder.stat().st_mode & 0o055 == 0o055
    assert all(path.stat().st_mode & 0o044 == 0o044 for path in (tmp_path / "locks").iterdir())

"""A report of evidence that was changed after it was sealed says so, and of what is as it was sealed nothing."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from golden import made
from support.command import Weigh
from support.evidence_folders import sealed_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sealed_run(tmp_path_factory.mktemp("runs"), made.agreed())


@pytest.mark.parametrize("form", [(), ("--json",), ("--markdown",), ("--notes",), ("--html", "page.html")])
def test_a_report_says_that_a_file_was_changed(sealed: Path, tmp_path: Path, form: tuple[str, ...]) -> None:
    weigh, copy = Weigh(tmp_path), tmp_path / "copy"
    shutil.copytree(sealed, copy)
    honest = weigh("report", str(copy), *form)
    assert (honest.code, "changed after it was sealed" in honest.err) == (0, False), honest.err
    with (copy / "verdicts.json").open("a") as file:
        file.write(" ")
    edited = weigh("report", str(copy), *form)
    assert edited.err.startswith("warning: verdicts.json changed after it was sealed: "), edited.err
    assert (edited.code, edited.out) == (honest.code, honest.out)
    (copy / "verdicts.json").unlink()
    assert "verdicts.json changed after" in weigh("report", str(copy), *form).err

"""Whose page tables hold pages of a file."""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING

import pytest

from weigh.host.processes.mappings import of_files

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.long
def test_who_has_a_file_mapped_is_counted_or_named(tmp_path: Path) -> None:
    path = tmp_path / "data of (mine) 1"
    path.write_bytes(bytes(8 * mmap.PAGESIZE))
    assert of_files([str(path)], [os.getpid()]) == (0, ())
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert not any(mapped[:: mmap.PAGESIZE])
        assert of_files([str(path)], [os.getpid()]) == (8 * mmap.PAGESIZE, ())
        size, others = of_files([str(path)], [])
        assert size == 0
        assert len(others) == 1
        assert others[0].endswith(f" (pid {os.getpid()})")


def test_who_has_ended_has_nothing(tmp_path: Path) -> None:
    assert of_files([str(tmp_path / "gone")], [2**22 + 1]) == (0, ())

"""A load that is called cold while its data is in memory (E1): somebody else keeps it there."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from weigh.host import page_cache, storage

from ..loading import YCSB

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run, Weigh

KEEPER = """
import mmap, sys
with open(sys.argv[1], "rb") as file:
    held = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    print(sum(held[at] for at in range(0, len(held), 4096)), flush=True)
    sys.stdin.read()
"""
"""Maps a file and holds on to it: the kernel puts no page out of memory that somebody has mapped."""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A file with something in it that nobody asks for."""
    if storage.place(tmp_path).kind == "memory":
        pytest.skip("folders of tests lie in memory here")
    file = tmp_path / "shop.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE other AS SELECT randomblob(500000) AS bytes")
    connection.close()
    page_cache.evict([str(file)])
    if (left := page_cache.count([str(file)])) is None or left.resident:
        pytest.skip("what is in memory cannot be emptied or counted here")
    return file


def cold(weigh: Weigh, file: Path) -> Run:
    flags = ("--rate", "50", "--duration", "500ms", "--cold")
    return weigh("load", *YCSB, "--target", f"sqlite:{file}", *flags)


@pytest.mark.promise("**A run with one page of its tables in memory is refused** (`E1.resident`).")
def test_data_that_somebody_keeps_in_memory_is_not_cold(weigh: Weigh, shop: Path) -> None:
    keeper = subprocess.Popen(
        [sys.executable, "-c", KEEPER, str(shop)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert keeper.stdout is not None
        assert keeper.stdout.readline()
        run = cold(weigh, shop)
    finally:
        keeper.communicate()
    assert run.code == 3, run.err
    (one,) = run.json["runs"]
    assert "E1.resident" in {reason["code"] for reason in one["reasons"]}
    assert one["cold"]["left"]["resident"] >= 100


def test_data_that_nobody_keeps_is_cold(weigh: Weigh, shop: Path) -> None:
    run = cold(weigh, shop)
    (one,) = run.json["runs"]
    assert "E1.resident" not in {reason["code"] for reason in one["reasons"]}
    assert one["cold"]["left"]["resident"] == 0
    assert one["cold"]["left"]["pages"] > 100

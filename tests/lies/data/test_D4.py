"""D4: a page is corrupt, and everyone sums it happily."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh._native import column_pages

from ..reading import assert_silent, contenders

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run, Weigh

ROWS = 5000


def write(weigh: Weigh, *, checksums: bool) -> Path:
    """A table of a user's own, and a question about it."""
    path = weigh.folder / "sales.parquet"
    amounts = np.random.default_rng(3).integers(0, 1 << 40, ROWS)
    table = pa.table({"day": np.arange(ROWS) % 30, "amount": amounts})
    pq.write_table(table, path, compression="none", use_dictionary=["day"], write_page_checksum=checksums)
    (weigh.folder / "q.sql").write_text("-- name: total\nSELECT sum(amount) AS total FROM sales;\n")
    made = weigh("init", "--data", "sales.parquet", "--sql", "q.sql")
    assert made.code == 0, made.err
    return path


def total(path: Path) -> int:
    return int(duckdb.sql(f"SELECT sum(amount) FROM '{path}'").fetchall()[0][0])


def damage(path: Path) -> None:
    """One bit of one amount. The engines read the page as if nothing had happened."""
    before = total(path)
    page = column_pages(path, 0, "amount")[-1]
    content = bytearray(path.read_bytes())
    content[page.contents + page.compressed - 5] ^= 0x40
    path.write_bytes(content)
    assert total(path) != before


@pytest.fixture
def sales(weigh: Weigh) -> Path:
    """A file with page checksums, and weigh.toml about it."""
    return write(weigh, checksums=True)


def ask(weigh: Weigh, command: str = "gate") -> Run:
    return weigh(command, *contenders("duckdb", "datafusion"), "--quiet", "--json")


def test_a_corrupt_page_is_refused_before_any_clock(weigh: Weigh, sales: Path) -> None:
    damage(sales)
    run = ask(weigh, "run")
    assert (run.code, run.out) == (2, "")
    assert "sales.parquet: D4.page page " in run.err
    assert " of column amount in row group 0, at byte " in run.err
    assert "was changed after it was written" in run.err
    assert not (weigh.folder / "runs").exists()
    check = weigh("data", "check", "sales.parquet", "--json")
    assert (check.code, check.codes) == (1, {"D4.page"})


def test_a_sound_file_is_not(weigh: Weigh, sales: Path) -> None:
    assert weigh("data", "check", "sales.parquet").code == 0
    assert_silent(ask(weigh))


def test_without_checksums_nobody_can_know_and_that_is_said(weigh: Weigh) -> None:
    """The same damage: both engines agree on a wrong sum, and nothing contradicts them."""
    sales = write(weigh, checksums=False)
    damage(sales)
    assert_silent(ask(weigh))
    check = weigh("data", "check", "sales.parquet")
    assert check.code == 0
    assert "no page checksums: what was damaged since it was written cannot be determined" in check.out

"""D8: data edited or damaged since it was generated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weigh.engines.prepared import cache_folder

from ..reading import ONCE, assert_silent, contenders

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Weigh


@pytest.fixture
def cache(weigh: Weigh) -> Path:
    """A cache of one's own for data; environments are shared, they are large."""
    own = weigh.folder / "cache"
    own.mkdir()
    for name in ("envs", "locks"):
        shared = cache_folder() / name
        shared.mkdir(parents=True, exist_ok=True)
        (own / name).symlink_to(shared)
    weigh.environment["WEIGH_CACHE"] = str(own)
    return own


@pytest.fixture
def data(weigh: Weigh, cache: Path) -> Path:
    """The file of a dataset of a thousand rows in that cache."""
    made = weigh("data", "make", "--scale", "1K", "--quiet", "--json")
    return Path(made.json["folder"]) / "events-0000.parquet"


def flipped(path: Path) -> None:
    """One bit, where a column's values are."""
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 3] ^= 1
    path.write_bytes(damaged)


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def edited(path: Path) -> None:
    table = pq.read_table(path)
    table = table.set_column(0, table.field(0), pa.chunked_array([table.column(0).take([0, *range(1, 999), 0])]))
    pq.write_table(table, path)


def removed(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("damage", [flipped, truncated, edited, removed])
def test_damaged_data_is_refused(weigh: Weigh, data: Path, damage: Callable[[Path], None]) -> None:
    damage(data)
    run = weigh("run", *contenders("duckdb=fork"), "--scale", "1K", *ONCE, "--operations", "by_action", "--quiet")
    assert run.code == 2
    assert "D8." in run.err
    assert data.name in run.err
    assert f"remove {data.parent}" in run.err
    assert not (weigh.folder / "runs").exists()
    check = weigh("data", "check", str(data.parent), "--json")
    assert check.code == 1
    assert not check.json["passed"]
    assert {finding["code"].split(".")[0] for finding in check.json["findings"]} == {"D8"}
    assert data.name in check.json["findings"][0]["text"]


def test_untouched_data_is_not(weigh: Weigh, data: Path) -> None:
    assert weigh("data", "check", str(data.parent)).code == 0
    assert_silent(
        weigh("gate", *contenders("duckdb=fork"), "--scale", "1K", "--operations", "by_action", "--quiet", "--json")
    )


def test_what_was_removed_is_made_again(weigh: Weigh, data: Path) -> None:
    before = data.read_bytes()
    for file in data.parent.rglob("*.*"):
        file.unlink()
    assert weigh("data", "make", "--scale", "1K", "--quiet").code == 0
    assert data.read_bytes() == before

"""E2: a "local disk" that is memory, a network volume or a container's layers."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weigh.engines.prepared import cache_folder

from ..reading import contenders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Weigh

GATE = ("gate", *contenders("duckdb=fork"), "--scale", "1K", "--operations", "by_action", "--quiet", "--json")


@pytest.fixture(scope="session")
def in_memory() -> Iterator[Path]:
    """A cache for data on a tmpfs; environments are shared, they are large."""
    own = Path(tempfile.mkdtemp(prefix="weigh-tests-", dir="/dev/shm"))
    for name in ("envs", "locks"):
        (own / name).symlink_to(cache_folder() / name)
    yield own
    shutil.rmtree(own)


def kind(weigh: Weigh, path: Path) -> str:
    """What storage weigh says that a path is on."""
    found = weigh("doctor", "storage", str(path), "--no-rates", "--json")
    assert found.code == 0, found.err
    return str(found.json["places"][0]["kind"])


@pytest.mark.promise(
    '`expect_storage = "nvme"` in weigh.toml, or `--expect-storage nvme`, makes anything else an '
    "error (exit 2) before anything is measured:"
)
def test_data_in_memory_where_nvme_was_expected_is_refused(weigh: Weigh, in_memory: Path) -> None:
    run = weigh(*GATE, "--expect-storage", "nvme", WEIGH_CACHE=str(in_memory))
    assert (run.code, run.out) == (2, "")
    assert "E2: the data lies on tmpfs" in run.err
    assert "which is memory; nvme was expected" in run.err
    assert str(in_memory) in run.err
    assert not (weigh.folder / "runs").exists()


@pytest.mark.promise(
    '`expect_storage = "nvme"` in weigh.toml, or `--expect-storage nvme`, makes anything else an '
    "error (exit 2) before anything is measured:"
)
def test_weigh_toml_expects_as_the_flag_does(weigh: Weigh, in_memory: Path) -> None:
    (weigh.folder / "weigh.toml").write_text(
        '[experiment]\nexpect_storage = "nvme"\n[[contender]]\nengine = "duckdb"\n'
    )
    run = weigh("gate", "--scale", "1K", "--quiet", WEIGH_CACHE=str(in_memory))
    assert run.code == 2
    assert "nvme was expected" in run.err


def test_data_in_memory_is_called_so_where_nothing_was_expected(weigh: Weigh, in_memory: Path) -> None:
    run = weigh(*GATE, WEIGH_CACHE=str(in_memory))
    (found,) = (one for one in run.json["findings"] if one["code"].startswith("E2"))
    assert (found["code"], found["severity"]) == ("E2.memory", "note")
    assert run.json["storage"][0]["filesystem"] == "tmpfs"
    assert run.json["storage"][0]["path"].startswith(str(in_memory))


def test_data_where_it_was_expected_is_not_accused(weigh: Weigh) -> None:
    here = kind(weigh, cache_folder())
    run = weigh(*GATE, "--expect-storage", here)
    assert run.code == 0, run.err
    assert run.json["bounds"]["expect_storage"] == here
    data = [one for one in run.json["storage"] if one["use"] == "data"]
    assert {one["kind"] for one in data} == {here}
    assert not {code for code in run.codes if code.startswith("E2")} - {"E2.spill"}


def test_no_storage_of_that_name(weigh: Weigh) -> None:
    run = weigh(*GATE, "--expect-storage", "nvmee")
    assert run.code == 2
    assert "did you mean 'nvme'?" in run.err

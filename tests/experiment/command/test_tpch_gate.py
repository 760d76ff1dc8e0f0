"""TPC-H from the command line: right and wrong answers, scale factors, and making the data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.waiting import eventually
from weigh.engines.prepared import cache_folder

if TYPE_CHECKING:
    from support.command import Weigh

SMALL = ("--scale", "0.01", "--quiet", "--json")
WRONG = ("--contender", "chdb@4.4.0")
RIGHT = ("--contender", "duckdb@2.0.0", "--contender", "nulls=chdb@4.4.0?join_use_nulls=1")
AS_MADE = '[experiment]\nworkload = "tpch"\n[layout]\nwriter = "tpchgen"\n'
"""With tpchgen's own files no column may be NULL, and chDB's outer joins fill in zeros."""


def test_what_dbgen_made_is_answered_as_published(weigh: Weigh) -> None:
    run = weigh("gate", "--workload", "tpch-dbgen", *RIGHT[:2], *SMALL)
    assert run.code == 0, run.err
    assert [(row["operation"], row["status"]) for row in run.json["gate"]] == [
        (f"q{number}", "agreed") for number in range(1, 23)
    ]
    assert run.json["experiment"]["scale"] == 0.01
    assert "published answers" in (run.evidence / "report.txt").read_text()
    assert weigh("verify", str(run.evidence)).code == 0


@pytest.mark.long
def test_an_outer_join_that_fills_in_zeros_is_caught(weigh: Weigh) -> None:
    (weigh.folder / "weigh.toml").write_text(AS_MADE)
    run = weigh("gate", *RIGHT, *WRONG, *SMALL, "--no-shrink")
    assert run.code == 1
    statuses = {row["operation"]: row for row in run.json["gate"]}
    assert statuses["q13"]["status"] == "diverged"
    assert statuses["q13"]["contenders"] == ["chdb@4.4.0"]
    assert "32 rows, not 33 rows" in statuses["q13"]["detail"]
    # Over no rows a sum is NULL in the standard, and 0 in ClickHouse where the column cannot be NULL.
    assert (statuses["q17"]["status"], statuses["q17"]["contenders"]) == ("diverged", ["nulls", "chdb@4.4.0"])
    assert "avg_yearly: 0.0, not NULL" in statuses["q17"]["detail"]
    assert {row["status"] for name, row in statuses.items() if name not in ("q13", "q17")} == {"agreed"}


@pytest.mark.parametrize(
    ("flags", "said", "remedy"),
    [
        (("--workload", "tpch", "--scale", "1M"), "'1M' is not a scale factor", "SF10"),
        (("--workload", "tpch", "--scale", "0"), "a scale factor of 0 cannot be", "above 0"),
        (("--workload", "tpch", "--scale", "200000"), "a scale factor of 200000 cannot be", "100,000"),
        (("--workload", "tpch", "--scale", "-1"), "'-1' is not a scale factor", "0.01"),
        (("--workload", "tpch", "--scale", "nan"), "'nan' is not a scale factor", "0.01"),
        (("--workload", "tpch", "--scale", "0.0001"), "tpchgen at 0.0001 is too small", "at least 0.001"),
        (("--workload", "netflow", "--scale", "SF1"), "'SF1' is not a number of rows", "1M"),
        (("--workload", "tcph"), "there is no workload 'tcph'", "'tpch'"),
        (("--workload", "tpch", "--operations", "q23", "--scale", "0.01"), "has no operation 'q23'", "did you mean 'q"),
    ],
)
def test_mistakes(weigh: Weigh, flags: tuple[str, ...], said: str, remedy: str) -> None:
    run = weigh("gate", "--contender", "duckdb", "--quiet", *flags)
    assert (run.code, run.out) == (2, "")
    assert said in run.err
    assert remedy in run.err.splitlines()[-1]


def test_a_writer_that_writes_nothing_but_its_own(weigh: Weigh) -> None:
    (weigh.folder / "weigh.toml").write_text('[layout]\nwriter = "tpchgen"\n')
    run = weigh("gate", "--contender", "duckdb", "--quiet")
    assert (run.code, run.out) == (2, "")
    assert "tpchgen writes its own data and no other, and this is netflow" in run.err
    run = weigh("data", "make", "tpchgen", "--writer", "tpchgen", "--row-group-rows", "4096", "--quiet")
    assert "tpchgen makes row groups by size in bytes" in run.err


def makers(folder: Path) -> list[int]:
    """Processes that make data for the weigh of a folder."""
    token = f"WEIGH_CACHE={folder}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if token in (process / "environ").read_bytes() and b"tpch" in (process / "cmdline").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue
    return found


@pytest.mark.long
@pytest.mark.parametrize("dataset", ["tpchgen", "dbgen"])
def test_a_kill_while_data_is_made_leaves_no_process_and_no_data(weigh: Weigh, dataset: str) -> None:
    cache = weigh.folder / "cache"
    cache.mkdir()
    for name in ("envs", "locks"):
        (cache / name).symlink_to(cache_folder() / name)
    flags = ("data", "make", dataset, "--scale", "0.06", "--writer", "pyarrow", "--quiet", "--json")
    # The environments exist, or are made now: what is to be killed is the making of data.
    assert weigh("data", "make", dataset, "--scale", "0.001", "--quiet").code == 0
    running = weigh.start(*flags, WEIGH_CACHE=str(cache))
    eventually(lambda: list(cache.glob("data/*/making-*/parts/*")))
    running.kill()
    running.communicate()
    eventually(lambda: not makers(cache))
    assert not list(cache.rglob("manifest.json"))
    made = weigh(*flags, WEIGH_CACHE=str(cache))
    assert made.code == 0, made.err
    assert not list(cache.glob("data/*/making-*"))
    folder = Path(made.json["folder"])
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) == ["truth"]
    assert weigh("data", "check", str(folder)).code == 0


def test_without_network_nothing_is_left(weigh: Weigh) -> None:
    run = weigh(
        "data", "make", "tpchgen", "--scale", "0.01", "--quiet", WEIGH_CACHE=str(weigh.folder / "cache"),
        UV_OFFLINE="1", UV_CACHE_DIR=str(weigh.folder / "uv"),
    )  # fmt: skip
    assert (run.code, run.out) == (2, "")
    assert "cannot be reached" in run.err
    assert not [path for path in (weigh.folder / "cache").rglob("*") if path.suffix in (".parquet", ".json")]

"""``weigh ladder --load``: the same load over growing data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support import load_flags
from support.command import Weigh
from support.evidence_folders import written_load_ladder
from weigh.kinds.table import LOAD_LADDER
from weigh.ladder.load import config, sizes
from weigh.ladder.load import setting as setting_of
from weigh.ladder.load.report import words
from weigh.load.target.registry import target
from weigh.model.errors import EnvironmentFault, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Run

MEMORY = 64 << 20


def asked(
    text: str = "postgres:embedded", workload: str = "ycsb-b", rungs: str = "0.5,2", **flags: Any
) -> config.LadderRequest:
    return config.make([workload], target(text), {**load_flags.NONE, "rate": "100", **flags}, rungs, None, "weigh")


def test_records_are_multiples_of_the_memory() -> None:
    found = asked(server_memory="64MiB", rungs="4,1")
    assert (found.plan.memory, found.plan.memory_is) == (MEMORY, "control group")
    assert [step.ratio for step in found.plan.steps] == [1.0, 4.0]
    small, large = (load.records for load in found.loads)
    # The server has some data without any record.
    assert pytest.approx((large - small) * found.plan.record_bytes, rel=0.01) == 3 * MEMORY
    assert [load.id for load in found.loads] == [step.experiment for step in found.plan.steps]


def test_larger_records_are_fewer() -> None:
    usual = asked(server_memory="64MiB")
    wide = asked(
        workload="ycsb", server_memory="64MiB", property=("readproportion=1", "updateproportion=0", "fieldlength=1000")
    )
    assert wide.plan.record_bytes > 8 * usual.plan.record_bytes
    assert wide.loads[1].records < usual.loads[1].records / 8


@pytest.mark.parametrize(
    ("text", "memory", "by"),
    [
        ("postgres:embedded?shared_buffers=64MB", 64 << 20, "shared_buffers"),
        ("postgres:embedded@18?shared_buffers=8192", 64 << 20, "shared_buffers"),
        ("valkey:embedded?maxmemory=64mb", 64 << 20, "maxmemory"),
        ("valkey:embedded?maxmemory=67108864", 64 << 20, "maxmemory"),
        ("mariadb:embedded@/usr?innodb_buffer_pool_size=64M", 64 << 20, "innodb_buffer_pool_size"),
    ],
)
def test_a_setting_of_the_server_is_its_memory_too(text: str, memory: int, by: str) -> None:
    assert (asked(text).plan.memory, asked(text).plan.memory_is) == (memory, by)


@pytest.mark.parametrize(
    ("text", "flags", "said"),
    [
        ("postgres:embedded", {}, "nothing limits the server's memory"),
        ("valkey:embedded", {"server_memory": "64MB"}, "only kills it"),
        ("valkey:embedded?maxmemory=64m", {}, "is no limit"),
        ("mariadb:embedded@/usr", {}, "nothing limits the server's memory"),
        ("valkey:embedded?maxmemory=0", {}, "is no limit"),
        ("sqlite:embedded", {}, "whose memory weigh can limit"),
        ("redis://127.0.0.1:1", {}, "whose memory weigh can limit"),
        ("postgres:embedded?shared_buffers=64MB", {"workload": "tpcb-like"}, "grows YCSB's records"),
        ("postgres:embedded?shared_buffers=64MB", {"rungs": "1"}, "is no ladder"),
        ("postgres:embedded?shared_buffers=64MB", {"rungs": "1,one"}, "is no number"),
        ("postgres:embedded?shared_buffers=64MB", {"rungs": "1,1.0"}, "named twice"),
        ("postgres:embedded?shared_buffers=64MB", {"rungs": "0.01,1"}, "no room for 1,000 records"),
        ("postgres:embedded?shared_buffers=64MB", {"find_rate": ("p99<=9ms",)}, "is of weigh load"),
        ("postgres:embedded?shared_buffers=64MB", {"contender": ("a=x:y",)}, "is of weigh load"),
    ],
)
def test_what_is_no_ladder_is_refused(text: str, flags: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        asked(text, **flags)


@pytest.mark.promise("What does not fit is refused before anything is loaded.")
def test_more_than_the_disk_or_the_time_allows_is_said_before_anything_is_loaded(weigh: Weigh) -> None:
    ladder = ("ladder", "ycsb-b", "--load", "--target", "postgres:embedded?shared_buffers=1GB", "--rate", "100")
    large = weigh(*ladder, "--rungs", "1,1000000")
    assert (large.code, large.out) == (2, "")
    assert "records need about" in large.err
    assert "are free" in large.err
    slow = weigh(*ladder, "--rungs", "0.1,0.2", "--budget", "1m")
    assert (slow.code, slow.out) == (2, "")
    assert "would take about" in slow.err
    assert "--budget leaves 1 min" in slow.err
    assert "loading" not in large.err + slow.err


def test_the_disk_must_hold_the_copies_too() -> None:
    found = asked(server_memory="64MiB", rungs="1,1e7")
    with pytest.raises(EnvironmentFault, match="are free"):
        sizes.refuse_disk(found.loads, "postgres", found.plan.record_bytes)
    sizes.refuse_time(60.0, 61.0, 2)
    with pytest.raises(UsageError, match="would take about 1 min 2 s"):
        sizes.refuse_time(62.0, 61.0, 2)


def test_every_memory_that_may_limit_a_ladder_is_explained() -> None:
    for text, setting in setting_of.SETTINGS.items():
        place = f"{text}@/usr" if text.startswith("mariadb") else text
        plan = asked(f"{place}?{setting}=67108864", rungs="8,80").plan
        assert words.memory(plan).startswith(f"{setting} is ")


def test_it_says_where_the_data_no_longer_fits(tmp_path: Path) -> None:
    found = LOAD_LADDER.read(written_load_ladder(tmp_path))
    assert found.outgrown is found.rungs[1]
    assert words.headline(found).startswith("From 2x on the data no longer fits: 128 MiB of data, 64.0 MiB of memory.")
    assert words.unfinished(found) == "Not complete: not reached: 10x."
    # Nothing is known of rungs that were not reached.
    assert "D7.memory" not in {one.code for one in found.findings}


def test_a_ladder_that_fits_throughout_says_so(tmp_path: Path) -> None:
    folder = written_load_ladder(tmp_path, (0.25, 0.5), 0.75)
    written = json.loads((folder / "load-ladder.json").read_text())
    written["plan"]["steps"].pop()
    (folder / "load-ladder.json").write_text(json.dumps(written))
    found = LOAD_LADDER.read(folder)
    assert found.outgrown is None
    assert words.headline(found).startswith("All data fits into the memory up to 0.5x")
    assert [one.code for one in found.findings] == ["D7.memory"]


def test_rungs_of_another_ladder_are_found(tmp_path: Path) -> None:
    folder = written_load_ladder(tmp_path)
    written = json.loads((folder / "load-ladder.json").read_text())
    written["plan"]["memory"] *= 2
    (folder / "load-ladder.json").write_text(json.dumps(written))
    assert {one.code for one in LOAD_LADDER.verify(folder).problems} >= {"R4.derived"}


@pytest.fixture(scope="module")
def climbed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A ladder whose second rung has more than the server takes."""
    return Weigh(tmp_path_factory.mktemp("climbed"))(
        "ladder", "ycsb-c", "--load", "--target", "valkey:embedded?maxmemory=16mb", "--rungs", "0.3,3", "--rate", "100",
        "--duration", "1s", "--connections", "2",
    )  # fmt: skip


def test_a_rung_that_cannot_be_held_ends_it_and_those_below_stay(climbed: Run) -> None:
    assert climbed.code == 2
    assert "used memory > 'maxmemory'" in climbed.err
    assert "1 rung below it stayed: weigh report " in climbed.err
    assert "2 rungs up to 4" in climbed.err


def test_what_stayed_is_a_ladder_for_every_command(climbed: Run) -> None:
    beside = Weigh(climbed.folder)
    (folder,) = (climbed.folder / "runs").glob("load-ladder-*")
    document = beside("report", str(folder), "--json").json
    assert document["schema"] == "weigh/load-ladder/1"
    (rung,) = document["rungs"]
    # The estimate is near: what a record takes was fitted to this server.
    assert rung["size"]["ratio"] == pytest.approx(0.3, rel=0.25)
    assert (rung["complete"], document["outgrown"]) == (True, None)
    assert rung["response"]["p50"]["seen"] > 0
    assert beside("verify", str(folder)).code == 0
    assert "1 of 2 rungs: 0.3x" in beside("runs").out
    of_rung = json.loads((folder.parent / rung["evidence"] / "environment.json").read_text())
    assert of_rung["command"].startswith("weigh load ycsb-c --target 'valkey:embedded?maxmemory=16mb' --rate 100")
    assert of_rung["command"].endswith(f"--records {rung['records']}")

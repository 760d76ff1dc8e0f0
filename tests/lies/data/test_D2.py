"""D2: table formats are compared on different bytes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from weigh.engines.prepared import cache_folder

from ..reading import ONCE, contenders, errors, timed

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh
    from support.once import Once

NAMED = {name: f"{name}=liar?lie={lie}&catalog=delta" for name, lie in
         (("honest", "none"), ("compacts", "compacts"), ("commits", "commits"))}  # fmt: skip


@pytest.fixture(scope="module")
def run(fresh: Callable[[], Weigh], once: Once) -> Run:
    """The files themselves, the same through Delta, and two whose tables are maintained on the way."""
    flags = ("--scale", "1K", *ONCE, "--operations", "by_action", "--quiet", "--json")
    return once("formats", lambda: fresh()("run", *contenders("files=liar?lie=none", *NAMED.values()), *flags))


def said(run: Run, contender: str) -> dict[str, str]:
    return {f["code"]: f["text"] for f in run.json["findings"] if f["contender"] == contender and f["code"][:2] == "D2"}


@pytest.mark.promise("A contender whose catalog lists other bytes, or other files, is not compared.")
def test_other_bytes_behind_a_catalog_are_found(run: Run) -> None:
    assert errors(run) == {("D2.bytes", "compacts"), ("D2.files", "commits")}
    assert (
        "events/0000.parquet, which it reads through Delta, is not events-0000.parquet"
        in said(run, "compacts")["D2.bytes"]
    )
    assert "0000-compacted.parquet is no file of table events" in said(run, "commits")["D2.files"]
    assert timed(run) == {("files", "by_action"), ("honest", "by_action")}
    assert run.code == 1


def test_the_honest_twin_reads_the_bytes_of_the_layout(weigh: Weigh, run: Run) -> None:
    assert set(said(run, "honest")) == {"D2.same", "D2.format"}
    made = weigh("data", "make", "--scale", "1K", "--quiet", "--json").json["manifest"]
    assert made["files"][0]["blake3"][:12] in said(run, "honest")["D2.same"]
    (difference,) = (one for one in run.json["differences"] if one["contender"] == "honest")
    assert (difference["what"], difference["value"], difference["baseline"]) == ("catalog", "delta", "parquet")
    assert not said(run, "files")


def test_its_evidence_passes_and_nothing_is_left(weigh: Weigh, run: Run) -> None:
    assert weigh("verify", str(run.evidence)).code == 0
    assert (run.evidence / "catalogs.json").exists()


@pytest.mark.promise("What is registered are links of weigh's own: the files of the layout stay as they are.")
def test_the_layout_is_not_touched(weigh: Weigh, run: Run) -> None:
    made = weigh("data", "make", "--scale", "1K", "--quiet", "--json").json
    assert weigh("data", "check", made["folder"]).code == 0
    assert Path(made["folder"]).is_relative_to(cache_folder())

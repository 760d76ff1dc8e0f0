"""``--witness``: two contenders of one lineage, and somebody else who confirms their answers without being timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import RAN

if TYPE_CHECKING:
    from support.command import Weigh

TWO = ("--contender", "old=duckdb@2.0.0", "--contender", "new=duckdb@2.0.0?threads=1")
SMALL = (
    "--scale", "1K", "--no-truth", "--operations", "by_action,top_ports",
    "--starts", "1", "--rounds", "1", "--runs", "1", "--json",
)  # fmt: skip


@pytest.mark.promise(
    "where it agrees, the answers count as confirmed; where it does not, nothing is timed, and the exit code is 1."
)
@pytest.mark.long
def test_a_witness_confirms_and_is_not_timed(weigh: Weigh) -> None:
    alone = weigh("run", *TWO, *SMALL, "--out", "alone")
    assert {row["status"] for row in alone.json["gate"]} == {"unverified"}
    assert "--witness ENGINE" in " ".join(weigh("report", "alone/latest", "--verbose").out.split())

    run = weigh("run", *TWO, *SMALL, "--witness", "sqlite")
    assert run.code in RAN, run.err
    assert "witness: sqlite answers, and is not timed" in run.err
    assert {row["status"] for row in run.json["gate"]} == {"agreed"}
    assert [one["name"] for one in run.json["contenders"]] == ["old", "new"]
    assert "A8" not in {reason["code"] for reason in run.json["tier"]["reasons"]}
    assert {one["contender"] for one in run.json["timings"]} == {"old", "new"}
    assert weigh("verify", "latest").code == 0

    again = weigh("run", *TWO, *SMALL, "--witness", "sqlite", "--resume")
    assert "witness: " not in again.err, "what it answered is kept"
    assert again.json["experiment"]["id"] == run.json["experiment"]["id"]


@pytest.mark.promise(
    "where it agrees, the answers count as confirmed; where it does not, nothing is timed, and the exit code is 1."
)
def test_where_a_witness_disagrees_nothing_is_timed(weigh: Weigh) -> None:
    lying = ("--contender", "liar?lie=group", "--contender", "again=liar?lie=group")
    run = weigh("run", *lying, *SMALL, "--witness", "sqlite")
    assert run.code == 1, run.err
    assert "diverged" in {row["status"] for row in run.json["gate"]}
    assert run.json["timings"] == []


def test_a_witness_of_the_same_lineage_is_none(weigh: Weigh) -> None:
    refused = weigh("run", *TWO, *SMALL, "--witness", "duckdb")
    assert (refused.code, refused.out) == (2, "")
    assert "of the lineage of a contender" in refused.err

"""The gate over every engine, as a user meets it: all of netflow agrees, or is honestly unsupported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Weigh


@pytest.mark.parametrize("engine", ["datafusion", "polars", "pyarrow", "sqlite"])
def test_netflow_agrees_with_the_truth(weigh: Weigh, engine: str) -> None:
    run = weigh("gate", "--contender", engine, "--scale", "20K", "--json", "--quiet")
    statuses = {row["operation"]: row["status"] for row in run.json["gate"]}
    unsupported = {"denied_and_allowed", "nameless", "same_user"} if engine == "pyarrow" else set()
    assert {name for name, status in statuses.items() if status != "agreed"} == unsupported
    assert {statuses[name] for name in unsupported} <= {"unsupported"}
    # What it read was compared row by row with the files, also where it is a copy in poorer types.
    assert not {code for code in run.codes if code.startswith("A4")}


@pytest.mark.long
def test_a_sum_of_32_bits_that_wraps_is_contradicted(weigh: Weigh) -> None:
    run = weigh("gate", "--contender", "polars", "--contender", "duckdb", "--scale", "1M", "--json", "--quiet")
    diverged = {row["operation"]: row["detail"] for row in run.json["gate"] if row["status"] == "diverged"}
    assert diverged.keys() == {"by_proto"}
    assert "polars is wrong" in diverged["by_proto"]
    assert run.code == 1

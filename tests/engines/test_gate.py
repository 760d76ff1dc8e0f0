"""The gate over every engine, as a user meets it: all of netflow agrees, or is honestly unsupported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Weigh


ENGINES = ("datafusion", "polars", "pyarrow", "sqlite")
UNSUPPORTED = {"denied_and_allowed", "nameless", "same_user"}
"""By PyArrow."""


@pytest.mark.parametrize(
    ("engines", "scale"),
    [
        pytest.param(("pyarrow", "sqlite"), "2K", id="two"),
        pytest.param(ENGINES, "20K", id="all", marks=pytest.mark.long),
    ],
)
def test_netflow_agrees_with_the_truth(weigh: Weigh, engines: tuple[str, ...], scale: str) -> None:
    named = [word for engine in engines for word in ("--contender", engine)]
    run = weigh("gate", *named, "--scale", scale, "--json", "--quiet")
    found = {(name, row["operation"]): row["status"] for row in run.json["gate"] for name in row["contenders"]}
    assert {name for name, _ in found} == {*engines}
    others = {pair: status for pair, status in found.items() if status != "agreed"}
    assert others == {("pyarrow", operation): "unsupported" for operation in UNSUPPORTED}
    # What each read was compared row by row with the files, also where it is a copy in poorer types.
    assert not {code for code in run.codes if code.startswith("A4")}


@pytest.mark.long
def test_a_sum_of_32_bits_that_wraps_is_contradicted(weigh: Weigh) -> None:
    run = weigh("gate", "--contender", "polars", "--contender", "duckdb", "--scale", "1M", "--json", "--quiet")
    diverged = {row["operation"]: row["detail"] for row in run.json["gate"] if row["status"] == "diverged"}
    assert diverged.keys() == {"by_proto"}
    assert "polars is wrong" in diverged["by_proto"]
    assert run.code == 1

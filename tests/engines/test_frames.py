"""The gate across SQL and data frames: all of netflow agrees, or is honestly unsupported."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.command import Run, Weigh


def test_netflow_agrees_in_polars_and_pandas(weigh: Weigh) -> None:
    run = _gate(weigh, "duckdb", "polars-df", "pandas")
    assert {row["operation"]: row["status"] for row in run.json["gate"] if row["status"] != "agreed"} == {}
    # Every row that each got was compared with the files; each was asked on rows that nobody had seen.
    assert not {code for code in run.codes if code.startswith(("A4", "A9", "A12"))}


def _gate(weigh: Weigh, *contenders: str) -> Run:
    named = [word for one in contenders for word in ("--contender", one)]
    return weigh("gate", *named, "--scale", "20K", "--json", "--quiet")

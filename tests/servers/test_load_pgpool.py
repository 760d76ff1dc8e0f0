"""A load through Pgpool-II: reads that go to a replica that is behind are named, and an honest pool is not accused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import RAN
from support.servers import pgpool
from support.servers.process import Lacking

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh

pytestmark = [pytest.mark.servers, pytest.mark.long]

SMALL = ("--records", "100", "--rate", "100", "--duration", "4s", "--connections", "8", "--contention", "100%")


@pytest.mark.parametrize("balances", [True, False], ids=["balances", "honest"])
def test_reads_of_a_replica_that_is_behind_are_named(weigh: Weigh, tmp_path: Path, balances: bool) -> None:
    try:
        with pgpool.running(tmp_path, balances=balances) as url:
            run = weigh("load", "ycsb-a", "--target", url, *SMALL, "--quiet", "--json", timeout=200)
    except Lacking as why:
        pytest.skip(f"Pgpool-II is not there: {why}")
    report = " ".join((run.evidence / "report.txt").read_text().split())
    assert "through a pooler, whose time is in every figure" in report
    assert ("L6.wrong" in run.codes) == balances, run.json["findings"]
    assert run.code == 1 if balances else run.code in RAN, run.err
    if balances:
        assert "a lost update or a stale read" in report

"""A loss of power: servers that do not force what they acknowledge are named, and as they are they lose nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lies.loading import accused
from support.command import RAN

if TYPE_CHECKING:
    from support.command import Weigh

pytestmark = pytest.mark.servers

MARIADB = "mariadb:embedded@/usr"
FLAGS = ("--records", "500", "--rate", "100", "--connections", "4", "--duration", "4s", "--contention", "100%")
LOSES = (
    "postgres:embedded?fsync=off",
    f"{MARIADB}?innodb_flush_log_at_trx_commit=2",
    "valkey:embedded?appendfsync=no",
)
KEEPS = ("postgres:embedded", MARIADB, "valkey:embedded")


@pytest.mark.promise("loses what the server did not force to its disk")
@pytest.mark.parametrize("target", (*LOSES, *KEEPS))
def test_who_forces_what_it_acknowledges_loses_none_of_it(weigh: Weigh, target: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("a disk that loses power needs root")
    if target.startswith(MARIADB) and not any(Path("/usr", one, "mariadbd").exists() for one in ("sbin", "bin")):
        pytest.skip("MariaDB is not installed: apt-get install mariadb-server")
    crash = ("--crash", "2", "--power-loss", "--json", "--quiet")
    run = weigh("load", "ycsb-a", *FLAGS, "--target", target, *crash, timeout=300)
    found = run.json["durability"]
    assert found["counted"] == 2, run.err
    assert found["by"] == "kill -9 and a loss of its disk's power"
    if target in LOSES:
        assert run.code == 1 and {"E7.lost", "E7.not_durable"} <= run.codes
        assert found["total"]["lost"] > 0 and run.json["load"]["durable"] is False
        assert "NOT DURABLE" in (run.evidence / "report.txt").read_text()
    else:
        assert run.code in RAN and not accused(run), run.codes
        assert (found["losing"], found["total"]["lost"], found["total"]["missing"]) == (0, 0, 0)
        assert run.json["load"]["durable"] is True

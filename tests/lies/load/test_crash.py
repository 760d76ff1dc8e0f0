"""L6: fast because it does not do the work: what is acknowledged is not kept, and a crash shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import RAN

from ..early_proxy import EarlyProxy
from ..killable import killable
from ..loading import YCSB, accused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.command import Run, Weigh
    from support.once import Once

    from ..killable import Killable

SHORT = (*YCSB, "--rate", "150", "--duration", "2s")
MANY = (*YCSB, "--rate", "500", "--duration", "5s", "--crash", "20")


@pytest.fixture(scope="module")
def server() -> Iterator[Killable]:
    """A server of somebody's, which commands kill and start."""
    with killable() as found:
        yield found


def behind_proxy(weigh: Weigh, server: Killable, *, early: bool) -> Run:
    """One crash of a server behind a proxy."""
    with EarlyProxy(server.socket, early=early) as proxy:
        return weigh("load", *SHORT, "--target", proxy.url, "--crash", "1", *server.flags)


@pytest.mark.promise("A server, or whatever stands before it, that acknowledges before it keeps is caught")
def test_a_proxy_that_acknowledges_before_it_forwards_is_caught(fresh: Callable[[], Weigh], server: Killable) -> None:
    run = behind_proxy(fresh(), server, early=True)
    assert run.code == 1, run.err
    assert "E7.lost" in run.codes
    # Nobody saw it while the server lived.
    assert not {"L6.wrong", "L6.missing"} & run.codes
    found = run.json["durability"]
    assert found["losing"] == 1
    assert found["total"]["lost"] > 0
    assert found["total"]["torn"] == found["total"]["strange"] == 0
    assert run.json["load"]["durable"] is False
    assert found["by"] == server.kill
    # Its settings say that it keeps everything.
    assert not found["undurable"]


def test_one_that_forwards_first_is_not(fresh: Callable[[], Weigh], server: Killable) -> None:
    run = behind_proxy(fresh(), server, early=False)
    assert run.code in RAN, run.err
    assert not accused(run)
    found = run.json["durability"]
    assert (found["counted"], found["losing"], found["total"]["lost"]) == (1, 0, 0)
    assert found["total"]["acknowledged"] > 0
    assert run.json["load"]["durable"] is True


def test_a_server_that_the_command_did_not_kill_has_not_passed_a_crash(
    fresh: Callable[[], Weigh], server: Killable
) -> None:
    flags = [flag for flag in SHORT if flag != "--json"]
    nothing = ("--kill-command", "true", "--start-command", "true")
    run = fresh()("load", *flags, "--target", f"redis:///0?host={server.socket}", "--crash", "1", *nothing)
    assert run.code == 2, run.out
    assert "lives: nothing was killed" in run.err


@pytest.fixture(scope="session")
def careless(fresh: Callable[[], Weigh], once: Once) -> Run:
    """Commits that are acknowledged before they are written, one crash."""
    flags = ("--rate", "300", "--duration", "2s", "--connections", "4", "--quiet", "--json", "--crash", "1")
    target = "postgres:embedded?synchronous_commit=off"
    return once("careless", lambda: fresh()("load", "simple-update", *flags, "--target", target))


@pytest.mark.promise("acknowledged transactions are looked for in `pgbench_history`")
def test_commits_that_are_acknowledged_before_they_are_written_are_lost(careless: Run) -> None:
    assert careless.code == 1, careless.err
    assert {"E7.lost", "E7.not_durable"} <= careless.codes
    total = careless.json["durability"]["total"]
    assert total["unit"] == "transactions"
    assert total["lost"] > 0
    # Each is there as a whole or not at all.
    assert total["torn"] == total["strange"] == 0
    text = " ".join((careless.evidence / "report.txt").read_text().split())
    assert "NOT DURABLE: 1 of 1 crash by kill -9" in text
    assert "synchronous_commit is off" in text
    assert "Crashes of the server" in (careless.evidence / "report.html").read_text()


def test_evidence_of_crashes_is_verified(careless: Run, weigh: Weigh) -> None:
    assert weigh("verify", "--sql", str(careless.evidence)).code == 0


@pytest.mark.long
@pytest.mark.parametrize("workload", ["ycsb-a", "ycsb-d", "tpcb-like"])
def test_postgresql_as_it_is_loses_nothing_in_twenty_crashes(fresh: Callable[[], Weigh], workload: str) -> None:
    rest = MANY[1:] if workload.startswith("ycsb") else MANY[3:]
    run = fresh()("load", workload, *rest, "--target", "postgres:embedded")
    assert run.code in RAN, run.err
    assert not {code for code in run.codes if code.startswith("E7")}
    found = run.json["durability"]
    assert (found["counted"], found["losing"]) == (20, 0)
    assert found["total"]["unanswered"] > 0


@pytest.mark.long
@pytest.mark.parametrize("settings", ["appendfsync=everysec", "appendfsync=no", "no-appendfsync-on-rewrite=yes"])
def test_what_only_a_loss_of_power_takes_is_told_by_the_settings(fresh: Callable[[], Weigh], settings: str) -> None:
    run = fresh()("load", *SHORT, "--crash", "3", "--target", f"valkey:embedded?{settings}")
    assert "E7.not_durable" in run.codes
    assert "E7.lost" not in run.codes
    assert run.json["load"]["durable"] is False


@pytest.mark.long
def test_a_store_without_a_log_loses_all_since_its_last_snapshot(fresh: Callable[[], Weigh]) -> None:
    run = fresh()("load", *SHORT, "--crash", "2", "--target", "valkey:embedded?appendonly=no")
    assert run.code == 1, run.err
    total = run.json["durability"]["total"]
    assert total["lost"] == total["acknowledged"] > 0


@pytest.mark.long
def test_scripts_of_ones_own_are_told_by_what_they_switch_off(fresh: Callable[[], Weigh]) -> None:
    weigh = fresh()
    (weigh.folder / "pay.sql").write_text("SET synchronous_commit TO off;\nSELECT 1;\n")
    flags = ("--rate", "100", "--duration", "2s", "--connections", "2", "--crash", "1", "--quiet", "--json")
    run = weigh("load", "pay.sql", *flags, "--target", "postgres:embedded")
    assert {"E7.not_counted", "E7.not_durable"} <= run.codes
    assert run.json["durability"]["total"] is None
    assert run.json["durability"]["down_s"]

"""Loads of two nodes of Cassandra: verified at two levels, a node that stands still, LWT, a password, a proxy."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from lies.cql_proxy import CqlProxy
from lies.loading import GENTLE
from support.command import RAN
from support.servers import cassandra
from support.servers.process import Lacking

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.command import Run, Weigh
    from support.servers.cassandra import Cluster

pytestmark = pytest.mark.servers

KEYSPACE = "CREATE KEYSPACE {} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 2}};"
PAUSED_AFTER = 30
"""Intervals of 0.2 s."""
SMALL = ("--records", "200", "--connections", "8", "--contention", "100%", "--quiet", "--json")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    try:
        context = cassandra.running(tmp_path_factory.mktemp("cassandra"), nodes=2)
        found = context.__enter__()
    except Lacking as why:
        pytest.skip(f"Cassandra is not there: {why}")
    try:
        found.execute(KEYSPACE.format("shop"))
        yield found
    finally:
        context.__exit__(None, None, None)


def loaded(weigh: Weigh, url: str, *flags: str) -> Run:
    return weigh("load", "ycsb-a", *SMALL, "--target", url, *flags, timeout=300)


def accused(run: Run) -> set[str]:
    """What is reported of the answers."""
    return {code for code in run.codes if code.startswith("L6")}


def intervals(folder: Path) -> int:
    """How many of a run have ended so far."""
    return sum(one.read_bytes().count(b'"event":"interval"') for one in folder.glob("runs/*/journal.jsonl"))


def failed(run: Run) -> int:
    """Requests that were refused, or not answered in time."""
    whole = run.json["operations"][0]
    return sum(whole["errors"].values()) + int(whole["timeouts"])


@pytest.mark.parametrize(("level", "answering"), [("QUORUM", 2), ("ONE", 1)])
def test_every_value_is_verified_and_what_was_written_is_read_back(
    weigh: Weigh, cluster: Cluster, level: str, answering: int
) -> None:
    run = loaded(weigh, cluster.url("shop", level), "--rate", "100", "--duration", "4s")
    # Of two replicas one may be behind for a moment, at a level that does not ask it.
    assert not accused(run) - ({"L6.stale"} if level == "ONE" else set()), run.codes
    assert run.code in RAN, run.err
    [one] = run.json["runs"]
    assert one["verified_reads"] > 0 and failed(run) == 0
    [back] = run.json["answers"]["read_back"]
    assert back["read"] >= back["written"] > 0 and back["wrong"] == back["missing"] == back["failed"] == 0
    assert f"{level}: {answering} of 2 replicas answer" in " ".join((run.evidence / "report.txt").read_text().split())
    assert weigh("verify", str(run.evidence)).code == 0


@pytest.mark.parametrize(("level", "stale"), [("ONE", True), ("QUORUM", False)])
def test_a_node_that_stood_still_serves_stale_reads_at_one_and_none_at_quorum(
    weigh: Weigh, cluster: Cluster, level: str, stale: bool
) -> None:
    def pause() -> None:
        until = time.monotonic() + 60
        while intervals(weigh.folder) < PAUSED_AFTER and time.monotonic() < until:
            time.sleep(0.1)
        # Longer than a node keeps a write for one that does not answer (write_request_timeout, 2 s).
        with cluster.paused(1):
            time.sleep(6)

    pausing = Thread(target=pause)
    pausing.start()
    try:
        run = loaded(weigh, cluster.url("shop", level), "--rate", "60", "--duration", "25s", "--timeout", "3s")
    finally:
        pausing.join()
    assert accused(run) == ({"L6.stale"} if stale else set()), [one["text"] for one in run.json["findings"]]
    assert run.code in RAN
    # What the node did not answer is counted whatever the level.
    assert failed(run) > 0
    [back] = run.json["answers"]["read_back"]
    assert back["wrong"] == back["missing"] == 0
    if stale:
        assert "Stale: " in (run.evidence / "report.txt").read_text()


@pytest.mark.parametrize("lies", [False, True], ids=["honest", "forgets"])
def test_an_acknowledged_write_that_is_forgotten_is_found(weigh: Weigh, cluster: Cluster, lies: bool) -> None:
    with CqlProxy(("127.0.0.1", cluster.port), lies=lies) as proxy:
        url = f"cassandra://127.0.0.1:{proxy.port}/shop?consistency=QUORUM"
        run = weigh("load", *GENTLE, "--target", url, "--contention", "100%")
    assert ("L6.wrong" in run.codes) == lies, run.codes


def test_of_three_replicas_one_is_killed_and_nothing_is_lost_at_quorum(weigh: Weigh, tmp_path: Path) -> None:
    (tmp_path / "three").mkdir()
    pid = tmp_path / "pid"
    try:
        with cassandra.running(tmp_path / "three", nodes=3) as three:
            three.execute(KEYSPACE.format("shop").replace("2", "3"))
            kill, start = three.fault(2, tmp_path)
            commands = ("--nemesis", "kill", "--kill-command", kill, "--start-command", start)
            flags = ("--rate", "60", "--duration", "40s", "--timeout", "3s", *commands)
            run = loaded(weigh, three.url("shop", "QUORUM"), *flags)
            assert pid.exists(), run.err
    except Lacking as why:
        pytest.skip(f"Cassandra is not there: {why}")
    finally:
        if pid.exists():
            with suppress(ProcessLookupError):
                os.kill(int(pid.read_text()), signal.SIGKILL)
    assert run.code in RAN and not accused(run), run.err
    [fault] = run.json["disturbances"]["faults"]
    # What a cluster has is read back when the run is over, and not after each fault.
    assert (fault["kind"], fault["lost"], fault["gone"]) == ("kill", None, None), fault
    # Two of three are a quorum: what fails, if anything, is what the killed node had in its hands.
    assert failed(run) < 0.1 * run.json["runs"][0]["requests"]["answered"]
    [back] = run.json["answers"]["read_back"]
    assert back["read"] >= back["written"] > 0 and back["wrong"] == back["missing"] == 0


SEATS = """\\set id random(1, 30)
INSERT INTO seat (id, owner, price) VALUES (:id, 'ann', 12.5) IF NOT EXISTS \\gset
\\if :applied
UPDATE sold SET n = n + 1 WHERE id = :id;
\\endif
SELECT owner, price FROM seat WHERE id = :id;
"""


@pytest.mark.parametrize("protocol", ["prepared", "simple"])
def test_of_those_who_want_a_seat_one_gets_it(weigh: Weigh, cluster: Cluster, protocol: str) -> None:
    name = f"hall_{protocol}"
    cluster.execute(
        KEYSPACE.format(name),
        f"CREATE TABLE {name}.seat (id int PRIMARY KEY, owner text, price decimal);",
        f"CREATE TABLE {name}.sold (id int PRIMARY KEY, n counter);",
    )
    (weigh.folder / "buy.sql").write_text(SEATS)
    flags = ("--rate", "40", "--duration", "4s", "--protocol", protocol, "--contention", "100%", "--json", "--quiet")
    url = cluster.url(name, "QUORUM")
    run = weigh("load", "buy.sql", "--target", f"{url}&serial_consistency=LOCAL_SERIAL", *flags, timeout=200)
    assert run.code in RAN, run.err
    assert run.json["runs"][0]["requests"]["answered"] > 60
    [sold, most] = cluster.execute(f"SELECT count(*) FROM {name}.seat;", f"SELECT max(n) FROM {name}.sold;")
    assert int(sold["rows"][0][0]) > 20 and most["rows"] == [["1"]]


def test_pages_are_one_answer(weigh: Weigh, cluster: Cluster) -> None:
    flags = ("--records", "5200", "--rate", "20", "--duration", "1s", "--contention", "100%", "--quiet", "--json")
    run = weigh("load", "ycsb-c", "--target", cluster.url("shop", "ONE"), *flags)
    assert run.code in RAN, run.err
    [found] = cluster.execute("SELECT ycsb_key FROM shop.weigh_ycsb;")
    # A page has 5,000.
    assert (found["kind"], found["count"]) == ("rows", 5_200)


def test_levels_that_differ_are_not_ranked(weigh: Weigh, cluster: Cluster) -> None:
    contenders = [
        word for level in ("ONE", "QUORUM") for word in ("--contender", f"{level}={cluster.url('shop', level)}")
    ]
    flags = ("--rate", "20", "--duration", "1s", "--blocks", "5", "--no-twice")
    run = weigh("load", "ycsb-c", *SMALL, *contenders, *flags, timeout=500)
    assert {one["verdict"] for one in run.json["verdicts"]} == {"refused"}, run.err
    assert "requests wait for other numbers of replicas" in run.out


def test_a_password_is_asked_for_and_is_nowhere(weigh: Weigh, tmp_path: Path, cluster: Cluster) -> None:
    assert cluster
    (tmp_path / "own").mkdir()
    with cassandra.running(tmp_path / "own", password="cassandra") as own:
        cassandra.execute(
            "127.0.0.1", own.port, KEYSPACE.format("shop").replace("2", "1"), user="cassandra", password="cassandra"
        )
        refused = weigh("load", *GENTLE, "--target", own.url("shop"))
        assert refused.code == 2 and "wants a user and a password" in refused.err
        wrong = weigh("load", *GENTLE, "--target", own.url("shop").replace("//", "//cassandra:other@"))
        assert wrong.code == 2 and "check the user and the password" in wrong.err
        file = weigh.folder / "target"
        file.write_text(own.url("shop").replace("//", "//cassandra:cassandra@"))
        file.chmod(0o600)
        run = weigh("load", *GENTLE, "--target-file", "target", "--contention", "100%")
    assert run.code in RAN, run.err
    assert run.json["load"]["target"].startswith("cassandra://cassandra@127.0.0.1:")
    for one in run.evidence.rglob("*"):
        assert not one.is_file() or b"cassandra:cassandra@" not in one.read_bytes(), one

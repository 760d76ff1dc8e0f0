"""Three hosts, a scheduler and a server: load by agents, and data by parts (`make test-cluster`).

``WEIGH_CLUSTER_SCALES`` are those of tpchgen and netflow [0.1,1M] while ``WEIGH_CLUSTER_KILLS`` [6] workers and
``WEIGH_CLUSTER_SCHEDULERS`` [1] schedulers are killed.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from support.command import RAN, Weigh
from weigh.engines.prepared import cache_folder
from weigh.load.target.valkey.target import EmbeddedValkey

from .namespaces import Hosts, dask, hosts, missing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.cluster, pytest.mark.skipif(bool(why := missing()), reason=why)]

TPCH, NETFLOW = os.environ.get("WEIGH_CLUSTER_SCALES", "0.1,1M").split(",")
SCHEDULERS = int(os.environ.get("WEIGH_CLUSTER_SCHEDULERS", "1"))
KILLS = -(-int(os.environ.get("WEIGH_CLUSTER_KILLS", "6")) // SCHEDULERS)
"""Of workers, before each of a scheduler."""


@pytest.fixture(scope="module")
def three() -> Iterator[Hosts]:
    with hosts(3) as found:
        yield found


@pytest.fixture(scope="module")
def place(three: Hosts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with dask(three, tmp_path_factory.mktemp("dask")) as found:
        yield found.place


@pytest.fixture(scope="module")
def valkey(three: Hosts) -> Iterator[str]:
    """A server that listens at the bridge alone."""
    port = 30_000 + os.getpid() % 10_000
    with EmbeddedValkey().reach(cache_folder(), 16) as reached:
        _told(reached.connect["socket"], "CONFIG", "SET", "protected-mode", "no")
        _told(reached.connect["socket"], "CONFIG", "SET", "bind", three.address)
        _told(reached.connect["socket"], "CONFIG", "SET", "port", str(port))
        yield f"redis://{three.address}:{port}"


def _told(path: str, *words: str) -> None:
    import socket

    with socket.socket(socket.AF_UNIX) as server:
        server.connect(path)
        server.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(w), w.encode()) for w in words))
        answer = server.recv(1000)
        assert answer.startswith(b"+OK"), answer


def test_three_agents_on_three_hosts_offer_one_load(weigh: Weigh, place: str, valkey: str) -> None:
    flags = ("--records", "3000", "--rate", "600", "--duration", "6s", "--connections", "9", "--quiet", "--json")
    run = weigh("load", "ycsb-a", "--target", valkey, *flags, "--agents", place)
    assert run.code in RAN, run.err
    agents = run.json["runs"][0]["agents"]
    assert [one["count"] for one in agents] == [1200, 1200, 1200]
    # Each reaches the server by the network, and by nothing else.
    assert all(one["bound_s"] < 0.05 for one in agents)
    assert run.json["answers"]["read_back"][0]["wrong"] == 0
    assert not {code for code in run.codes if code.startswith("L6")}
    assert weigh("verify", str(run.evidence)).code == 0


def test_a_host_that_goes_away_is_named(weigh: Weigh, place: str, valkey: str, three: Hosts) -> None:
    flags = ("--records", "3000", "--rate", "300", "--duration", "12s", "--connections", "9", "--quiet", "--json")
    process = weigh.start("load", "ycsb-a", "--target", valkey, *flags, "--agents", place)
    link = three.names[1].replace("weigh-", "wgo").replace("-", "")
    try:
        _until_it_runs(weigh.folder, process)
        subprocess.run(["ip", "link", "set", link, "down"], check=True)
        out, err = process.communicate(timeout=120)
    finally:
        subprocess.run(["ip", "link", "set", link, "up"], check=True)
        process.kill()
    assert process.returncode == 3, err
    assert '"E10.lost"' in out and '"inadmissible"' in out


def test_data_by_parts_on_three_hosts_is_that_of_one(weigh: Weigh, place: str, tmp_path: Path) -> None:
    # First here: hosts find the writer's environment in the cache, and need no package index.
    whole = weigh("data", "make", "netflow", "--scale", "40K", "--json")
    made = weigh("data", "make", "netflow", "--scale", "40K", "--on", place, "--to", str(tmp_path / "parts"), "--json")
    assert (whole.code, made.code) == (0, 0), (whole.err, made.err)
    assert made.json["manifest"]["digests"] == whole.json["manifest"]["digests"]
    checked = weigh("data", "check", str(tmp_path / "parts"), "--on", place)
    assert checked.code == 0, checked.out


@pytest.mark.parametrize(
    "named",
    [
        ("tpchgen", "--scale", TPCH, "--files", str(12 * SCHEDULERS)),
        ("netflow", "--scale", NETFLOW, "--files", "24"),
    ],
)
def test_hosts_and_a_scheduler_that_are_killed_change_nothing(
    weigh: Weigh, three: Hosts, tmp_path: Path, named: tuple[str, ...]
) -> None:
    there = tmp_path / "there"
    whole = weigh("data", "make", *named, "--json")
    command = ("data", "make", *named, "--to", str(there), "--quiet", "--json")
    drawn = random.Random(3)
    resume: tuple[str, ...] = ()
    for _ in range(SCHEDULERS):
        kills = 0
        with dask(three, tmp_path) as cluster:
            process = weigh.start(*command, "--on", cluster.place, *resume)
            try:
                while process.poll() is None and kills < KILLS:
                    time.sleep(drawn.uniform(0.2, 1.0))
                    if (there / "parts").exists():
                        cluster.kill_worker(drawn.choice(three.names))
                        kills += 1
                cluster.kill_scheduler()
                _, err = process.communicate(timeout=180)
            finally:
                process.kill()
        assert kills == KILLS
        assert (process.returncode, "--resume" in err) == (2, True), err
        resume = ("--resume",)
    with dask(three, tmp_path) as cluster:
        resumed = weigh(*command, "--on", cluster.place, *resume)
        assert resumed.code == 0, resumed.err
        checked = weigh("data", "check", str(there), "--on", cluster.place)
        assert checked.code == 0, checked.out
    assert resumed.json["manifest"]["digests"] == whole.json["manifest"]["digests"]
    assert not [path for path in there.iterdir() if path.name == "parts" or path.name.startswith((".making", "making"))]
    # Against the merged truth, and each other where the truth has no answer.
    two = ("--contender", "duckdb", "--contender", "datafusion")
    gate = weigh("gate", "--data", str(there), *two, "--quiet", "--json")
    assert gate.code == 0 and {one["status"] for one in gate.json["gate"]} == {"agreed"}, gate.err


def _until_it_runs(folder: Path, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < until:
        if any('"event":"interval"' in path.read_text() for path in folder.glob("runs/*/journal.jsonl")):
            return
        time.sleep(0.05)

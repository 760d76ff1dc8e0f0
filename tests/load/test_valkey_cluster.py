"""Clusters: each request goes to the node that has its key, wherever that is; a node that is gone is counted."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from support.command import RAN, Weigh
from support.servers.valkey_cluster import Cluster, running
from weigh.load.target.registry import target
from weigh.model.errors import UsageError
from weigh_liars.resp_proxy import read_request
from weigh_liars.tcp_server import Door

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

    from support.command import Run

BRIEF = ("--duration", "1s", "--connections", "4", "--records", "600", "--quiet", "--json")
_MOVED = 1_500
"""Slots that change their node while a load goes on."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("cluster")) as started:
        yield started


def _written(cluster: Cluster) -> list[int]:
    """How many keys each node has."""
    found = []
    for node in cluster.nodes:
        with node.client() as client:
            found.append(client.ask("DBSIZE"))
    return found


def test_every_node_is_read_loaded_and_read_back(weigh: Weigh, cluster: Cluster) -> None:
    with cluster.nodes[2].client() as client:
        client.ask("CONFIG", "SET", "appendfsync", "everysec")
    run = weigh("load", "ycsb-f", "--target", cluster.url, "--rate", "200", *BRIEF)
    with cluster.nodes[2].client() as client:
        client.ask("CONFIG", "SET", "appendfsync", "always")
    assert run.code in RAN, run.err
    assert all(_written(cluster)), _written(cluster)
    shown = weigh("report", str(run.evidence), "--verbose").out
    assert "Valkey Cluster" in shown
    assert "3 primaries" in shown
    # One node of three is not durable: so is the cluster, and which it is stands there.
    assert f"127.0.0.1:{cluster.nodes[2].port}: appendfsync is everysec" in " ".join(shown.split())
    assert "keys were read back" in shown
    assert not {"L6.wrong", "L6.missing", "L7.failed"} & run.codes


@pytest.mark.long
def test_what_agents_wrote_to_a_cluster_is_read_back_where_it_lies(weigh: Weigh, cluster: Cluster) -> None:
    flags = (*BRIEF, "--rate", "100", "--connections", "6", "--agents", "local:2")
    run = weigh("load", "ycsb-a", "--target", cluster.url, *flags)
    assert run.code in RAN, run.err
    assert not {code for code in run.codes if code.startswith("L6")}, run.json["findings"]
    [back] = run.json["answers"]["read_back"]
    assert back["written"] > 0 and back["read"] >= back["written"] and not back["wrong"] + back["missing"]


@pytest.mark.long
def test_slots_that_move_are_followed(weigh: Weigh, cluster: Cluster) -> None:
    mover = threading.Thread(target=_move, args=(cluster,))
    mover.start()
    run = weigh("load", "ycsb-a", "--target", cluster.url, "--rate", "300", *BRIEF, "--duration", "6s")
    mover.join()
    assert run.code in RAN, run.err
    with cluster.nodes[0].client() as client:
        asked = client.text("INFO", "errorstats")
    # They were redirected, both for good and for one request, and nobody who asked noticed.
    assert "errorstat_MOVED" in asked, asked
    assert not {"L6.wrong", "L6.missing", "L7.failed"} & run.codes, run.out


def _move(cluster: Cluster) -> None:
    """Give slots of the first node to the second, key by key, when the load has begun."""
    time.sleep(2.5)
    first, second = cluster.nodes[:2]
    with first.client() as source, second.client() as sink:
        names = [client.text("CLUSTER", "MYID") for client in (source, sink)]
        for slot in map(str, range(_MOVED)):
            sink.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", names[0])
            source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", names[1])
            while keys := source.ask("CLUSTER", "GETKEYSINSLOT", slot, "10"):
                source.ask("MIGRATE", "127.0.0.1", str(second.port), "", "0", "5000", "KEYS", *keys)
            for client in (sink, source):
                client.ask("CLUSTER", "SETSLOT", slot, "NODE", names[1])


@pytest.mark.long
def test_a_node_that_goes_away_is_an_outcome(weigh: Weigh, tmp_path_factory: pytest.TempPathFactory) -> None:
    with running(tmp_path_factory.mktemp("gone")) as cluster:
        gone = cluster.nodes[1]
        threading.Timer(4.0, gone.process.kill).start()
        run = weigh("load", "ycsb-a", "--target", cluster.url, "--rate", "100", *BRIEF, "--duration", "8s")
    (failed,) = [one["text"] for one in run.json["findings"] if one["code"] == "L7.failed" and "read" in str(one)]
    assert f"127.0.0.1:{gone.port}" in failed
    answered = run.json["runs"][0]["requests"]["answered"]
    # Those of the two other nodes were answered as before.
    assert answered > 450, answered
    assert not {"L6.wrong", "L6.missing"} & run.codes


@pytest.mark.long
def test_a_replica_that_is_made_primary_takes_over(weigh: Weigh, tmp_path_factory: pytest.TempPathFactory) -> None:
    with running(tmp_path_factory.mktemp("failover"), replica_of=1) as cluster:
        primary, replica = cluster.nodes[1], cluster.nodes[3]
        threading.Timer(4.0, primary.process.kill).start()
        run = weigh("load", "ycsb-c", "--target", cluster.url, "--rate", "100", *BRIEF, "--duration", "15s")
        with replica.client() as client:
            assert "role:master" in client.text("INFO", "replication")
            served = client.text("INFO", "commandstats")
    assert "cmdstat_hgetall" in served, served
    intervals = run.json["runs"][0]["requests"]
    # A third of the requests fail from the death of one to the promotion of the other, and none afterwards.
    assert intervals["answered"] > 0.75 * 1_500, intervals
    assert "L7.failed" in run.codes


@pytest.fixture
def scripted(weigh: Weigh, cluster: Cluster) -> Iterator[tuple[Weigh, str]]:
    yield weigh, cluster.url


def _script(weigh: Weigh, url: str, text: str) -> Run:
    (weigh.folder / "own.txt").write_text(text)
    return weigh("load", "own.txt", "--target", url, "--rate", "100", *BRIEF[:4], "--quiet", "--json")


def test_scripts_of_commands_go_where_their_keys_are(scripted: tuple[Weigh, str]) -> None:
    weigh, url = scripted
    text = '\\set n random(1, 100)\nSET "{user:n}:a" :n;\nMGET "{user:n}:a" "{user:n}:b";\nINCRBY counter:n 1;\n'
    run = _script(weigh, url, text)
    assert run.code in RAN, run.err
    assert "L7.failed" not in run.codes


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("MGET one two;", "give them the same hash tag"),
        ("SET one 1;\nMULTI;\nSET one 2;\nEXEC;", "MULTI belongs to one connection to one node"),
        ('SET one "1;', "quote"),
    ],
)
def test_what_a_cluster_cannot_do_is_refused_with_its_reason(scripted: tuple[Weigh, str], text: str, why: str) -> None:
    run = _script(*scripted, text)
    assert run.code == 2
    assert why in " ".join(run.err.split()), run.err


def test_scans_need_an_order_that_a_cluster_has_not(weigh: Weigh, cluster: Cluster) -> None:
    run = weigh("load", "ycsb-e", "--target", cluster.url, "--rate", "100", *BRIEF)
    assert run.code == 2
    assert "lies on one node" in " ".join(run.err.split())


def test_one_node_by_itself_is_not_the_cluster(weigh: Weigh, cluster: Cluster) -> None:
    run = weigh("load", "ycsb-c", "--target", cluster.url.replace("-cluster", ""), "--rate", "100", *BRIEF)
    assert run.code == 2
    assert "valkey-cluster://" in run.err


def test_urls_of_clusters() -> None:
    assert target("redis-cluster://me@there:7000").text == "redis-cluster://me@there:7000"
    for text, why in [("valkey-cluster://there/3", "one database"), ("redis-clusters://there", "redis-cluster")]:
        with pytest.raises(UsageError) as caught:
            target(text)
        assert why in f"{caught.value.what} {caught.value.remedy}"


@pytest.mark.parametrize(
    "flags", [("--nemesis", "partition"), ("--crash", "1", "--kill-command", "true", "--start-command", "true")]
)
def test_what_happens_to_one_server_is_not_done_to_a_cluster(weigh: Weigh, flags: tuple[str, ...]) -> None:
    run = weigh("load", "ycsb-a", "--target", "valkey-cluster://127.0.0.1:1", "--rate", "100", *BRIEF[2:], *flags)
    assert run.code == 2
    assert "a cluster is several" in run.err


class _Endless(Door):
    """A node that has all slots by its own word, and sends every request on: to itself."""

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError, ValueError):
            requests = client.makefile("rb")
            while words := read_request(requests):
                match words[0].upper():
                    case b"CLUSTER":
                        own = f"*3\r\n$9\r\n127.0.0.1\r\n:{self.port}\r\n$40\r\n{'a' * 40}\r\n"
                        client.sendall(f"*1\r\n*3\r\n:0\r\n:16383\r\n{own}".encode())
                    case b"INFO":
                        client.sendall(b"$22\r\nvalkey_version:9.9.9\r\n\r\n")
                    case b"HSET":
                        client.sendall(b":1\r\n")
                    case b"HGETALL":
                        client.sendall(f"-MOVED 1 127.0.0.1:{self.port}\r\n".encode())
                    case _:
                        client.sendall(b"-ERR unknown command\r\n")


@pytest.mark.long
def test_a_node_that_sends_everything_on_ends_in_errors(weigh: Weigh) -> None:
    with _Endless() as node:
        url = f"valkey-cluster://127.0.0.1:{node.port}"
        run = weigh("load", "ycsb-c", "--target", url, "--rate", "20", "--duration", "1s", *BRIEF[2:])
    assert run.out, run.err
    assert "L7.failed" in run.codes
    assert "MOVED" in run.out

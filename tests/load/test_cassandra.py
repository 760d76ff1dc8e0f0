"""Cassandra and ScyllaDB as targets: URLs of several nodes, what levels mean, and loads of a node of the tests' own."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from lies.cql_proxy import CqlProxy
from lies.loading import accused
from support.command import RAN, Weigh
from support.cql_server import CqlServer
from support.hostile_servers import Trickle
from support.tls_proxy import certificates
from weigh.engines.prepared import cache_folder
from weigh.load.target.cassandra.address import address
from weigh.load.target.cassandra.replicas import durability_unread, replicas, undurable
from weigh.load.target.registry import target
from weigh.model.errors import EngineFault, UsageError
from weigh_liars.tcp_server import Door

if TYPE_CHECKING:
    from pathlib import Path

BRIEF = ("ycsb-a", "--records", "50", "--rate", "100", "--duration", "1s", "--connections", "4", "--quiet", "--json")
SIMPLE = "{'class': 'org.apache.cassandra.locator.SimpleStrategy', 'replication_factor': '3'}"
TWO_CENTRES = "{'class': 'NetworkTopologyStrategy', 'east': '3', 'west': '2'}"


def test_a_url_names_several_nodes_levels_and_no_password() -> None:
    found = address("cassandra://ann:hunter2@a,[::1]:9043,c:9044/shop?consistency=quorum&sslmode=require")
    assert (found.url.host, found.url.port, found.nodes) == ("a", 9044, (("::1", 9043), ("c", 9044)))
    assert found.levels == {"consistency": "QUORUM", "serial_consistency": "SERIAL"}
    assert found.url.text == "cassandra://ann@a,[::1]:9043,c:9044/shop?consistency=QUORUM&sslmode=require"
    connect = found.connect()
    assert (connect["kind"], connect["password"], connect["tls"]) == ("cql", "hunter2", "require")
    plain = address("scylla://db/shop")
    assert (plain.url.port, plain.nodes, plain.levels["consistency"]) == (9042, (), "LOCAL_ONE")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("cassandra://a,b", "no keyspace"),
        ("cassandra://a,,b/k", "a node that is none"),
        ("cassandra://a:99999,b/k", "a node that is none"),
        ("cassandra://a,a/k", "a node twice"),
        ("cassandra://a/k?consistency=ANY", "no level that reads and writes"),
        ("cassandra://a/k?serial_consistency=ONE", "is no serial level"),
        ("cassandra://a,b/k?sslmode=verify-full", "names several"),
        ("cassandra://a/k?level=ONE", "parameter 'level'"),
        ("casandra://a/k", "no target"),
    ],
)
def test_a_url_that_is_none_is_refused(text: str, word: str) -> None:
    with pytest.raises(UsageError, match=word):
        target(text)


@pytest.mark.parametrize(
    ("level", "replication", "answering", "of", "meets"),
    [
        ("ONE", SIMPLE, 1, 3, False),
        ("TWO", SIMPLE, 2, 3, True),
        ("QUORUM", SIMPLE, 2, 3, True),
        ("ALL", SIMPLE, 3, 3, True),
        ("ONE", SIMPLE.replace("3", "1"), 1, 1, True),
        ("QUORUM", SIMPLE.replace("3", "2"), 2, 2, True),
        ("TWO", SIMPLE.replace("3", "4"), 2, 4, False),
        ("LOCAL_QUORUM", TWO_CENTRES, 2, 3, True),
        ("LOCAL_ONE", TWO_CENTRES, 1, 5, False),
        ("QUORUM", TWO_CENTRES, 3, 5, True),
        ("EACH_QUORUM", TWO_CENTRES, 4, 5, True),
        # More than there are: such a level cannot be had.
        ("TWO", SIMPLE.replace("3", "1"), 2, 1, True),
    ],
)
def test_a_level_means_so_many_replicas(level: str, replication: str, answering: int, of: int, meets: bool) -> None:
    found = replicas(level, replication, "east")
    assert found is not None
    assert (found.answering, found.of, found.meets) == (answering, of, meets)


@pytest.mark.parametrize(
    "replication", ["", "{}", "{'class': 'EverywhereStrategy'}", "nonsense(", "{'class': 'LocalStrategy'}"]
)
def test_replicas_that_are_not_told_are_not_known(replication: str) -> None:
    assert replicas("QUORUM", replication, "east") is None


def test_what_may_lose_an_acknowledged_write_is_named() -> None:
    assert not undurable({"commitlog_sync": "batch"}, "true")
    [periodic] = undurable({"commitlog_sync": "periodic", "commitlog_sync_period": "7000ms"}, "True")
    assert "last 7000ms" in periodic
    assert "durable_writes is false" in undurable({"commitlog_sync": "group"}, "False")[0]


@pytest.mark.parametrize(
    ("sync", "durable_writes", "unread"),
    [
        ("batch", "True", ""),
        ("periodic", "false", ""),
        ("xq\x00", "true", "commitlog_sync"),
        ("", "true", "commitlog_sync"),
        ("batch", "", "durable_writes"),
    ],
)
def test_what_is_no_setting_of_durability_is_not_taken_for_one(sync: str, durable_writes: str, unread: str) -> None:
    found = durability_unread({"commitlog_sync": sync}, durable_writes)
    assert found.startswith(unread) and bool(found) == bool(unread)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ycsb-e",), "order of the hashes"),
        (("tpcc",), "tpcc needs PostgreSQL, MySQL or MariaDB"),
        (("isolation",), "isolation is about transactions"),
        (("ycsb-a", "--crash", "1"), "of a cluster one node is no server"),
        (("ycsb-a", "--nemesis", "pause"), "pause is made of one server, and a cluster is several nodes"),
        (("ycsb-a", "--nemesis", "kill"), "weigh cannot kill a server that it has not started"),
        (("tpcb-like",), "CQL has none that span statements"),
    ],
)
def test_what_needs_order_transactions_or_one_server_is_refused_with_the_reason(
    weigh: Weigh, words: tuple[str, ...], said: str
) -> None:
    with CqlServer() as server:
        url = f"cassandra://127.0.0.1:{server.port}/k"
        run = weigh("load", *words, "--target", url, "--quiet", *(() if "isolation" in words else ("--rate", "9")))
    assert run.code == 2, run.err
    assert said in " ".join(run.err.split()), run.err


@pytest.mark.parametrize(
    ("level", "lags", "code"),
    [
        pytest.param("QUORUM", False, "", marks=pytest.mark.long),
        pytest.param("QUORUM", True, "L6.wrong", marks=pytest.mark.long),
        ("ONE", True, "L6.stale"),
    ],
)
def test_an_older_value_is_a_lie_but_at_a_level_that_allows_it(weigh: Weigh, level: str, lags: bool, code: str) -> None:
    with CqlServer(lags=lags) as server:
        run = weigh("load", *BRIEF, "--target", f"cassandra://127.0.0.1:{server.port}/k?consistency={level}")
    assert run.code == 1 if code == "L6.wrong" else run.code in RAN, run.err
    assert {one for one in accused(run) if one.startswith("L6")} == ({code} if code else set()), run.codes
    [back] = run.json["answers"]["read_back"]
    # Every replica is asked then.
    assert back["wrong"] == back["missing"] == 0 and back["read"] >= back["written"] > 0


def test_tls_begins_with_the_connection_and_the_certificate_is_checked_where_it_is_asked_for(tmp_path: Path) -> None:
    authority, certificate = certificates(tmp_path)
    with CqlServer(certificate=certificate) as server:
        place = f"cassandra://localhost:{server.port}/k"
        for query, mode in (("sslmode=require", "require"), (f"sslmode=verify-full&sslrootcert={authority}", "verify")):
            with target(f"{place}?{query}").reach(cache_folder(), 4) as reached:
                assert (reached.read.product, reached.read.tls) == ("Cassandra", mode)
        with pytest.raises(EngineFault):
            reach(place)


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (b"\x84\x00\x00\x00\x08\xff\xff\xff\xff", "a frame of 4294967295 bytes"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "CQL's protocol, version 4"),
        (b"\x84\x00\x00\x00\x0f\x00\x00\x00\x00", "a frame of kind 0x0f"),
        (b"", "hung up"),
    ],
)
def test_what_a_node_must_not_send_is_named(sent: bytes, words: str) -> None:
    with Hostile(sent) as server, pytest.raises(EngineFault, match=words):
        reach(f"cassandra://127.0.0.1:{server.port}/k")


@pytest.mark.long
def test_a_node_that_sends_events_and_never_answers_is_given_up() -> None:
    with (
        Trickle(b"\x84\x00\xff\xff\x0c\x00\x00\x00\x00", 0.05) as server,
        pytest.raises(EngineFault, match="no answer within 10 s"),
    ):
        reach(f"cassandra://127.0.0.1:{server.port}/k")


def reach(text: str) -> None:
    """Reach a cluster and leave it."""
    with target(text).reach(cache_folder(), 4):
        pass


class Hostile(Door):
    """Answers whatever is asked with the same bytes, and hangs up."""

    def __init__(self, sent: bytes) -> None:
        self._sent = sent
        super().__init__()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError):
            client.recv(1 << 16)
            client.sendall(self._sent)
            client.shutdown(socket.SHUT_WR)


@pytest.mark.long
@pytest.mark.parametrize("lies", [True, False])
def test_an_acknowledged_write_that_is_forgotten_is_found_at_any_level(weigh: Weigh, lies: bool) -> None:
    with CqlServer() as server, CqlProxy(("127.0.0.1", server.port), lies=lies) as proxy:
        run = weigh("load", *BRIEF, "--target", f"cassandra://127.0.0.1:{proxy.port}/k?consistency=ONE")
    assert ("L6.wrong" in run.codes) == lies, run.codes
    assert run.json["load"]["target"].endswith("?consistency=ONE")

"""Servers that somebody else runs on this machine: their process, and which one an error is about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.hostile_servers import Trickle
from weigh.engines.prepared import cache_folder
from weigh.load.resp import Client
from weigh.load.target.postgres import EmbeddedPostgres
from weigh.load.target.registry import target
from weigh.load.target.valkey.target import EmbeddedValkey

if TYPE_CHECKING:
    from support.command import Weigh


def test_a_valkey_by_url_is_found() -> None:
    with EmbeddedValkey().reach(cache_folder(), 4) as kept:
        assert kept.servers == ()
        with Client(kept.connect) as client:
            info = dict(line.split(":", 1) for line in client.ask("INFO", "server").splitlines() if ":" in line)
        with target(f"redis://localhost?host={kept.connect['socket']}").reach(cache_folder(), 4) as reached:
            assert reached.servers == (int(info["process_id"]),)


@pytest.mark.long
def test_a_postgresql_by_url_is_found() -> None:
    with EmbeddedPostgres().reach(cache_folder(), 4) as kept:
        assert kept.servers == ()
        url = f"postgres://{kept.connect['user']}@localhost/postgres?host={kept.connect['socket']}"
        with target(url).reach(cache_folder(), 4) as reached:
            first = int((Path(kept.connect["socket"]) / "postmaster.pid").read_text().split()[0])
            assert reached.servers == (first,)


def test_of_several_servers_an_error_names_the_one_in_the_way(weigh: Weigh) -> None:
    with EmbeddedValkey().reach(cache_folder(), 4) as kept:
        socket = kept.connect["socket"]
        first, other = (f"redis://localhost{database}?host={socket}" for database in ("", "/99"))
        flags = ("--records", "10", "--rate", "20", "--duration", "1s", "--same-engine")
        run = weigh("load", "ycsb-c", "--contender", f"a={first}", "--contender", f"b={other}", *flags)
    assert run.code == 2
    assert f"error: {other}: logging in: DB index is out of range (ERR)" in run.err
    assert "name a database that the server has" in run.err


@pytest.mark.parametrize("scheme", ["rediss", "valkeys-cluster", "https", "clickhouses"])
def test_a_server_without_tls_is_told_from_one_that_is_not_there(weigh: Weigh, scheme: str) -> None:
    load = ("load", "get" if scheme == "https" else "ycsb-c", "--rate", "20", "--duration", "1s", "--target")
    with Trickle(b"-ERR unknown command\r\n", 0.01) as server:
        run = weigh(*load, f"{scheme}://127.0.0.1:{server.port}")
        closed = server.port
    assert run.code == 2
    assert "see whether TLS is spoken there" in run.err
    gone = weigh(*load, f"{scheme}://127.0.0.1:{closed}")
    assert gone.code == 2 and "check the address, and that it runs" in gone.err

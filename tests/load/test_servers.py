"""The process of a server that somebody else runs on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from weigh.engines.prepared import cache_folder
from weigh.load.resp import Client
from weigh.load.target.postgres import EmbeddedPostgres
from weigh.load.target.registry import target
from weigh.load.target.valkey.target import EmbeddedValkey


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

"""What is abandoned at a time-out is ended in the server; none is taken for one that says nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from servers.conftest import SECRET
from weigh.engines.remote.adapter import profile_named
from weigh_worker import silence

if TYPE_CHECKING:
    from support.command import Weigh

pytestmark = pytest.mark.servers


def test_mariadb_executes_nothing_after_a_time_out(weigh: Weigh, maria_spec: str) -> None:
    """Without keys it takes minutes for this query. The password is in a variable that the contender names."""
    of_tpch = ("--workload", "tpch", "--scale", "0.01", "--operations", "q8", "--timeout", "3s")
    named = ("--contender", "duckdb", "--contender", f"{maria_spec}?weigh.secret=DB_PASSWORD")
    run = weigh("gate", *of_tpch, *named, "--json", DB_PASSWORD=SECRET)
    assert "maria failed on q8" in " ".join(weigh("report", "latest").out.split()), run.json["gate"]
    client = shutil.which("mariadb")
    if client is None:
        pytest.skip("the client of MariaDB is not installed: apt-get install mariadb-client-core")
    port = maria_spec.rpartition(":")[2]
    where = ["-h127.0.0.1", f"-P{port}", "-uroot"]
    command = [client, "--no-defaults", *where, "-N", "-e", "SHOW FULL PROCESSLIST"]
    own = {**os.environ, "MYSQL_PWD": SECRET}
    listed = subprocess.run(command, env=own, check=True, capture_output=True, text=True)
    assert "mkt_share" not in listed.stdout


@pytest.mark.parametrize("fixture", ["maria", "pg15", "pg18", "trino", "spark", "clickhouse", "h2"])
def test_every_server_answers_what_tells_it_from_a_mute_one(request: pytest.FixtureRequest, fixture: str) -> None:
    """Or a slow one would be given up."""
    spec = str(request.getfixturevalue(f"{fixture}_spec"))
    url = urlsplit(spec.partition("=")[2])
    hello = silence.POSTGRES if url.scheme.startswith("postgres") else profile_named(url.scheme).hello
    assert hello is not None
    assert url.hostname and url.port
    assert not silence.mute(url.hostname, url.port, hello, 20)

"""Loads of a MariaDB: started from its folder and by URL; one whose proxy forgets a write is found, its twin is not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lies.loading import GENTLE
from lies.mysql_proxy import MySqlProxy
from servers.conftest import SECRET
from weigh.engines.prepared import cache_folder
from weigh.load.target.registry import target

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Weigh

pytestmark = pytest.mark.servers


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, Any]]:
    if not any(Path("/usr", place, "mariadbd").exists() for place in ("sbin", "bin")):
        pytest.skip("MariaDB is not installed: apt-get install mariadb-server")
    with target("mariadb:embedded@/usr").reach(cache_folder(), 20) as reached:
        yield reached.connect


@pytest.mark.parametrize("lies", [False, True], ids=["honest", "forgets"])
def test_an_acknowledged_write_that_is_forgotten_is_found(weigh: Weigh, server: dict[str, Any], lies: bool) -> None:
    with MySqlProxy(server["socket"], lies=lies) as proxy:
        url = f"mysql://{server['user']}@127.0.0.1:{proxy.port}/{server['database']}"
        run = weigh("load", *GENTLE, "--target", url, "--contention", "99%")
    assert ("L6.wrong" in run.codes) == lies, run.codes
    [back] = run.json["answers"]["read_back"]
    assert back["written"] > 0 and back["read"] >= back["written"]


def test_the_password_of_a_url_is_nowhere(weigh: Weigh, maria_spec: str) -> None:
    url = f"{maria_spec.partition('=')[2]}/mysql".replace("root@", f"root:{SECRET}@")
    run = weigh("load", *GENTLE, "--target", url, "--contention", "99%")
    assert run.json["load"]["target"].startswith("mariadb://root@127.0.0.1:")
    assert SECRET not in run.out + run.err
    for file in weigh.folder.rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file


def test_tpcc_keeps_its_twelve_conditions(weigh: Weigh) -> None:
    if shutil.which("mariadb-install-db") is None:
        pytest.skip("MariaDB is not installed: apt-get install mariadb-server")
    flags = ("--rate", "10", "--duration", "2s", "--connections", "4", "--warehouses", "1", "--contention", "99%")
    run = weigh("load", "tpcc", "--target", "mariadb:embedded@/usr", *flags, "--json", "--quiet")
    twelve = [one for one in run.json["answers"]["invariants"] if one["name"].startswith("condition ")]
    assert len(twelve) >= 24 and all(one["holds"] for one in twelve), json.dumps(twelve)[:2000]

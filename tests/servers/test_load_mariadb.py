"""Loads of a MariaDB: started from its folder and by URL; one whose proxy forgets a write is found, its twin is not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from lies.loading import GENTLE
from lies.mysql_proxy import WEAKER, MySqlProxy
from servers.conftest import SECRET
from support.servers import maria
from weigh.engines.prepared import cache_folder
from weigh.load.target.registry import target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


def test_a_password_may_have_any_letters(weigh: Weigh, folder_of: Callable[[str], Path]) -> None:
    secret = 'hunter2\u00e9\u5bc6"b%41@/:?# x'
    with maria.running(folder_of("letters"), secret) as spec:
        url = f"{spec}/mysql".replace("root@", f"root:{quote(secret, safe='')}@")
        load = weigh("load", *GENTLE, "--target", url, "--contention", "99%")
        named = ("--contender", f"maria={spec}", "--contender", "duckdb")
        flags = ("--scale", "1K", "--operations", "by_action", "--quiet")
        gate = weigh("gate", *named, *flags, MARIADB_PASSWORD=secret)
    assert load.json["answers"]["read_back"][0]["read"] > 0
    assert gate.code == 0, gate.err
    assert "hunter2" not in load.out + load.err + gate.out + gate.err
    for file in weigh.folder.rglob("*"):
        assert not file.is_file() or b"hunter2" not in file.read_bytes(), file


@pytest.mark.promise("MariaDB 10.11 | repeatable read | lost update", "MariaDB 10.11 | serializable | | any")
@pytest.mark.parametrize("level", ["read-uncommitted", "read-committed", "repeatable-read", "serializable"])
def test_levels_show_what_they_allow_alone(weigh: Weigh, server: dict[str, Any], level: str) -> None:
    assert server
    flags = ("--closed", "--duration", "3s", "--connections", "16", "--contention", "100%", "--quiet", "--json")
    run = weigh("load", "isolation", "--target", "mariadb:embedded@/usr", "--isolation", level, *flags, timeout=300)
    one = run.json["runs"][0]["isolation"]
    assert (one["outcome"], one["violations"], one["unchecked"]) == ("not seen", [], ""), one
    assert set(one["named"]) == {level}
    shown = {each["name"] for each in one["allowed"]}
    if level == "serializable":
        assert not shown
    else:
        assert "lost-update" in shown
        assert ("phantom" in shown) == (level != "repeatable-read")


@pytest.mark.parametrize("lies", [False, True], ids=["honest", "weaker"])
def test_a_level_that_is_named_and_not_kept_is_found(weigh: Weigh, server: dict[str, Any], lies: bool) -> None:
    flags = ("--closed", "--duration", "3s", "--connections", "8", "--contention", "100%", "--quiet", "--json")
    with MySqlProxy(server["socket"], lies=False, rewrites=WEAKER if lies else {}) as proxy:
        url = f"mysql://{server['user']}@127.0.0.1:{proxy.port}/{server['database']}"
        run = weigh("load", "isolation", "--isolation", "serializable", "--target", url, *flags)
    one = run.json["runs"][0]["isolation"]
    assert set(one["named"]) == {"serializable"}
    assert ("L12.violated" in run.codes) == lies, run.codes
    assert run.code == int(lies)
    assert (one["outcome"] == "violated") == lies
    assert not lies or "lost-update" in {each["name"] for each in one["violations"]}


@pytest.mark.parametrize("script", ["tpcb-like", "simple-update", "select-only"])
def test_the_built_in_scripts_keep_their_sums(weigh: Weigh, server: dict[str, Any], script: str) -> None:
    assert server
    flags = ("--rate", "20", "--duration", "2s", "--connections", "4", "--contention", "99%", "--json", "--quiet")
    run = weigh("load", script, "--target", "mariadb:embedded@/usr", *flags, timeout=300)
    assert "L7.failed" not in run.codes and run.json["runs"][0]["requests"]["answered"] > 0
    kept = run.json["answers"]["invariants"]
    assert all(one["holds"] for one in kept) and bool(kept) == (script != "select-only"), kept


BUY = """\\set id random(1, 4)
-- invariant: SELECT sum(stock) + (SELECT count(*) FROM sale) FROM item = 400
BEGIN;
UPDATE item SET stock = stock - 1 WHERE id = :id;
INSERT INTO sale (item, n) VALUES (:id, 1);
COMMIT;
"""
HELD = """BEGIN;
UPDATE item SET stock = stock - 1 WHERE id = 1;
SELECT stock FROM item WHERE id = 2;
UPDATE item SET stock = stock - 1 WHERE id = 3;
COMMIT;
"""
DUMP = """CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(40) NOT NULL, stock INT NOT NULL);
INSERT INTO item VALUES (1, 'a;b', 100), (2, 'it\\'s', 100), (3, 'c', 100), (4, 'd', 100);
CREATE TABLE `sale` (id BIGINT AUTO_INCREMENT PRIMARY KEY, item INT NOT NULL, n INT NOT NULL);
"""


def scripts(weigh: Weigh) -> tuple[str, ...]:
    (weigh.folder / "buy.sql").write_text(BUY)
    (weigh.folder / "look.sql").write_text("\\set id random(1, 4)\nSELECT name, stock FROM item WHERE id = :id;\n")
    (weigh.folder / "dump.sql").write_text(DUMP)
    return ("look.sql", "buy.sql", "--prepare", "dump.sql", "--contention", "99%", "--connections", "4", "--quiet")


def test_own_scripts_on_an_own_dump_keep_their_invariant(weigh: Weigh, server: dict[str, Any]) -> None:
    assert server
    flags = ("--rate", "100", "--duration", "2s", "--require", "p99<=10s", "--json")
    run = weigh("load", *scripts(weigh), "--target", "mariadb:embedded@/usr", *flags, timeout=300)
    assert "L7.failed" not in run.codes and run.json["runs"][0]["requests"]["answered"] > 0
    assert [one["holds"] for one in run.json["answers"]["invariants"]] == [True, True]


def test_the_row_that_sessions_wait_for_and_who_is_in_the_way_are_named(weigh: Weigh, server: dict[str, Any]) -> None:
    assert server
    (weigh.folder / "held.sql").write_text(HELD)
    flags = ("held.sql", *scripts(weigh)[2:], "--closed", "--duration", "3s", "--json")
    run = weigh("load", *flags, "--target", "mariadb:embedded@/usr", timeout=300)
    waits = run.json["runs"][0]["waits"]
    assert (waits["lock"]["lock"], waits["lock"]["table"]) == ("row", "weigh.item")
    assert [one["statement"] for one in waits["roots"] if one["whose"] == "load"]
    assert "E4.blocker" not in run.codes
    assert any(event.startswith("Stage:") for one in waits["statements"] for event in one["events"])


def test_settings_of_which_one_may_lose_writes_are_not_ranked(weigh: Weigh, server: dict[str, Any]) -> None:
    assert server
    contenders = ("--contender", "a=mariadb:embedded@/usr", "--contender")
    lax = "b=mariadb:embedded@/usr?innodb_flush_log_at_trx_commit=2"
    flags = ("--rate", "50", "--duration", "1s", "--blocks", "5", "--no-twice", "--json")
    run = weigh("load", *scripts(weigh), *contenders, lax, *flags, timeout=500)
    assert {one["verdict"] for one in run.json["verdicts"]} <= {"refused", "unranked"}
    assert "durability" in run.out


def test_faults_and_crashes_lose_nothing(weigh: Weigh, server: dict[str, Any]) -> None:
    assert server
    load = ("load", "ycsb-a", "--records", "1000", "--target", "mariadb:embedded@/usr", "--rate", "100", "--contention")
    flags = ("99%", "--connections", "4", "--json", "--quiet", "--duration")
    run = weigh(*load, *flags, "3s", "--crash", "2", timeout=300)
    assert len(run.json["durability"]["crashes"]) == 2, run.json["durability"]
    assert not any(one["account"]["lost"] for one in run.json["durability"]["crashes"])
    assert not {"L6.wrong", "L11.lost"} & run.codes
    run = weigh(*load, *flags, "20s", "--nemesis", "pause,kill", timeout=300)
    faults = run.json["disturbances"]["faults"]
    assert {one["kind"] for one in faults} == {"pause", "kill"}
    assert not any(one["lost"] or one["failed"] for one in faults)


def test_a_ladder_grows_past_the_buffers(weigh: Weigh, server: dict[str, Any]) -> None:
    assert server
    target = "mariadb:embedded@/usr?innodb_buffer_pool_size=16M"
    flags = ("--rungs", "0.5,2", "--rate", "100", "--duration", "1s", "--contention", "99%", "--quiet", "--json")
    run = weigh("ladder", "ycsb-c", "--load", "--target", target, *flags, timeout=500)
    small, large = (one["size"]["ratio"] for one in run.json["rungs"])
    assert small < 1 < large


def test_tpcc_keeps_its_twelve_conditions(weigh: Weigh) -> None:
    if shutil.which("mariadb-install-db") is None:
        pytest.skip("MariaDB is not installed: apt-get install mariadb-server")
    flags = ("--rate", "10", "--duration", "2s", "--connections", "4", "--warehouses", "1", "--contention", "99%")
    run = weigh("load", "tpcc", "--target", "mariadb:embedded@/usr", *flags, "--json", "--quiet")
    twelve = [one for one in run.json["answers"]["invariants"] if one["name"].startswith("condition ")]
    assert len(twelve) >= 24 and all(one["holds"] for one in twelve), json.dumps(twelve)[:2000]


def test_parts_of_the_tables_that_meet_a_deadlock_are_loaded_again(weigh: Weigh, server: dict[str, Any]) -> None:
    flags = ("--rate", "5", "--duration", "1s", "--connections", "2", "--warehouses", "1", "--contention", "100%")
    with MySqlProxy(server["socket"], lies=False, deadlocks=5) as proxy:
        url = f"mysql://{server['user']}@127.0.0.1:{proxy.port}/{server['database']}"
        run = weigh("load", "tpcc", "--target", url, *flags, "--json", "--quiet", timeout=300)
    assert proxy.deadlocks < 0
    twelve = [one for one in run.json["answers"]["invariants"] if one["name"].startswith("condition ")]
    assert len(twelve) >= 24 and all(one["holds"] for one in twelve), run.err

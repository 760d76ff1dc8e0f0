"""Tables that weigh loads into a server: named, and dropped where nobody will use them."""

from __future__ import annotations

import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Weigh

pytestmark = pytest.mark.servers
PASSWORD = {"MARIADB_PASSWORD": "hunter2-planted"}


def test_what_a_killed_run_had_begun_to_load_is_named_and_dropped(weigh: Weigh, maria_spec: str) -> None:
    cache = {"WEIGH_CACHE": str(weigh.folder / "cache")}
    of = ("--scale", "200K", "--operations", "eq_user", "--contender", "duckdb", "--contender", maria_spec, "--quiet")
    run = weigh.start("gate", *of, **PASSWORD, **cache)
    until = time.monotonic() + 240
    while not (found := weigh("data", "loaded", "--json", **cache).json["loaded"]):
        assert time.monotonic() < until
        assert run.poll() is None, run.communicate()
        time.sleep(0.2)
    run.send_signal(signal.SIGKILL)
    run.wait(30)
    (left,) = found
    assert left["killed"]
    assert left["drop"] == f"DROP DATABASE `{left['schema']}`"
    assert weigh("gate", *of, timeout=400, **PASSWORD, **cache).code == 0
    (now,) = weigh("data", "loaded", "--json", **cache).json["loaded"]
    assert not now["killed"]
    assert now["schema"] != left["schema"]


def test_streams_change_tables_of_their_own_in_mariadb_and_leave_none(weigh: Weigh, maria_spec: str) -> None:
    """TPC-H's 22 queries and both refresh functions; tables of a life that was killed are dropped by the next one."""
    port = maria_spec.rpartition(":")[2]

    def client(sql: str) -> str:
        command = ["mariadb", "-h", "127.0.0.1", "-P", port, "-u", "root", f"-p{PASSWORD['MARIADB_PASSWORD']}", "-N"]
        return subprocess.run([*command, "-e", sql], check=True, capture_output=True, text=True).stdout

    client("CREATE DATABASE weigh_streams_000000000000")
    of = ("--workload", "tpch", "--scale", "0.01", "--streams", "1", "--starts", "1", "--quiet", "--json")
    run = weigh("run", "--contender", "duckdb", "--contender", maria_spec, *of, timeout=900, **PASSWORD)
    found = {one["contender"]: one for one in run.json["contenders"]}
    assert found["maria"]["status"] == "agreed", run.err
    figures = {one["name"] for one in run.json["figures"] if one["contender"] == "maria"}
    assert figures == {"power", "throughput", "composite", "queries alone"}
    codes = {one["code"] for one in run.json["findings"] if one["contender"] == "maria"}
    assert "T10.sessions" in codes
    assert not codes & {"A1.stream", "A4.refreshed", "A4.between"}
    assert client("SHOW DATABASES LIKE 'weigh%'") == ""


def test_a_user_who_may_make_no_database_learns_what_to_do(weigh: Weigh, maria_spec: str) -> None:
    name, _, url = maria_spec.partition("=")
    command = ["mariadb", "-h127.0.0.1", f"-P{url.rpartition(':')[2]}", "-uroot", f"-p{PASSWORD['MARIADB_PASSWORD']}"]
    guest = f"CREATE USER guest@'%' IDENTIFIED BY '{PASSWORD['MARIADB_PASSWORD']}'"
    subprocess.run([*command, "-e", guest], check=True, capture_output=True)
    of = ("--scale", "1K", "--operations", "by_action", "--contender", "duckdb", "--quiet")
    run = weigh("gate", *of, "--contender", f"{name}={url.replace('root@', 'guest@')}", **PASSWORD)
    words = " ".join(run.out.split())
    assert run.code == 2
    assert "let the user, or take weigh.data=exists): (1044, " in words

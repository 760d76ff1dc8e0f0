"""Tables that weigh loads into a server: named, and dropped where nobody will use them."""

from __future__ import annotations

import signal
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

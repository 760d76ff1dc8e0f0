"""The ClickHouse profile against today's engine: no package has its server, chDB answers behind its HTTP interface."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from support import clickhouse_front
from weigh.engines import environment
from weigh.engines.chdb import engine
from weigh.engines.prepared import cache_folder
from weigh.model.contender import parse_contender

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Weigh

SECRET = "hunter2-planted"
ASKED = "by_action,eq_user,time_window,extremes_by_action,duration_by_proto,at_the_ends,unscored"


@pytest.fixture
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    python = environment.ensure(engine.requirements(parse_contender("chdb")), cache_folder()).python
    command = [str(python), str(clickhouse_front.__file__), str(tmp_path_factory.mktemp("clickhouse")), SECRET]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as front:
        assert front.stdout
        assert front.stdin
        yield int(front.stdout.readline())
        front.stdin.close()


@pytest.mark.long
def test_todays_clickhouse_agrees_and_its_cache_is_off(weigh: Weigh, port: int) -> None:
    named = ("--contender", "duckdb", "--contender", f"click=clickhouse://default@127.0.0.1:{port}/default")
    flags = ("--scale", "2K", "--operations", ASKED, "--no-shrink", "--json")
    run = weigh("gate", *flags, *named, CLICKHOUSE_PASSWORD=SECRET)
    assert run.code == 0, run.err
    assert {row["status"] for row in run.json["gate"]} == {"agreed"}
    assert "A9.enabled" not in run.codes
    assert SECRET not in run.out + run.err

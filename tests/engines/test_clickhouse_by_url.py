"""The ClickHouse profile against today's engine: no package has its server, chDB answers behind its HTTP interface."""

from __future__ import annotations

import math
import subprocess
from decimal import Decimal
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from support import clickhouse_front
from weigh.engines import environment
from weigh.engines.chdb import engine
from weigh.engines.prepared import cache_folder
from weigh.engines.remote.adapter.clickhouse import PROFILE
from weigh.engines.remote.adapter.clickhouse_http import literal
from weigh.engines.remote.adapter.rows import stream
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


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "NULL"), (True, "1"), (1.5, "1.5"), (Decimal("1E-7"), "0.0000001"), ("a\\'b", "'a\\\\\\'b'")],
)
def test_values_as_clickhouse_reads_them(value: object, text: str) -> None:
    assert literal(value) == text


def test_numbers_that_came_as_text_are_the_nearest_doubles() -> None:
    kinds = [PROFILE.kind(("x", "Nullable(Float64)")), PROFILE.kind(("d", "LowCardinality(Nullable(Decimal(9, 2)))"))]
    given = stream(["x", "d"], kinds, [["55401.602799776585", "1.50"], ["nan", 2], [None, None]])
    read = pa.ipc.open_stream(given).read_all()
    assert read["x"].to_pylist()[0] == 55401.602799776585
    assert math.isnan(read["x"].to_pylist()[1])
    assert read["d"].to_pylist() == [Decimal("1.50"), Decimal("2.00"), None]


@pytest.mark.long
def test_todays_clickhouse_agrees_and_its_cache_is_off(weigh: Weigh, port: int) -> None:
    named = ("--contender", "duckdb", "--contender", f"click=clickhouse://default@127.0.0.1:{port}/default")
    flags = ("--scale", "2K", "--operations", ASKED, "--no-shrink", "--json")
    run = weigh("gate", *flags, *named, CLICKHOUSE_PASSWORD=SECRET)
    assert run.code == 0, run.err
    assert {row["status"] for row in run.json["gate"]} == {"agreed"}
    assert "A9.enabled" not in run.codes
    assert SECRET not in run.out + run.err

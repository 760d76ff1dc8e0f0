"""ClickHouse as a target: its own engine answers behind its interface (:mod:`support.clickhouse_front`)."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from support import clickhouse_front
from support.command import RAN, Weigh
from support.hostile_servers import Trickle
from weigh.engines import environment
from weigh.engines.chdb import engine
from weigh.engines.prepared import cache_folder
from weigh.load.target.registry import target
from weigh.model.contender import parse_contender
from weigh.model.errors import EngineFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "geheim"
BRIEF = ("--rate", "20", "--duration", "1s", "--connections", "2", "--quiet", "--json")


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    python = environment.ensure(engine.requirements(parse_contender("chdb")), cache_folder()).python
    command = [str(python), str(clickhouse_front.__file__), str(tmp_path_factory.mktemp("clickhouse")), SECRET]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())
        assert process.stdin is not None
        process.stdin.close()


def _offered(weigh: Weigh, port: int, text: str, parameters: str = "") -> tuple[int, dict[str, object], set[str], str]:
    (weigh.folder / "own.sql").write_text(text)
    url = f"clickhouse://default@127.0.0.1:{port}/default{parameters}"
    run = weigh("load", "own.sql", "--target", url, *BRIEF, CLICKHOUSE_PASSWORD=SECRET)
    return run.code, run.json, run.codes, run.err


def test_scripts_are_offered_and_their_rows_read(weigh: Weigh, port: int) -> None:
    text = "\\set n random(1, 9)\nSELECT :n + 1 AS m, 'a\\tb' AS t \\gset\nSELECT :m;\n"
    code, _, codes, err = _offered(weigh, port, text, "?max_threads=1")
    assert code in RAN, err
    assert "L7.failed" not in codes


def test_what_it_refuses_is_an_error_with_its_number(weigh: Weigh, port: int) -> None:
    _, document, codes, _ = _offered(weigh, port, "SELECT nothing FROM nowhere;\n")
    assert "L7.failed" in codes
    (text,) = [one["text"] for one in document["findings"] if one["code"] == "L7.failed"]  # type: ignore[attr-defined]
    assert "DB::Exception" in text
    assert "(60)" in text


def test_it_describes_itself(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLICKHOUSE_PASSWORD", SECRET)
    url = f"clickhouse://default@127.0.0.1:{port}/default?max_threads=1"
    with target(url).reach(cache_folder(), 2) as reached:
        read = reached.read
    assert read.product == "ClickHouse"
    assert read.in_force["max_threads"]["value"]
    assert "log_queries" in read.in_force
    assert read.durable is False
    assert SECRET not in repr(read)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("clickhouse://host:port/db", "port is no number"),
        ("clickhouse://host/db/more", "no server and database"),
        ("clickhouse://host/?password=x", "password="),
        ("clickhous://host", "clickhouse"),
    ],
)
def test_urls_that_are_none(url: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        target(url)
    assert why in f"{caught.value.what} {caught.value.remedy}"


def test_a_server_that_is_not_there() -> None:
    with (
        pytest.raises(EngineFault, match="cannot be reached"),
        target("clickhouse://127.0.0.1:1").reach(cache_folder(), 2),
    ):
        pass


def test_what_is_no_http_is_not_repeated() -> None:
    with (
        Trickle(b"\x07no \x1b[31mHTTP\r\n", 0.1) as server,
        pytest.raises(EngineFault, match="does not answer as HTTP does: BadStatusLine"),
        target(f"clickhouse://127.0.0.1:{server.port}").reach(cache_folder(), 2),
    ):
        pass


def test_rows_that_change_by_key_are_no_work_for_it(weigh: Weigh, port: int) -> None:
    url = f"clickhouse://default@127.0.0.1:{port}/default"
    run = weigh("load", "ycsb-a", "--target", url, *BRIEF, CLICKHOUSE_PASSWORD=SECRET)
    assert run.code == 2
    assert "in the background" in run.err

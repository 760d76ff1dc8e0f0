"""Servers of other systems against the ground truth, from the command line: every operation of netflow, and TPC-H.

What a system cannot parse is unsupported with the server's own reason, and listed here: nothing else may be.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from weigh.workloads.netflow import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Run, Weigh

pytestmark = pytest.mark.servers
SECRET = "hunter2-planted"
VARIABLES = ("MARIADB_PASSWORD", "CLICKHOUSE_PASSWORD", "SPARK_CONNECT_AUTHENTICATE_TOKEN", "PGPASSWORD", "H2_PASSWORD")
PASSWORDS = dict.fromkeys(VARIABLES, SECRET)
EARLIER = {"time_window", "denied_and_allowed", "at_the_ends", "past_the_ends"}
"""Instants with fractions of a second came to ClickHouse after 2018, and so did their literals."""


class Server(NamedTuple):
    """Of one fixture.

    Attributes:
        fixture: the contender.
        version: what its own word begins with.
        lacking: operations that it cannot parse.
        slow: operations that are left out: it joins by nested loops, and weigh makes no keys.
    """

    fixture: str
    version: str
    lacking: frozenset[str] = frozenset()
    slow: frozenset[str] = frozenset()


SERVERS = (
    Server("maria_spec", "10."),
    Server("pg15_spec", "15."),
    Server("pg18_spec", "18."),
    Server("trino_spec", "476"),
    Server("spark_spec", "4."),
    Server("clickhouse_spec", "18.16.1", frozenset(EARLIER)),
    Server("h2_spec", "2.4.240", slow=frozenset({"same_user"})),
)


def statuses(run: Run, name: str) -> dict[str, str]:
    """By operation, of one contender; those that it agreed on are named with all others."""
    return {row["operation"]: row["status"] for row in run.json["gate"] if name in row["contenders"]}


@pytest.fixture(autouse=True)
def listed() -> Iterator[None]:
    """No process that runs meanwhile has the password among its arguments."""
    found: set[str] = set()
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.2):
            for one in Path("/proc").glob("[0-9]*/cmdline"):
                with suppress(OSError):
                    if SECRET.encode() in (line := one.read_bytes()):
                        found.add(line.decode(errors="replace"))

    looker = threading.Thread(target=look)
    looker.start()
    yield
    ended.set()
    looker.join()
    assert not found


def nowhere(run: Run) -> None:
    """The password is in nothing that weigh wrote or printed."""
    assert SECRET not in run.out + run.err
    assert not [one for one in run.evidence.rglob("*") if one.is_file() and SECRET.encode() in one.read_bytes()]


@pytest.mark.parametrize("server", SERVERS, ids=lambda one: one.fixture.removesuffix("_spec"))
def test_all_of_netflow_agrees_with_the_ground_truth(
    weigh: Weigh, request: pytest.FixtureRequest, server: Server
) -> None:
    spec = request.getfixturevalue(server.fixture)
    name = spec.partition("=")[0]
    named = ("--contender", "duckdb", "--contender", spec)
    if server.slow:
        named += ("--operations", ",".join(one for one in OPERATIONS if one not in server.slow))
    run = weigh("gate", "--scale", "20K", *named, "--no-shrink", "--json", timeout=600, **PASSWORDS)
    assert run.code == 0, run.err
    found = statuses(run, name)
    assert {one for one, status in found.items() if status == "unsupported"} == server.lacking
    assert {status for one, status in found.items() if one not in server.lacking} == {"agreed"}
    assert set(found) >= set(OPERATIONS) - server.slow
    (there,) = (one for one in run.json["contenders"] if one["name"] == name)
    assert there["version"].startswith(server.version)
    assert "T10.sessions" in run.codes or name.startswith("pg")
    assert "A9.enabled" not in run.codes
    nowhere(run)


def test_data_frames_agree_with_a_server(weigh: Weigh, maria_spec: str) -> None:
    """SQL and expressions, in one gate."""
    named = [flag for one in ("duckdb", "polars-df", "pandas", maria_spec) for flag in ("--contender", one)]
    run = weigh("gate", "--scale", "20K", *named, "--no-shrink", "--json", timeout=600, **PASSWORDS)
    assert run.code == 0, run.err
    assert not [row for row in run.json["gate"] if row["status"] not in ("agreed", "unsupported")]


# Without keys a query in a query is executed for each row: minutes, where an index would make it milliseconds.
WITHOUT_KEYS = {"maria_spec": {"q20", "q21"}, "pg15_spec": {"q20"}, "pg18_spec": {"q20"}}
HASHED = (
    "?join_cache_level=8&optimizer_switch=join_cache_hashed%3Don,optimize_join_buffer_size%3Don"
    "&join_buffer_size=67108864&join_buffer_space_limit=536870912"
)
"""Joins of MariaDB by hashing: without them, and without keys, seven more of the 22 take minutes."""


@pytest.mark.parametrize("fixture", ["maria_spec", "pg15_spec", "pg18_spec", "trino_spec", "spark_spec"])
def test_tpch_agrees_with_the_published_answers(weigh: Weigh, request: pytest.FixtureRequest, fixture: str) -> None:
    spec = request.getfixturevalue(fixture) + (HASHED if fixture == "maria_spec" else "")
    asked = [f"q{number}" for number in range(1, 23) if f"q{number}" not in WITHOUT_KEYS.get(fixture, ())]
    of_tpch = ("--workload", "tpch", "--scale", "0.01", "--operations", ",".join(asked))
    named = ("--contender", "duckdb", "--contender", spec)
    run = weigh("gate", *of_tpch, *named, "--no-shrink", "--json", timeout=600, **PASSWORDS)
    assert run.code == 0, run.err
    assert statuses(run, spec.partition("=")[0]) == dict.fromkeys(asked, "agreed")
    nowhere(run)


@pytest.mark.long
@pytest.mark.parametrize("part", [range(1, 34), range(34, 67), range(67, 100)], ids=lambda part: f"from_{part[0]}")
@pytest.mark.parametrize("fixture", ["spark_spec", "trino_spec"])
def test_tpcds_agrees_with_another_engine(
    weigh: Weigh, request: pytest.FixtureRequest, fixture: str, part: range
) -> None:
    """All 99 in the dialect of the server; in parts, each of which takes minutes."""
    spec = request.getfixturevalue(fixture)
    asked = [f"q{number}" for number in part]
    of_tpcds = ("--workload", "tpcds", "--scale", "0.01", "--operations", ",".join(asked))
    named = ("--contender", "duckdb", "--contender", spec)
    run = weigh("gate", *of_tpcds, *named, "--no-shrink", "--json", timeout=1200, **PASSWORDS)
    assert run.code == 0, run.err
    assert statuses(run, spec.partition("=")[0]) == dict.fromkeys(asked, "agreed")


def test_what_clickhouse_of_2018_cannot_plan_of_tpch_is_unsupported(weigh: Weigh, clickhouse_spec: str) -> None:
    """Tables joined by commas, also where it calls that an error of its own logic."""
    of_tpch = ("--workload", "tpch", "--scale", "0.01", "--operations", "q1,q3,q12")
    named = ("--contender", "duckdb", "--contender", clickhouse_spec)
    run = weigh("gate", *of_tpch, *named, "--no-shrink", "--json", timeout=600, **PASSWORDS)
    assert run.code == 0, run.err
    assert statuses(run, "clickhouse") == {"q1": "agreed", "q3": "unsupported", "q12": "unsupported"}

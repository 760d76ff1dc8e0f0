"""What a PostgreSQL server's sessions waited for: a row that everybody updates, and its twin that only reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support.command import RAN, Run, Weigh
from weigh._native import Load
from weigh.engines.prepared import cache_folder
from weigh.load.target.registry import target

if TYPE_CHECKING:
    from collections.abc import Iterator

UPDATE = "UPDATE weigh_hot SET n = n + ? WHERE id = ?"
SETUP = "DO $do$ BEGIN EXECUTE 'CREATE TABLE weigh_hot (id int PRIMARY KEY, n int)'; "
SETUP += "EXECUTE 'INSERT INTO weigh_hot VALUES (1, 0), (2, 0)'; END $do$;"
INTRUDER = """
SET application_name = 'intruder';
DO $do$ BEGIN
  FOR i IN 1..3000 LOOP
    PERFORM pg_stat_clear_snapshot();
    EXIT WHEN 4 <= (SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'UPDATE weigh_hot SET n = n + %');
    PERFORM pg_sleep(0.01);
  END LOOP;
  EXECUTE 'UPDATE weigh_hot SET n = 0 WHERE id = 1';
  PERFORM pg_sleep(1);
END $do$;
"""
"""Takes the row when several clients update it, and holds it for a second."""


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, Any]]:
    with target("postgres:embedded").reach(cache_folder(), 16) as reached:
        load(reached.connect, SETUP).finish()
        yield reached.connect


def load(connect: dict[str, Any], text: str) -> Load:
    """Once, from one connection; begun."""
    made = Load(json.dumps({
        "target": connect,
        "workload": {
            "kind": "script", "scripts": [{"name": "test", "text": text, "weight": 1}], "seed": 0, "prepared": False
        },
        "arrivals": {"kind": "trace", "times_s": [0]},
        "duration_s": 0.1, "connections": 1, "threads": 1, "max_in_flight": 1, "timeout_s": 60, "interval_s": 1.0,
    }))  # fmt: skip
    made.start()
    return made


def offered(folder: Any, connect: dict[str, Any], workload: str, *flags: str) -> Run:
    url = f"postgres://{connect['user']}@/{connect['database']}?host={connect['socket']}"
    usual = ("--closed", "--connections", "6", "--quiet", "--json")
    return Weigh(folder)("load", workload, "--target", url, *usual, *flags)


@pytest.fixture(scope="module")
def hot(server: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Twice six clients update one row, which somebody else takes at the beginning of the first run."""
    folder = tmp_path_factory.mktemp("hot")
    (folder / "hot.sql").write_text("UPDATE weigh_hot SET n = n + 1 WHERE id = 1;\n")
    intruder = load(server, INTRUDER)
    run = offered(folder, server, "hot.sql", "--duration", "1500ms", "--repeats", "2")
    intruder.finish()
    return run


def test_the_row_its_table_and_the_statement_in_the_way_are_named(hot: Run) -> None:
    assert hot.code in RAN, hot.err
    waits = hot.json["runs"][1]["waits"]
    (statement,) = [one for one in waits["statements"] if one["statement"] == UPDATE]
    locked = sum(times for event, times in statement["events"].items() if event in ("Lock:transactionid", "Lock:tuple"))
    assert locked > statement["samples"] / 4
    assert waits["lock"]["lock"] in ("transactionid", "tuple")
    assert waits["lock"]["table"] == waits["table"]["table"] == "public.weigh_hot"
    # Not of every one: the server reads a session's locks on tables a moment before what it waits for.
    assert 2 * waits["table"]["samples"] > waits["table"]["of"] == waits["lock_waits"]
    assert UPDATE in {one["statement"] for one in waits["roots"] if one["whose"] == "load"}
    assert waits["longest"]["longest_s"] > 0
    assert waits["server_cpu_s"] is None or waits["server_cpu_s"] > 0


def test_somebody_else_in_the_way_is_named(hot: Run) -> None:
    waits = hot.json["runs"][0]["waits"]
    assert [one["name"] for one in waits["roots"] if one["whose"] == "other"] == ["intruder"]
    # All but the first wait for the one before them.
    assert waits["deepest"]["ahead"] > 1
    assert "E4.blocker" in hot.codes


def test_it_is_in_the_report(hot: Run) -> None:
    assert "Hottest table: public.weigh_hot" in (hot.evidence / "report.txt").read_text()
    assert "Hottest table: public.weigh_hot" in (hot.evidence / "report.html").read_text()


def test_reads_wait_for_no_lock(server: dict[str, Any], weigh: Weigh) -> None:
    run = offered(weigh.folder, server, "ycsb-c", "--records", "200", "--duration", "1s")
    assert run.code in RAN, run.err
    waits = run.json["runs"][0]["waits"]
    assert waits["looks"] > 0
    assert (waits["lock"], waits["table"], waits["roots"], waits["longest"]) == (None, None, [], None)
    assert "E4.blocker" not in run.codes
    assert "Hottest" not in (run.evidence / "report.txt").read_text()

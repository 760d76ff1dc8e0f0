"""Load from Python, against a real server: logins, errors, an end before the end."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from weigh._native import Load, LoadError
from weigh.engines.prepared import cache_folder
from weigh.load.target.registry import target

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = """
DO $body$ BEGIN
  EXECUTE 'CREATE ROLE ann LOGIN PASSWORD ''right''';
  EXECUTE format('COPY (SELECT unnest(ARRAY[''local all ann scram-sha-256'', ''local all all trust''])) TO %L',
                 current_setting('hba_file'));
  PERFORM pg_reload_conf();
END $body$;
"""


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, Any]]:
    with target("postgres:embedded").reach(cache_folder(), 8) as reached:
        yield reached.connect


def made(connect: dict[str, Any], text: str, **other: Any) -> Load:
    return Load(json.dumps({
        "target": connect,
        "workload": {
            "kind": "script", "scripts": [{"name": "test", "text": text, "weight": 1}], "seed": 0, "prepared": False
        },
        "arrivals": {"kind": "trace", "times_s": [0]},
        "duration_s": 0.1, "connections": 1, "threads": 1, "max_in_flight": 1, "timeout_s": 20, "interval_s": 1.0,
        **other,
    }))  # fmt: skip


def ran(load: Load) -> tuple[dict[str, Any], dict[str, Any]]:
    """The summary, and the only operation of the only interval."""
    load.start()
    summary = json.loads(load.finish())
    [interval] = json.loads(load.poll())
    [operation] = interval["operations"]
    return summary, operation


def test_a_password_is_proven_by_scram(server: dict[str, Any]) -> None:
    _, operation = ran(made(server, SECRET))
    assert (operation["count"], operation["errors"]) == (1, {})
    ann = {**server, "user": "ann"}
    until = time.monotonic() + 120
    while True:  # until the server has read its file again
        try:
            made({**ann, "password": "wrong"}, "SELECT 1;").start()
        except LoadError as error:
            assert "logging in as 'ann'" in str(error)
            assert "password authentication failed" in str(error)
            break
        assert time.monotonic() < until
        time.sleep(0.05)
    summary, operation = ran(made({**ann, "password": "right"}, "SELECT current_user;"))
    assert (summary["done"], operation["count"]) == (1, 1)


def test_an_error_of_the_server_is_an_outcome_and_its_block_is_ended(server: dict[str, Any]) -> None:
    text = "BEGIN; SELECT 1 / 0; END;"
    arrivals = {"kind": "trace", "times_s": [0, 0, 0]}
    summary, operation = ran(made(server, text, arrivals=arrivals))
    assert (summary["scheduled"], summary["done"], operation["count"]) == (3, 3, 0)
    [(error, times)] = operation["errors"].items()
    assert "division by zero" in error
    assert times == 3


def test_a_stop_ends_a_run_within_a_second_and_the_rest_is_counted(server: dict[str, Any]) -> None:
    load = made(
        server, "SELECT pg_sleep(30);", arrivals={"kind": "constant", "rate": 100}, duration_s=60, connections=2,
        max_in_flight=2,
    )  # fmt: skip
    load.start()
    time.sleep(0.5)
    load.stop()
    summary = json.loads(load.finish())
    assert summary["sent"] == summary["in_flight_at_end"] == 2
    assert summary["scheduled"] == summary["sent"] + summary["unsent"]
    # How many were due by then is the machine's doing; the whole minute's were not.
    assert summary["sent"] <= summary["scheduled"] < 6000
    with pytest.raises(LoadError, match="started already"):
        load.start()


def test_what_cannot_be_prepared_or_reached_is_said_before_the_run(server: dict[str, Any]) -> None:
    script = {"name": "test", "text": "SELECT * FROM nowhere;", "weight": 1}
    workload = {"kind": "script", "scripts": [script], "seed": 0, "prepared": True}
    with pytest.raises(LoadError, match=r"preparing 'SELECT \* FROM nowhere.*42P01") as raised:
        made(server, "", workload=workload).start()
    error = raised.value
    assert (error.kind, error.code, error.statement) == ("refused", "42P01", "SELECT * FROM nowhere")
    assert (error.script, error.line, error.column, error.remedy) == ("test", 1, None, None)
    with pytest.raises(LoadError, match="script test, line 2, column 8: there is no function foo") as raised:
        made(server, "SELECT 1;\n\\set x foo(1)")
    error = raised.value
    assert (error.kind, error.script, error.line, error.column) == ("script", "test", 2, 8)
    with pytest.raises(LoadError, match="cannot be reached"):
        made({**server, "socket": None, "host": "127.0.0.1", "port": 1}, "SELECT 1;").start()
    with pytest.raises(LoadError, match="does not offer"):
        made({**server, "tls": "require"}, "SELECT 1;").start()

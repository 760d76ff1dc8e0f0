"""A known workload on a real PostgreSQL, captured from its totals and from its log."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from support.captured_workload import WEIGHTS, calls
from weigh.engines import environment
from weigh.engines.postgres import PSYCOPG
from weigh.engines.prepared import cache_folder
from weigh.load.target.registry import target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.command import Weigh

SETTINGS = {
    "shared_preload_libraries": "pg_stat_statements",
    "logging_collector": "on",
    "log_destination": "jsonlog",
    "log_directory": "log",
    "log_filename": "server.log",
    "log_file_mode": "0644",
    "log_min_duration_statement": "0",
}
CLIENT = """
import json, sys, time
import psycopg

asked = json.load(sys.stdin)
with psycopg.connect(**asked["connect"], autocommit=True) as connection:
    connection.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    for number in range(20):
        connection.execute(
            f"CREATE TABLE t{number:02} AS SELECT id, id % 7 AS v, 'user' || id % 500 AS name, "
            "(ARRAY['open', 'paid', 'sent'])[1 + id % 3] AS state FROM generate_series(1, 10000) AS id"
        )
        connection.execute(f"ANALYZE t{number:02}")
    connection.execute("SELECT pg_stat_statements_reset()")
    begun = time.monotonic()
    for at, text in asked["calls"]:
        time.sleep(max(0.0, begun + at - time.monotonic()))
        connection.execute(text)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, Path]]:
    """A server that has answered the known workload, and its log."""
    asked = "&".join(f"{name}={value}" for name, value in SETTINGS.items())
    with target(f"postgres:embedded?{asked}").reach(cache_folder(), 4) as kept:
        assert kept.data is not None
        connect = {"host": kept.connect["socket"], "user": kept.connect["user"], "dbname": "postgres"}
        made = [(at, text) for at, text, _, _ in calls("poisson", 2_000)]
        subprocess.run(
            [str(environment.ensure([*PSYCOPG], cache_folder()).python), "-c", CLIENT],
            input=json.dumps({"connect": connect, "calls": made}).encode(),
            check=True,
        )
        url = f"postgres://{connect['user']}@localhost/postgres?host={connect['host']}"
        yield url, next((kept.data / "data" / "log").glob("*.json"))


def weights(found: dict[str, Any]) -> None:
    """The weights of the 20 statements are those of the generator, within 2 %."""
    counted = {}
    for one in found["statements"]:
        if name := re.search(r"\bt\d\d\b", one["text"]):
            counted[name[0]] = one["calls"]
    whole = sum(counted.values())
    for number, weight in enumerate(WEIGHTS):
        assert counted[f"t{number:02}"] / whole == pytest.approx(weight / sum(WEIGHTS), rel=0.02), number


@pytest.mark.long
def test_totals_of_a_server_give_the_weights_and_leave_out_what_weigh_asked(
    weigh: Weigh, server: tuple[str, Path], tmp_path: Path
) -> None:
    url, _ = server
    for name in ("first", "second"):
        run = weigh("capture", url, "--out", str(tmp_path / name), "--json")
        assert run.code == 0, run.err
        found = json.loads(run.out)
        weights(found)
        covered = found["coverage"][0]
        assert covered["time"] >= 0.95
        assert not [one for one in found["statements"] if "weigh capture" in one["text"] or "pg_stats" in one["text"]]
    own = next(one for one in found["left_out"] if one["reason"] == "own")
    assert own["number"] >= 4
    assert "of weigh capture itself" in own["text"]


@pytest.mark.long
def test_the_log_of_a_server_gives_the_weights(weigh: Weigh, server: tuple[str, Path], tmp_path: Path) -> None:
    _, written = server
    lines = written.read_text().splitlines(keepends=True)
    begun = next(place for place, line in enumerate(lines) if "pg_stat_statements_reset" in line)
    # What the first test asked is in it too.
    (tmp_path / "log.json").write_text("".join(lines[begun + 1 :]))
    run = weigh("capture", str(tmp_path / "log.json"), "--out", str(tmp_path / "out"), "--json")
    assert run.code == 0, run.err
    found = json.loads(run.out)
    weights(found)
    assert found["coverage"][0]["time"] >= 0.95
    assert not [one for one in found["statements"] if "weigh capture" in one["text"]]


@pytest.mark.long
def test_totals_of_a_server_are_obfuscated(weigh: Weigh, server: tuple[str, Path], tmp_path: Path) -> None:
    url, _ = server
    run = weigh("capture", url, "--out", str(tmp_path / "out"), "--obfuscate", "--json")
    assert run.code == 0, run.err
    found = json.loads(run.out)
    assert found["coverage"][0]["time"] >= 0.9
    whole = "".join(path.read_text() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert not re.findall(r"\bt\d\d\b|user\d|\bstate\b|paid|postgres://|localhost", whole)
    # Ranges of columns are values of them: numbers between two images are no images.
    assert {one["kind"] for script in found["scripts"] for one in script["parameters"]} <= {
        "constant",
        "frequent",
        "sampled",
    }

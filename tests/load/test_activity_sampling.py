"""What looks at servers: a PostgreSQL log, SQLite's write-ahead log, a real Valkey."""

from __future__ import annotations

import datetime
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections import namedtuple
from typing import TYPE_CHECKING, Any

import pytest

from support.waiting import eventually
from weigh.engines.prepared import cache_folder
from weigh.load.activity.sampler import ActivityProcess
from weigh.load.activity.sampling import family
from weigh.load.activity.sampling.looking import Looking
from weigh.load.activity.sampling.postgres import PostgresServer
from weigh.load.activity.sampling.sqlite import SqliteLog
from weigh.load.activity.sampling.valkey import ValkeyServer
from weigh.load.resp import Client, Refused
from weigh.load.target.registry import target

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.load.activity.model import Activity

Row = namedtuple("Row", "now position deadlocks waiting checkpoints workers vacuumed")
EPOCH = datetime.datetime(2026, 11, 23, 4, 0, tzinfo=datetime.UTC).timestamp()


class Connection:
    """Answers as a server of a version would, one row after the other."""

    def __init__(self, version: int, *rows: dict[str, Any]) -> None:
        self.info = namedtuple("Info", "server_version")(version * 10000)
        usual = {
            "position": 0, "deadlocks": 0, "waiting": 0, "checkpoints": [{"done": None, "took": 0.0, "buffers": 0}],
            "workers": None, "vacuumed": None,
        }  # fmt: skip
        self._rows = [Row(**{**usual, "now": EPOCH + at, **row}) for at, row in enumerate(rows)]

    def execute(self, text: str, *, prepare: bool) -> Any:
        assert ("pg_stat_checkpointer" in text) == (self.info.server_version >= 170000)
        row = self._rows.pop(0)
        return namedtuple("Found", "fetchall")(lambda: [row])

    def close(self) -> None:
        """Nothing."""


LOG = """\
2026-11-23 03:59:58.000 UTC [12] LOG:  checkpoint starting: time
2026-11-23 04:00:03.500 UTC [12] LOG:  checkpoint complete: wrote 42 buffers (0.3%), wrote 2 SLRU buffers; \
0 WAL file(s) added, 0 removed, 1 recycled; write=3.000 s, sync=1.250 s, total=5.500 s; sync files=9
2026-11-23 04:00:04.000 UTC [77] ERROR:  deadlock detected
2026-11-23 04:00:04.000 UTC [77] DETAIL:  Process 77 waits for checkpoint complete: wrote 9 buffers
2026-11-23 04:00:05.100 UTC [12] LOG:  checkpoint complete (immediate): wrote 7 buffers (0.0%); \
0 WAL file(s) added, 0 removed, 0 recycled; write=0.001 s, sync=0.020 s, total=0.100 s; sync files=1
2026-11-23 04:00:06.000 UTC [12] LOG:  checkpoint comp"""


def test_checkpoints_and_deadlocks_of_a_servers_log(tmp_path: Path) -> None:
    """What was there before it began to look is not read; a line that is not whole yet waits for its rest."""
    log = tmp_path / "server.log"
    log.write_text("2026-11-23 03:00:00.000 UTC [12] LOG:  checkpoint complete: wrote 1 buffers; "
                   "write=0.1 s, sync=0.1 s, total=0.2 s\n")  # fmt: skip
    server = PostgresServer(Connection(18, {}, {}, {}), None, log)
    assert server.look()[1] == []
    with log.open("a") as file:
        file.write(LOG)
    before = time.monotonic()
    events = server.look()[1]
    # The second answer was given at one second of the server's clock.
    ours = (before + time.monotonic()) / 2 - (EPOCH + 1.0)
    assert [(one["kind"], one["amount"], one["told"]) for one in events] == [
        ("checkpoint", 42, "log"), ("checkpoint_sync", 42, "log"), ("deadlock", 1, "log"), ("checkpoint", 7, "log"),
    ]  # fmt: skip
    assert events[0]["what"] == "time"
    placed = [(one["at"] - ours - EPOCH, one["until"] - ours - EPOCH) for one in events]
    assert placed == [pytest.approx(span, abs=0.01) for span in ((-2.0, 3.5), (1.0, 3.5), (4.0, 4.0), (5.0, 5.1))]
    assert server.look()[1] == []
    server.close()


@pytest.mark.parametrize("version", [14, 17, 18])
def test_without_a_log_its_counters_tell_between_two_looks(version: int) -> None:
    done = [None, None] if version < 18 else [3, 4]
    first, second = (
        [{"done": number, "took": took, "buffers": buffers}]
        for number, took, buffers in zip(done, (100.0, 350.0), (5, 25), strict=True)
    )
    then = {"checkpoints": second, "deadlocks": 2}
    server = PostgresServer(Connection(version, {"checkpoints": first}, then, then), None, None)
    assert server.look()[1] == []
    assert server.look()[1] == [
        {"kind": "checkpoint", "earlier": 0.25, "took_s": 0.25, "amount": 20},
        {"kind": "deadlock", "earlier": 1.0, "amount": 2},
    ]
    assert server.look()[1] == []


def test_autovacuum_by_the_servers_own_times() -> None:
    def table(vacuums: int, end: float | None, took: float | None = None) -> dict[str, Any]:
        return {
            "relid": 7, "name": "public.usertable", "vacuums": vacuums, "analyzes": 0, "vacuum_end": end,
            "analyze_end": None, "vacuum_took": took, "analyze_took": 0.0,
        }  # fmt: skip

    working = {"workers": [[9, "autovacuum: VACUUM ANALYZE public.usertable", EPOCH + 0.5]]}
    server = PostgresServer(
        Connection(
            17,
            {},
            working,
            {"vacuumed": [table(1, EPOCH + 1.9)]},
            {"vacuumed": [table(2, EPOCH + 2.7)]},
            {"vacuumed": [table(3, EPOCH + 3.9, 500.0)]},
        ),
        None,
        None,
    )
    found = [server.look()[1] for _ in range(5)]
    assert [len(events) for events in found] == [0, 0, 1, 1, 1]
    spans = [one["until"] - one["at"] for (one,) in found[2:]]
    # Begun where a look met it; a moment where none did; as long as the server of a later version says.
    assert spans == [pytest.approx(1.4), 0.0, pytest.approx(0.5)]
    assert {one["what"] for (one,) in found[2:]} == {"VACUUM public.usertable"}


def test_checkpoints_of_sqlite_are_seen_from_outside(tmp_path: Path) -> None:
    """Python's own SQLite here, which nobody else has open."""
    path = tmp_path / "tables.sqlite"
    looks = SqliteLog(str(path))
    assert looks.look() == ({}, [])
    with sqlite3.connect(path, isolation_level=None) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA wal_autocheckpoint=0")
        database.execute("CREATE TABLE t (n)")
        looks.look()
        before = looks.look()[0]["log_bytes"]
        database.execute("INSERT INTO t VALUES (zeroblob(40000))")
        seen, events = looks.look()
        assert seen["log_bytes"] - before > 40_000
        assert seen["backlog"] > 40_000
        assert not events
        frames = database.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[2]
        seen, (event,) = looks.look()
        assert (event["kind"], seen["backlog"]) == ("checkpoint", 0)
        assert 10 <= event["amount"] <= frames
        # A checkpoint, and a log that begins anew, between two looks.
        database.execute("INSERT INTO t VALUES (1)")
        looks.look()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("INSERT INTO t VALUES (2)")
        assert [one["kind"] for one in looks.look()[1]] == ["checkpoint"]
        assert looks.look()[1] == []
    database.close()
    looks.look()
    assert looks.look() == ({}, [])
    looks.close()


def test_a_process_of_its_own_looks_and_ends(tmp_path: Path) -> None:
    path = tmp_path / "tables.sqlite"
    sampler = ActivityProcess({"path": str(path)})
    origin = time.monotonic()
    found: list[Activity] = []
    with sqlite3.connect(path, isolation_level=None) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE t (n)")
        sampler.begin(origin)
        for _ in range(100):
            database.execute("INSERT INTO t VALUES (zeroblob(5000))")
            database.execute("PRAGMA wal_checkpoint(PASSIVE)")
            found.append(sampler.drain())
            if any(one.events for one in found):
                break
            time.sleep(0.05)
        found.append(sampler.end())
    database.close()
    after = time.monotonic() - origin
    events = [event for one in found for event in one.events]
    assert events
    assert all(event.kind == "checkpoint" and event.source == "looks" for event in events)
    assert all(-0.1 <= event.at <= (event.until or 0.0) <= after for event in events)
    assert found[0].counted == ("checkpoint",)
    assert not any(one.error for one in found)
    process = sampler._process
    assert process
    sampler.close()
    assert process.returncode == 0
    sampler.close()


def test_a_valkey_says_what_it_does() -> None:
    with target("valkey:embedded").reach(cache_folder(), 2) as reached, Client(reached.connect) as client:
        server = ValkeyServer(Client(reached.connect), Refused, reached.process)
        seen, events = server.look()
        assert events == []
        assert seen["server_cpu_s"] > 0
        client.ask("SET", "a", "b" * 10_000)
        client.ask("CONFIG", "SET", "slowlog-log-slower-than", "0")
        client.ask("GET", "a")
        client.ask("CONFIG", "SET", "slowlog-log-slower-than", "-1")
        client.ask("BGSAVE")
        found: list[dict[str, Any]] = []
        eventually(lambda: found.extend(server.look()[1]) or "snapshot" in {one["kind"] for one in found})
        client.ask("BGREWRITEAOF")
        eventually(lambda: found.extend(server.look()[1]) or "log_rewrite" in {one["kind"] for one in found})
        client.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-random")
        client.ask("CONFIG", "SET", "maxmemory", "1")
        eventually(lambda: found.extend(server.look()[1]) or "eviction" in {one["kind"] for one in found})
        slow = [one["what"] for one in found if one["kind"] == "slow_command"]
        assert "GET" in slow
        assert "INFO" not in slow
        assert "b" * 100 not in json.dumps(found)
        server.close()


def test_the_cpu_of_a_server_is_that_of_all_its_processes() -> None:
    burn = "import time\nwhile time.process_time() < 0.2: pass\n"
    whole = f"import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', {burn!r}]); sys.stdin.readline()"
    with subprocess.Popen([sys.executable, "-S", "-c", whole], stdin=subprocess.PIPE) as server:
        assert server.stdin
        eventually(lambda: (family.cpu_seconds(server.pid) or 0.0) >= 0.19)
        server.stdin.close()
    assert family.cpu_seconds(server.pid) is None
    assert family.cpu_seconds(os.getpid())


def test_what_lies_between_looks_that_are_far_apart_has_no_place() -> None:
    """A server that stood still has not answered, and what is counted then may have been at any time."""

    class Slow:
        period = 0.01
        kinds = ("deadlock",)
        asked = 0

        def look(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
            self.asked += 1
            time.sleep(0.6 if self.asked == 2 else 0.0)
            return {}, [{"kind": "deadlock", "amount": 1}] if self.asked in (2, 4) else []

        def close(self) -> None:
            """Nothing."""

    source = Slow()
    looks = Looking(lambda: source)
    looks.begin(0.0)
    eventually(lambda: source.asked > 5)
    seen = looks.end()
    assert "vague" in seen["events"][0]
    assert seen["events"][0]["until"] - seen["events"][0]["at"] >= 0.6
    assert "error" not in seen

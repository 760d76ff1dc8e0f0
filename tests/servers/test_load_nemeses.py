"""Each nemesis on PostgreSQL, MariaDB and Valkey: found by what users feel, and named; without it a load is clean."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lies.loading import accused
from support.command import RAN, Weigh

if TYPE_CHECKING:
    from support.command import Run

pytestmark = pytest.mark.servers

TARGETS = {"postgres": "postgres:embedded", "mariadb": "mariadb:embedded@/usr", "valkey": "valkey:embedded"}
LOAD = ("--rate", "200", "--connections", "4", "--contention", "100%", "--json", "--quiet")
MIX = (
    "ycsb",
    *(word for one in ("read=0.5", "update=0.3", "insert=0.2") for word in ("-p", one.replace("=", "proportion="))),
)
GROWS = ("ycsb", "-p", "readproportion=0.2", "-p", "insertproportion=0.8", "-p", "fieldlength=1000")
"""Two megabytes a second: what a server has in reserve on its disk does not last."""
REFUSALS = {"postgres": "53100", "mariadb": "1114", "valkey": "connection lost"}
"""How a write fails that finds no room: disk_full, ER_RECORD_FILE_FULL; a Valkey that keeps every write ends itself."""
STAMPED = {
    "postgres": ("bigserial PRIMARY KEY, paid timestamptz", "clock_timestamp()", "INTERVAL '30 minutes'"),
    "mariadb": ("bigint AUTO_INCREMENT PRIMARY KEY, paid datetime", "sysdate()", "INTERVAL 30 MINUTE"),
}
"""Columns of a table, the time by the server's clock, and half an hour."""
LACKS = "libfaketime, which is not installed"


def loaded(name: str, folder: Path, *arguments: str, duration: str) -> Run:
    if name == "mariadb" and not any(Path("/usr", place, "mariadbd").exists() for place in ("sbin", "bin")):
        pytest.skip("MariaDB is not installed: apt-get install mariadb-server")
    return Weigh(folder)("load", *arguments, "--target", TARGETS[name], *LOAD, "--duration", duration, timeout=400)


def faults(run: Run) -> dict[str, dict[str, Any]]:
    assert run.code in RAN, run.err
    return {one["kind"]: one for one in run.json["disturbances"]["faults"]}


def need_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("a file system of a server's own needs root")


@pytest.mark.parametrize("name", TARGETS)
def test_who_asks_while_a_server_is_away_waits_and_the_fault_is_named(tmp_path: Path, name: str) -> None:
    kinds = ("kill", "pause", "partition", "latency")
    run = loaded(name, tmp_path, *MIX, "--records", "500", "--nemesis", ",".join(kinds), duration="24s")
    found = faults(run)
    assert set(found) == set(kinds) and not accused(run)
    assert not any(one["lost"] or one["gone"] or one["failed"] for one in found.values()), found
    assert found["kill"]["errors"] or found["kill"]["p99_with"] > found["kill"]["length_s"]
    for kind in ("pause", "partition"):
        assert found[kind]["p99_with"] > found[kind]["length_s"] / 2, found
    assert found["latency"]["p99_with"] > 0.1
    text = " ".join((run.evidence / "report.txt").read_text().split())
    assert "all its processes stood still" in text and "nothing passed between load and server" in text


@pytest.mark.parametrize("name", TARGETS)
def test_a_disk_that_is_slow_makes_users_wait(tmp_path: Path, name: str) -> None:
    need_root()
    run = loaded(name, tmp_path, *MIX, "--records", "500", "--nemesis", "slow-disk", duration="10s")
    slow = faults(run)["slow-disk"]
    # Two hundred writes a second, of which the disk takes twenty.
    assert slow["p99_with"] > slow["length_s"] / 4, slow
    assert not (slow["lost"] or slow["gone"] or slow["failed"] or slow["died"]) and not accused(run)
    assert "its disk took 20 writes a second" in " ".join((run.evidence / "report.txt").read_text().split())


@pytest.mark.parametrize("name", TARGETS)
def test_a_disk_that_is_full_refuses_writes_and_loses_none(tmp_path: Path, name: str) -> None:
    need_root()
    run = loaded(name, tmp_path, *GROWS, "--records", "500", "--nemesis", "full-disk", duration="12s")
    full = faults(run)["full-disk"]
    assert full["errors"].get(REFUSALS[name]), full
    assert full["died"] == (name == "valkey")
    assert not (full["lost"] or full["gone"] or full["failed"]) and not accused(run)
    assert "its disk was full" in " ".join((run.evidence / "report.txt").read_text().split())


@pytest.mark.promise("A script's invariants are asked when the run is over")
@pytest.mark.parametrize("nemesis", ["clock", "latency"])
@pytest.mark.parametrize("name", STAMPED)
def test_a_clock_that_is_wrong_is_found_by_what_is_written(tmp_path: Path, name: str, nemesis: str) -> None:
    columns, now, half_an_hour = STAMPED[name]
    (tmp_path / "pays.sql").write_text(f"CREATE TABLE pays (id {columns} NOT NULL);\n")
    (tmp_path / "pay.sql").write_text(
        f"-- invariant: SELECT count(*) FROM pays WHERE paid > {now} + {half_an_hour} = 0\n"
        f"INSERT INTO pays (paid) VALUES ({now});\n"
    )
    run = loaded(name, tmp_path, "pay.sql", "--prepare", "pays.sql", "--nemesis", nemesis, duration="12s")
    if LACKS in run.err:
        pytest.skip("libfaketime is not installed: apt-get install faketime")
    [one] = [one for one in run.json["answers"]["invariants"] if one["after"]]
    assert one["holds"] == (nemesis != "clock"), one
    assert ("L6.invariant" in run.codes) == (nemesis == "clock")
    assert run.code == int(nemesis == "clock")
    assert [one["kind"] for one in run.json["disturbances"]["faults"]] == [nemesis]


@pytest.mark.parametrize("name", TARGETS)
def test_the_same_load_alone_is_clean(tmp_path: Path, name: str) -> None:
    alone = loaded(name, tmp_path, *MIX, "--records", "500", duration="4s")
    assert alone.code in RAN and not accused(alone)
    assert not alone.json.get("disturbances")


def test_a_wrong_clock_costs_users_of_valkey_nothing_and_is_named(tmp_path: Path) -> None:
    run = loaded("valkey", tmp_path, *MIX, "--records", "500", "--nemesis", "clock", duration="8s")
    if LACKS in run.err:
        pytest.skip("libfaketime is not installed: apt-get install faketime")
    clock = faults(run)["clock"]
    assert not (clock["lost"] or clock["gone"] or clock["failed"] or clock["errors"]) and not accused(run)
    assert "its clock was an hour ahead" in " ".join((run.evidence / "report.txt").read_text().split())

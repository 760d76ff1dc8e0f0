"""E7: durability switched off. Settings are read back from the running server; the twin keeps what it acknowledges."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from weigh.load.resp import Client
from weigh.load.target.url import parse

from ..loading import YCSB

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.command import Run, Weigh

SHORT = (*YCSB, "--rate", "50", "--duration", "1s")
BRIEF = (*YCSB, "--rate", "50", "--duration", "300ms")


@pytest.fixture
def careless(valkey: str) -> Iterator[None]:
    """The server with its log switched off."""
    connect = {**parse("redis://x").connect(), "socket": valkey}
    with Client(connect) as client:
        client.ask("CONFIG", "SET", "appendonly", "no")
        try:
            yield
        finally:
            client.ask("CONFIG", "SET", "appendonly", "yes")


@pytest.mark.promise("allow an acknowledged write to be lost, the server is called **not durable** (`E7.not_durable`).")
@pytest.mark.usefixtures("careless")
def test_a_server_that_may_lose_writes_is_called_not_durable(offered: Callable[..., Run]) -> None:
    run = offered("none", *SHORT)
    assert "E7.not_durable" in run.codes
    assert run.json["load"]["durable"] is False
    (said,) = [one["text"] for one in run.json["findings"] if one["code"] == "E7.not_durable"]
    assert "appendonly is off" in said


def test_a_database_in_this_process_that_forces_nothing_to_the_disk_is_as_well(fresh: Callable[[], Weigh]) -> None:
    run = fresh()("load", *BRIEF, "--target", "sqlite:embedded?synchronous=OFF")
    (said,) = [one["text"] for one in run.json["findings"] if one["code"] == "E7.not_durable"]
    assert "synchronous is OFF" in said
    assert run.json["load"]["durable"] is False


def test_one_that_forces_every_commit_is_not(fresh: Callable[[], Weigh]) -> None:
    run = fresh()("load", *BRIEF, "--target", "sqlite:embedded")
    assert not {code for code in run.codes if code.startswith("E7")}
    assert run.json["load"]["durable"] is True


def test_a_server_that_keeps_them_is_not(honest_load: Run) -> None:
    assert not {code for code in honest_load.codes if code.startswith("E7")}
    assert honest_load.json["load"]["durable"] is True


@pytest.fixture
def rewriting(valkey: str) -> Iterator[None]:
    """The server told to force nothing to the disk while its log is rewritten."""
    with Client({**parse("redis://x").connect(), "socket": valkey}) as client:
        client.ask("CONFIG", "SET", "no-appendfsync-on-rewrite", "yes")
        try:
            yield
        finally:
            client.ask("CONFIG", "SET", "no-appendfsync-on-rewrite", "no")


@pytest.mark.promise("So it is with `no-appendfsync-on-rewrite`")
@pytest.mark.usefixtures("rewriting")
def test_one_that_forces_nothing_while_it_rewrites_its_log_is_too(offered: Callable[..., Run]) -> None:
    run = offered("none", *SHORT)
    assert "no-appendfsync-on-rewrite is on" in said_of(run)
    assert run.json["load"]["durable"] is False


@pytest.mark.promise("if settings that were read again after the last run had become so meanwhile")
def test_one_that_is_switched_over_after_it_was_asked_is_too(offered: Callable[..., Run], valkey: str) -> None:
    with Client({**parse("redis://x").connect(), "socket": valkey}) as client:

        def switch() -> None:
            # weigh reads the settings first, loads, and then offers requests.
            while not int(client.ask("DBSIZE")) or client.ask("CONFIG", "SET", "appendonly", "no") != "OK":
                time.sleep(0.01)

        client.ask("FLUSHALL")
        switching = threading.Thread(target=switch)
        switching.start()
        try:
            run = offered("none", *SHORT)
        finally:
            switching.join()
            client.ask("CONFIG", "SET", "appendonly", "yes")
    assert "appendonly is off" in said_of(run)
    assert "since some moment during the runs" in said_of(run)
    assert run.json["load"]["durable"] is False


LAX = """SET synchronous_commit TO off;
CREATE UNLOGGED TABLE IF NOT EXISTS fast (n int);
INSERT INTO fast VALUES (1);
"""
SAFE = """-- SET synchronous_commit TO off; an UNLOGGED table would be faster
SET synchronous_commit TO on;
CREATE TABLE IF NOT EXISTS safe (n int);
INSERT INTO safe SELECT 1 WHERE 'UNLOGGED' <> '';
"""


@pytest.mark.promise(
    "if a script of the load executes `SET synchronous_commit` to `off`, makes or names a table that is `UNLOGGED`"
)
@pytest.mark.parametrize("lax", [True, False])
def test_what_a_script_switches_off_counts_as_the_servers(fresh: Callable[[], Weigh], lax: bool) -> None:
    weigh = fresh()
    (weigh.folder / "pay.sql").write_text(LAX if lax else SAFE)
    flags = ("--closed", "--connections", "1", "--duration", "300ms", "--protocol", "simple", "--quiet", "--json")
    run = weigh("load", "pay.sql", "--target", "postgres:embedded", *flags)
    assert run.json["load"]["durable"] is not lax
    if lax:
        assert "the script pay sets synchronous_commit to off" in said_of(run)
        assert "UNLOGGED" in said_of(run)
        assert "NOT DURABLE" in (run.evidence / "report.txt").read_text()
    else:
        assert "E7.not_durable" not in run.codes


def said_of(run: Run) -> str:
    """What is reported of durability."""
    return "".join(one["text"] for one in run.json["findings"] if one["code"] == "E7.not_durable")

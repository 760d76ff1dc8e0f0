"""The password of a contender by URL: in no list of processes, evidence, page, log or error, whoever repeats it."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.refusing_servers import Refusing
from weigh_worker.adapter import Adapter, without_secrets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Run, Weigh

SECRET = "hunter2-planted"
VARIABLE = {"mariadb": "MARIADB_PASSWORD", "postgres": "PGPASSWORD", "clickhouse": "CLICKHOUSE_PASSWORD"}
TLS_ALONE = ("trino", "spark")
"""Give their password to nobody who does not speak TLS."""
URLS = {
    "trino": "trino://u@{}/memory/x?weigh.secret=DB_PASSWORD",
    "spark": "sc://u@{}?weigh.secret=DB_PASSWORD",
    "clickhouse": "clickhouse://u@{}/d",
    "mariadb": "mariadb://u@{}/d",
    "postgres": "postgres://u@{}/d",
}


@contextmanager
def unlisted() -> Iterator[None]:
    """No process that runs meanwhile has the password among its arguments."""
    listed: set[str] = set()
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.05):
            for one in Path("/proc").glob("[0-9]*/cmdline"):
                with suppress(OSError):
                    if SECRET.encode() in (line := one.read_bytes()):
                        listed.add(line.decode(errors="replace"))

    looker = threading.Thread(target=look)
    looker.start()
    try:
        yield
    finally:
        ended.set()
        looker.join()
    assert not listed


def nowhere(weigh: Weigh, run: Run) -> None:
    """In nothing that weigh printed, wrote, or prints and draws of it later."""
    later = [weigh("report", "latest", form) for form in ("--verbose", "--notes", "--json", "--markdown")]
    assert not [one for one in (run, *later) if SECRET in one.out + one.err]
    written = [one for one in weigh.folder.rglob("*") if one.is_file()]
    assert any(one.name == "report.html" for one in written)
    assert not [one for one in written if SECRET.encode() in one.read_bytes()]


@pytest.mark.parametrize(
    "engine", [pytest.param(one, marks=() if one == "mariadb" else pytest.mark.long) for one in URLS]
)
def test_a_server_that_repeats_the_password_has_it_nowhere(weigh: Weigh, engine: str) -> None:
    with Refusing(engine) as server, unlisted():
        contender = f"c={URLS[engine].format(f'127.0.0.1:{server.port}')}"
        named = ("--contender", contender, "--contender", "duckdb=fork")
        variable = {VARIABLE.get(engine, "DB_PASSWORD"): SECRET}
        run = weigh("gate", *named, "--scale", "1K", "--operations", "by_action", "--quiet", **variable)
    assert run.code == 2, run.err
    # It was given, and repeated: else nothing would be shown here.
    assert (SECRET.encode() in server.given) == (engine not in TLS_ALONE), server.given
    assert ("***" in run.err) == (engine not in TLS_ALONE), run.err
    nowhere(weigh, run)


def test_what_a_worker_says_has_no_password_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Adapter, "hidden", (SECRET, "", "a"))
    assert without_secrets(f"who are you, {SECRET}: a? {SECRET}") == "who are you, ***: a? ***"

"""The password of a contender by URL: in no list of processes, evidence, page, log or error, whoever repeats it."""

from __future__ import annotations

import base64
import html
import json
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

import pytest

from support.refusing_servers import Refusing
from weigh_worker.adapter import Adapter, without_secrets
from weigh_worker.masking import masked

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


ODD = (
    "hunter2'pl\"ant", "hunter2\\pl\\n", "hunter2-planted\r", "hunter2\nplanted", "hunter2%41@/:?#x", " hunter2 ant ",
    "hunter2\u00e9\u5bc6", "hunter2\u00e9", "hunter2%s{x}$", "hunter2<b>&amp;", "hunter2\tx",
)  # fmt: skip
WRITTEN = {
    "plain": str, "repr": lambda text: repr((1045, text)), "both quotes": lambda text: repr(f"'{text}\""),
    "ascii": ascii, "bytes": lambda text: repr(text.encode()), "json": json.dumps, "html": html.escape, "url": quote,
    "form": quote_plus, "sql": lambda text: text.replace("'", "''"), "stripped": str.strip,
    "utf-8 as latin-1": lambda text: text.encode().decode("latin-1"),
    "latin-1 as utf-8": lambda text: text.encode("latin-1", "replace").decode(errors="replace"),
    "one line": lambda text: ", ".join(text.splitlines()),
}  # fmt: skip
"""How programs write a text that holds one."""


@pytest.mark.parametrize("how", WRITTEN)
@pytest.mark.parametrize("secret", ODD)
def test_a_password_is_found_however_it_is_written(secret: str, how: str) -> None:
    text = WRITTEN[how](f"who are you, {secret}")
    assert "hunter2" in text.replace("%20", " ")
    assert "hunter2" not in masked(text, [secret])
    # Basic authentication has it behind the user.
    basic = base64.b64encode(f"u:{secret}".encode()).decode()
    assert masked(basic, [f"u:{secret}"]) == "***"
    # A twin: what is none stays.
    assert masked("who are you, hunter3?", [secret, ""]) == "who are you, hunter3?"


def test_what_a_worker_says_has_no_password_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Adapter, "hidden", (SECRET, "", "a"))
    assert without_secrets(f"who are you, {SECRET}: a? {SECRET}") == "who are you, ***: a? ***"

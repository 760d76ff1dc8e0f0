"""A server by URL that is not there, or does not answer: what, where and what to do, in words of weigh's own."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

from weigh.engines.exchange import WorkerEnded
from weigh.engines.remote.unanswered import unanswered
from weigh.model.contender import parse_contender
from weigh.model.sample import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Weigh

URLS = {
    "trino": "trino://u@{}/memory/x",
    "spark": "sc://{}",
    "clickhouse": "clickhouse://u@{}/d",
    "mariadb": "mariadb://u@{}/d",
    "postgres": "postgres://u@{}/d",
    "h2": "h2://u@{}/d",
    "mssql": "mssql://u@{}/d",
    "oracle": "oracle://u@{}/d",
    "redshift": "redshift://u@{}/d",
}
LOST = WorkerEnded(Outcome.LOST, "HTTPConnectionPool(host='h', port=1): Max retries exceeded", alive=False)
"""As one of the drivers has it."""
LATE = (
    WorkerEnded(Outcome.TIMEOUT, "no whole reply to 'open' within 60 s", alive=False),
    WorkerEnded(Outcome.ERROR, "ConnectionTimeout: connection timeout expired", alive=False),
    WorkerEnded(Outcome.ERROR, "connection attempt timed out before receiving SETTINGS frame", alive=False),
)
PAGE = WorkerEnded(
    Outcome.ERROR,
    "HttpError: error 404: b'<!DOCTYPE HTML>\\n<html><head><title>Error</title></head><body><h1>Not Found</h1>\\n"
    "<p>No such page.</p></body></html>'",
    alive=True,
)
REFUSED = WorkerEnded(Outcome.ERROR, "OperationalError: (1045, \"Access denied for user 'u'\")", alive=True)


@pytest.fixture(scope="module")
def mute() -> Iterator[str]:
    """Takes connections, and never says anything."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize("engine", URLS)
def test_who_is_not_there_is_named_with_what_to_do(engine: str, mute: str) -> None:
    def told(address: str, ended: WorkerEnded) -> tuple[str, str, str] | None:
        contender = parse_contender(f"c={URLS[engine].format(address)}")
        fault = unanswered(contender, engine, ended, 60.0)
        return None if fault is None else (fault.what, fault.where, fault.remedy)

    where = f"contender c, {URLS[engine]}"
    assert told("127.0.0.1:1", LOST) == (
        "nothing listens at 127.0.0.1:1 (connection refused)",
        where.format("127.0.0.1:1"),
        f"start {engine} there, or mend host and port in its URL",
    )
    what, place, _ = told("no-such-host.invalid:7", LOST) or pytest.fail()
    assert what.startswith("there is no host no-such-host.invalid (") and place == where.format(
        "no-such-host.invalid:7"
    )
    for late in LATE:
        what, place, remedy = told(mute, late) or pytest.fail()
        assert (what, place) == (f"{mute} takes connections and did not answer within 60.0 s", where.format(mute))
        assert f"it is {engine} that listens there" in remedy
    what, place, remedy = told(mute, PAGE) or pytest.fail()
    assert (what, place) == (
        f"{mute} answers with a web page, not as {engine} does: Not Found No such page.",
        where.format(mute),
    )
    assert remedy == f"give the port of {engine} itself: another service, or a proxy before it, listens there"
    # Who answers has words of his own, and of several hosts the driver's are better.
    assert told(mute, REFUSED) is None
    assert told("127.0.0.1:1,127.0.0.1:2", LOST) is None


@pytest.mark.long
def test_a_closed_port_ends_a_gate_with_one_sentence(weigh: Weigh) -> None:
    contenders = ("--contender", "c=clickhouse://u@127.0.0.1:1/d", "--contender", "duckdb=fork")
    run = weigh("gate", *contenders, "--scale", "1K", "--operations", "by_action", "--quiet")
    assert run.code == 2, run.err
    first, *_, remedy = run.err.strip().splitlines()
    url = "clickhouse://u@127.0.0.1:1/d"
    assert first == f"error: contender c, {url}: nothing listens at 127.0.0.1:1 (connection refused)"
    assert remedy.strip() == "start clickhouse there, or mend host and port in its URL"

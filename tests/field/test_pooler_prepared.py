"""field/pooler-prepared: a pooler before the server is named, with what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lies.postgres_pooler import Pooler
from support.postgres_url import running, url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Weigh

LOOK = "\\set n random(1, 9)\nSELECT :n + 1;\n"
SHORT = ("--rate", "50", "--duration", "1s", "--quiet", "--json")


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, Any]]:
    with running(40) as connect:
        yield connect


def pooled(server: dict[str, Any], **how: Any) -> Pooler:
    return Pooler(f"{server['socket']}/.s.PGSQL.{server['port']}", (server["user"], server["database"]), **how)


def test_a_pool_of_transactions_is_named(weigh: Weigh, server: dict[str, Any]) -> None:
    (weigh.folder / "look.sql").write_text(LOOK)
    with pooled(server, transactions=True) as pooler:
        run = weigh("load", "look.sql", "--target", pooler.url, *SHORT)
        assert "(42P05)" in run.err
        assert "pooler" in run.err
        assert "--protocol simple" in run.err
        text = weigh("load", "look.sql", "--target", pooler.url, *SHORT, "--protocol", "simple")
        assert text.json["operations"][0]["errors"] == {}


def test_a_pool_that_is_too_small_says_how_many_it_has(weigh: Weigh, server: dict[str, Any]) -> None:
    (weigh.folder / "look.sql").write_text(LOOK)
    with pooled(server, sessions=5) as pooler:
        run = weigh("load", "look.sql", "--target", pooler.url, *SHORT, "--connections", "16")
        assert "11 of 16 connections to" in run.err, run.err
        assert "got no login within 10 s" in run.err
        assert "a pooler or the server's max_connections holds the rest: take --connections 5" in run.err
        enough = weigh("load", "look.sql", "--target", pooler.url, *SHORT, "--connections", "3")
        assert enough.json["operations"][0]["errors"] == {}


def test_a_server_that_takes_all_is_not_suspected(weigh: Weigh, server: dict[str, Any]) -> None:
    (weigh.folder / "look.sql").write_text(LOOK)
    run = weigh("load", "look.sql", "--target", url(server), *SHORT)
    assert run.json["operations"][0]["errors"] == {}
    assert "pooler" not in run.out + run.err

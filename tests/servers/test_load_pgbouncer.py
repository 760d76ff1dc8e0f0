"""A load through PgBouncer 1.18: that it stands between is reported, and what of it breaks prepared statements, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest

from support.command import RAN, Weigh
from support.postgres_url import running, url
from support.servers import pgbouncer
from support.servers.process import Lacking

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.servers, pytest.mark.long]

SHORT = ("--rate", "100", "--duration", "2s", "--connections", "8", "--quiet")
BETWEEN = "through a pooler, whose time is in every figure"


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, Any]]:
    with running(40) as connect:
        yield connect


def _offered(weigh: Weigh, server: dict[str, Any], place: Path, mode: Literal["transaction", "session"]) -> Any:
    (weigh.folder / "look.sql").write_text("\\set n random(1, 9)\nBEGIN;\nSELECT :n + 1;\nEND;\n")
    try:
        with pgbouncer.running(place, server, mode) as between:
            yield weigh("load", "look.sql", "--target", between, *SHORT)
            yield weigh("load", "look.sql", "--target", between, *SHORT, "--protocol", "simple")
    except Lacking as why:
        pytest.skip(f"pgbouncer is not installed: {why}")


def test_a_pool_of_transactions_needs_the_simple_protocol(weigh: Weigh, server: dict[str, Any], tmp_path: Path) -> None:
    prepared, text = _offered(weigh, server, tmp_path, "transaction")
    said = " ".join(f"{prepared.out} {prepared.err}".split())
    assert "42P05" in said or "26000" in said, said
    assert "--protocol simple" in said
    assert text.code in RAN, text.err
    assert BETWEEN in " ".join(text.out.split())
    assert "None of 200 requests failed" in " ".join(text.out.split())


def test_a_server_without_one_is_not_suspected(weigh: Weigh, server: dict[str, Any]) -> None:
    (weigh.folder / "look.sql").write_text("SELECT 1;\n")
    run = weigh("load", "look.sql", "--target", url(server), *SHORT)
    assert "pooler" not in run.out + run.err

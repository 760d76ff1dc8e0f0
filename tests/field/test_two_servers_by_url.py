"""field/two-servers-by-url: for how much a verdict holds is said before the first request, and with every verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from lies.postgres_pooler import Pooler
from support.postgres_url import running, url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.command import Weigh

SHORT = ("--closed", "--duration", "200ms", "--warmup", "0s", "--connections", "2", "--no-twice", "--quiet", "--json")
"""A closed loop: on a machine that is busy with other tests the generator is late, and open loops are refused."""


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, Any]]:
    with running(20) as connect:
        yield connect


def test_two_lives_have_verdicts_of_these_lives(weigh: Weigh, server: dict[str, Any]) -> None:
    (weigh.folder / "look.sql").write_text("\\set n random(1, 9)\nSELECT :n + 1;\n")
    login = (server["user"], server["database"])
    with Pooler(f"{server['socket']}/.s.PGSQL.{server['port']}", login) as pooler:
        two = ("--contender", f"direct={url(server)}", "--contender", f"pooled={pooler.url}")
        run = weigh("load", "look.sql", *two, "--protocol", "simple", "--blocks", "5", *SHORT)
    assert run.err.startswith("weigh: T10.starts: direct and pooled run already")
    assert "these lives alone" in run.err
    assert "For fresh starts" in run.err
    assert run.json["tier"]["name"] != "conclusive"
    assert "T10.one_life" in {one["code"] for one in run.json["tier"]["reasons"]}
    starts = [one for one in run.json["verdicts"] if "T10.starts" in {reason["code"] for reason in one["reasons"]}]
    assert starts == []
    shown = weigh("report", str(run.evidence)).out
    # On a machine that is busy with other tests no turn may be like another: there is no verdict to qualify then.
    if "No verdict between pooled and direct" not in shown:
        assert "Of these lives of direct and pooled alone" in shown


def test_servers_that_weigh_starts_need_no_such_word(weigh: Weigh) -> None:
    two = ("--contender", "a=valkey:embedded", "--contender", "b=valkey:embedded")
    run = weigh("load", "ycsb-c", "--records", "100", *two, "--blocks", "1", *SHORT)
    assert "T10.starts: a and b run already" not in run.err
    assert "T10.one_life" not in run.codes

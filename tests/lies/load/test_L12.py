"""L12: throughput at an isolation level that was not kept, or of a lower level than the other's.

A proxy before an honest PostgreSQL runs transactions at a weaker level and names the stronger one, answers reads of a
while ago, or acknowledges commits before it makes them. Its twin hands everything on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.postgres_url import running

from ..isolation_proxy import IsolationProxy, Lie
from ..loading import refusals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.command import Run, Weigh

ACCUSED = {"L12.violated", "L12.level", "L12.unchecked", "L6.wrong"}
LIARS: dict[Lie, tuple[str, str, str]] = {
    "weaker": ("serializable", "L12.violated", "lost-update"),
    "admits": ("serializable", "L12.level", "read-committed"),
    "stale": ("read-committed", "L12.violated", "stale-read"),
    "reorders": ("read-committed", "L12.violated", "stale-read"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, str]]:
    with running() as connect:
        yield connect


def isolated(server: dict[str, str], weigh: Weigh, lie: Lie, level: str, duration: str = "2s") -> Run:
    path = f"{server['socket']}/.s.PGSQL.{server['port']}"
    with IsolationProxy(path, server["user"], server["database"], lie) as proxy:
        flags = ("--closed", "--connections", "8", "--duration", duration, "--contention", "100%", "--quiet", "--json")
        return weigh("load", "isolation", "--isolation", level, "--target", proxy.url, *flags)


@pytest.mark.promise("a level that is not kept is VIOLATED, and the run has no throughput of it")
@pytest.mark.parametrize(
    "lie", [pytest.param(one, marks=[pytest.mark.long] if one != "weaker" else []) for one in LIARS]
)
def test_a_level_that_is_not_kept_is_named(server: dict[str, str], fresh: Callable[[], Weigh], lie: Lie) -> None:
    level, code, word = LIARS[lie]
    liar = isolated(server, fresh(), lie, level)
    assert code in liar.codes, liar.err
    (finding,) = (each for each in liar.json["findings"] if each["code"] == code)
    assert word in finding["text"]
    # The cycle is on the page.
    assert "So each comes before" not in finding["text"]
    assert code == "L12.level" or "So each comes before" in (liar.evidence / "report.txt").read_text()
    assert code in refusals(liar)
    assert liar.json["load"]["rate_achieved"] is None
    assert liar.code == 1


@pytest.mark.promise("nor where an answer is no list of\n  numbers, which is wrong (`L6.wrong`, exit code 1)")
def test_of_answers_that_cannot_be_read_nothing_follows(server: dict[str, str], fresh: Callable[[], Weigh]) -> None:
    liar = isolated(server, fresh(), "garbles", "serializable", "1s")
    assert liar.code == 1
    assert liar.codes >= {"L6.wrong", "L12.unchecked"}
    assert liar.json["runs"][0]["isolation"]["outcome"] == "nothing to see"
    text = (liar.evidence / "report.txt").read_text()
    assert "No violation" not in text
    assert "could not be read" in text


@pytest.mark.parametrize(
    "level", [pytest.param("read-committed", marks=pytest.mark.long), pytest.param("serializable")]
)
def test_the_twin_is_not_accused(server: dict[str, str], fresh: Callable[[], Weigh], level: str) -> None:
    twin = isolated(server, fresh(), "none", level)
    assert not twin.codes & ACCUSED, twin.json["findings"]
    assert twin.json["runs"][0]["isolation"]["outcome"] == "not seen"
    assert set(twin.json["runs"][0]["isolation"]["named"]) == {level}

"""A1 and A3 of queries alongside a load: a server that answers them wrongly, always or only while it is busy.

The twin is the same proxy, which changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import RAN
from weigh.engines.prepared import cache_folder
from weigh.load.target.postgres import EmbeddedPostgres

from ..postgres_proxy import PostgresProxy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.command import Run, Weigh
    from support.once import Once

    from ..postgres_proxy import Lie

MIXED = "run --workload tpch --scale 0.01 --operations q1,q6"
CUT = {b"l_quantity < 24": b"l_quantity < 23"}
"""Query 6 over fewer rows."""
SHORT = ("--rate", "100", "--records", "500", "--duration", "8s", "--connections", "6", "--contention", "100%")

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def through(fresh: Callable[[], Weigh]) -> Iterator[Callable[..., Run]]:
    """A load through a proxy, with queries alongside it."""
    with EmbeddedPostgres().reach(cache_folder(), 20) as reached:
        server = reached.connect
        path = f"{server['socket']}/.s.PGSQL.{server['port']}"

        def run(lie: Lie, rewrites: dict[bytes, bytes]) -> Run:
            with PostgresProxy(path, server["user"], server["database"], lie, rewrites) as proxy:
                flags = ("--target", proxy.url, "--with", MIXED, *SHORT, "--quiet", "--json")
                return fresh()("load", "ycsb-b", *flags)

        yield run


@pytest.fixture(scope="module")
def twin(through: Callable[..., Run], once: Once) -> Run:
    return once("mixed", lambda: through("none", {}))


def test_an_honest_server_is_accused_of_nothing_and_both_sides_are_judged(twin: Run) -> None:
    assert twin.code in RAN, twin.err
    assert not {"A1.mixed", "A3.mixed"} & twin.codes
    found = twin.json["disturbances"]
    assert [(one["name"], one["status"]) for one in found["answers"]] == [("q1", "agreed"), ("q6", "agreed")]
    assert [one["metric"] for one in found["verdicts"]] == ["p50", "p95", "p99"]
    assert [one["metric"] for one in found["queries"]] == ["all, geometric mean", "q1", "q6"]
    assert all(one["with_s"] and one["without_s"] for one in found["queries"])
    assert "derived from TPC-H" in twin.json["experiment"]["notice"]


def test_its_page_shows_the_answers_and_its_evidence_passes(twin: Run, weigh: Weigh) -> None:
    page = (twin.evidence / "report.html").read_text()
    assert "Every answer of 2 queries was right, alone and under load" in page
    assert weigh("verify", str(twin.evidence)).code == 0


def test_a_wrong_answer_is_found_before_the_load(through: Callable[..., Run]) -> None:
    run = through("none", CUT)
    assert run.code == 1
    assert [one["operation"] for one in run.json["findings"] if one["code"] == "A1.mixed"] == ["q6"]
    # No time is shown of what answered wrongly, and nothing of all where one is missing.
    assert [one["metric"] for one in run.json["disturbances"]["queries"]] == ["q1"]


@pytest.mark.promise("each answer is compared with the one before: `A3.mixed`")
def test_one_that_cuts_corners_under_load_alone_is_found(through: Callable[..., Run]) -> None:
    run = through("wrong-when-busy", CUT)
    assert run.code == 1
    assert {one["operation"] for one in run.json["findings"] if one["code"] == "A3.mixed"} == {"q6"}
    assert "A1.mixed" not in run.codes

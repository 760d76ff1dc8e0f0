"""L6: fast because it does not do the work: what is acknowledged after a fault is not kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import RAN
from weigh.engines.prepared import cache_folder
from weigh.load.target.valkey.target import EmbeddedValkey

from ..forgetful_proxy import forgetful
from ..loading import accused

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

FLAGS = ("--records", "200", "--rate", "200", "--duration", "4s", "--connections", "4", "--quiet", "--json")


def paused(weigh: Weigh, *, forgets: bool) -> Run:
    """One pause of a server that forgets what it is told after one, or does not."""
    with (
        EmbeddedValkey().reach(cache_folder(), 64) as reached,
        forgetful(reached.connect["socket"], forgets=forgets) as url,
    ):
        return weigh("load", "ycsb-a", *FLAGS, "--target", url, "--nemesis", "pause")


@pytest.mark.promise("A server that loses acknowledged writes by a fault is caught, and the fault is named")
def test_a_server_that_forgets_writes_after_it_stood_still_is_caught(fresh: Callable[[], Weigh]) -> None:
    run = paused(fresh(), forgets=True)
    assert run.code == 1, run.err
    assert "E7.lost" in run.codes
    (fault,) = run.json["disturbances"]["faults"]
    assert fault["kind"] == "pause"
    assert fault["lost"] > 0
    assert run.json["load"]["durable"] is False
    assert "NOT DURABLE: of 1 fault (pause)" in (run.evidence / "report.txt").read_text()


@pytest.mark.long
def test_one_that_keeps_them_is_not(fresh: Callable[[], Weigh]) -> None:
    run = paused(fresh(), forgets=False)
    assert run.code in RAN, run.err
    assert not accused(run)
    (fault,) = run.json["disturbances"]["faults"]
    assert (fault["lost"], fault["gone"], fault["failed"]) == (0, 0, "")
    # Who asked while it stood still has waited that long.
    assert fault["p99_with"] > 0.3 > fault["p99_before"]
    assert run.json["load"]["durable"] is True


def test_answers_are_checked_while_statements_change_the_rows(weigh: Weigh) -> None:
    """The figures of such a run are of the part before them; what it must answer is not."""
    flags = (*FLAGS, "--target", "valkey:embedded")
    wrong = weigh("load", "ycsb-a", *flags, "--during", "FLUSHALL")
    assert wrong.code == 1, wrong.err
    assert wrong.codes & {"L6.wrong", "L6.missing"}
    assert "Right:" not in (wrong.evidence / "report.txt").read_text()


@pytest.mark.long
def test_statements_that_leave_the_rows_alone_change_no_answer(weigh: Weigh) -> None:
    honest = weigh("load", "ycsb-a", *FLAGS, "--target", "valkey:embedded", "--during", "DBSIZE")
    assert honest.code in RAN, honest.err
    assert not accused(honest)

"""L3: throughput at a broken tail is sold as capacity. A server beyond whose rate requests wait; its twin's do not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from support import token_bucket
from weigh.load import record as records
from weigh.load.rate_search.verify import departure

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh
    from support.once import Once

CAPACITY, BEYOND_S, MOST = 200, 0.4, 400
"""Requests a second that are answered at once, the wait of the others, and the highest rate that is tried."""
FLAGS = (
    "ycsb-c", "--records", "200", "--quiet", "--json", "--connections", "128", "--find-rate", "p90<=300ms", "--rate",
    str(MOST), "--duration", "2.5s", "--budget", "40s",
)  # fmt: skip


@pytest.fixture(scope="session")
def searched(fresh: Callable[[], Weigh], valkey: str, once: Once) -> Callable[[int], Run]:
    """A search through a proxy that answers so many requests a second at once; 0 for all of them."""

    def run(rate: int) -> Run:
        command = [sys.executable, str(Path(token_bucket.__file__)), valkey, str(rate), str(BEYOND_S), "40"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as proxy:
            assert proxy.stdin
            assert proxy.stdout
            try:
                port = proxy.stdout.readline().strip()
                return fresh()("load", *FLAGS, "--target", f"redis://127.0.0.1:{port}")
            finally:
                proxy.stdin.close()

    return lambda rate: once(f"searched-{rate}", lambda: run(rate))


@pytest.mark.promise(
    "What goes through beyond the highest rate is named with the time that it takes (`L3.throughput`)."
)
def test_what_goes_through_at_a_broken_tail_is_no_capacity(searched: Callable[[int], Run], weigh: Weigh) -> None:
    run = searched(CAPACITY)
    search = run.json["rate_search"]
    # More than the bucket's rate goes through, and waits.
    closed = search["closed_loop"]
    assert closed["achieved"] > 1.2 * CAPACITY
    assert closed["budgets"][0]["value"] >= BEYOND_S
    assert "L3.throughput" in run.codes
    found = next(one for one in run.json["findings"] if one["code"] == "L3.throughput")
    assert "p90" in found["text"]
    text = " ".join(weigh("report", str(run.evidence), "--notes").out.split())
    assert "a throughput at a broken budget is no capacity" in text


def test_what_goes_through_within_the_budget_is_not_accused(searched: Callable[[int], Run]) -> None:
    run = searched(0)
    search = run.json["rate_search"]
    assert "L3.throughput" not in run.codes
    assert search["status"] == "kept"
    assert search["kept"] == MOST
    assert run.code == 0


def test_a_search_is_recomputed_and_its_rates_are_those_that_it_asks_for(
    searched: Callable[[int], Run], weigh: Weigh
) -> None:
    run = searched(CAPACITY)
    assert weigh("verify", str(run.evidence)).code == 0
    record = records.read(run.evidence)
    assert departure(record) == ""
    first, probe, *others = record.runs
    assert probe.rate
    # Whoever only probes where the budget is kept finds what he likes.
    elsewhere = msgspec.structs.replace(probe, rate=0.9 * probe.rate)
    assert departure(msgspec.structs.replace(record, runs=(first, elsewhere, *others)))

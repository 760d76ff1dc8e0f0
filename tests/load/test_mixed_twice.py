"""TPC-C at a fixed rate with queries of TPC-H in the same server, twice: both verdicts, whose intervals overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.command import RAN

if TYPE_CHECKING:
    from support.command import Weigh

COMMAND = (
    "load", "tpcc", "--warehouses", "1", "--target", "postgres:embedded", "--rate", "20", "--duration", "60s",
    "--with", "run --workload tpch --scale 0.01 --operations q1,q6,q14", "--contention", "100%", "--quiet", "--json",
)  # fmt: skip

pytestmark = pytest.mark.long


def _verdicts(weigh: Weigh) -> dict[str, dict[str, Any]]:
    """Of users with and without the queries, and of the queries with and without the load, by what they are of."""
    run = weigh(*COMMAND, timeout=600)
    assert run.code in RAN, run.err
    found = run.json["disturbances"]
    assert {one["status"] for one in found["answers"]} == {"agreed"}
    return {one["metric"]: one for one in [*found["verdicts"], *found["queries"]]}


def test_both_sides_have_verdicts_twice_and_their_intervals_overlap(weigh: Weigh) -> None:
    first, second = _verdicts(weigh), _verdicts(weigh)
    assert first.keys() == second.keys() == {"p50", "p95", "p99", "all, geometric mean", "q1", "q6", "q14"}
    apart = []
    for name, one in first.items():
        other = second[name]
        assert all(each["with_s"] and each["without_s"] and each["verdict"] for each in (one, other)), name
        bounds = [each[end] for each in (one, other) for end in ("low", "high")]
        if None not in bounds and max(one["low"], other["low"]) > min(one["high"], other["high"]):
            apart.append(name)
    assert not apart, (apart, first, second)

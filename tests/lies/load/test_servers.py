"""Two servers side by side: what only some requests meet (L1), unequal durability (E7), connections as starts (T10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support import load_records
from support.load_comparison_records import behind_a_proxy, comparison, spec, written

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh
    from weigh.load.comparison.record import LoadComparisonRecord

LAX = load_records.target(
    durable=False, undurable=("appendfsync is off: when the log reaches the disk is up to the kernel",)
)


@pytest.fixture(scope="module")
def reported(fresh: Callable[[], Weigh]) -> Callable[[LoadComparisonRecord], Run]:
    """What the command line says of a comparison that somebody made."""

    def run(record: LoadComparisonRecord) -> Run:
        weigh = fresh()
        folder = weigh.folder / "runs" / "20260102-0123456789ab-1"
        folder.mkdir(parents=True)
        written(folder, record)
        return weigh("report", str(folder), "--json")

    return run


def verdicts(run: Run) -> dict[str, str]:
    """Those of all operations together, by figure."""
    return {one["metric"]: one["verdict"] for one in run.json["verdicts"] if one["operation"] == "all"}


def reasons(run: Run, metric: str) -> list[str]:
    (found,) = (one for one in run.json["verdicts"] if (one["metric"], one["operation"]) == (metric, "all"))
    listed: list[dict[str, Any]] = found["reasons"]
    return [one["code"] for one in listed]


def test_a_tail_that_the_median_hides_is_found_and_its_twin_is_not_accused(
    reported: Callable[[LoadComparisonRecord], Run],
) -> None:
    liar = verdicts(reported(comparison(spec(6, length=16), {"new": behind_a_proxy})))
    assert liar["p99"] == "slower"
    assert liar["p50"] in ("same", "small")
    twin = verdicts(reported(comparison(spec(6, length=16))))
    assert not {"slower", "faster"} & set(twin.values())


def test_a_server_that_is_fast_because_it_keeps_nothing_is_not_ranked(
    reported: Callable[[LoadComparisonRecord], Run],
) -> None:
    asked = spec(5, length=12, twice=False, workload="ycsb-a")
    quick = {"new": lambda draw, count: behind_a_proxy(draw, count) / 2}
    liar = reported(comparison(asked, quick, targets={"new": LAX}))
    assert set(verdicts(liar).values()) == {"refused"}
    assert reasons(liar, "p99")[0] == "E7.unequal"
    assert "appendfsync=always on new" in next(
        one["remedy"] for one in liar.json["findings"] if one["code"] == "E7.unequal"
    )
    twin = reported(comparison(asked, quick))
    assert "E7.unequal" not in twin.codes
    assert verdicts(twin)["p50"] == "faster"


@pytest.mark.long
def test_ten_blocks_of_one_life_are_said_to_be_of_that_life(reported: Callable[[LoadComparisonRecord], Run]) -> None:
    asked = spec(5, length=12, twice=False)
    quick = {"new": lambda draw, count: behind_a_proxy(draw, count) / 2}
    liar = reported(comparison(asked, quick, lives={"new": 1}))
    assert liar.json["tier"]["name"] == "suggestive"
    assert liar.json["tier"]["reasons"][0]["code"] == "T10.one_life"
    twin = reported(comparison(asked, quick))
    assert "T10.one_life" not in twin.codes

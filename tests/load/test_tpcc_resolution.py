"""How long a run of TPC-C must be for its 90th percentiles."""

from __future__ import annotations

import pytest

from weigh.load.tpcc.resolution import warehouse_minutes, what_resolves


@pytest.mark.promise("So New-Order and Payment take 16 minutes times warehouses, and all five take 156")
def test_minutes_times_warehouses() -> None:
    assert [round(warehouse_minutes(one)) for one in ("new-order", "payment", "delivery", "stock-level")] == [
        16, 16, 156, 156,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("found", "terminals", "said"),
    [
        # 14 of 20, half for chance: 2.1 times as much.
        ({"delivery": 14.0}, True, "delivery 14; about 12 minutes more of --duration, or --warehouses 5"),
        ({"delivery": 14.0}, False, "delivery 14; about 12 minutes more of --duration"),
        # The rarest decides.
        ({"payment": 19.0, "delivery": 2.0}, True, "payment 19, delivery 2; about 140 min"),
        # Nothing of it: as the mix has it.
        (
            {"delivery": 0.0},
            True,
            "delivery 0; about 107 minutes more of --duration, or --warehouses 24",
        ),
        # Enough of them, in too few clusters.
        ({"delivery": 31.0}, True, "delivery 31 that came together; about 10 minutes more"),
    ],
)
def test_what_resolves(found: dict[str, float], terminals: bool, said: str) -> None:
    assert said in what_resolves(found, 600.0, 2, terminals=terminals)


def test_after_a_moment_no_thousands_of_warehouses_are_proposed() -> None:
    said = what_resolves({"delivery": 0.0}, 8.0, 1, terminals=True)
    assert said.endswith("or --warehouses 100 --duration 3m")

"""Whether TPC-C's response limits are kept, and how long a run must be to tell."""

from __future__ import annotations

import numpy as np
import pytest

from weigh.load.tpcc.limits import LEAST, a_second, enough_s, what_judges
from weigh.statistics.share_beyond import ShareBeyond, bounds, share_beyond


def seen(count: int, beyond: int = 0, parts: float = 10.0) -> ShareBeyond:
    low, high = bounds(beyond / count if count else 0.0, parts)
    return ShareBeyond(count=count, beyond=beyond, parts=parts, low=low, high=high)


@pytest.mark.promise("44 parts without a slow answer show it")
def test_44_parts_without_a_slow_answer_are_enough() -> None:
    assert LEAST == 44
    for parts, kept in ((43, None), (44, True)):
        one = share_beyond(np.zeros(parts), np.full(parts, 3.0), at_once=1)
        assert (one.parts, one.at_most(0.1)) == (parts, kept)
    # As many answers, and in as many parts as they take together.
    assert share_beyond(np.zeros(440), np.full(440, 3.0), at_once=11).at_most(0.1) is None


def test_what_is_beyond_moves_the_bounds() -> None:
    random = np.random.default_rng(1)
    totals = np.full(600, 5.0)
    found = [share_beyond(random.binomial(5, share, 600), totals, at_once=5) for share in (0.02, 0.1, 0.3)]
    assert [one.at_most(0.1) for one in found] == [True, None, False]
    assert all(one.low < one.beyond / one.count < one.high for one in found)
    everything = share_beyond(totals, totals, at_once=5)
    assert (everything.at_most(0.1), everything.high) == (False, 1.0)
    assert share_beyond([], [], at_once=1).at_most(0.1) is None


def test_one_stall_that_takes_half_of_the_run_is_not_many() -> None:
    """A tenth of the answers were slow, in a row: another run may have none, or three times as many."""
    above = np.zeros(600)
    above[100:160] = 5
    assert share_beyond(above, np.full(600, 5.0), at_once=5).parts < 20


@pytest.mark.promise("5 minutes")
def test_how_long_a_run_must_be() -> None:
    minutes = {
        kind: [round(enough_s(kind, each * a_second(kind)) / 60) for each in (2, 10)]
        for kind in ("new-order", "payment", "order-status", "delivery", "stock-level")
    }
    assert minutes == {
        "new-order": [5, 5], "payment": [5, 5], "order-status": [37, 8], "delivery": [68, 67], "stock-level": [37, 17],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            {"new-order": seen(40, parts=17), "order-status": seen(5, parts=5)},
            "that tell whether 90 % keep the limit: new-order 17, order-status 5): about 36 minutes more of "
            "--duration, or --warehouses 16 and --duration 5m",
        ),
        # As the mix has it, where nothing was answered.
        ({"delivery": seen(0, parts=0)}, "delivery 0): about 66 minutes more of --duration"),
        (
            {"payment": seen(200, 19, parts=100)},
            "payment: 9.5 % beyond the limit (3.2 % to 20.6 %), too close to 10 % to tell): fewer --warehouses",
        ),
        ({"payment": seen(200, 8, parts=100)}, "not clear of 10 %): about 4 minutes more of --duration"),
    ],
)
def test_what_judges(found: dict[str, ShareBeyond], said: str) -> None:
    assert said in what_judges(found, 120.0, 2)


def test_after_a_moment_no_thousands_of_warehouses_are_proposed() -> None:
    said = what_judges({"new-order": seen(0, parts=0)}, 8.0, 1)
    assert said.endswith("about 8 minutes more of --duration, or --warehouses 2 and --duration 5m")

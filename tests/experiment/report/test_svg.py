"""Plots as SVG: where things are drawn, not how they look."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weigh.experiment.report.plots import samples, starts
from weigh.experiment.report.plots.samples import Dot
from weigh.experiment.report.plots.starts import Strip
from weigh.model.verdict import Verdict, VerdictName
from weigh.render.svg import draw, marks
from weigh.render.svg.interval import WIDTH, Axis
from weigh.render.svg.scale import Scale, around, ratio_ticks, ticks
from weigh.render.svg.time_axis import tick_label

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
places = st.integers(min_value=0, max_value=2000)


def vertices(data: str) -> list[tuple[int, int]]:
    """The vertices of a path of relative steps."""
    numbers = [int(text) for text in _NUMBER.findall(data.removesuffix("h0"))]
    x = y = 0
    found = []
    for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
        x, y = x + dx, y + dy
        found.append((x, y))
    return found


@given(st.lists(st.tuples(places, places), unique=True))
def test_every_dot_is_a_vertex(points: list[tuple[int, int]]) -> None:
    assert vertices(draw.dots(points)) == points


def test_dots_on_one_place_are_drawn_once() -> None:
    assert draw.dots([(5.2, 7), (4.9, 7.3)]) == "m5 7h0"
    assert draw.dots([]) == ""


@example([1e-7, 1.0000000000000001e-07])
@example([1.0, 1.0 + 2e-9])
@given(st.lists(st.floats(min_value=1e-7, max_value=1e4), min_size=1, max_size=20))
def test_an_axis_holds_its_values_and_its_ticks_keep_their_distance(values: list[float]) -> None:
    scale = around(values, 200, 10)
    assert all(9.9 <= scale.at(value) <= 200.1 for value in values)
    assert scale.log is (max(values) / min(values) > 4)
    at = [scale.at(tick) for tick in ticks(scale, 20)]
    assert at, "an axis without a tick says nothing"
    assert all(abs(one - other) >= 19.9 for one, other in pairwise(at))


def test_a_linear_axis_has_round_steps() -> None:
    assert ticks(Scale(2.1, 3.9, 0, 200, log=False), 40) == [2.5, 3.0, 3.5]


def test_ticks_of_a_ratio_begin_with_one() -> None:
    wide, narrow = Scale(0.05, 30, 0, 250, log=True), Scale(0.93, 1.08, 0, 250, log=True)
    assert ratio_ticks(wide, 34) == [0.1, 0.33, 1, 3, 10]
    assert ratio_ticks(narrow, 34) == [0.95, 1, 1.05]


@pytest.mark.parametrize(
    ("seconds", "label"),
    [(0.002, "2 ms"), (1e-3 - 1e-18, "1 ms"), (1.5, "1.5 s"), (2e-5, "20 us"), (3e-8, "30 ns"), (7 * 2e-3, "14 ms")],
)
def test_labels_of_time(seconds: float, label: str) -> None:
    assert tick_label(seconds) == label


def verdict(ratio: float, low: float, high: float, **fields: float) -> Verdict:
    return Verdict(
        operation="q", contender="b", baseline="a", verdict=VerdictName.SLOWER, ratio=ratio, low=low, high=high,
        confidence=0.99, margin=0.03, **fields,
    )  # fmt: skip


def horizontal(svg: str, css: str) -> tuple[float, float]:
    """The ends of the horizontal line of a class."""
    (found,) = re.findall(rf'class="{css}" d="M(\S+) \S+?H([\d.]+)', svg)
    return float(found[0]), float(found[1])


def test_an_interval_is_where_the_axis_says() -> None:
    one = verdict(2.0, 1.5, 2.6, low_fcr=1.4, high_fcr=2.8, noise_floor=0.1)
    axis = Axis([one], [], 0.03)
    at = axis.scale.at
    row = str(axis.row(one))
    assert horizontal(row, "ci") == pytest.approx((at(1.5), at(2.6)), abs=0.06)
    assert horizontal(row, "fc") == pytest.approx((at(1.4), at(2.8)), abs=0.06)
    assert horizontal(row, "nf") == pytest.approx((at(1 / 1.1), at(1.1)), abs=0.06)
    band = re.search(r'class="mg" d="M(\S+) 0H(\S+)V', str(axis.ground()))
    assert band
    assert (float(band[1]), float(band[2])) == pytest.approx((at(1 / 1.03), at(1.03)), abs=0.06)
    assert 'aria-label="1.50 to 2.60"' in row


def test_one_wild_interval_is_cut_and_does_not_flatten_the_others() -> None:
    calm, wild = verdict(1.2, 1.1, 1.3), verdict(1.1, 0.01, 900.0)
    axis = Axis([calm, wild], [], 0.03)
    assert axis.scale.high < 3
    assert axis.scale.low > 0.3
    low, high = horizontal(str(axis.row(wild)), "ci")
    assert (low, high) == (1, WIDTH - 1)
    assert str(axis.row(wild)).count("l4") == 2, "an arrow head at each end"
    assert "l4" not in str(axis.row(calm))


def test_every_ratio_lies_on_the_axis_however_extreme() -> None:
    axis = Axis([verdict(1e6, 9e5, 2e6), verdict(1e-6, 1e-7, 1e-5)], [], 0.03)
    assert axis.scale.holds(1e6)
    assert axis.scale.holds(1e-6)
    assert 1 in ratio_ticks(axis.scale, 34)


def test_samples_are_drawn_in_their_order_by_arm_and_kind() -> None:
    dots = [
        Dot(0, 1, 0.010, timed=False),
        Dot(0, 1, 0.020, timed=True),
        Dot(2, 1, 0.030, timed=True),
        Dot(2, 2, None, timed=True, failed=True),
    ]
    svg = str(samples.plot(dots, "label", draw.Shared()))
    found = dict(re.findall(r'<path class="([hm]\d)" d="([^"]*)"', svg))
    assert found.keys() == {"h0", "m0", "m2"}
    (hollow,), (filled,), (other,) = (vertices(found[name]) for name in ("h0", "m0", "m2"))
    assert hollow[0] < filled[0] < other[0]
    assert hollow[1] > filled[1] > other[1], "more seconds are further up"
    (failure,) = re.findall(r'class="fail" d="M(\S+) ', svg)
    assert float(failure) > other[0]


def test_what_plots_have_in_common_is_kept_once() -> None:
    shared = draw.Shared()
    strips = [Strip(0, "a", [0.1, 0.2], 0.15), Strip(2, "b", [0.3], 0.3)]
    first, second = (str(starts.plot(strips, label, shared)) for label in ("one", "two"))
    assert '<use href="#g0"/>' in first
    assert '<use href="#g0"/>' in second
    assert str(shared.definitions()).count(">b</text>") == 1


def test_a_mean_is_drawn_among_its_starts() -> None:
    svg = str(starts.plot([Strip(0, "a", [0.1, 0.2, 0.3], 0.2)], "label", draw.Shared()))
    (mean,) = re.findall(r'class="mean" d="M([\d.]+) ', svg)
    (data,) = re.findall(r'class="m0" d="([^"]*)"', svg)
    low, middle, high = (x for x, _ in vertices(data))
    assert low < middle < high
    assert float(mean) == pytest.approx(middle, abs=1)


def test_labels_are_escaped_and_bounded() -> None:
    assert draw.text(1, 2, "<b>\x1b", "tm") == '<text x="1" y="2" class="tm">&lt;b&gt;\\x1b</text>'
    assert draw.shortened("chdb@4.1.8+chdb-core==26.3.0", 20) == "chdb@4.1.8…e==26.3.0"
    assert draw.shortened("short", 20) == "short"


def test_no_two_of_thirty_arms_have_the_same_mark() -> None:
    seen = {(marks.shape(arm), marks.colour(arm)) for arm in range(30)}
    assert len(seen) == 30
    assert marks.colour(0) == marks.colour(1) == 0, "both arms of the baseline are one contender"
    assert all(marks.colour(arm) != 0 for arm in range(2, 30))

"""The plots of a load's page: nothing is cut off, and the key names what can be observed."""

from __future__ import annotations

import re

from weigh.load.report import plots
from weigh.load.report.plots import Curve

LETTER = 6.6
"""Widest average of a character of a label, in units of the drawing: 11 px of a common sans-serif."""


def labels(drawing: str) -> list[tuple[float, float]]:
    """Left and right end of every label."""
    found = []
    for css, group in re.findall(r'<g class="(t[em])">(.*?)</g>', drawing):
        for x, words in re.findall(r'<text x="([\d.-]+)"[^>]*>([^<]*)</text>', group):
            wide = LETTER * len(words)
            right = float(x) + (0.0 if css == "te" else wide / 2)
            found.append((right - wide, right))
    return found


def test_labels_lie_inside_the_drawing() -> None:
    curve = Curve("rate", 0, tuple((float(at), 123_456.0 * at) for at in range(1_001)))
    over_time = plots.over_time([curve], "rate", 1_000.0, 0.0, log=False, label_of=lambda one: f"{one:,.6g}/s")
    rare = Curve("response", 1, tuple((10.0**-power, 1e-4 * 3**power) for power in range(7)))
    for drawing in (over_time, plots.spectrum([rare], "spectrum")):
        found = labels(drawing)
        assert found
        for left, right in found:
            assert left >= 0
            assert right <= plots.WIDTH


def test_one_point_is_no_spectrum() -> None:
    assert not plots.spectrum([Curve("response", 1, ((0.01, 0.2),))], "spectrum")


def test_the_key_names_lines_that_can_be_seen() -> None:
    points = ((0.0, 1.0), (1.0, 2.0))
    curves = [
        Curve("p50", 0, points),
        Curve("p99", 1, ((0.0, 2.0), (1.0, 3.0))),
        Curve("max", 2, ((0.0, 2.0), (1.0, 3.0))),
    ]
    assert plots.drawn([*curves, Curve("none", 3, ((0.0, None),))]) == (("p50", 0), ("p99 and max", 1))

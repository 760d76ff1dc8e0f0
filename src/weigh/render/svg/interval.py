"""The interval plot: a ratio with its intervals on an axis that all rows of a table share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.model import units
from weigh.render.svg import draw
from weigh.render.svg.scale import Scale, ratio_ticks
from weigh.render.words import interval

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weigh.model.verdict import Verdict
    from weigh.verdict.analysis_model import NoiseFloor

WIDTH, HEIGHT = 264, 26
_MIDDLE = 12.0
_FLOOR = 21.0
_INSET = 6.0
_LABEL_GAP = 34.0
_AT_LEAST = 1.1
_BEYOND = 1.6
"""Intervals are cut where they reach this factor beyond the most extreme ratio: one noisy row must not flatten all."""


def _tick(ratio: float) -> str:
    """A ratio below the axis, where there is no room for many digits: ``0.5``, ``20``, ``10K``, ``1M``."""
    return units.rows(int(ratio)) if ratio >= 1 and ratio == int(ratio) else f"{ratio:g}"


class Axis:
    """The axis of one table.

    Args:
        verdicts: every row with a ratio.
        floors: every noise floor.
        margin: the smallest change that matters, a fraction.
    """

    def __init__(self, verdicts: Iterable[Verdict], floors: Iterable[NoiseFloor], margin: float) -> None:
        ends, reach = [1 / (1 + margin), 1 + margin], []
        for floor in floors:
            ends.append(floor.ratio)
            reach += [floor.low, floor.high]
        for one in verdicts:
            ends += [one.ratio] if one.ratio else []
            reach += [end for end in (one.low, one.high, one.low_fcr, one.high_fcr) if end]
        low, high = min(ends), max(ends)
        low = min(low, max(min(reach, default=low), low / _BEYOND), 1 / _AT_LEAST)
        high = max(high, min(max(reach, default=high), high * _BEYOND), _AT_LEAST)
        pad = (high / low) ** 0.04
        self.scale = Scale(low / pad, high * pad, _INSET, WIDTH - _INSET, log=True)
        self.margin = margin

    def head(self) -> Markup:
        """The labels, for the head of the table's column."""
        ticks = ratio_ticks(self.scale, _LABEL_GAP)
        return draw.image(
            WIDTH,
            15,
            "iv",
            f"logarithmic axis from {ticks[0]:g} to {ticks[-1]:g}",
            draw.group("tm", *(draw.text(self.scale.at(tick), 11, _tick(tick)) for tick in ticks)),
        )

    def ground(self) -> Markup:
        """What lies behind every row: ticks, the margin and 1. Defined once, as ``#iv``."""
        scale = self.scale
        left, right = scale.at(1 / (1 + self.margin)), scale.at(1 + self.margin)
        ticks = "".join(
            draw.line(scale.at(t), 0, scale.at(t), HEIGHT) for t in ratio_ticks(scale, _LABEL_GAP) if t != 1
        )
        band = f"M{draw.number(left)} 0H{draw.number(right)}V{HEIGHT}H{draw.number(left)}z"
        return Markup(
            '<svg class="defs" aria-hidden="true" focusable="false"><defs><g id="iv">{}</g></defs></svg>'
        ).format(
            draw.path(ticks, "g")
            + draw.path(band, "mg")
            + draw.path(draw.line(scale.at(1), 0, scale.at(1), HEIGHT), "one")
        )

    def row(self, one: Verdict) -> Markup:
        """A verdict: the thick line is the interval, the thin one the FCR interval, the grey one the noise floor."""
        if one.ratio is None:
            return self.nothing()
        parts = Markup()
        if one.noise_floor:
            parts += self._span(1 / (1 + one.noise_floor), 1 + one.noise_floor, _FLOOR, "nf")
        if one.low_fcr and one.high_fcr:
            # Often it is the interval itself, and then only its ends are drawn.
            parts += self._whisker(one.low_fcr, one.high_fcr, whole=(one.low_fcr, one.high_fcr) != (one.low, one.high))
        if one.low and one.high:
            parts += self._span(one.low, one.high, _MIDDLE, "ci")
        label = interval(one.low, one.high, " to ") or units.ratio(one.ratio, 2)
        return self._drawn(label, parts + self._point(one.ratio), str(one.verdict))

    def floor(self, floor: NoiseFloor) -> Markup:
        """The baseline against itself: the ratio of its two arms with its interval."""
        parts = self._span(1 / (1 + floor.size), 1 + floor.size, _FLOOR, "nf")
        parts += self._span(floor.low, floor.high, _MIDDLE, "ci")
        label = f"against itself {floor.low:.2f} to {floor.high:.2f}"
        return self._drawn(label, parts + self._point(floor.ratio), "aa")

    def nothing(self) -> Markup:
        """A row that has no ratio."""
        return self._drawn("no interval", Markup(), "nil")

    def strip(self, verdicts: Iterable[Verdict], mean: float | None) -> Markup:
        """All ratios of one contender: what one number for a suite hides.

        Args:
            verdicts: the contender's; those without a ratio are left out.
            mean: geometric mean, where the suite is complete.
        """
        levels: dict[int, int] = {}
        by_name: dict[str, str] = {}
        known = [(one.ratio, str(one.verdict)) for one in verdicts if one.ratio]
        for ratio, name in known:
            column = round(self._place(ratio) / 5)
            level = levels.get(column, 0)
            levels[column] = level + 1
            # Ratios that fall on one place are stacked, up and down in turn.
            height = 13 + (level + 1) // 2 * (-4 if level % 2 else 4)
            by_name[name] = by_name.get(name, "") + self._dot(ratio, min(max(height, 4), 22))
        parts = Markup().join(draw.group(name, draw.path(data, "pt")) for name, data in by_name.items())
        if mean:
            parts += draw.path(f"M{draw.number(self._place(mean))} 0v{HEIGHT}", "mean")
        ratios = [ratio for ratio, _ in known]
        label = f"{len(ratios)} ratios from {min(ratios):.2f} to {max(ratios):.2f}" if ratios else "no ratio"
        return self._drawn(label, parts)

    def _drawn(self, label: str, parts: Markup, css: str = "") -> Markup:
        return draw.image(WIDTH, HEIGHT, f"iv {css}".strip(), label, Markup('<use href="#iv"/>'), parts)

    def _place(self, value: float) -> float:
        """A place on the axis, at most at the edge of the drawing."""
        return min(max(self.scale.at(value), 1.0), WIDTH - 1.0)

    def _span(self, low: float, high: float, height: float, css: str) -> Markup:
        left, right = self._place(low), self._place(high)
        # A span too short to see is still there.
        if right - left < 1:
            left, right = left - 0.5, right + 0.5
        return draw.path(draw.line(left, height, right, height) + self._cut(low, high, height), css)

    def _cut(self, low: float, high: float, height: float) -> str:
        """Arrow heads where an interval goes on beyond the drawing."""
        data = ""
        if self.scale.at(low) < 1:
            data += f"M5 {draw.number(height - 4)}L1 {draw.number(height)}l4 4"
        if self.scale.at(high) > WIDTH - 1:
            data += f"M{WIDTH - 5} {draw.number(height - 4)}l4 4-4 4"
        return data

    def _whisker(self, low: float, high: float, *, whole: bool) -> Markup:
        data = draw.line(self._place(low), _MIDDLE, self._place(high), _MIDDLE) if whole else ""
        for end in (low, high):
            if self.scale.holds(end):
                data += f"M{draw.number(self._place(end))} {draw.number(_MIDDLE - 4)}v8"
        return draw.path(data, "fc")

    def _point(self, ratio: float) -> Markup:
        return draw.path(self._dot(ratio, _MIDDLE), "pt")

    def _dot(self, ratio: float, height: float) -> str:
        return f"M{draw.number(self._place(ratio))} {draw.number(height)}h0"

"""A load run over time: what its users felt above what the machine did, on one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.load.activity import drawing
from weigh.load.report import plots
from weigh.load.report.plots import LEFT, RIGHT, WIDTH, Curve, drawn, grid, joined, key, response_times, seconds
from weigh.machine.moments import in_order
from weigh.machine.timeline_bins import between
from weigh.machine.use_method import memory_of
from weigh.model import units
from weigh.render.blocks import Part, Plot
from weigh.render.svg import draw
from weigh.render.svg.scale import Scale
from weigh.render.svg.time_axis import tick_label
from weigh.render.svg.timeline import GAP, LANE, NAMES, area, over

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weigh.load.activity.kinds import RunActive
    from weigh.load.analysis.figures import RunFigures
    from weigh.load.analysis.machine import RunMachine
    from weigh.load.disturbances.results import Mark
    from weigh.load.results import LoadResults
    from weigh.load.spikes import Spike
    from weigh.machine.timeline_bins import TimelineBins

_STEP = 6
BINS = (RIGHT - LEFT) // _STEP
"""Parts in which the machine is drawn: as wide as the axis together."""
STYLE = (
    ".ow{fill:var(--none);color:var(--none)}.fg{fill:var(--bad);color:var(--bad)}.st{fill:var(--open);color:var(--open)}"
    ".sp{fill:var(--bad);opacity:.14}.ev{fill:var(--k1)}.bl{fill:var(--bad);color:var(--bad)}"
)
"""Rules for it."""
_TOP = 32
_RATE, _FAILED, _RESPONSE, _OPEN = 64, 30, 150, 48
_BETWEEN = 16
_PAD = 1.25
_NUMBER_GAP = 14.0
_NARROW = 3.0
"""A spike of a moment is drawn as wide as can be observed."""


def plot(
    run: RunFigures,
    machine: RunMachine,
    found: TimelineBins,
    due: float,
    end: float,
    meanwhile: RunActive | None = None,
    limits: Sequence[Curve] = (),
    happened: Sequence[Mark] = (),
) -> Markup:
    """The drawing: rate, failures, response times and open requests; below, what the server did, and the machine.

    Args:
        run: what its users felt.
        machine: with the spikes, which are marked.
        found: what the machine did, in :data:`STRETCHES` parts from the beginning to the end.
        due: seconds for which requests were due: what is answered later is no rate.
        end: seconds of the run.
        meanwhile: what its server did besides answering; None where nobody looked.
        limits: of the response time.
        happened: what was made to happen to its server, and when.
    """
    across = Scale(0.0, end, LEFT, RIGHT, log=False)
    panels, y = [], _TOP
    rate = Curve("", 0, tuple((one.at, one.rate) for one in run.moments if one.at < due))
    panels.append(_panel("answers a second", [rate], across, y, _RATE, log=False, label_of=lambda one: f"{one:,.6g}"))
    y += _RATE + _BETWEEN
    if any(one.failed for one in run.moments):
        failed = Curve("", 1, tuple((one.at, float(one.failed)) for one in run.moments))
        panels.append(_panel("failed", [failed], across, y, _FAILED, log=False, label_of=lambda one: f"{one:g}"))
        y += _FAILED + _BETWEEN
    times = response_times(run)
    if any(at for curve in times for _, at in curve.points):
        panels.append(_panel("response time", [*times, *limits], across, y, _RESPONSE, log=True, label_of=tick_label))
        y += _RESPONSE + _BETWEEN
    if counts := open_requests(run, due):
        title = "requests under way and waiting"
        panels.append(_panel(title, counts, across, y, _OPEN, log=False, label_of=lambda one: f"{one:,.6g}"))
        y += _OPEN + _BETWEEN
    if meanwhile and meanwhile.kinds:
        rows, y = drawing.rows(meanwhile, across, LEFT, RIGHT, y)
        panels.append(rows)
        y += _BETWEEN
    lanes, bottom = _lanes(found, y)
    cut = across.at(min(run.settled.cut_s, end)) - LEFT if run.settled else 0.0
    shade = f"M{LEFT} {_TOP}h{draw.number(cut)}V{bottom}H{LEFT}z" if cut else ""
    label = (
        f"rate, failures, response times and open requests of the {run.loop} loop above CPU, memory, disk and network: "
        f"{plots.spoken([Curve('answers a second', 0, rate.points)], lambda one: f'{one:,.6g}')}, "
        f"{plots.spoken(times, units.seconds)}, {units.count(len(machine.spikes), 'spike')}"
    )
    marks = _marks(machine.spikes, across, bottom)
    made = _happened(happened, across, bottom)
    return draw.image(
        WIDTH, bottom + 26, "plot", label, draw.path(shade, "mg"), marks, made, *panels, lanes, seconds(across, bottom)
    )


def of_run(results: LoadResults, run: RunFigures, machine: RunMachine) -> Plot | None:
    """The drawing with its key; None of a run of which nobody knows when it was."""
    record = results.record
    raw = next(each for each in record.runs if each.number == run.number)
    if raw.at is None:
        return None
    due = raw.duration_s or record.spec.duration_s
    end = max(due, raw.intervals[-1].to_s)
    began, ended = raw.at, raw.at + end
    moments = [each for each in in_order(record.watches) if each.end > began and each.at < ended]
    bins = between(moments, began, ended, memory_of(record.host), BINS)
    meanwhile = results.activity.get(run.number)
    limits = plots.limits(record.spec, 0.0, end)
    happened = [one for one in results.disturbed.marks if one.run == run.number] if results.disturbed else []
    open_key = [(curve.name, curve.style) for curve in open_requests(run, due)]
    whose = (
        ("weigh", "the server and others")
        if results.machine and results.machine.apart
        else ("weigh and the server", "others")
    )
    caption = (
        "Over time: ",
        *(part for one in drawn([*response_times(run), *limits]) for part in (*key(*one), ", ")),
        "in each interval;",
        *(
            part
            for at, one in enumerate(open_key, 1)
            for part in (" ", *key(*one), " at its end;" if at == len(open_key) else ",")
        ),
        " above the share in use of the machine; of the CPU ",
        Part(f"by {whose[0]}", "ow"),
        ", ",
        Part(f"by {whose[1]}", "fg"),
        ", ",
        Part("by other guests", "st"),
        ". A line above a lane: work waited. A band: a spike",
        *(("; a grey one: ", ", ".join(dict.fromkeys(one.kind for one in happened))) if happened else ()),
        *((". Marks: what the server did meanwhile, ", Part("what is blamed for spikes", "bl")) if meanwhile else ()),
    )
    return Plot(caption, plot(run, machine, bins, due, end, meanwhile, limits, happened))


def open_requests(run: RunFigures, due: float) -> list[Curve]:
    """Requests without an answer when each interval ended: sent, and waiting for a free connection.

    Nothing where they never change, as of users who ask again at once.

    Args:
        run: of which they are.
        due: seconds for which requests were due: what is answered later only grows fewer.
    """
    observed = [one for one in run.moments if one.until < due]
    if len({(one.under_way, one.waiting) for one in observed}) < 2:
        return []
    under_way = Curve("requests under way", 1, tuple((one.until, float(one.under_way)) for one in observed))
    if not any(one.waiting for one in observed):
        return [under_way]
    return [under_way, Curve("requests waiting", 2, tuple((one.until, float(one.waiting)) for one in observed))]


def _panel(
    name: str, curves: list[Curve], across: Scale, top: int, height: int, *, log: bool, label_of: Callable[[float], str]
) -> Markup:
    heights = [at for curve in curves for _, at in curve.points if at is not None and (at > 0 or not log)]
    title = draw.group("tb", draw.text(LEFT + 3, top - 3, name))
    if not heights:
        return title
    low, high = (min(heights) / _PAD, max(heights) * _PAD) if log else (0.0, max(heights) * _PAD or 1.0)
    down = Scale(low, high, top + height, top, log=log)
    # The median on top of all: it must not be hidden.
    lines = (draw.path(joined(curve, across, down), f"t{curve.style}") for curve in reversed(curves))
    return grid(down, label_of) + Markup().join(lines) + title


def _lanes(found: TimelineBins, top: int) -> tuple[Markup, int]:
    """What the machine did, and where the last lane ends."""
    moved = found.moved
    most = float(moved.max())
    parts, base = [], top
    for at, (name, title) in enumerate(NAMES.items()):
        base = top + at * (LANE + GAP) + LANE
        if name == "cpu":
            shares = ((found.tracked + found.foreign + found.steal, "st"), (found.tracked + found.foreign, "fg"))
            paths = [(area(share, base, LEFT, _STEP), css) for share, css in (*shares, (found.tracked, "ow"))]
        else:
            share = found.resources[name].utilisation if name != "network" else moved / most if most else moved
            paths = [(area(share, base, LEFT, _STEP), "mg")]
        # What looks the same lies under the last.
        drawn = {path: css for path, css in paths if path}
        parts += [draw.path(path, css) for path, css in drawn.items()]
        parts.append(draw.path(over(found.resources[name].saturated, base - LANE - 2, LEFT, _STEP), "fail"))
        parts.append(draw.path(draw.line(LEFT, base, RIGHT, base), "g"))
        amount = [draw.text(LEFT - 6, base - 1, f"{units.size(most)}/s")] if name == "network" and most else []
        parts.append(draw.group("te", draw.text(LEFT - 6, base - 12, title), *amount))
    return Markup().join(parts), base


def _happened(marks: Sequence[Mark], across: Scale, bottom: int) -> Markup:
    """A band through everything for each thing that was made to happen."""
    bands = ""
    for one in marks:
        left = across.at(one.from_s)
        wide = max(across.at(one.to_s) - left, _NARROW)
        bands += f"M{draw.number(left)} {_TOP}h{draw.number(wide)}V{bottom}H{draw.number(left)}z"
    return draw.path(bands, "mg") if bands else Markup()


def _marks(spikes: tuple[Spike, ...], across: Scale, bottom: int) -> Markup:
    """A band through everything for each spike, numbered on top where there is room."""
    bands, numbers, last = "", [], -_NUMBER_GAP
    for number, one in enumerate(spikes, 1):
        left = across.at(one.from_s)
        wide = max(across.at(one.to_s) - left, _NARROW)
        bands += f"M{draw.number(left)} {_TOP - 16}h{draw.number(wide)}V{bottom}H{draw.number(left)}z"
        if left + wide / 2 - last >= _NUMBER_GAP:
            last = left + wide / 2
            numbers.append(draw.text(last, _TOP - 20, str(number)))
    return draw.path(bands, "sp") + draw.group("tm", *numbers)

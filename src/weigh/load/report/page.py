"""A load experiment as one self-contained HTML page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from weigh.load.activity import report as activity
from weigh.load.analysis import conditions, expected_interval
from weigh.load.durability import report as durability
from weigh.load.gate import report as gate
from weigh.load.rate_search import report as searches
from weigh.load.replay import report as replay
from weigh.load.report import machine, plots, timeline_plot, words
from weigh.load.report.first_screen import answered, wrong
from weigh.load.report.plots import Curve
from weigh.load.tpcc import report as tpcc
from weigh.load.waits import report
from weigh.model import units
from weigh.render import knobs
from weigh.render.html import ExplainedCodes, templates
from weigh.render.svg.time_axis import tick_label
from weigh.render.words import tier
from weigh.verdict import assumptions

if TYPE_CHECKING:
    from weigh.load.analysis.figures import OperationFigures, RunFigures
    from weigh.load.report.machine import MachineSection
    from weigh.load.results import Group, LoadResults

_STROKES = ("var(--k2)", "var(--k1)", "var(--k3)", "var(--k4)")
_DRAWN = 4
"""Groups whose plots are drawn; the tables have all."""


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of run.

    Attributes:
        plots: title, drawing and key (name and stroke of each line).
        rows: of the table of percentiles, by operation.
        watched: the machine meanwhile; None where nobody watched.
        key: name and stroke of each line of the response time above it that can be seen.
    """

    group: Group
    run: RunFigures
    name: str
    throughput: str
    server: str
    plots: tuple[tuple[str, Markup, tuple[tuple[str, int], ...]], ...]
    rows: tuple[tuple[OperationFigures, tuple[dict[str, Any], ...]], ...]
    page: str
    watched: MachineSection | None
    key: tuple[tuple[str, int], ...]


def page(results: LoadResults, evidence: str) -> str:
    """The whole page. A pure function of the record.

    Args:
        results: what is to be said.
        evidence: name of the evidence directory.
    """
    record = results.record
    return (
        templates(
            Path(__file__).parent,
            *(Path(__file__).parents[1] / room for room in ("waits", "rate_search", "durability", "replay", "tpcc")),
        )
        .get_template("load.html")
        .render(
            results=results,
            explained=ExplainedCodes(),
            record=record,
            spec=record.spec,
            workload=record.spec.title,
            environment=record.environment,
            evidence=evidence,
            headline=words.headline(results),
            wrong=wrong(results),
            answered=answered(results),
            arrivals=words.offered(record.spec),
            ycsb=words.ycsb(record.spec),
            tls=words.tls(record.environment.target) if record.environment else "",
            data=words.data(record),
            lives=words.lives(record),
            difference=words.DIFFERENCE,
            machine_itself=(*knobs.lines(record.knobs), conditions.speed_words(record.calibrations)),
            corrected={one.number: expected_interval.sentence(one.corrected) for one in results.runs if one.corrected},
            conditions={run.number: tuple(conditions.sentences(record, run.number)) for run in results.runs},
            tier=tier(results.tier.name),
            loops=words.loops(results.loops) if results.loops else "",
            parts=[_part(results, group, drawn=number < _DRAWN) for number, group in enumerate(results.groups)],
            waits={number: report.section(one) for number, one in results.waits.items()},
            answers=list(gate.lines(results.answers)) if results.answers else [],
            answers_title=gate.TITLE,
            must_hold=gate.condition_rows(results.answers) if results.answers else (),
            waits_title=report.TITLE,
            durability=durability.section(results.durability) if results.durability else None,
            durability_title=durability.TITLE,
            replay=list(replay.sentences(results.replay)) if results.replay else [],
            statements=results.replay.templates if results.replay else (),
            replay_title=replay.TITLE,
            activity={number: activity.section(one) for number, one in results.activity.items()},
            activity_title=activity.TITLE,
            searched=searches.section(results.rate_search) if results.rate_search else None,
            tpcc={one.number: tpcc.section(one) for one in results.tpcc},
            tpcc_title=tpcc.TITLE,
            length=words.length(record.spec).removeprefix(", "),
            of_repeats=words.of_repeats,
            label=words.label,
            assumed=assumptions.SERIES,
            strokes=Markup("\n").join(
                Markup(".t{}{{fill:none;stroke:{};stroke-width:1.4}}.b{}{{color:{}}}").format(at, one, at, one)
                for at, one in enumerate(_STROKES)
            ),
        )
    )


def _part(results: LoadResults, group: Group, *, drawn: bool) -> Part:
    run = group.first
    drawn = drawn and bool(run.operations)
    watched = machine.machine_section(results, run, drawn=drawn)
    return Part(
        group=group,
        run=run,
        name=words.group_name(group),
        throughput=words.throughput(run),
        server=words.server(run),
        plots=_plots(run, results.record.spec.duration_s, over_time=watched is None) if drawn else (),
        rows=tuple((one, tuple(_rows(one)) if one.count else ()) for one in run.operations),
        page=words.page(group.page) if group.page else "",
        watched=watched,
        key=plots.seen(timeline_plot.response_times(run)) if drawn else (),
    )


def _rows(one: OperationFigures) -> list[dict[str, Any]]:
    rows = []
    for name, q, seen in words.percentile_rows(one):
        row: dict[str, Any] = {"name": name, "seen": words.seen(one.count, seen)}
        for kind in ("response", "service"):
            found = getattr(one, kind).at(q)
            row[kind] = words.value(found)
            row[f"{kind}_interval"] = words.between(found.low, found.high)
            row[f"{kind}_open"] = not found.resolved
        rows.append(row)
    rows.append(
        {
            "name": "max",
            "response": units.seconds(one.response.max),
            "service": units.seconds(one.service.max),
            "response_interval": "",
            "service_interval": "",
            "response_open": False,
            "service_open": False,
        }
    )
    return rows


def _plots(
    run: RunFigures, duration: float, *, over_time: bool
) -> tuple[tuple[str, Markup, tuple[tuple[str, int], ...]], ...]:
    made = _over_time(run, duration) if over_time else []
    spectra = [_spectrum("response", run.whole.response, 1), _spectrum("service", run.whole.service, 3)]
    made.append(("Spectrum: how many are slower", plots.spectrum(spectra, f"spectrum of the {run.loop} loop"), spectra))
    return tuple((title, drawing, plots.seen(curves)) for title, drawing, curves in made if drawing)


def _over_time(run: RunFigures, duration: float) -> list[tuple[str, Markup, list[Curve]]]:
    """Where nobody watched: what the users felt, by itself."""
    end = max([duration, *(one.at for one in run.moments)])
    cut = run.settled.cut_s if run.settled else 0.0
    rate = [Curve("answers a second", 0, tuple((one.at, one.rate) for one in run.moments))]
    failed = any(one.failed for one in run.moments)
    times = timeline_plot.response_times(run)
    name = f"{run.loop} loop"
    made = [
        (
            "Throughput over time",
            plots.over_time(rate, f"throughput of the {name}", end, cut, log=False, said=lambda one: f"{one:,.6g}/s"),
            rate,
        ),
        (
            "Response time over time, in each interval",
            plots.over_time(times, f"response time of the {name}", end, cut, log=True, said=tick_label),
            times,
        ),
    ]
    if failed:
        errors = [Curve("failed in the interval", 1, tuple((one.at, float(one.failed)) for one in run.moments))]
        drawing = plots.over_time(errors, f"failures of the {name}", end, cut, log=False, said=lambda one: f"{one:g}")
        made.append(("Failed requests over time", drawing, errors))
    return made


def _spectrum(name: str, spectrum: Any, style: int) -> Curve:
    """The resolved percentiles, and the maximum at the rank of one in all."""
    points = [(1 - one.q, one.value) for one in spectrum.percentiles if one.resolved]
    if spectrum.count > 1 and spectrum.max is not None:
        points.append((1 / spectrum.count, spectrum.max))
    return Curve(name, style, tuple(sorted(points, reverse=True)))

"""The comparison of two sessions as a report: for a terminal and as one self-contained HTML page."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from weigh.model import units
from weigh.model.text import one_line
from weigh.render import blocks, comparison, page
from weigh.render.blocks import Cell, Column, Commands, Findings, Grade, Lines, Page, Part, Section, titled
from weigh.render.svg.interval import Axis
from weigh.render.terminal import report
from weigh.verdict.assumptions import ALIKE_FOR_ALL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from weigh.compare.model import Joined
    from weigh.compare.results import CompareResults, Session
    from weigh.model.verdict import Verdict
    from weigh.render.blocks import Phrase

_SURE = "to be sure, measure both in one session"
_BOTH = "weigh run --contender A --contender B"


def text(results: CompareResults, first: str, second: str) -> RenderableType:
    """The comparison for a terminal.

    Args:
        results: the comparison.
        first: the first evidence directory as the user named it.
        second: the second one.
    """
    subject, *about = _about(results, first, second)
    name = results.first.latest.spec.workload
    return report(
        Lines([Part(_headline(results), "bold")]),
        Lines([(Part(f"weigh compare {name}", "bold"), f"  {subject}"), *about, *_notices(results)]),
        Grade(results.tier),
        _contenders(results),
        Lines([_moved(results)]),
        Section("Ratios to the reference, joined", [_verdicts(results, _axis(results))]),
        comparison.notes(list(_notes(results))),
        Findings(results.findings),
        Lines([f"{_SURE[:1].upper()}{_SURE[1:]}: {_BOTH}"]),
    )


def html(results: CompareResults, first: str, second: str) -> bytes:
    """The comparison as a page; arguments as of :func:`text`."""
    workload, axis = results.first.latest.spec.workload, _axis(results)
    subject, *about = _about(results, first, second)
    heading = _headline(results)
    return page.page(
        Page(
            command="weigh compare",
            title=titled(f"{workload}, two sessions", heading),
            heading=heading,
            head=[
                Lines([f"{workload} {subject}", *about], css="meta", most=400),
                Lines(_notices(results), css="notice", most=400),
            ],
            blocks=[
                Section("Verdicts", [_verdicts(results, axis)], "verdicts"),
                Grade(results.tier),
                Section("Contenders", [_contenders(results)], "table-1"),
                Findings(results.findings),
                Section("Notes", [comparison.notes([_moved(results), *_notes(results)])], "notes"),
                Section("What to do next", [Commands(f"{_BOTH}    # {_SURE}")], "next", listed=False),
            ],
            style=comparison.style("compare", "first", "second"),
            ground=f"{axis.ground()}\n",
        )
    )


def _headline(results: CompareResults) -> str:
    """Ratios of ratios: what the machine did to all alike is not in them."""

    def other(one: Verdict) -> str:
        named = "" if one.baseline == one.contender else f"{one_line(one.baseline, 60)} "
        return f"{named}in the first session"

    return comparison.sentence(results.headline.verdicts, other)


def _axis(results: CompareResults) -> Axis:
    return Axis(results.headline.verdicts, (), results.rules.margin)


def _about(results: CompareResults, *evidence: str) -> Iterator[Phrase]:
    """What was compared, and where."""
    spec, sessions = results.first.latest.spec, (results.first, results.second)
    scale = ", ".join(filter(None, (units.scale(spec.scale), f"seed {spec.seed}")))
    same = "rows" if any(session.latest.layouts for session in sessions) else "bytes"
    yield f"{scale}; both sessions read the same {same}"
    hosts = [_host(session) for session in sessions]
    for session, place, host in zip(sessions, evidence, hosts, strict=True):
        attempts = f", {session.results.attempts} attempts" if session.results.attempts > 1 else ""
        end, environment = session.latest.end, session.latest.environment
        made = (f"weigh {environment.weigh}" if environment else "", end.date if end else "")
        yield f"{session.name.removeprefix('the ')}: {', '.join(filter(None, (f'{place}{attempts}', *made)))}"
        if hosts[0] != hosts[1]:
            yield Part(f"  {host}", "dim")
    if hosts[0] == hosts[1]:
        yield Part(hosts[0], "dim")


def _notices(results: CompareResults) -> list[Phrase]:
    found = {session.latest.notice for session in (results.first, results.second)}
    return [Part(notice, "bold") for notice in sorted(found - {""})]


def _host(session: Session) -> str:
    environment = session.measured[-1].environment
    host = environment.host if environment else {}
    memory = units.size(host.get("memory_bytes"))
    known = f"{host.get('cpu')}, {host.get('cores_allowed')} cores, {memory}"
    return f"{known}; {host['system']}" if host.get("system") else known


def _contenders(results: CompareResults) -> blocks.Table:
    return blocks.words(("contender", "in the first session", "in the second session"), list(_builds(results)))


def _builds(results: CompareResults) -> Iterator[tuple[str, str, str]]:
    """Every contender with what it was in either session."""
    first, second = results.first, results.second
    there = f", in the second session {second.reference}" if first.reference != second.reference else ""
    reference = f"{first.reference} (reference{there})"
    yield reference, _build(first, first.reference), _build(second, second.reference)
    # The reference may have another name in the second session, and its name there may be a contender's here.
    mine, theirs = ({pair[place] for pair in results.pairs} for place in (1, 0))
    for name in dict.fromkeys(name for other, candidate in results.pairs for name in (candidate, other)):
        yield (
            name,
            _build(first, name) if name in mine else "-",
            _build(second, name) if name in theirs else "-",
        )


def _build(session: Session, name: str) -> str:
    read = session.contender(name)
    settings = ", ".join(f"{key}={value}" for key, value in read.settings.items())
    data = "".join(f", {key} {value}" for key, value in session.latest.spec.contender(name).data.items())
    return one_line(read.says + (f" ({settings})" if settings else "") + data)


def _moved(results: CompareResults) -> str:
    """What the machine did: printed, and no verdict."""
    ratios = results.headline.movement.ratios
    if not ratios:
        return "the reference has no times in both sessions"
    typical, low, high = median(ratios.values()), min(ratios.values()), max(ratios.values())
    spread = f" (median of {units.count(len(ratios), 'operation')}, {low:.3f} to {high:.3f})" if len(ratios) > 1 else ""
    return (
        f"In the second session the reference {results.first.reference} took {typical:.3f} of its earlier time"
        f"{spread}. That is what the machine did; it is no verdict."
    )


def _verdicts(results: CompareResults, axis: Axis) -> blocks.Table:
    level = f"{100 * results.rules.confidence:g} %"
    moved, reference = results.headline.movement.ratios, results.first.reference
    groups: dict[str, list[blocks.Row]] = {}
    for one in results.headline.verdicts:
        rows = groups.setdefault(one.operation, [])
        if not rows and one.operation in moved:
            about = Part(f"took {moved[one.operation]:.3f} of its earlier time", "dim")
            name = Cell(reference, page=f"{reference} (reference)")
            rows.append(comparison.base(name, ("1", "1"), axis, about, more=("",)))
        figures = (_ratio(one.ratio_first), _ratio(one.ratio_second))
        floor = units.percent(one.noise_floor) if one.noise_floor is not None else ""
        rows.append(comparison.row(one, _name(one), figures, axis, more=(floor,)))
    return comparison.table(
        groups,
        [Column("first", right=True), Column("second", right=True)],
        axis,
        level,
        command="compare",
        # A page draws it.
        more=[Column("noise", right=True, form="terminal")],
        optional=("FCR", "noise", "first", "second", level, "ratio"),
    )


def _name(one: Joined) -> str:
    return one.contender if one.contender == one.baseline else f"{one.contender} / {one.baseline}"


def _ratio(value: float | None) -> str:
    return units.ratio(value) if value is not None else ""


def _notes(results: CompareResults) -> Iterator[str]:
    """How to read the figures, and the reasons of verdicts."""
    rules, assumed = results.rules, ALIKE_FOR_ALL.assumes
    yield (
        f"first, second: contender / {results.first.reference} within each session. ratio: second / first, above 1 is "
        "slower than in the first session. noise: how far the reference's own two arms are apart, joined in the same "
        "way. FCR: the interval that decides whether a difference matters."
    )
    yield (
        f"Declared beforehand: margin {units.percent(rules.margin)}, {100 * rules.confidence:g} % intervals, false "
        f"discoveries {units.percent(rules.fdr, 0)} over {units.count(results.headline.family, 'comparison')}, "
        f"equivalence at {units.percent(rules.equivalence, 0)}."
    )
    yield f"Assumed: {assumed[:1].lower()}{assumed[1:]}"
    yield from comparison.reasons(results.headline.verdicts, lambda one: f"{one.operation}, {one.contender}")

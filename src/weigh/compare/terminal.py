"""The comparison of two sessions for a terminal."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from weigh.model import units
from weigh.model.text import one_line
from weigh.render import words
from weigh.render.terminal import VERDICT_STYLE, FittedTable, interval, show_findings, show_tier
from weigh.verdict.assumptions import ALIKE_FOR_ALL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from weigh.compare.model import Joined
    from weigh.compare.results import CompareResults, Session


def report(comparison: CompareResults, first: str, second: str) -> RenderableType:
    """The whole comparison.

    Args:
        comparison: what is to be said.
        first: the first evidence directory as the user named it.
        second: the second one.
    """
    parts: list[RenderableType] = [heading(comparison, first, second), Text(), show_tier(comparison.tier), Text()]
    parts += [_contenders(comparison), Text(), moved(comparison), Text()]
    parts += [Text("Ratios to the reference, joined", style="bold"), _numbers(comparison), Text()]
    parts += [notes(comparison), Text()]
    if comparison.findings:
        parts += [Text("Findings", style="bold"), show_findings(comparison.findings), Text()]
    parts.append(_closing(comparison))
    return Group(*parts)


def heading(comparison: CompareResults, *evidence: str) -> Text:
    """What was compared, and where."""
    spec = comparison.first.latest.spec
    text = Text()
    text.append(f"weigh compare {spec.workload}", style="bold")
    about = [units.scale(spec.scale), f"seed {spec.seed}"]
    same = "rows" if comparison.first.latest.layouts or comparison.second.latest.layouts else "bytes"
    text.append(f"  {', '.join(part for part in about if part)}; both sessions read the same {same}")
    sessions = comparison.first, comparison.second
    hosts = [_host(session) for session in sessions]
    for session, place, host in zip(sessions, evidence, hosts, strict=True):
        attempts = f", {session.results.attempts} attempts" if session.results.attempts > 1 else ""
        text.append(f"\n{session.name.removeprefix('the ')}: {place}{attempts}")
        if hosts[0] != hosts[1]:
            text.append(f"\n  {host}", style="dim")
    if hosts[0] == hosts[1]:
        text.append(f"\n{hosts[0]}", style="dim")
    for notice in sorted({session.latest.notice for session in sessions} - {""}):
        text.append(f"\n{notice}", style="bold")
    return text


def _host(session: Session) -> str:
    environment = session.measured[-1].environment
    host = environment.host if environment else {}
    memory = units.size(host.get("memory_bytes"))
    return f"{host.get('cpu')}, {host.get('cores_allowed')} cores, {memory}; {host.get('system')}"


def _contenders(comparison: CompareResults) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("contender", "in the first session", "in the second session"):
        table.add_column(heading, overflow="fold")
    for cells in builds(comparison):
        table.add_row(*cells)
    return table


def builds(comparison: CompareResults) -> Iterator[tuple[str, str, str]]:
    """Every contender with what it was in either session."""
    first, second = comparison.first, comparison.second
    there = f", in the second session {second.reference}" if first.reference != second.reference else ""
    reference = f"{first.reference} (reference{there})"
    yield reference, _build(first, first.reference), _build(second, second.reference)
    # The reference may have another name in the second session, and its name there may be a contender's here.
    mine, theirs = ({pair[place] for pair in comparison.pairs} for place in (1, 0))
    for name in dict.fromkeys(name for other, own in comparison.pairs for name in (own, other)):
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


def moved(comparison: CompareResults) -> Text:
    """What the machine did: printed, and no verdict."""
    ratios = comparison.headline.movement.ratios
    if not ratios:
        return Text("the reference has no times in both sessions")
    typical, low, high = median(ratios.values()), min(ratios.values()), max(ratios.values())
    spread = f" (median of {units.count(len(ratios), 'operation')}, {low:.3f} to {high:.3f})" if len(ratios) > 1 else ""
    return Text(
        f"In the second session the reference {comparison.first.reference} took {typical:.3f} of its earlier time"
        f"{spread}. That is what the machine did; it is no verdict."
    )


def _numbers(comparison: CompareResults) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("operation, contender", overflow="fold")
    confidence = f"{100 * comparison.rules.confidence:g} %"
    for heading in ("first", "second", "ratio", confidence, "FCR", "floor"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict", overflow="fold")
    shifts = comparison.headline.movement.ratios
    rows: dict[str, list[Joined]] = {}
    for verdict in comparison.headline.verdicts:
        rows.setdefault(verdict.operation, []).append(verdict)
    for operation, verdicts in rows.items():
        table.add_row(Text(operation, style="bold"))
        if operation in shifts:
            about = Text(f"took {shifts[operation]:.3f} of its earlier time", style="dim")
            table.add_row(Text(f"  {comparison.first.reference}"), "1", "1", "", "", "", "", about)
        for one in verdicts:
            table.add_row(
                Text(f"  {one.contender}" if one.contender == one.baseline else f"  {one.contender} / {one.baseline}"),
                _ratio(one.ratio_first),
                _ratio(one.ratio_second),
                words.ratio(one) or units.percent(None),
                interval(one.low, one.high),
                interval(one.low_fcr, one.high_fcr),
                units.percent(one.noise_floor) if one.noise_floor is not None else "",
                Text(words.verdict(one), style=VERDICT_STYLE[one.verdict]),
            )
    return FittedTable(table, "FCR", "noise", "first", "second", confidence, "ratio")


def _ratio(value: float | None) -> str:
    return f"{value:.3f}" if value is not None else ""


def notes(comparison: CompareResults) -> Text:
    """How to read the figures, and the reasons of verdicts."""
    rules, reference = comparison.rules, comparison.first.reference
    assumed = ALIKE_FOR_ALL.assumes
    lines = [
        f"first, second: contender / {reference} within each session. ratio: second / first, above 1 is slower than in "
        "the first session. floor: how far the reference's own two arms are apart, joined in the same way. FCR: the "
        "interval that decides whether a difference matters.",
        f"Declared beforehand: margin {units.percent(rules.margin)}, {100 * rules.confidence:g} % intervals, false "
        f"discoveries {units.percent(rules.fdr, 0)} over {units.count(comparison.headline.family, 'comparison')}, "
        f"equivalence at {units.percent(rules.equivalence, 0)}.",
        f"Assumed: {assumed[:1].lower()}{assumed[1:]}",
    ]
    return Text("\n".join([*lines, *_reasons(comparison)]), style="dim")


def _reasons(comparison: CompareResults) -> list[str]:
    """Each kind of reason once, with its first example: the JSON has them all."""
    groups: dict[str, list[str]] = {}
    for verdict in comparison.headline.verdicts:
        for reason in verdict.reasons:
            place = f"{verdict.operation}, {verdict.contender}"
            groups.setdefault(reason.code, []).append(f"{place}: {one_line(reason.text)}")
    return [
        f"{code}: {texts[0]}" + (f" (and {units.count(len(texts) - 1, 'more row')})" if len(texts) > 1 else "")
        for code, texts in groups.items()
    ]


def _closing(comparison: CompareResults) -> Text:
    counts: dict[str, int] = {}
    for one in comparison.headline.verdicts:
        counts[str(one.verdict)] = counts.get(str(one.verdict), 0) + 1
    text = Text()
    text.append(", ".join(f"{count} {name}" for name, count in counts.items()) + ".", style="bold")
    text.append("\nto be sure, measure both in one session: weigh run --contender A --contender B")
    return text

"""A comparison of servers for a terminal: the first screen, and all that there is to say."""

from __future__ import annotations

from collections import Counter
from shlex import quote
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.constrain import Constrain
from rich.table import Table
from rich.text import Text

from weigh.load.analysis import conditions
from weigh.load.analysis.figures import ALL
from weigh.load.comparison.differences import is_durable
from weigh.load.comparison.rate_search import report as rates
from weigh.load.comparison.report import words
from weigh.load.replay import differences
from weigh.model import units
from weigh.model.text import one_line
from weigh.render import shape
from weigh.render.terminal import TIER_STYLE, VERDICT_STYLE, FittedTable, interval, plain_text, show_findings, show_tier
from weigh.render.words import first_reason, ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import ConsoleOptions, RenderableType

    from weigh.load.comparison.rate_search.results import RatesFound
    from weigh.load.comparison.results import LoadComparisonResults
    from weigh.load.comparison.verdicts import LoadVerdict

_NARROWEST = 40
_LINES = 3
"""Lines that the first reason for the tier may take."""
_NAME = 24
"""Characters of a contender's name in a table."""
_SHOUTED = {"SLOWER": "bold red", "FASTER": "bold green", "No verdict": "bold yellow", "Not complete": "bold yellow"}


def plain(results: LoadComparisonResults, evidence: str) -> str:
    """All of it without colour at a fixed width: the form that is kept and verified."""
    return plain_text(whole(results, evidence))


class Screen:
    """The first screen, as wide as there is room for, and 80 columns at most.

    Args:
        results: what is to be said.
        evidence: the directory, as the reader is to write it.
    """

    def __init__(self, results: LoadComparisonResults, evidence: str) -> None:
        self._results = results
        self._evidence = evidence

    def __rich_console__(self, console: object, options: ConsoleOptions) -> Iterator[RenderableType]:
        """The sentences, the table, and where to go on."""
        width = max(min(shape.WIDTH, options.max_width), _NARROWEST)
        yield from _head(self._results, width)
        shown = [one for one in self._results.verdicts if one.operation == ALL]
        if shown:
            yield Text()
            yield Constrain(_table(self._results, shown), width)
        yield Text()
        yield from _tail(self._results, self._evidence, width)


def screen(results: LoadComparisonResults, evidence: str) -> RenderableType:
    """The first screen; arguments as of :class:`Screen`."""
    return Screen(results, evidence)


def whole(results: LoadComparisonResults, evidence: str) -> RenderableType:
    """All that there is to say; arguments as of :class:`Screen`."""
    parts: list[RenderableType] = [screen(results, evidence), Text(), show_tier(results.tier), Text()]
    if results.rates:
        parts += [Text(rates.TITLE, style="bold"), _rates(results.rates), Text()]
    parts += [Text("Contenders", style="bold"), _contenders(results), Text()]
    single = [one for one in results.verdicts if one.operation != ALL]
    if single:
        parts += [Text("Each operation", style="bold"), _table(results, single), Text()]
    if results.replayed:
        parts += [Text("Answers to the recording", style="bold"), *map(Text, answers(results)), Text()]
    if results.floors:
        parts += [Text("What no difference looked like", style="bold"), _floors(results), Text()]
    return Group(*parts, notes(results))


def answers(results: LoadComparisonResults) -> Iterator[str]:
    """How the answers to a recording differ, in sentences."""
    for one in results.replayed:
        yield from (one_line(line, 1000) for line in differences.lines(one, results.record.spec.baseline))


def notes(results: LoadComparisonResults) -> RenderableType:
    """How to read the figures, the reasons of verdicts, and the findings."""
    parts: list[RenderableType] = [Text("\n".join(reading(results)), style="dim"), Text()]
    if results.findings:
        parts += [Text("Findings", style="bold"), show_findings(results.findings)]
    return Group(*parts)


def reading(results: LoadComparisonResults) -> Iterator[str]:
    """How to read the figures, then each kind of reason once with its first example: the JSON has them all."""
    rules = results.record.spec.rules
    base = results.record.spec.baseline
    search = results.record.spec.load.find_rate
    if results.rates and search:
        yield from rates.reading(results.rates, search)
    else:
        yield (
            f"ratio: contender over {base}, above 1 is more. A block has one figure of each server, from a fresh "
            "start; the interval is over the blocks."
        )
    yield (
        f"Declared beforehand: margin {units.percent(rules.margin)}, {100 * rules.confidence:g} % intervals, false "
        f"discoveries {units.percent(rules.fdr, 0)} over all {'ratios' if results.rates else 'response times'}, "
        f"equivalence at {units.percent(rules.equivalence, 0)}."
    )
    if apart := results.apart:
        yield (
            f"The two schedules of a duet began {units.seconds(apart.median)} apart (median of "
            f"{units.count(apart.pairs, 'pair')}), {units.seconds(apart.most)} at most: for so long one "
            "ran without the other."
        )
    if said := conditions.speed_words(results.record.calibrations, "block"):
        yield said
    groups: dict[str, list[str]] = {}
    for one in results.verdicts:
        for reason in one.reasons:
            place = f"{words.figure(one.metric)} of {one.operation}, {one.contender}"
            groups.setdefault(reason.code, []).append(f"{place}: {one_line(reason.text, 600)}")
    for code, texts in groups.items():
        more = f" (and {units.count(len(texts) - 1, 'more row')})" if len(texts) > 1 else ""
        yield f"{code}: {texts[0]}{more}"


def _head(results: LoadComparisonResults, width: int) -> Iterator[Text]:
    """The sentences, with the tier and the number of blocks at the right edge."""
    right = [f"[{str(results.tier.name).upper()}]", words.blocks(results)]
    room = width - max(map(len, right)) - shape.INDENT
    lines = [line for said in words.headline(results) for line in shape.wrapped(one_line(said, 600), room)]
    for line, word in shape.beside(lines, right, width):
        text = _line(line)
        for shouted, style in _SHOUTED.items():
            text.highlight_words([shouted], style)
        yield text.append(word, style=TIER_STYLE[results.tier.name] if word.startswith("[") else "")
    for line in _under(results, width):
        yield _line(line, "dim")
    if results.tier.reasons:
        first, rest = first_reason(results.tier.reasons)
        if results.refused:
            first = "every verdict is refused"
        why = f"{str(results.tier.name).capitalize()}: {first}{rest}."
        for line in shape.wrapped(why, width)[:_LINES]:
            yield _line(line, TIER_STYLE[results.tier.name].removeprefix("bold "))


def _under(results: LoadComparisonResults, width: int) -> Iterator[str]:
    yield from shape.wrapped(f"Under {words.heading(results)}.", width)
    if results.record.spec.load.notice:
        yield from shape.wrapped(f"Note: {results.record.spec.load.notice}.", width)


def _table(results: LoadComparisonResults, shown: Sequence[LoadVerdict]) -> RenderableType:
    """Verdicts by figure; of several kinds of run each under its name."""
    several = len(results.others) > 1
    base = results.record.spec.baseline
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("rate" if results.rates else "response", overflow="fold", no_wrap=True)
    if several:
        table.add_column("contender", overflow="fold")
    confidence = f"{100 * results.record.spec.rules.confidence:g} %"
    names = (_short(base, "baseline"), "value" if several else _short(results.others[0], "contender"))
    for heading in (*names, "ratio", confidence):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("what it means", overflow="fold")
    before = None
    for one in shown:
        group = (one.connections, one.loop, one.operation)
        if group != before and (len(results.kinds) > 1 or one.operation != ALL):
            kind = f"{one.loop} loop, {units.count(one.connections, 'connection')}" if len(results.kinds) > 1 else ""
            name = one_line(one.operation, _NAME) if one.operation != ALL else ""
            table.add_row(Text(", ".join(filter(None, (name, kind))), style="bold"))
        before = group
        table.add_row(
            words.figure(one.metric),
            *([one_line(one.contender, 60)] if several else []),
            words.value(one.metric, one.baseline_value),
            words.value(one.metric, one.value),
            ratio(one),
            interval(one.low, one.high),
            Text(words.verdict(one), style=VERDICT_STYLE[one.verdict]),
        )
    return FittedTable(table, confidence, "ratio", names[0], names[1])


def _short(name: str, otherwise: str) -> str:
    return name if len(name) <= _NAME // 2 else otherwise


def _contenders(results: LoadComparisonResults) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("contender", "what it is", "lives"):
        table.add_column(heading, overflow="fold")
    for cells in contenders(results):
        table.add_row(*cells)
    return table


def _rates(found: RatesFound) -> RenderableType:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for at, heading in enumerate(rates.HEADINGS):
        table.add_column(heading, overflow="fold", justify="right" if at else "left", no_wrap=bool(at))
    for cells in rates.cells(found):
        table.add_row(*cells)
    return FittedTable(table, "broken from", "kept up to", "interval")


def contenders(results: LoadComparisonResults) -> Iterator[tuple[str, str, str]]:
    """Every contender: its name, what its server calls itself, and how many of its lives were met."""
    record = results.record
    for one in record.spec.contenders:
        load = record.loads.get(one.name)
        target = load.environment.target if load and load.environment else None
        lives = {(run.attempt, run.arm, run.run.life) for run in results.runs if run.contender == one.name}
        name = f"{one.name} (baseline)" if one.name == record.spec.baseline else one.name
        said = f"{target.product} {target.version}, {is_durable(record, one.name)}" if target else "not reached"
        shown = f"; {one.target}" if one.target != one.name else ""
        yield one_line(name, 60), one_line(said + shown, 200), f"{len(lives)}"


def _floors(results: LoadComparisonResults) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column(f"{one_line(results.record.spec.baseline, _NAME)} against itself", overflow="fold")
    for heading in ("ratio", "interval"):
        table.add_column(heading, justify="right", no_wrap=True)
    for cells in floors(results):
        table.add_row(*cells)
    return table


def floors(results: LoadComparisonResults) -> Iterator[tuple[str, str, str]]:
    """The baseline's second arm over its first, figure by figure."""
    for one in results.floors:
        if one.operation != ALL:
            continue
        kind = f", {one.loop} loop, {units.count(one.connections, 'connection')}" if len(results.kinds) > 1 else ""
        yield words.figure(one.metric) + kind, f"{one.ratio:.3f}", interval(one.low, one.high)


def _tail(results: LoadComparisonResults, evidence: str, width: int) -> Iterator[Text]:
    counts = Counter(one.severity for one in results.findings)
    said = ", ".join(units.count(counts[kind], kind) for kind in ("error", "warning", "note") if counts[kind])
    if said:
        yield from map(_line, shape.packed([f"{said}:", f"weigh report {quote(evidence)} --notes"], width=width))
    page = [f"{evidence}/report.html"] if results.record.end is not None else []
    yield from map(_line, shape.packed([*page, f"weigh open {quote(evidence)}"], "  Page:    ", "   ", width))
    if results.record.environment:
        yield from map(_line, shape.command(results.record.environment.command, "  Again:   ", width))


def _line(text: str, style: str = "") -> Text:
    return Text(text, style=style, no_wrap=True, overflow="ignore")

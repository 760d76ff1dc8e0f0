"""A comparison of servers in Markdown, for a comment on a pull request or the summary of a CI job."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from weigh.load.analysis.figures import ALL
from weigh.load.comparison.rate_search import report as rates
from weigh.load.comparison.report import words
from weigh.render.markdown import code, row, text
from weigh.render.terminal import interval
from weigh.render.words import ratio

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.load.comparison.results import LoadComparisonResults


def markdown(results: LoadComparisonResults, evidence: str) -> str:
    """The sentences, the table, and how to do it again.

    Args:
        results: what is to be said.
        evidence: the directory, as the reader is to write it.
    """
    return "\n".join(_lines(results, evidence))


def _lines(results: LoadComparisonResults, evidence: str) -> Iterator[str]:
    first, *others = words.headline(results)
    yield f"**{text(first)}**" + ("  " if others else "")
    yield from (f"{text(said)}  " for said in others)
    yield ""
    why = f": {results.tier.reasons[0].text.rstrip('.')}" if results.tier.reasons else ""
    yield text(f"{str(results.tier.name).upper()}{why}. Under {words.heading(results)}.")
    shown = [one for one in results.verdicts if one.operation == ALL]
    if shown:
        base = results.record.spec.baseline
        level = f"{100 * results.record.spec.rules.confidence:g} %"
        yield ""
        yield row(
            ["rate" if results.rates else "response", "contender", text(base), "value", "ratio", level, "what it means"]
        )
        yield row(["---", "---", "--:", "--:", "--:", "--:", "---"])
        several = len(results.kinds) > 1
        for one in shown:
            where = f", {one.loop}, {one.connections} connections" if several else ""
            cells = (
                words.figure(one.metric) + where,
                one.contender,
                words.value(one.metric, one.baseline_value),
                words.value(one.metric, one.value),
                ratio(one),
                interval(one.low, one.high),
                words.verdict(one),
            )
            yield row([text(cell) for cell in cells])
    if results.rates:
        yield ""
        yield row(list(rates.HEADINGS))
        yield row(["---", *(["--:"] * (len(rates.HEADINGS) - 1))])
        for found in rates.cells(results.rates):
            yield row([text(cell) for cell in found])
    yield ""
    yield f"Evidence: {code(f'weigh report {quote(evidence)} --notes')}"
    if results.record.environment:
        yield ""
        yield f"Again: {code(results.record.environment.command)}"

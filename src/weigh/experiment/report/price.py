"""What answers cost, and what systems report of their own time, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.experiment.report.cold import question
from weigh.experiment.report.costs import Costs
from weigh.experiment.results.cost.cost import NAME
from weigh.model import units
from weigh.model.metrics.price import amount, parse_money, scale
from weigh.model.metrics.run_metrics import RUN_METRICS
from weigh.render import words

if TYPE_CHECKING:
    from weigh.experiment.results.cost.cost import CostRow
    from weigh.experiment.results.results import ExperimentResults
    from weigh.model.verdict import Verdict

_SUITE = "all operations"
_EXACT = 1e-9
"""Share below which an interval is rounding: bytes that are scanned need not scatter."""
_TIME_HEADINGS = ("operation", "contender", "client", "server", "queue", "network and the rest")
_TIME_NOTE = (
    "Medians. Client: from sending the query to its last row; that decides. Server and queue: by the system's clock. "
    "The rest: the way, fetching rows, and what the system leaves out."
)


def answers(results: ExperimentResults) -> Costs:
    """What one execution costs, and one of every operation: a row for each contender."""
    found = results.cost
    if found is None or not found.rows:
        return Costs("What answers cost", (), ())
    analysis = results.analyses[NAME]
    verdicts = {(v.operation, v.temperature, v.contender): v for v in analysis.verdicts}
    suites = {(v.temperature, v.contender): v for v in found.suites}
    rows = []
    times, each = scale([row.mean for row in found.rows])
    for row in found.rows:
        key = (row.temperature, row.contender)
        verdict = verdicts.get((row.operation, *key)) if row.operation else suites.get(key)
        ratio = f"{verdict.ratio:.2f}" if verdict and verdict.ratio else "-"
        rows.append(
            (
                question(row.operation or _SUITE, row.temperature),
                row.contender,
                amount(times * row.mean),
                _interval(row, times),
                "" if row.contender == results.record.spec.baseline else ratio,
                "baseline" if row.contender == results.record.spec.baseline else word(verdict),
            )
        )
    level = f"{100 * results.record.spec.rules.confidence:g} %"
    headings = ("operation", "contender", f"{found.currency} {each}", level, "ratio", "verdict")
    return Costs("What answers cost", headings, rows, " ".join(_note(results)), scoped=False)


def word(verdict: Verdict | None) -> str:
    """What a verdict on cost is called: DEARER, CHEAPER, SAME; what it hangs on is among its reasons."""
    if verdict is None:
        return "not judged"
    metric, name = RUN_METRICS[NAME], words.verdict(verdict)
    for usual, word_of_metric in (("SLOWER", metric.more), ("FASTER", metric.fewer)):
        name = name.replace(usual, word_of_metric.upper())
    return name


def _interval(row: CostRow, times: int) -> str:
    if row.low is None or row.high is None:
        return "-"
    if row.high - row.low < _EXACT * row.mean:
        return "the same in all"
    return f"{amount(times * row.low)} to {amount(times * row.high)}"


def _note(results: ExperimentResults) -> list[str]:
    found, spec = results.cost, results.record.spec
    assert found is not None
    prices = ", ".join(f"{name} {text}" for name, text in found.prices.items())
    notes = [f"Prices as declared: {prices}.", "Means over the starts, with their interval."]
    known = {name: value for name, value in found.spent.items() if value is not None}
    if known:
        limit = f" of {parse_money(spec.spend, 'spend')}" if spec.spend else ""
        notes.append(
            f"The executions of the blocks cost {amount(sum(known.values()))} {found.currency}{limit}"
            + (" where that is known." if len(known) < len(found.spent) else ".")
        )
    notes += [
        f"No sum over all of {name}: {', '.join(f'{one.operation} ({one.why})' for one in missing)}."
        for name, missing in found.missing.items()
    ]
    return notes


def times(results: ExperimentResults) -> Costs:
    """The client's time, and what the systems say of it."""
    rows = [
        (
            question(one.operation, one.temperature),
            one.contender,
            units.seconds(one.wall_s),
            *(units.seconds(value) if value is not None else "-" for value in (one.server_s, one.queue_s)),
            units.seconds(one.network_s) if one.network_s is not None else "-",
        )
        for one in results.reported
        if one.server_s is not None
    ]
    return Costs("Client, server and queue", _TIME_HEADINGS, rows, _TIME_NOTE)

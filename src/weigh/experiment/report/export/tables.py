"""Tables: CSV with a line for each operation, contender and metric; Parquet with a row for each execution."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from weigh.experiment.derived import sample_table
from weigh.experiment.results.cost.quantities import cost
from weigh.model.sample import Samples
from weigh.model.text import visible

if TYPE_CHECKING:
    from weigh.experiment.report.export.exported import Exported
    from weigh.model.verdict import Timing, Verdict

_TIMING = (
    "operation",
    "contender",
    "metric",
    "temperature",
    "scale",
    "layout",
    "starts",
    "runs",
    "min",
    "median",
    "max",
)
_VERDICT = ("baseline", "verdict", "ratio", "low", "high", "confidence", "margin", "noise_floor", "detectable")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a text begins with that a spreadsheet takes for a formula."""
COST = "cost"
_KEY = ("operation", "contender", "metric", "temperature", "layout")


def results(exported: Exported) -> bytes:
    """What was measured, and what follows: columns of ``timings`` and ``verdicts`` in the JSON document.

    Where prices are declared, one more has the currency of what is money.
    """
    verdicts = {tuple(getattr(one, name) for name in _KEY): one for one in exported.verdicts()}
    written = io.StringIO(newline="")
    lines = csv.writer(written)
    currency = _currency(exported)
    lines.writerow((*_TIMING, *_VERDICT, "reasons", "plain_ratio", *(("currency",) if currency else ())))

    def line(measured: Timing | Verdict, verdict: Verdict | None) -> list[object]:
        money = (currency if measured.metric == COST else None,) if currency else ()
        return [*_line(measured, verdict), *money]

    for timing in exported.timings():
        verdict = verdicts.pop(tuple(getattr(timing, name) for name in _KEY), None)
        lines.writerow(line(timing, verdict))
    # What is left has no measurement, such as the verdict on a wrong answer.
    for verdict in verdicts.values():
        lines.writerow(line(verdict, verdict))
    return written.getvalue().encode()


def _line(measured: Timing | Verdict, verdict: Verdict | None) -> list[object]:
    cells = [getattr(measured, name, None) for name in _TIMING]
    if verdict is None:
        return [*map(_cell, cells), *[None] * (len(_VERDICT) + 2)]
    cells += [getattr(verdict, name) for name in _VERDICT]
    return [*map(_cell, cells), " ".join(reason.code for reason in verdict.reasons), verdict.plain_ratio]


def _cell(value: object) -> object:
    """A cell as a spreadsheet shows it: a text that it would compute as a formula begins with an apostrophe."""
    if not isinstance(value, str):
        return value
    return f"'{visible(value)}" if value.startswith(_FORMULA) else visible(value)


def _currency(exported: Exported) -> str:
    """Of the declared prices; empty where there are none."""
    return next((price.currency for price in exported.results.record.spec.prices.values()), "")


def executions(exported: Exported) -> bytes:
    """Every execution, with the columns of ``samples.parquet`` in the evidence, and what it cost where prices are."""
    written = io.BytesIO()
    chosen = [one for one in exported.samples if exported.includes(one.contender)]
    table = sample_table(chosen)
    if currency := _currency(exported):
        prices = exported.results.record.spec.prices
        found = pa.array(cost(Samples.of(chosen), prices), pa.float64(), from_pandas=True)
        table = table.append_column(pa.field(COST, pa.float64(), metadata={"currency": currency}), found)
    pq.write_table(table, written)
    return written.getvalue()

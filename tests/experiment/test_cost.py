"""What answers cost: prices, sums and intervals, by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from scipy import stats

from support.analysed_samples import sample, spec
from weigh.experiment.config.prices import budget, declared
from weigh.experiment.record import Record
from weigh.experiment.results.analysis import MetricAnalysis, analyse
from weigh.experiment.results.cost.cost import Cost, cost, findings, following
from weigh.experiment.results.cost.quantities import quantities
from weigh.model import codes
from weigh.model.answer import ResultSchema
from weigh.model.errors import UsageError
from weigh.model.metrics.price import amount, parse_money, parse_price, scale
from weigh.model.metrics.run_metrics import metrics_of, rules_of
from weigh.model.operation import Case, Operation, Workload
from weigh.model.sample import Outcome, Sample, Samples
from weigh.model.verdict import Reason

if TYPE_CHECKING:
    from weigh.model.spec import Spec

TB = 1e12
BLOCKS = 6


@pytest.mark.parametrize(
    ("text", "quantities_", "money"),
    [
        ("5USD/TB", {"bytes"}, 5e-12),
        ("5 USD / TiB", {"bytes"}, 5 / 2**40),
        ("0.36EUR/h", {"seconds"}, 1e-4),
        ("3USD/credit", {"credits"}, 3.0),
        ("0.01USD/query + 2USD/h", {"queries", "seconds"}, 0.01),
    ],
)
def test_a_price_is_money_for_a_unit(text: str, quantities_: set[str], money: float) -> None:
    price = parse_price(text)
    assert (price.text, price.quantities) == (text, quantities_)
    assert price.terms[0].money == pytest.approx(money)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("5/TB", "is no price"),
        ("5USD", "is no price"),
        (400 * "9" + "USD/query", "is no price"),
        ("-5USD/TB", "is no price"),
        ("5USD/parsec", "nothing is sold by the 'parsec'"),
        ("1USD/h + 1EUR/h", "converts no currency"),
    ],
)
def test_what_is_no_price_is_refused(text: str, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        parse_price(text)


def test_each_contender_has_its_own_price_or_that_of_everybody() -> None:
    both = spec().contenders
    assert declared({"*": "5USD/TB"}, ("new=3USD/TB",), both) == {"old": "5USD/TB", "new": "3USD/TB"}
    assert declared({}, ("new=3USD/TB",), both) == {"new": "3USD/TB"}
    assert declared({}, (), both) is msgspec.UNSET
    varied = spec("old", "old?threads=1", "new/files1", "new/files2").contenders
    assert declared({"*": "1USD/h", "old": "2USD/h", "new": "3USD/h", "old?threads=1": "4USD/h"}, (), varied) == {
        "old": "2USD/h", "old?threads=1": "4USD/h", "new/files1": "3USD/h", "new/files2": "3USD/h",
    }  # fmt: skip
    with pytest.raises(UsageError, match="a price of 'nww', which is no contender") as refused:
        declared({"nww": "5USD/TB"}, (), both)
    assert "new" in refused.value.remedy
    with pytest.raises(UsageError, match="USD and EUR: weigh converts no currency"):
        declared({"old": "5USD/TB", "new": "5EUR/TB"}, (), both)


def test_a_budget_needs_a_price_in_its_currency() -> None:
    assert budget("5USD", {"old": "5USD/TB"}) == "5USD"
    assert budget(None, msgspec.UNSET) is msgspec.UNSET
    for text, price, what in (
        ("5USD", msgspec.UNSET, "nothing has a price"),
        ("5EUR", {"old": "5USD/TB"}, "converts no currency"),
        ("0USD", {"old": "5USD/TB"}, "is no amount of money"),
        (400 * "9" + "USD", {"old": "5USD/TB"}, "is no amount of money"),
        ("lots", {"old": "5USD/TB"}, "is no amount of money"),
    ):
        with pytest.raises(UsageError, match=what):
            budget(text, price)


def test_amounts_have_digits_that_say_something() -> None:
    assert [amount(one) for one in (0, 1234.5, 12.345, 0.5, 3.33e-6)] == ["0", "1,234", "12.35", "0.500", "0.00000333"]
    assert str(parse_money("2.50EUR", "spend")) == "2.50 EUR"
    assert [scale(values)[0] for values in ([3.0, 1e-9], [1e-3], [1e-6], [0.0])] == [1, 1_000, 1_000_000, 1]


def test_what_was_never_declared_takes_no_part_of_the_error_rates() -> None:
    plain, priced = spec(), spec(price={"old": "5USD/TB"}, reported=True)
    assert metrics_of(plain.groups) == ("wall_s", "cpu_s", "peak_memory", "bytes_read")
    assert metrics_of(priced.groups) == (*metrics_of(), "cost", "server_s", "queue_s")
    assert rules_of("cpu_s", plain.rules, plain.groups).fdr == pytest.approx(plain.rules.fdr / 3)
    assert rules_of("cost", priced.rules, priced.groups).fdr == pytest.approx(priced.rules.fdr / 6)
    assert rules_of("wall_s", priced.rules, priced.groups) == priced.rules


def billed(spec_: Spec, scanned: dict[tuple[str, str], float], *, jitter: float = 0.0) -> Samples:
    """Executions of two operations; the bytes are those of the contender and operation, more in later blocks."""
    made = []
    for block in range(BLOCKS):
        for contender in ("old", "new"):
            for arm in (contender, f"{contender}#2")[: 1 + (contender == spec_.baseline)]:
                for operation in ("q1", "q2"):
                    count = scanned[contender, operation] * (1 + jitter * block)
                    made += [
                        sample(block, arm, 0.1, contender=contender, operation=operation, run=run,
                               scanned_bytes=round(count))
                        for run in (0, 1, 2)
                    ]  # fmt: skip
    return Samples(made)


def costs_of(spec_: Spec, samples: Samples) -> Cost:
    operations = tuple(
        Operation(
            name=name, about="", sql="SELECT 1", schema=ResultSchema(columns=()), cases=(Case(name="c", timed=True),)
        )
        for name in ("q1", "q2")
    )
    record = Record(
        attempt=1,
        spec=spec_,
        workload=Workload(name="sql", dataset=None, operations=operations),
        samples=samples,
    )
    found = cost(record, samples, analysis_of(spec_, samples))
    assert found is not None
    return found


def analysis_of(spec_: Spec, samples: Samples) -> MetricAnalysis:
    return analyse(samples, spec=spec_, metric="cost", values=quantities("cost", samples, spec_))


PRICED = spec(price={"old": "5USD/TB", "new": "5USD/TB"})
SCANNED = {("old", "q1"): 2 * TB, ("old", "q2"): TB, ("new", "q1"): TB, ("new", "q2"): TB}


def test_five_a_terabyte_gives_the_cost_of_each_operation_with_an_interval() -> None:
    samples = billed(PRICED, SCANNED, jitter=0.01)
    found = costs_of(PRICED, samples)
    rows = {(one.operation, one.contender): one for one in found.rows}
    assert list(rows) == [(op, name) for op in ("q1", "q2", None) for name in ("old", "new")]
    by_start = [10 * (1 + 0.01 * block) for block in range(BLOCKS) for _ in range(2)]
    half = stats.t.ppf(0.995, len(by_start) - 1) * stats.sem(by_start)
    row = rows["q1", "old"]
    assert (row.mean, row.low, row.high, row.starts) == pytest.approx(
        (np.mean(by_start), np.mean(by_start) - half, np.mean(by_start) + half, 2 * BLOCKS)
    )
    assert rows[None, "old"].mean == pytest.approx(rows["q1", "old"].mean + rows["q2", "old"].mean)
    # Every execution is charged for, the untimed one of each turn too.
    assert found.spent["new"] == pytest.approx(sum(5e-12 * (one.scanned_bytes or 0) for one in samples
                                                   if one.contender == "new"))  # fmt: skip
    (whole,) = found.suites
    assert (whole.verdict, whole.ratio) == ("faster", pytest.approx(2 / 3))


def test_verdicts_are_cheaper_and_the_same() -> None:
    verdicts = {one.operation: one for one in analysis_of(PRICED, billed(PRICED, SCANNED)).verdicts}
    assert (verdicts["q1"].verdict, verdicts["q1"].ratio) == ("faster", pytest.approx(0.5))
    assert (verdicts["q2"].verdict, verdicts["q2"].metric) == ("same", "cost")


def test_what_is_billed_counts_and_not_what_was_scanned() -> None:
    samples = Samples([sample(0, "old", scanned_bytes=10, billed_bytes=int(TB)), sample(0, "new", scanned_bytes=10)])
    assert quantities("cost", samples, PRICED).tolist() == pytest.approx([5.0, 5e-11])


def test_a_sum_of_prices_has_all_parts_or_none() -> None:
    both = spec(price={"old": "3USD/credit + 0.36USD/h", "new": "3USD/credit + 0.36USD/h"})
    samples = Samples([sample(0, "old", 10.0, credits=0.5), sample(0, "new", 10.0)])
    found = quantities("cost", samples, both)
    assert found[0] == pytest.approx(1.5 + 1e-3)
    assert math.isnan(found[1])
    (warning,) = findings(samples, both)
    assert (warning.code, warning.contender) == ("X.unpriced", "new")
    assert "3USD/credit + 0.36USD/h, and nobody says how many credits it charges" in warning.text


def test_an_operation_without_a_cost_leaves_the_suite_without_a_sum() -> None:
    samples = Samples(
        msgspec.structs.replace(one, scanned_bytes=None) if (one.contender, one.operation) == ("new", "q2") else one
        for one in billed(PRICED, SCANNED)
    )
    found = costs_of(PRICED, samples)
    assert [(one.operation, one.contender) for one in found.rows if one.operation is None] == [(None, "old")]
    assert found.suites == ()
    assert [one.operation for one in found.missing["new"]] == ["q2"]


def test_where_the_clock_is_spoilt_the_bill_by_the_hour_is() -> None:
    hourly = spec(price={"old": "1USD/h", "new": "1USD/h"})
    samples = billed(hourly, SCANNED)
    analysis = analysis_of(hourly, samples)
    wall = analyse(samples, spec=hourly)
    spoilt = msgspec.structs.replace(
        wall,
        verdicts=tuple(
            one.refused(Reason(code=codes.E4_CONTENDED.code, text="others used it")) for one in wall.verdicts
        ),
    )
    assert {one.verdict for one in analysis.verdicts} == {"same"}
    assert {one.verdict for one in following(analysis, spoilt, hourly).verdicts} == {"refused"}
    # Bytes are counted, whoever uses the machine.
    assert following(analysis_of(PRICED, samples), spoilt, PRICED) == analysis_of(PRICED, samples)


def test_the_server_s_time_is_without_its_queue() -> None:
    one: Sample = sample(0, "old", 1.0, reported_s=0.75, queue_s=0.5, outcome=Outcome.OK)
    samples = Samples([one, sample(0, "new", 1.0, reported_s=0.75)])
    assert quantities("server_s", samples, PRICED).tolist() == [0.25, 0.75]
    assert quantities("queue_s", samples, PRICED)[0] == 0.5

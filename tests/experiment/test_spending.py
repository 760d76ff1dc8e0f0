"""A budget is not exceeded: what executions cost is counted, and what the next may cost is known or bounded."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.analysed_samples import sample
from weigh.engines.exchange import RequestCost
from weigh.engines.run_cost import RunCost
from weigh.experiment.measure.spending import Overspent, Spending
from weigh.model.metrics.price import Money, parse_price
from weigh.model.sample import Outcome
from weigh_liars.service import Service
from weigh_worker.protocol import StatisticsReply

if TYPE_CHECKING:
    from support.command import Run, Weigh

ROWS = [(number, number % 10) for number in range(100)]
SCANNED = {"GROUP": 40_000_000_000}
"""At 5 USD a terabyte: 0.2 USD for one, 0.005 for the other."""
PRICE = 5e-12
NONE = RequestCost(seconds=0.0, cpu_s=None)


def executed(wall_s: float = 1.0, **reported: float) -> RunCost:
    return RunCost(
        wall_s=wall_s, rows=1, cpu_s=None, peak_memory=None, bytes_read=None, bytes_written=None, major_faults=None,
        round_trip=NONE, release=NONE, reported=StatisticsReply(**reported),
    )  # fmt: skip


class Clock:
    """A clock that is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_dearest_execution_of_a_text_is_the_estimate_of_its_next() -> None:
    spending = Spending(Money(1.0, "USD"), {"a": parse_price("5USD/TB")})
    metered = spending.meter("a")
    assert metered is not None
    assert spending.meter("free") is None
    assert spending.estimate("a", "q") == 0
    for scanned in (40_000_000_000, 20_000_000_000):
        with metered("q") as costs:
            costs.append(executed(scanned_bytes=scanned))
    assert spending.estimate("a", "q") == pytest.approx(0.2)
    assert spending.estimate("a", "never asked") == pytest.approx(0.2)
    assert spending.spent == pytest.approx(0.3)
    # What failed may have been charged for.
    with pytest.raises(RuntimeError), metered("q"):
        raise RuntimeError
    assert spending.spent == pytest.approx(0.5)
    for _ in range(2):
        with metered("q") as costs:
            costs.append(executed(scanned_bytes=1, billed_bytes=40_000_000_000))
    with pytest.raises(Overspent, match=r"0\.900 of 1\.00 USD are spent, and the next .* on a may cost 0\.200 USD"):
        metered("q").__enter__()
    assert spending.spent == pytest.approx(0.9)


def test_who_is_charged_by_time_is_so_while_nothing_is_asked() -> None:
    clock = Clock()
    spending = Spending(Money(1.0, "USD"), {"a": parse_price("1USD/h"), "b": parse_price("0.1USD/query")}, clock)
    for name in ("a", "b"):
        metered = spending.meter(name)
        assert metered is not None
        with metered("q") as costs:
            costs.append(executed(36.0))
    clock.now = 1800.0
    assert spending.spent == pytest.approx(0.6)
    assert spending.estimate("a", "q") == pytest.approx(0.01)
    assert spending.per_second(["a", "b"]) == pytest.approx(1 / 3600)
    clock.now = 3590.0
    with pytest.raises(Overspent):
        spending.check("a", "q")


def test_what_nobody_reports_is_said() -> None:
    spending = Spending(Money(1.0, "USD"), {"a": parse_price("3USD/credit")})
    metered = spending.meter("a")
    assert metered is not None
    with metered("q") as costs:
        costs.append(executed())
    finding = spending.finding("")
    assert (finding.code, finding.severity) == ("X.spent", "warning")
    assert "what a charges is not known of every execution" in finding.text
    assert finding.remedy == "declare a price by what it reports, or by the hour"


class Rising(Service):
    """A question costs eight times as much after a while."""

    def query(self, sql: str) -> dict[str, Any]:
        self.scanned = {part: count * (8 if len(self.bills) > 28 else 1) for part, count in SCANNED.items()}
        return super().query(sql)


def asked(weigh: Weigh, command: str, *flags: str, kind: type[Service] = Service) -> tuple[Run, list[float]]:
    """A service with two questions, and what it charged for each query."""
    folder = weigh.folder
    pq.write_table(pa.table({"id": [one for one, _ in ROWS], "v": [v for _, v in ROWS]}), folder / "t.parquet")
    (folder / "q").mkdir(exist_ok=True)
    (folder / "q" / "total.sql").write_text("SELECT sum(id) AS total FROM t")
    (folder / "q" / "groups.sql").write_text("SELECT v, count(*) AS n FROM t GROUP BY v ORDER BY v")
    with kind({"t": (("id", "v"), ROWS)}, scanned=SCANNED) as service:
        named = ("--contender", f"paid={service.url}", "--price", "paid=5USD/TB")
        given = ("--data", "t.parquet", "--sql", "q", "--quiet", "--no-shrink")
        run = weigh(command, *named, *given, *flags)
        return run, [PRICE * bill.billed_bytes for bill in service.bills]


@pytest.mark.promise("`--spend 5USD` is what all executions together may cost, those of the gate too.")
def test_a_budget_ends_in_time(weigh: Weigh) -> None:
    """Five starts fit, and six do not: what the service charged, by its own count, is within the budget."""
    flags = ("--starts", "6", "--rounds", "1", "--runs", "1", "--spend", "5.60USD", "--contention", "100%", "--json")
    run, bills = asked(weigh, "run", *flags)
    assert run.code in (0, 3), run.err
    (spent,) = (one for one in run.json["findings"] if one["code"] == "X.spent")
    assert 4 < sum(bills) <= 5.6
    assert f"{sum(bills):.2f}"[:3] in spent["text"]
    assert "of 5.60 USD are spent" in spent["text"]
    (plan,) = (one for one in run.json["findings"] if one["code"] == "T10.budget")
    assert "--spend allows" in plan["text"]
    rows = {(one["operation"], one["contender"]): one for one in run.json["cost"]["rows"]}
    assert rows["groups", "paid"]["mean"] == pytest.approx(0.2)
    assert (rows["groups", "paid"]["low"], rows["groups", "paid"]["high"]) == pytest.approx((0.2, 0.2))
    assert run.json["cost"]["prices"] == {"paid": "5USD/TB"}
    lines = list(csv.DictReader(weigh("export", "latest", "--format", "csv").out.splitlines()))
    costs = {one["operation"]: one for one in lines if one["metric"] == "cost"}
    assert {name: round(float(one["median"]), 6) for name, one in costs.items()} == {"groups": 0.2, "total": 0.005}
    assert [one["currency"] for one in lines] == ["USD" if one["metric"] == "cost" else "" for one in lines]
    assert "0.205 USD (declared: 5USD/TB)" in weigh("export", "latest", "--format", "markdown").out


@pytest.mark.long
def test_a_budget_that_is_too_small_is_refused_before_the_first_block(weigh: Weigh) -> None:
    run, bills = asked(weigh, "run", "--starts", "10", "--rounds", "1", "--runs", "1", "--spend", "2USD")
    assert run.code == 2
    assert "USD are spent on the gate, and 5 starts of one run need about" in run.err
    assert "would do; or name fewer --operations" in run.err
    assert 0.5 < sum(bills) <= 2


@pytest.mark.long
def test_a_question_that_becomes_dearer_ends_a_block(weigh: Weigh) -> None:
    """What it may cost is known from its first dear execution on: none is begun that might exceed the budget."""
    flags = ("--starts", "5", "--rounds", "1", "--runs", "2", "--spend", "8USD", "--json")
    run, bills = asked(weigh, "run", *flags, kind=Rising)
    assert max(bills) == pytest.approx(1.6)
    assert 4 < sum(bills) <= 8
    (spent,) = (one for one in run.json["findings"] if one["code"] == "X.spent")
    assert (spent["severity"], spent["remedy"]) == ("warning", "raise --spend for tighter intervals")
    assert spent["text"].endswith("a block was not finished: its executions cost more than before")


def test_killed_and_interrupted_attempts_have_spent_as_well() -> None:
    spending = Spending(Money(5.0, "USD"), {"a": parse_price("5USD/TB")})
    metered = spending.meter("a")
    assert metered is not None
    with metered("q") as costs:
        costs.append(executed(scanned_bytes=200_000_000_000))
    killed = [sample(0, "a", scanned_bytes=100_000_000_000), sample(0, "a", None, outcome=Outcome.CRASH)]
    interrupted = [sample(0, "a", scanned_bytes=20_000_000_000)]
    spending.restore([killed, interrupted])
    # The gate of each once more, and what they had executed.
    assert spending.spent == pytest.approx(1 + (1 + 0.5) + (1 + 0.1))


def test_a_gate_that_would_cost_too_much_ends_in_time(weigh: Weigh) -> None:
    run, bills = asked(weigh, "gate", "--spend", "0.5USD")
    assert run.code == 2
    assert "the budget is too small for the gate: " in run.err
    assert 0.2 <= sum(bills) <= 0.5


def test_a_plan_asks_nothing(weigh: Weigh) -> None:
    run, bills = asked(weigh, "run", "--plan", "--spend", "5USD", "--starts", "6", "--rounds", "1", "--runs", "1")
    assert (run.code, bills) == (0, [])
    for part in (
        "2 operations",
        "paid (service) executes at least 8 queries",
        "then 6 fresh starts of everyone, the baseline twice:",
        "paid executes 48 queries",
        "paid is charged 5USD/TB: nobody knows the bytes that it scans before the first execution",
        "no execution is begun that might exceed 5USD",
        "nothing was asked",
    ):
        assert part in run.out
    assert not Path(weigh.folder / "runs").exists()
    run, bills = asked(weigh, "gate", "--plan", "--json")
    assert (run.code, bills, run.json["schema"], run.json["starts"]) == (0, [], "weigh/plan/1", None)

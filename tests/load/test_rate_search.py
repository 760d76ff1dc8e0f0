"""A search for a rate as a pure decision: which rate next, when it ends, and what follows from its probes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from support.load_flags import NONE
from support.load_records import EACH, interval
from support.load_records import run as made_run
from support.load_records import spec as made_spec
from weigh.load import config
from weigh.load.analysis.figures import figures
from weigh.load.budgets import Budget, RateSearch, budgets
from weigh.load.comparison import config as comparison
from weigh.load.rate_search.probes import judged
from weigh.load.rate_search.search import MOST, Plan, Search, threshold
from weigh.load.rate_search.threshold import Outcome, Posterior
from weigh.load.target.registry import target
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.load.rate_search.probes import ProbeFigures
    from weigh.load.rate_search.search import Ending, Verdict

PLAN = Plan(low=50, high=8_000, start=4_000, share=0.01, limit_s=0.02, duration_s=None, longest_s=45, seed=1)


def ended(answer: Callable[[float], Verdict], plan: Plan = PLAN) -> tuple[Search, Ending]:
    """A search of which every probe is answered by its rate."""
    search = Search(plan)
    deciding = search.run()
    probe = next(deciding)
    while True:
        try:
            probe = deciding.send(answer(probe.rate))
        except StopIteration as stopped:
            return search, stopped.value


@pytest.mark.parametrize("limit", [61.0, 700.0, 2_000.0, 3_990.0, 7_000.0])
def test_a_sharp_limit_is_found(limit: float) -> None:
    search, why = ended(lambda rate: "kept" if rate <= limit else "broken")
    found = threshold(PLAN, search.made)
    assert why == "found"
    assert found
    assert found.low <= limit <= found.high
    assert abs(found.rate / limit - 1) < 0.02
    assert len(search.made) <= 25


def test_what_is_broken_at_the_lowest_rate_is_said_after_two_probes_there() -> None:
    search, why = ended(lambda _: "broken")
    assert why == "lowest"
    assert [one.probe.rate for one in search.made][-2:] == [PLAN.low, PLAN.low]
    assert threshold(PLAN, search.made) is None


def test_what_is_kept_at_the_highest_rate_is_said_after_two_probes_there() -> None:
    search, why = ended(lambda _: "kept")
    assert why == "highest"
    assert [one.probe.rate for one in search.made][-2:] == [PLAN.high, PLAN.high]


def test_a_generator_that_is_too_slow_is_not_the_servers_limit() -> None:
    search, why = ended(lambda rate: "kept" if rate <= 3_000 else "generator")
    assert why == "generator"
    assert threshold(PLAN, search.made) is None
    assert max(one.probe.rate for one in search.made if one.verdict == "kept") > 2_500


def test_a_search_ends_whatever_it_is_told() -> None:
    draw = np.random.default_rng(1)
    verdicts: list[Verdict] = ["kept", "broken", "undecided", "generator", "disturbed"]
    for _ in range(10):
        search, _ = ended(lambda _: verdicts[int(draw.integers(5))])
        assert len(search.made) <= MOST + 2


def test_a_probe_that_decides_nothing_is_made_again_twice_as_long_and_then_counts() -> None:
    search = Search(PLAN)
    deciding = search.run()
    first = next(deciding)
    second = deciding.send("undecided")
    assert (second.rate, second.seconds, second.last) == (first.rate, 2 * first.seconds, True)
    assert deciding.send("kept").rate > first.rate


def test_near_the_limit_the_order_is_random_and_the_same_for_one_seed() -> None:
    def first_batch(seed: int) -> tuple[float, ...]:
        made = ended(lambda rate: "kept" if rate <= 2_000 else "broken", msgspec.structs.replace(PLAN, seed=seed))[
            0
        ].made
        near = [one.probe.rate for one in made if one.probe.seconds > PLAN.length(one.probe.rate)]
        return tuple(near[:4])

    batches = [first_batch(seed) for seed in range(5)]
    assert first_batch(1) == batches[1]
    assert len(set(batches)) > 1
    assert len({tuple(sorted(one)) for one in batches}) == 1


def test_one_odd_run_does_not_trap_the_search() -> None:
    """The first probe is broken by something that has nothing to do with its rate."""
    told = iter(["broken"])
    search, why = ended(lambda rate: next(told, "kept" if rate <= 3_500 else "broken"))  # type: ignore[arg-type]
    found = threshold(PLAN, search.made)
    assert why == "found"
    assert found
    assert found.low <= 3_500 <= found.high


def test_probes_are_long_enough_for_their_percentile_and_for_a_small_overload() -> None:
    rare = Plan(low=50, high=8_000, start=4_000, share=0.001, limit_s=0.5, duration_s=None, longest_s=45, seed=1)
    # 20 slow requests of p99.9 are among 20,000.
    assert rare.length(2_000) * 2_000 >= 20_000
    # An overload of 2.5 % leaves half a second of work after 20 s.
    assert rare.length(8_000) * 0.025 >= 0.5


def test_the_interval_is_the_wider_the_more_runs_differ() -> None:
    def width(spread: float) -> float:
        draw = np.random.default_rng(3)
        rates = 1_000 * np.exp(np.linspace(-0.1, 0.1, 20))
        outcomes = [Outcome(rate=rate, met=rate <= 1_000 * math.exp(spread * draw.normal())) for rate in rates]
        return Posterior(outcomes, 100, 10_000).threshold.width

    assert width(0.0) < width(0.1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("p99<=20ms", Budget(q=0.99, limit_s=0.02)),
        (" p99.9 <= 1.5s ", Budget(q=0.999, limit_s=1.5)),
        ("p50<3ms", Budget(q=0.5, limit_s=0.003)),
        ("errors<=0.1%", Budget(errors=0.001)),
        ("errors<=0.01", Budget(errors=0.01)),
    ],
)
def test_budgets_as_they_are_written(text: str, said: Budget) -> None:
    assert budgets([text]) == (said,)
    assert budgets([str(said)]) == (said,)


@pytest.mark.parametrize(
    "text", ["p99", "p98<=20ms", "p99>=20ms", "p99<=20", "p99<=0ms", "errors<=0%", "max<=1s", "errors<=2", ""]
)
def test_what_is_no_budget(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        budgets([text])
    assert caught.value.remedy


def test_two_budgets_about_the_same() -> None:
    with pytest.raises(UsageError, match="about the same"):
        budgets(["p99<=20ms", "p99<=30ms"])


SEARCH = RateSearch(budgets=(Budget(q=0.99, limit_s=0.01),))
INTERVALS, EACH_HAS = 100, 100


def probed(
    slow: Callable[[int, np.random.Generator], float], *, late: float = 5e-6, last: bool = False
) -> ProbeFigures:
    """A probe: the share of requests of each interval of time that take 50 ms; the others take 0.5 ms."""
    draw = np.random.default_rng(4)
    parts = []
    for at in range(INTERVALS):
        times = draw.gamma(4, 1.25e-4, EACH_HAS)
        times[draw.random(EACH_HAS) < slow(at, draw)] = 0.05
        parts.append(interval(at, times, service=np.full(EACH_HAS, 5e-4), late=late))
    run = made_run(parts)
    return judged(run, figures(run, made_spec(INTERVALS)), SEARCH.budgets, last=last)


def test_a_quick_server_keeps_the_budget() -> None:
    found = probed(lambda _at, _draw: 0.0)
    assert (found.verdict, found.unsure) == ("kept", False)
    assert found.achieved == pytest.approx(EACH_HAS / EACH)


def test_three_in_a_hundred_that_are_slow_break_it() -> None:
    assert probed(lambda _at, _draw: 0.03).verdict == "broken"


def test_one_stall_decides_nothing_until_it_counts_by_what_it_saw() -> None:
    def stall(at: int, _draw: np.random.Generator) -> float:
        return float(50 <= at < 52)

    assert probed(stall).verdict == "undecided"
    counted = probed(stall, last=True)
    assert (counted.verdict, counted.unsure) == ("broken", True)


def test_a_queue_that_grows_throughout_breaks_it_although_nothing_is_resolved() -> None:
    found = probed(lambda at, _draw: at / INTERVALS)
    assert found.verdict == "broken"


def test_a_late_generator_breaks_no_budget_of_the_servers_and_takes_none_away() -> None:
    # 50 ms may be 45 ms of the generator's.
    assert probed(lambda _at, _draw: 0.03, late=0.045).verdict == "generator"
    assert probed(lambda _at, _draw: 0.0, late=0.045).verdict == "kept"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"closed": True}, "a closed loop has no rate to find"),
        ({"both": True}, "--both"),
        ({"repeats": 3}, "--repeats"),
        ({"fanout": 10}, "--fanout"),
        ({"arrivals": "ramp:2000", "rate": "100"}, "ramp has several"),
        ({"connections": "8,16"}, "one number of connections"),
        ({"budget": "1s"}, "too short for a search"),
        ({"duration": "2m"}, "leave no room"),
        ({"find_rate": ("errors<=1%",), "error_budget": "1%"}, "are the same"),
        ({"find_rate": (), "budget": "5m"}, "the time of a rate search"),
    ],
)
def test_what_contradicts_a_search(flags: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        config.make(["ycsb-b"], "valkey:embedded", {**NONE, "find_rate": ("p99<=20ms",), **flags})
    assert caught.value.remedy


def test_the_rate_is_the_highest_to_try_and_errors_are_the_error_budget() -> None:
    flags = {**NONE, "find_rate": ("p99<=20ms", "errors<=1%"), "rate": "2k", "arrivals": "poisson"}
    made = config.make(["ycsb-b"], "valkey:embedded", flags)
    assert made.find_rate
    assert (made.find_rate.highest, made.arrivals.rate, made.error_budget) == (2_000, None, 0.01)
    assert str(made.find_rate) == "p99<=20ms and errors<=1%"
    # Without a search the experiment is the one that it was.
    assert config.make(["ycsb-b"], "valkey:embedded", {**NONE, "rate": "2k"}).find_rate is msgspec.UNSET


def test_several_servers_are_searched_until_their_ratio_may_lie_within_the_margin() -> None:
    load = config.make(["ycsb-b"], "", {**NONE, "find_rate": ("p99<=20ms",)})
    servers = {name: target(name) for name in ("valkey:embedded", "postgres:embedded")}
    made = comparison.make(load, servers, {})
    assert made.load.find_rate
    assert made.load.find_rate.half_width == pytest.approx(0.015)
    assert [arm.name for arm in made.arms] == ["valkey:embedded", "postgres:embedded"]
    wide = comparison.make(load, servers, {"margin": "10%"}).load.find_rate
    assert wide
    assert wide.half_width == pytest.approx(0.025)


@pytest.mark.parametrize("flag", ["blocks", "twice", "duet"])
def test_what_only_blocks_have_is_refused_in_searches_in_turn(flag: str) -> None:
    load = config.make(["ycsb-b"], "", {**NONE, "find_rate": ("p99<=20ms",)})
    servers = {name: target(name) for name in ("valkey:embedded", "postgres:embedded")}
    with pytest.raises(UsageError, match=f"--find-rate and --{flag}") as caught:
        comparison.make(load, servers, {flag: 1})
    assert f"leave --{flag} out" in caught.value.remedy


def test_who_is_searched_beside_others_goes_on_when_its_interval_is_narrow() -> None:
    plan = msgspec.structs.replace(PLAN, alone=False)
    search, why = ended(lambda rate: "kept" if rate <= 700 else "broken", plan)
    assert why == "probes"
    assert search.narrow

"""What is concluded from servers whose response times are known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support import load_records
from support.load_comparison_records import behind_a_proxy, comparison, spec, usual
from weigh.load.comparison.report import words
from weigh.load.comparison.results import LoadComparisonResults, load_comparison_results
from weigh.load.spec import Arrivals
from weigh.load.tpcc.workload import workload
from weigh.model.rules import Rules

if TYPE_CHECKING:
    import numpy as np

    from weigh.load.comparison.record import LoadComparisonRecord
    from weigh.load.comparison.spec import LoadArm, LoadComparisonSpec
    from weigh.load.comparison.verdicts import LoadVerdict
    from weigh.load.runs import LoadRun

SHORT = 6
"""Blocks: enough for a verdict."""


def short(**changed: Any) -> LoadComparisonSpec:
    """A comparison of few blocks and short runs."""
    return spec(SHORT, **{"length": 12, "twice": False, **changed})


def concluded(*records: LoadComparisonRecord) -> LoadComparisonResults:
    return load_comparison_results(records)


def of(found: LoadComparisonResults, metric: str, contender: str = "new", operation: str = "all") -> LoadVerdict:
    (one,) = (
        one for one in found.verdicts if (one.metric, one.contender, one.operation) == (metric, contender, operation)
    )
    return one


def names(found: LoadComparisonResults) -> set[str]:
    return {str(one.verdict) for one in found.verdicts}


def refusals(found: LoadComparisonResults, *metrics: str) -> set[str]:
    return {of(found, metric).reasons[0].code for metric in metrics if of(found, metric).verdict == "refused"}


def codes(found: LoadComparisonResults) -> set[str]:
    return {one.code for one in found.findings}


@pytest.fixture(scope="module")
def proxied() -> LoadComparisonResults:
    """The contender's requests pass a proxy that adds 0.5 ms to 2 % of them."""
    return concluded(comparison(laws={"new": behind_a_proxy}))


@pytest.fixture(scope="module")
def equal() -> LoadComparisonResults:
    return concluded(comparison(short(twice=True)))


@pytest.mark.promise("The rare slow requests of one server move its p99, and leave its p50 as it was.")
def test_what_slows_two_requests_in_a_hundred_is_found_at_p99_and_not_at_p50(proxied: LoadComparisonResults) -> None:
    p99 = of(proxied, "p99")
    assert p99.verdict == "slower"
    assert p99.low is not None
    assert p99.low > 1.1
    assert p99.starts == 10
    # The median of all moves by one in a hundred: it is no difference that matters.
    assert of(proxied, "p50").verdict in ("same", "small")
    assert proxied.tier.name == "suggestive"


def test_a_percentile_with_too_few_requests_beyond_it_has_no_verdict(equal: LoadComparisonResults) -> None:
    p999 = of(equal, "p999")
    assert p999.verdict == "refused"
    assert p999.reasons[0].code == "L9.unresolved"
    assert not {"refused"} & {str(of(equal, "p50").verdict)}


def test_what_single_runs_do_not_resolve_the_blocks_together_may(proxied: LoadComparisonResults) -> None:
    # Three requests of a run lie beyond it, and thirty of all.
    assert not any("p999" in one.resolved() for one in proxied.runs)
    assert "L9.unresolved" not in {reason.code for reason in of(proxied, "p999").reasons}


def test_equal_servers_have_no_difference(equal: LoadComparisonResults) -> None:
    assert not names(equal) & {"slower", "faster"}
    assert of(equal, "p50").verdict == "same"
    floor = next(one for one in equal.floors if one.metric == "p50")
    assert floor.low < 1 < floor.high
    assert {"T10"} <= {one.code for one in equal.tier.reasons}


def test_a_block_is_one_observation_however_many_requests_it_has(equal: LoadComparisonResults) -> None:
    p50 = of(equal, "p50")
    own = [one.value for one in (of(equal, "p50"),)]
    assert own[0] == pytest.approx(4.9e-4, rel=0.05)
    assert p50.starts == SHORT
    figures: dict[str, dict[int, float]] = {}
    for run in equal.runs:
        value = run.figures()["p50"]
        assert value is not None
        figures.setdefault(run.arm, {})[run.block] = math.log(value)
    blocks = sorted(figures["new"])
    logs = [figures["new"][at] - (figures["old"][at] + figures["old#2"][at]) / 2 for at in blocks]
    assert p50.ratio == pytest.approx(math.exp(sum(logs) / len(logs)), rel=1e-9)


def test_fewer_than_five_blocks_give_no_verdict() -> None:
    found = concluded(comparison(spec(4)))
    assert names(found) == {"refused"}
    assert refusals(found, "p50", "p99") == {"T10.starts"}
    assert found.tier.name == "inadmissible"
    assert found.exit_code() == 3


@pytest.mark.promise("Ten connections to one life of a server are not ten starts.")
def test_blocks_of_one_life_hold_for_that_life_alone() -> None:
    found = concluded(comparison(short(), lives={"new": 1}))
    assert found.bounded == ("new",)
    assert found.tier.name == "suggestive"
    assert found.tier.reasons[0].code == "T10.one_life"
    assert "this life of new alone, and another start may differ" in found.tier.reasons[0].text
    assert next(words.headline(found)) == "Of this life of new alone, not of the next start:"
    fresh = concluded(comparison(short()))
    assert not fresh.bounded
    assert "T10.one_life" not in {one.code for one in (*fresh.tier.reasons, *fresh.findings)}
    assert of(found, "p50").ratio == of(fresh, "p50").ratio


LAX = load_records.target(
    durable=False,
    undurable=("appendfsync is everysec: a loss of power takes a second of acknowledged writes",),
    in_force={"appendfsync": {"value": "everysec", "default": "everysec"}},
)


@pytest.mark.promise("Servers whose acknowledged writes survive different failures are not ranked.")
def test_unequal_durability_is_not_ranked() -> None:
    found = concluded(comparison(short(workload="ycsb-a"), targets={"new": LAX}))
    assert names(found) == {"refused"}
    assert refusals(found, "p50", "p99", "server_cpu_s") == {"E7.unequal"}
    (said,) = (one for one in found.findings if one.code == "E7.unequal")
    assert "appendfsync=always on new" in said.remedy
    assert said.severity == "warning"
    # What was measured is shown all the same.
    assert of(found, "p50").ratio is not None
    assert found.exit_code() == 3


def test_different_consistency_levels_are_not_ranked_not_even_by_what_only_reads() -> None:
    one, quorum = (
        load_records.target(kind="cql", consistency=f"{level} of 3 replicas answer")
        for level in ("ONE: 1", "QUORUM: 2")
    )
    found = concluded(comparison(short(workload="ycsb-c"), targets={"new": one, "old": quorum}))
    assert refusals(found, "p50") == {"E7.unequal"}
    assert "same ?consistency=" in next(one.remedy for one in found.findings if one.code == "E7.unequal")
    assert "new has ONE: 1 of 3 replicas answer and old has QUORUM: 2" in of(found, "p50").reasons[0].text
    same = concluded(comparison(short(workload="ycsb-c"), targets={"new": one, "old": one}))
    assert "E7.unequal" not in codes(same)


def test_what_only_reads_is_ranked_however_writes_are_kept() -> None:
    found = concluded(comparison(short(workload="ycsb-c"), targets={"new": LAX}))
    assert "E7.unequal" not in codes(found)
    assert of(found, "p50").verdict == "same"


def test_servers_that_lose_as_much_are_ranked() -> None:
    found = concluded(comparison(short(workload="ycsb-a"), targets={"new": LAX, "old": LAX}))
    assert "E7.unequal" not in codes(found)
    assert of(found, "p50").verdict == "same"


def test_durability_that_is_not_known_is_not_equal() -> None:
    unread = load_records.target(durable=None, unread="NOPERM", in_force={})
    found = concluded(comparison(short(workload="ycsb-a"), targets={"new": unread}))
    assert refusals(found, "p50") == {"E7.unequal"}
    assert "not known" in of(found, "p50").reasons[0].text
    [unequal] = [one for one in found.findings if one.code == "E7.unequal"]
    assert "read the settings of new" in unequal.remedy


def test_different_rows_are_not_compared() -> None:
    found = concluded(comparison(short(), rows={"new": "other"}))
    assert names(found) == {"refused"}
    assert refusals(found, "p50") == {"A4.servers"}
    assert "A4.servers" in codes(found)


def missing_the_rate(run: LoadRun, arm: LoadArm) -> LoadRun:
    """One block in which a fifth of what was due had no answer in time."""
    if arm.contender != "new" or run.repeat != 3:
        return run
    assert run.summary
    late = msgspec.structs.replace(
        run.summary, scheduled=run.summary.scheduled * 5 // 4, in_time=run.summary.done, in_flight_at_end=9
    )
    return msgspec.structs.replace(run, summary=late)


@pytest.mark.promise("Where a server does not keep the rate its response times are not compared.")
def test_a_rate_that_one_server_did_not_keep_has_no_response_times() -> None:
    found = concluded(comparison(short(), change=missing_the_rate))
    assert refusals(found, "p50", "p95", "p99") == {"L2.unequal"}
    assert "L2.unequal" in codes(found)
    kept = {one.contender: one.missed for one in found.sustained}
    assert kept == {"old": 0, "new": 1}
    # As many a second as were due, over the part that counts: what was late is reported instead.
    [said] = [one for one in words.sustained(found) if one.startswith("new did not keep")]
    assert "had no answer when the last one was due" in said and "it answered" not in said


def busy(blocks: set[int]) -> object:
    """Runs in which the generator had no CPU left."""

    def change(run: LoadRun, arm: LoadArm) -> LoadRun:
        if arm.contender != "new" or run.repeat not in blocks:
            return run
        spent = tuple(msgspec.structs.replace(one, client_cpu_s=0.099) for one in run.intervals)
        return msgspec.structs.replace(run, intervals=spent)

    return change


def test_one_run_that_is_refused_forbids_the_lucky_rest() -> None:
    found = concluded(comparison(short(), change=busy({2})))  # type: ignore[arg-type]
    assert refusals(found, "p50", "p99") == {"E8.saturated"}
    assert of(found, "p50").ratio is not None


def test_where_no_run_counts_the_verdict_says_why() -> None:
    found = concluded(comparison(short(), change=busy(set(range(1, SHORT + 1)))))  # type: ignore[arg-type]
    assert refusals(found, "p50", "p99") == {"E8.saturated"}
    assert of(found, "p50").ratio is None
    assert found.refused
    assert next(iter(words.headline(found))).startswith(
        "No verdict between new and old: 6 of 6 runs of new are refused"
    )


def slow(draw: np.random.Generator, count: int) -> np.ndarray:
    return 1.3 * usual(draw, count)


def answering_less(run: LoadRun, arm: LoadArm) -> LoadRun:
    """A closed loop that is answered less often: three quarters of the requests in each interval."""
    if arm.contender != "new":
        return run
    fewer = tuple(
        msgspec.structs.replace(
            one,
            operations=tuple(msgspec.structs.replace(part, count=part.count * 3 // 4) for part in one.operations),
        )
        for one in run.intervals
    )
    return msgspec.structs.replace(run, intervals=fewer)


def test_fewer_answers_of_a_closed_loop_are_slower() -> None:
    asked = short(loops=("closed",), arrivals=Arrivals(kind="closed"), baseline_declared=True)
    found = concluded(comparison(asked, laws={"new": slow}, change=answering_less))
    rate = of(found, "rate")
    assert rate.verdict == "slower"
    assert rate.ratio == pytest.approx(0.75, abs=0.01)
    assert rate.low is not None
    assert rate.high is not None
    assert rate.low <= rate.ratio <= rate.high < 1
    assert rate.baseline_value == pytest.approx(1500)
    assert of(found, "p50").ratio == pytest.approx(1.3, rel=0.03)
    assert found.sustained == ()
    assert found.exit_code() == 1


@pytest.mark.promise("then response times are compared and no throughput, which their own times make")
def test_users_at_terminals_make_no_throughput_to_compare() -> None:
    users = {"workload": "tpcc", "tpcc": workload(1, 7, terminals=True)}
    asked = short(loops=("closed",), arrivals=Arrivals(kind="closed"), **users)
    metrics = {one.metric for one in concluded(comparison(asked)).verdicts}
    assert "rate" not in metrics and "p50" in metrics


def test_an_open_loop_has_no_throughput_of_its_own(equal: LoadComparisonResults) -> None:
    assert not [one for one in equal.verdicts if one.metric == "rate"]
    assert [(one.contender, one.missed) for one in equal.sustained] == [("old", 0), ("new", 0)]


def failing(run: LoadRun, arm: LoadArm) -> LoadRun:
    """One request in two hundred is answered with an error."""
    if arm.contender != "new":
        return run
    failed = tuple(
        msgspec.structs.replace(
            one, operations=tuple(msgspec.structs.replace(part, errors={"no": 1}) for part in one.operations)
        )
        for one in run.intervals
    )
    assert run.summary
    return msgspec.structs.replace(run, intervals=failed)


def test_errors_are_compared_where_there_are_any(equal: LoadComparisonResults) -> None:
    assert not [one for one in equal.verdicts if one.metric == "errors"]
    found = concluded(comparison(short(error_budget=0.01), change=failing))
    errors = of(found, "errors")
    assert errors.value == pytest.approx(1 / 151)
    assert errors.baseline_value == 0
    assert errors.margin == 0.01
    # Less than the budget that the user gave: real, and it does not matter.
    assert errors.verdict in ("small", "same")


def test_attempts_add_their_blocks() -> None:
    asked = spec(4)
    first, second = comparison(asked), msgspec.structs.replace(comparison(asked, seed=2), attempt=2)
    found = concluded(first, second)
    assert of(found, "p50").starts == 8
    assert "T8.attempts" in codes(found)


def test_the_margin_is_the_declared_one() -> None:
    found = concluded(comparison(short(rules=Rules(margin=0.5)), laws={"new": slow}))
    assert of(found, "p50").verdict in ("same", "small")


def test_what_differs_besides_the_contender_is_said() -> None:
    other = load_records.target(
        version="9.2", in_force={"io-threads": {"value": "2", "default": "1"}, "hz": {"value": "50", "default": "10"}}
    )
    found = concluded(comparison(short(), targets={"new": other}))
    said = {one.severity: one.text for one in found.findings if one.code == "E6.servers"}
    assert "hz is 50" in said["warning"]
    assert "io-threads" not in said["warning"]
    texts = " ".join(one.text for one in found.findings if one.code == "E6.servers")
    assert "io-threads is 2, and not told on old" in texts
    assert "Valkey 9.2, and old is Valkey 9.1" in texts


def test_two_kinds_of_store_are_said_to_be_two() -> None:
    relational = load_records.target(kind="postgres", product="PostgreSQL", version="18.6", in_force={})
    found = concluded(comparison(short(), targets={"new": relational}))
    assert any("relational store" in one.text for one in found.findings if one.code == "E6.servers")

"""Verdicts over all operations, and who is the fastest."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import msgspec
import pytest

from support import experiment_records
from support.suite_record import SPEC
from weigh.experiment.record import Planned
from weigh.experiment.report.document import document
from weigh.experiment.report.first_screen import first_screen
from weigh.experiment.results.results import experiment_results
from weigh.model.errors import ExitCode
from weigh.model.sample import Outcome
from weigh.model.verdict import TierName, VerdictName

if TYPE_CHECKING:
    from weigh.experiment.record import Record
    from weigh.experiment.results.results import ExperimentResults

NAMES = ("duckdb", "polars", "chdb")
OPERATIONS = tuple(f"q{at}" for at in range(1, 13))


def planned(record: Record) -> Record:
    """The record as it is written now: with a plan that says so."""
    return msgspec.structs.replace(record, plan=Planned(cases=(), starts=10, runs=1, overall=True))


def record(scatter: float, *ratios: float, operations: tuple[str, ...] = OPERATIONS) -> Record:
    """Contenders whose times on every operation are so many times those of the baseline."""
    names, draw = NAMES[: len(ratios) + 1], random.Random(5)
    true = dict(zip(names, (1.0, *ratios), strict=True))
    made = experiment_records.record(contenders=names, operations=operations, runs=1, noise=0.0)
    samples = tuple(
        msgspec.structs.replace(one, wall_s=0.01 * true[one.contender] * math.exp(draw.gauss(0, scatter)))
        for one in made.samples
    )
    return planned(msgspec.structs.replace(made, samples=samples))


def says(results: ExperimentResults) -> tuple[str, ...]:
    return first_screen(results, "runs/x").says


def test_it_is_decided_where_no_operation_is() -> None:
    results = experiment_results([record(0.12, 1.12)])
    assert {one.verdict for one in results.headline.verdicts} <= {VerdictName.UNRESOLVED, VerdictName.REFUSED}
    (one,) = results.overall.verdicts
    assert one.verdict.verdict is VerdictName.SLOWER
    assert one.verdict.low is not None
    assert one.verdict.high is not None
    assert one.verdict.low < 1.12 < one.verdict.high
    first, second = says(results)[:2]
    assert first.startswith("Overall ratio 1.1")
    assert first.endswith("geometric mean of all 12 operations: SLOWER by 12.3 %.") or "SLOWER by" in first
    assert second.startswith("It is open")


def test_the_first_line_ranks_and_counts_where_the_first_is_the_fastest() -> None:
    results = experiment_results([record(0.005, 0.77, 2.1)])
    line = says(results)[0]
    assert line == "polars is fastest on all 12, then duckdb (1.3 x), chdb (2.7 x)."
    (ranked,) = results.overall.rankings
    assert ranked.order == ("polars", "duckdb", "chdb")
    assert ranked.fastest_on == ranked.operations == 12
    assert says(results)[1].startswith("Overall ratio to duckdb, geometric mean of all 12 operations: polars 0.77 (0.7")


def test_who_is_not_told_from_the_first_is_not_ranked_behind_it() -> None:
    line = says(experiment_results([record(0.005, 1.0, 2.1)]))[0]
    assert "lead, the same within 3 % on 12, then chdb (2.1 x)." in line
    line = says(experiment_results([record(0.2, 1.03, 2.1)]))[0]
    assert line.endswith("is fastest on 12 (open), then chdb (2.1 x).") or "(open), then chdb" in line
    assert says(experiment_results([record(0.2, 1.0, 1.0)]))[0].endswith("is fastest on 12 (open).")


def test_ratios_fit_together() -> None:
    found = experiment_results([record(0.02, 0.8, 2.0)]).overall
    ratio = {(one.verdict.contender, one.verdict.baseline): one.verdict.ratio or 0.0 for one in found.verdicts}
    assert set(ratio) == {("polars", "duckdb"), ("chdb", "duckdb"), ("chdb", "polars")}
    both = ratio["chdb", "polars"] * ratio["polars", "duckdb"]
    assert both == pytest.approx(ratio["chdb", "duckdb"], rel=1e-9)


def test_what_one_cannot_do_is_out_of_the_mean_for_all_and_is_named() -> None:
    crashed = experiment_records.with_outcome(record(0.005, 0.77, 2.1), Outcome.CRASH, "q3", "chdb")
    results = experiment_results([crashed])
    for one in results.overall.verdicts:
        assert one.operations == tuple(name for name in OPERATIONS if name != "q3")
        assert [missing.operation for missing in one.missing] == ["q3"]
    first, second = says(results)[:2]
    assert first.startswith("polars is fastest on all 11 (without q3), then")
    assert "geometric mean of 11 of 12 operations (without q3: chdb: error (X.crash))" in second


def test_slower_overall_than_a_declared_baseline_fails_the_run() -> None:
    slow = record(0.12, 1.12)
    assert experiment_results([slow]).exit_code() is not ExitCode.FOUND
    declared = msgspec.structs.replace(slow, spec=msgspec.structs.replace(slow.spec, baseline_declared=True))
    assert experiment_results([declared]).exit_code() is ExitCode.FOUND
    fast = record(0.12, 0.85)
    declared = msgspec.structs.replace(fast, spec=msgspec.structs.replace(fast.spec, baseline_declared=True))
    assert experiment_results([declared]).exit_code() is not ExitCode.FOUND


def test_evidence_of_before_and_one_operation_have_none() -> None:
    before = msgspec.structs.replace(record(0.005, 0.77), plan=None)
    assert "overall" not in document(experiment_results([before]), "x")
    assert experiment_results([record(0.005, 0.77, operations=("q1",))]).overall.verdicts == ()


def test_where_all_is_open_every_operation_has_a_row_with_times_and_a_ratio() -> None:
    screen = first_screen(experiment_results([record(0.2, 1.03)]), "runs/x")
    assert {one.question for one in screen.lines} == set(OPERATIONS)
    assert all(one.baseline_s and one.seconds[0] and one.verdicts[0] and one.verdicts[0].ratio for one in screen.lines)


def test_a_quick_look_concludes_nothing() -> None:
    quick = record(0.005, 0.77)
    quick = msgspec.structs.replace(quick, spec=msgspec.structs.replace(quick.spec, quick=True))
    tier = experiment_results([quick]).tier
    assert tier is not None
    assert tier.name is TierName.SUGGESTIVE
    assert tier.reasons[0].code == "X.quick"
    assert quick.spec.id != msgspec.structs.replace(quick.spec, quick=msgspec.UNSET).id
    assert "quick" not in msgspec.to_builtins(SPEC)

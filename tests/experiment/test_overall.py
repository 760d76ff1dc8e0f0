"""Verdicts over all operations, and who is the fastest."""

from __future__ import annotations

import math
import random
import re
import sys
from typing import TYPE_CHECKING

import msgspec
import pytest

from support import experiment_records
from support.suite_record import SPEC
from weigh.experiment.record import Planned
from weigh.experiment.report.document import document
from weigh.experiment.report.first_screen import first_screen, overall
from weigh.experiment.report.first_screen.terminal import screen_text
from weigh.experiment.results.results import experiment_results
from weigh.model.errors import ExitCode
from weigh.model.sample import Outcome
from weigh.model.verdict import TierName, VerdictName
from weigh.render.terminal import plain_text

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


def test_the_first_line_ranks_with_ratios_and_the_second_counts_where_the_first_is_the_fastest() -> None:
    results = experiment_results([record(0.005, 0.77, 2.1)])
    first, second = says(results)[:2]
    assert re.fullmatch(r"polars 0.77 \(0.7\d-0.7\d\), duckdb 1, chdb 2.10 \(2.\d\d-2.1\d\)", first)
    (ranked,) = results.overall.rankings
    assert ranked.order == ("polars", "duckdb", "chdb")
    assert ranked.fastest_on == ranked.operations == 12
    assert second.startswith("polars is fastest overall, and on all 12 operations. Ratios of times to duckdb")
    assert says(results)[2].startswith("polars: FASTER by 2")


def test_who_is_not_told_from_the_first_is_not_called_the_fastest() -> None:
    second = says(experiment_results([record(0.005, 1.0, 2.1)]))[1]
    assert "are the same within 3 % overall and ahead of the others." in second
    second = says(experiment_results([record(0.2, 1.03, 2.1)]))[1]
    assert re.match(r"It is open whether (duckdb or polars|polars or duckdb) is fastest overall\. ", second)
    second = says(experiment_results([record(0.2, 1.0, 1.0)]))[1]
    assert re.match(r"It is open whether \w+, \w+ or \w+ is fastest overall\. ", second)


@pytest.mark.long
@pytest.mark.parametrize("count", [3, 4, 6])
@pytest.mark.parametrize("pattern", ["e{}", "duckdb@2.{}.0", "of {} a name that is longer than any column"])
def test_a_ranking_is_one_line_of_80_columns_whatever_the_names(
    count: int, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[__name__], "NAMES", tuple(pattern.format(at) for at in range(count)))
    results = experiment_results([record(0.005, *(1.1 + at / 10 for at in range(count - 1)))])
    screen = first_screen(results, "runs/x", overall.ROOM)
    printed = plain_text(screen_text(screen)).splitlines()
    line = printed[0]
    assert len(line) <= 80
    assert line.strip().split("  ")[0].startswith(screen.says[0])
    shown = len(re.findall(r"\d\.\d\d \(|\b1\b,", line))
    assert shown >= 3
    if shown < count:
        assert screen.says[0].endswith(f"{count - shown} more")
    assert len(printed) <= 30


def test_a_cut_name_is_no_other_contenders_and_pages_have_them_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("duckdb@2.0.0", "chdb@4.4.0", "datafusion@54.0.0", "durable@2.0.0")
    monkeypatch.setattr(sys.modules[__name__], "NAMES", names)
    results = experiment_results([record(0.005, 1.5, 2.0, 2.5)])
    line = first_screen(results, "runs/x", overall.ROOM).says[0]
    assert line.endswith(", 1 more")
    first = line.split(" ")[0]
    start, _, end = first.partition("..")
    # durable@2.0.0 is the one that is only counted.
    assert [name for name in names if name.startswith(start) and name.endswith(end)] == ["duckdb@2.0.0"]
    whole = first_screen(results, "runs/x").says[0]
    assert [part.split(" ")[0] for part in whole.split(", ")] == list(names)


def test_what_is_open_is_named_once() -> None:
    screen = first_screen(experiment_results([record(0.2, 1.03, 2.1, operations=OPERATIONS[:6])]), "runs/x")
    table = plain_text(screen_text(screen)).partition("operation  ")[2]
    for name in OPERATIONS[:6]:
        assert len(re.findall(rf"\b{name}\b", table.partition("\n\n")[0])) == 1
    assert "above  " in table
    assert "? is open." in table


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
    assert first.startswith("polars 0.77")
    assert second.startswith("polars is fastest overall, and on all 11 operations.")
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

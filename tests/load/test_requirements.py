"""What must hold at a rate: HOLDS and BROKEN by whole intervals, OPEN where a run cannot tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from support.load_flags import NONE
from support.load_records import interval
from support.load_records import record as made_record
from support.load_records import run as made_run
from support.load_records import spec as made_spec
from weigh.load import config
from weigh.load.budgets import budgets
from weigh.load.report import words
from weigh.load.results import load_results
from weigh.model.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Weigh
    from weigh.load.results import LoadResults

INTERVALS, EACH_HAS = 120, 100


def measured(
    slow: Callable[[int], float],
    *required: str,
    late: float = 5e-6,
    seed: int = 4,
    failed: int = 0,
    stopped: bool = False,
) -> LoadResults:
    """A load of which a share of the requests of each interval takes 50 ms; the others take 0.5 ms."""
    draw = np.random.default_rng(seed)
    parts = []
    for at in range(INTERVALS):
        times = draw.gamma(4, 1.25e-4, EACH_HAS)
        times[draw.random(EACH_HAS) < slow(at)] = 0.05
        parts.append(
            interval(
                at,
                times,
                service=np.full(EACH_HAS, 5e-4),
                late=late,
                errors={"gone": failed} if failed and at % 10 == 7 else None,
            )
        )
    wanted = required or ("p99<=10ms",)
    spec = msgspec.structs.replace(made_spec(INTERVALS), require=budgets(wanted))
    run = made_run(parts)
    record = made_record([run], spec)
    if stopped:
        assert run.summary
        assert record.end
        # Half as long as it was to be, and one request was due and not sent when it ended.
        run = msgspec.structs.replace(run, summary=msgspec.structs.replace(run.summary, unsent=1))
        end = msgspec.structs.replace(record.end, how="stopped", reason="interrupted")
        spec = msgspec.structs.replace(spec, duration_s=2 * spec.duration_s)
        record = msgspec.structs.replace(record, runs=(run,), end=end, spec=spec)
    return load_results(record)


def answer(results: LoadResults) -> str:
    assert results.requirements
    return results.requirements.verdict


def test_where_others_used_the_machine_a_quiet_one_is_the_remedy_and_no_longer_run() -> None:
    results = measured(lambda at: 0.009)
    assert "--duration" in words.headline(results)
    assert results.requirements
    runs = tuple(msgspec.structs.replace(one, contended=True) for one in results.requirements.runs)
    results = msgspec.structs.replace(results, requirements=msgspec.structs.replace(results.requirements, runs=runs))
    assert "--duration" not in words.headline(results)
    assert "quiet machine" in words.headline(results)


@pytest.mark.parametrize(("share", "verdict"), [(0.0, "HOLDS"), (0.003, "HOLDS"), (0.01, "OPEN"), (0.03, "BROKEN")])
def test_it_is_answered_by_the_whole_interval(share: float, verdict: str) -> None:
    results = measured(lambda _at: share)
    assert answer(results) == verdict
    assert words.headline(results).startswith(f"{verdict} p99<=10ms at ")
    exits = {"HOLDS": ExitCode.OK, "BROKEN": ExitCode.FOUND, "OPEN": ExitCode.INCONCLUSIVE}
    assert results.exit_code() is exits[verdict]


def test_when_it_broke_is_when_the_slow_requests_were_spent() -> None:
    results = measured(lambda at: 0.2 if at >= INTERVALS // 2 else 0.0)
    assert results.requirements
    (run,) = results.requirements.runs
    (spent,) = run.spent
    assert spent is not None
    assert 0.5 < spent / results.record.spec.duration_s < 0.6


def test_the_sentence_says_how_many_may_be_slow_and_when_so_many_were() -> None:
    results = measured(lambda _at: 0.03)
    assert "; 1 % of the requests may be slower, and so many were after " in words.headline(results)


def test_a_single_stall_in_an_otherwise_quick_run_does_not_break_it() -> None:
    assert answer(measured(lambda at: float(at in (60, 61)))) == "OPEN"


def test_what_holds_in_spite_of_a_late_generator_holds_and_what_it_may_have_broken_is_open() -> None:
    held = measured(lambda _at: 0.0, "p99<=100ms", late=0.045)
    assert answer(held) == "HOLDS"
    assert "although the generator was late" in words.headline(held)
    assert answer(measured(lambda _at: 0.03, late=0.045)) == "OPEN"
    broken = measured(lambda _at: 0.03, late=0.004)
    assert answer(broken) == "BROKEN"
    assert "although the generator was late, but by less than that" in words.headline(broken)


def test_a_run_that_was_interrupted_accuses_nobody_of_what_it_left_over() -> None:
    quick = measured(lambda _at: 0.0, stopped=True)
    assert not quick.runs[0].reasons
    assert "L2.rate" not in {one.code for one in quick.tier.reasons}
    assert answer(quick) == "OPEN"
    assert "did not come to its end" in words.headline(quick)
    assert answer(measured(lambda _at: 0.03, stopped=True)) == "BROKEN"


def test_a_level_that_moves_far_below_the_limit_leaves_nothing_open() -> None:
    # Not steady, and within the limit wherever it was.
    assert answer(measured(lambda at: 0.2 * at / INTERVALS, "p99<=60ms")) == "HOLDS"


def test_all_must_hold_and_what_is_broken_is_named() -> None:
    results = measured(lambda _at: 0.03, "p50<=10ms", "p99<=10ms")
    assert answer(results) == "BROKEN"
    assert "p99 50" in words.headline(results)
    assert "p50 5" not in words.headline(results)


def test_requests_that_fail_are_counted_with_their_interval() -> None:
    few = measured(lambda _at: 0.0, "errors<=1%", failed=1)
    assert answer(few) == "HOLDS"
    many = measured(lambda _at: 0.0, "errors<=0.1%", failed=60)
    assert answer(many) == "BROKEN"


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        ({"closed": True}, "--require and --closed"),
        ({"find_rate": ("p99<=9ms",)}, "--require and --find-rate"),
        ({"require": ("p98<=9ms",)}, "no budget of p98"),
        ({"require": ("errors<=1%",), "error_budget": "1%"}, "are the same"),
    ],
)
def test_what_contradicts_it(flags: dict[str, object], text: str) -> None:
    with pytest.raises(UsageError, match=text) as caught:
        config.make(["ycsb-b"], "valkey:embedded", {**NONE, "require": ("p99<=20ms",), "rate": "50", **flags})
    assert caught.value.remedy


def test_without_it_the_experiment_is_the_one_that_it_was() -> None:
    assert config.make(["ycsb-b"], "valkey:embedded", {**NONE, "rate": "2k"}).require is msgspec.UNSET


def test_a_load_answers_verifies_and_is_recounted(weigh: Weigh) -> None:
    (weigh.folder / "weigh.toml").write_text(
        '[load]\nworkload = "ycsb-c"\ntarget = "sqlite:embedded"\nrequire = ["p50<=5s", "errors<=50%"]\nrate = 100\n'
        'duration = "3s"\nwarmup = "0s"\nrecords = "100"\nconnections = 2\ncontention = "100%"\n'
    )
    run = weigh("load", "--quiet", "--json")
    found = run.json["requirements"]
    assert [one["text"] for one in found["budgets"]] == ["p50<=5s", "errors<=50%"]
    assert (found["verdict"], run.code) == ("HOLDS", 0), run.err
    checked = weigh("verify", str(run.evidence), "--sql")
    assert checked.code == 0, checked.out
    page = (run.evidence / "report.html").read_text()
    assert "HOLDS p50&lt;=5s" in page or "HOLDS p50<=5s" in page
    again = weigh("load", "--quiet", "--require", "p50<=0.001ms", "--out", "broken")
    assert again.code in (1, 3), again.out
    assert "HOLDS" not in again.out


def test_several_stand_in_one_text_with_commas() -> None:
    one, two = (
        config.make(["ycsb-b"], "valkey:embedded", {**NONE, "require": texts, "rate": "50"}).require
        for texts in (("p99<=20ms, errors<=1%",), ("p99<=20ms", "errors<=1%"))
    )
    assert one == two

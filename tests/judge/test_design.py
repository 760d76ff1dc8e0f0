"""Designs: which order of measuring carries a verdict, and what is reported of one that does not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.samples import FIXTURES, hyperfine, judged, only, refusal, rows, starts
from weigh.model.errors import DataFault, UsageError
from weigh.model.rules import Rules
from weigh.model.verdict import TierName

if TYPE_CHECKING:
    from pathlib import Path

IN_TURN = ["old", "new", "new", "old"] * 5
TIMES = "contender,start,value"
ROUNDS = range(1, 7)


@pytest.mark.promise("all of A came before all of B, or nothing tells the order, or fewer than 5 rounds")
def test_hyperfine_in_one_call_has_a_fixed_order() -> None:
    results = judged("hyperfine/fixed-order.json")
    assert refusal(results) == "T5"
    assert "all runs of old came before those of new" in only(results).reasons[0].text
    assert results.tier.name is TierName.INADMISSIBLE
    assert [(one.contender, one.starts) for one in results.timings] == [("old", 10), ("new", 10)]
    assert "hyperfine --warmup 1 --runs 3" in (results.how or "")


@pytest.mark.promise(
    "`--baseline` names another, and makes a SLOWER exit 1.",
    "The result is suggestive at most: weigh saw neither answers nor the machine.",
)
def test_hyperfine_in_turn_has_a_verdict() -> None:
    files = sorted((FIXTURES / "hyperfine" / "alternating").iterdir())
    results = judged(*files, baseline="old")
    verdict = only(results)
    assert (verdict.verdict, verdict.starts, verdict.runs) == ("slower", 10, 2)
    assert verdict.low is not None
    assert verdict.high is not None
    # sleep 0.15 against sleep 0.10
    assert verdict.low < 1.5 < verdict.high * 1.05
    assert (results.how, results.tier.name) == (None, TierName.SUGGESTIVE)
    assert results.exit_code() == 1
    assert judged(*files).exit_code() == 0
    assert not [one for one in verdict.reasons if one.code.startswith("T5")]


def test_hyperfine_with_a_command_named_again_and_again_alternates_in_one_file(tmp_path: Path) -> None:
    turns = [(name, [value]) for name, _, value in starts(IN_TURN, {"old": 1.0, "new": 1.2}, runs=1)]
    assert only(judged(hyperfine(tmp_path / "row.json", *turns))).verdict == "slower"


@pytest.mark.promise("weigh takes your word for it, and the tier says so (`T5.order`).")
def test_hyperfine_files_of_one_version_each_need_the_users_word(tmp_path: Path) -> None:
    files = []
    for number, (name, _, value) in enumerate(starts(["old", "new"] * 6, {"old": 1.0, "new": 0.8}, runs=1)):
        times = [value, value * 1.01]
        files.append(hyperfine(tmp_path / f"{name}{number // 2:02}.json", (f"./{name}", times)))
    assert refusal(judged(*files)) == "T5"
    results = judged(*files, interleaved=True)
    assert (only(results).verdict, only(results).contender, only(results).starts) == ("faster", "new", 6)
    assert "T5.order" in {reason.code for reason in results.tier.reasons}
    # However the shell sorts the names, the first of each version are a round.
    assert only(judged(*sorted(files), interleaved=True, baseline="old")).ratio == pytest.approx(only(results).ratio)


def test_a_word_for_one_file_of_each_changes_nothing(tmp_path: Path) -> None:
    old = hyperfine(tmp_path / "old.json", ("./old", [1.0, 1.1, 1.2, 1.1, 1.0]))
    new = hyperfine(tmp_path / "new.json", ("./new", [1.0, 1.2, 1.2, 1.1, 1.0]))
    assert refusal(judged(old, new, interleaved=True)) == "T5"
    (reason,) = only(judged(old, new)).reasons
    assert "measure them in turn, at least 5 files of each" in reason.text


def test_commands_are_operations_where_each_file_is_a_version(tmp_path: Path) -> None:
    files = [
        hyperfine(tmp_path / f"{name}.json", ("parse", [1.0] * 5), ("sort", [2.0, 2.1, 2.0, 2.2, 2.0 + at]))
        for at, name in enumerate(("old", "new"))
    ]
    results = judged(*files)
    assert [(one.operation, one.contender, one.baseline) for one in results.verdicts] == [
        ("parse", "new", "old"),
        ("sort", "new", "old"),
    ]


@pytest.mark.promise("A run that failed (its exit code) is no measurement, and makes the contender ERROR")
def test_a_failed_run_is_an_error_and_nobodys_ratio() -> None:
    results = judged("hyperfine/failing.json")
    assert only(results).verdict == "error"
    assert results.exit_code() == 2


def test_a_third_contender_that_fails_leaves_the_others_their_verdict(tmp_path: Path) -> None:
    made = starts(IN_TURN, {"old": 1.0, "new": 1.2}, runs=1)
    turns: list[tuple[str, list[float]]] = [(name, [value]) for name, _, value in made]
    path = hyperfine(tmp_path / "row.json", *turns, exit_codes=[0])
    failing = ', {"command": "bad", "times": [1.0], "exit_codes": [3]}]}'
    path.write_text(path.read_text().removesuffix("]}") + failing)
    assert {one.contender: one.verdict for one in judged(path).verdicts} == {"new": "slower", "bad": "error"}


def test_pyperf_one_file_after_the_other_is_seen_from_its_dates() -> None:
    assert refusal(judged("pyperf/old.json", "pyperf/new.json")) == "T5"
    # The dates count, whatever the user says.
    assert refusal(judged("pyperf/old.json", "pyperf/new.json", interleaved=True)) == "T5"


@pytest.mark.parametrize("tool", ["pyperf", "google-benchmark"])
def test_files_with_dates_alternate_without_a_word(tool: str) -> None:
    names = [f"{tool}/alternating/{version}{number}.json" for version in ("old", "new") for number in ROUNDS]
    results = judged(*names, rules=Rules(margin=100.0))
    verdict = only(results)
    assert (verdict.contender, verdict.baseline, verdict.starts) == ("new", "old", 6)
    assert verdict.ratio is not None
    assert results.how is None
    assert "T5.order" not in {reason.code for reason in results.tier.reasons}
    # Recorded old, new, old, new.
    assert "T5.first" in {reason.code for reason in verdict.reasons}


def test_two_processes_are_two_starts() -> None:
    results = judged("pyperf/alternating/old1.json", "pyperf/alternating/new1.json")
    assert refusal(results) == "T10.starts"
    assert "old has 2 process starts" in only(results).reasons[0].text


@pytest.mark.promise(
    "fewer than 5 process starts of a contender: repetitions inside one process share its memory layout"
)
def test_repetitions_in_one_process_are_one_start() -> None:
    results = judged("google-benchmark/alternating/old1.json", "google-benchmark/alternating/new1.json")
    assert refusal(results) == "T10.starts"
    assert "1 process start" in only(results).reasons[0].text
    assert "--benchmark_out=$v$i.json" in (results.how or "")
    results = judged("a=" + str(FIXTURES / "go/count.txt"), "b=" + str(FIXTURES / "go/alternating/old.txt"))
    codes = {one.operation: one.reasons[0].code for one in results.verdicts}
    assert codes == {"Sort-2": "T10.starts", "Sum-2": "T10.starts"}


@pytest.mark.promise("the file holds means and no measurements (aggregates, estimates, k6's summary)")
def test_summaries_carry_no_verdict() -> None:
    results = judged("google-benchmark/repetitions.json", "google-benchmark/aggregates.json")
    found = {one.operation: (one.verdict, one.reasons[0].code) for one in results.verdicts}
    assert found == {
        "BM_sort/100": ("refused", "T1.summaries"),
        "BM_sort/1000": ("refused", "T1.summaries"),
        "BM_fails": ("error", "X.error"),
    }


def test_summaries_alone_are_nothing_to_judge(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    path.write_text('{"results": [{"command": "a", "mean": 1.0}, {"command": "b", "mean": 1.1}]}')
    with pytest.raises(DataFault, match="summaries and no single measurements"):
        judged(path)


def test_go_calls_that_alternated_are_rounds() -> None:
    files = ("go/alternating/old.txt", "go/alternating/new.txt")
    assert {one.reasons[0].code for one in judged(*files).verdicts} == {"T5"}
    told = judged(*files, interleaved=True).verdicts
    assert [(one.operation, one.starts) for one in told] == [("Sort-2", 6), ("Sum-2", 6)]
    assert all(one.ratio is not None for one in told)


def test_csv_in_turn_and_one_after_another(tmp_path: Path) -> None:
    means = {"old": 1.0, "new": 1.1}
    turns = rows(tmp_path / "turns.csv", TIMES, starts(IN_TURN, means))
    verdict = only(judged(turns))
    assert (verdict.verdict, verdict.starts, verdict.runs) == ("slower", 10, 3)
    assert not [one for one in verdict.reasons if one.code.startswith("T5")]
    fixed = rows(tmp_path / "fixed.csv", TIMES, starts(sorted(IN_TURN), means))
    assert refusal(judged(fixed)) == "T5"


def test_the_same_contender_first_in_every_round_is_said(tmp_path: Path) -> None:
    path = rows(tmp_path / "ab.csv", TIMES, starts(["old", "new"] * 10, {"old": 1.0, "new": 1.1}))
    assert "T5.first" in {reason.code for reason in only(judged(path)).reasons}


@pytest.mark.promise("all of A came before all of B, or nothing tells the order, or fewer than 5 rounds")
def test_two_changes_of_turn_are_no_alternation(tmp_path: Path) -> None:
    order = ["old"] * 5 + ["new"] * 10 + ["old"] * 5
    path = rows(tmp_path / "aba.csv", TIMES, starts(order, {"old": 1.0, "new": 1.1}))
    results = judged(path)
    assert refusal(results) == "T5"
    assert "alternated 2 times: a verdict needs 5 rounds" in only(results).reasons[0].text


def test_rows_without_starts_are_one_start_each(tmp_path: Path) -> None:
    lines = [(name, value) for name, _, value in starts(IN_TURN, {"old": 1.0, "new": 1.1})]
    assert refusal(judged(rows(tmp_path / "no.csv", "contender,value", lines))) == "T10.starts"


@pytest.mark.promise("the files name different processors or numbers of cores")
def test_different_machines_are_not_compared(tmp_path: Path) -> None:
    files = []
    for version in ("old", "new"):
        for number in ROUNDS:
            text = (FIXTURES / f"google-benchmark/alternating/{version}{number}.json").read_text()
            path = tmp_path / f"{version}{number}.json"
            path.write_text(text.replace('"num_cpus": 2', '"num_cpus": 8') if version == "new" else text)
            files.append(path)
    results = judged(*files)
    assert refusal(results) == "T5.host"
    assert "old: 2, new: 8" in only(results).reasons[0].text


def test_an_operation_that_one_lacks_is_named(tmp_path: Path) -> None:
    made = [(name, start, "x", value) for name, start, value in starts(IN_TURN, {"old": 1.0, "new": 1.1})]
    path = rows(tmp_path / "part.csv", "contender,start,operation,value", [*made, ("old", 0, "y", 1.0)])
    found = {one.operation: (one.verdict, one.reasons[0].code if one.reasons else "") for one in judged(path).verdicts}
    assert found["x"][0] == "slower"
    assert found["y"] == ("refused", "R1")


def test_runs_of_one_log_each_count_with_their_means(tmp_path: Path) -> None:
    files = []
    for number, (name, _, value) in enumerate(
        starts(["old", "new", "new", "old"] * 3, {"old": 1.0, "new": 1.3}, runs=1)
    ):
        path = tmp_path / f"{name}.{1000 + number}"
        # Two latencies whose arithmetic mean is the value, in microseconds.
        lines = [(0.5, 0), (1.5, 1)]
        path.write_text(
            "".join(f"0 {at} {round(part * value * 1e6)} 0 {1_700_000_000 + number} {at} 10\n" for part, at in lines)
        )
        files.append(path)
    verdict = only(judged(*files))
    assert (verdict.verdict, verdict.starts, verdict.runs) == ("slower", 6, 1)
    assert verdict.ratio == pytest.approx(1.3, rel=0.05)


def test_the_threads_of_one_pgbench_run_are_one_log() -> None:
    results = judged("pgbench/threads.101", "pgbench/threads.101.1")
    assert (len(results.files), results.files[0].values, results.baseline) == (1, 800, None)


@pytest.mark.promise("The same file twice, by its name or its bytes, is an error: a copy is not another measurement.")
def test_a_copy_is_no_further_start(tmp_path: Path) -> None:
    for number in range(10):
        hyperfine(tmp_path / f"block{number}.json", ("old", [1.0]), ("new", [1.1]))
    with pytest.raises(DataFault, match="the same bytes"):
        judged(*sorted(tmp_path.iterdir()))


@pytest.mark.promise("All files of a call have one format.")
def test_what_different_tools_measured_is_not_compared() -> None:
    with pytest.raises(UsageError, match="it is go"):
        judged("hyperfine/fixed-order.json", "go/count.txt")


def test_an_unknown_baseline_is_named() -> None:
    with pytest.raises(UsageError, match="no contender is called 'odl'"):
        judged("hyperfine/fixed-order.json", baseline="odl")


def test_the_baseline_can_be_the_second() -> None:
    verdict = only(judged(*sorted((FIXTURES / "hyperfine" / "alternating").iterdir()), baseline="new"))
    assert (verdict.verdict, verdict.contender) == ("faster", "old")


@pytest.mark.promise(
    "A contender that had no turns between those of the baseline is refused by itself; the others keep their verdicts."
)
def test_a_contender_that_came_last_does_not_cost_the_others_their_verdict(tmp_path: Path) -> None:
    order = [*IN_TURN, *["late"] * 10]
    path = rows(tmp_path / "late.csv", TIMES, starts(order, {"old": 1.0, "new": 1.2, "late": 1.0}))
    found = {one.contender: (one.verdict, one.reasons[0].code if one.reasons else "") for one in judged(path).verdicts}
    assert found["new"][0] == "slower"
    assert found["late"] == ("refused", "T5")


@pytest.mark.promise(
    "Dates that say otherwise take precedence; where they are equal (Google Benchmark's are whole "
    "seconds) the flag decides."
)
def test_dates_win_over_the_users_word(tmp_path: Path) -> None:
    files = []
    for version, year in (("old", 2025), ("new", 2026)):
        for number in ROUNDS:
            text = (FIXTURES / f"google-benchmark/alternating/{version}{number}.json").read_text()
            path = tmp_path / f"{version}{number}.json"
            path.write_text(text.replace("2026-", f"{year}-"))
            files.append(path)
    results = judged(*files, interleaved=True)
    assert refusal(results) == "T5"
    assert "all runs of old came before those of new" in only(results).reasons[0].text


@pytest.mark.promise(
    "Dates that say otherwise take precedence; where they are equal (Google Benchmark's are whole "
    "seconds) the flag decides."
)
def test_equal_dates_are_no_order_and_the_users_word_breaks_the_tie(tmp_path: Path) -> None:
    made = starts(["old", "new"] * 6, {"old": 1.0, "new": 1.3}, runs=1)
    for number, (version, _, seconds) in enumerate(made):
        source = FIXTURES / f"google-benchmark/alternating/{version}{number // 2 + 1}.json"
        plain = json.loads(source.read_text())
        plain["context"]["date"] = f"2026-11-22T03:15:{number // 8:02}+00:00"
        plain["benchmarks"][0]["real_time"] = seconds
        (tmp_path / source.name).write_text(json.dumps(plain))
    files = sorted(tmp_path.iterdir(), key=lambda path: (path.name.startswith("new"), path.name))
    results = judged(*files)
    assert refusal(results) == "T5"
    assert "some files have the same date" in only(results).reasons[0].text
    told = judged(*files, interleaved=True)
    assert (only(told).starts, only(told).verdict) == (6, "slower")
    assert "T5.order" in {reason.code for reason in told.tier.reasons}


@pytest.mark.parametrize(("step", "copied"), [(0.001, True), (0.0, False)])
def test_a_measurement_under_two_names(tmp_path: Path, step: float, copied: bool) -> None:
    """R10: the same values one by one; where the clock is coarse a few may be equal by chance."""
    lines = [(who, turn, 1 + step * (7 * turn % 20)) for turn in range(20) for who in ("old", "new")]
    verdict = only(judged(rows(tmp_path / "copy.csv", TIMES, lines)))
    assert (verdict.reasons[0].code == "R10.same") is copied
    if copied:
        assert verdict.verdict == "refused"
        assert "it is one measurement under two names" in verdict.reasons[0].text

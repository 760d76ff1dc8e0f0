"""What is reported of load runs whose truth is known."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from rich.console import Console

from support import load_records
from support.html_pages import assert_codes_explained
from support.load_records import RATE, interval, record, run, spec, steady_times, target
from weigh.evidence.seal import json_bytes
from weigh.evidence.sealing import End
from weigh.load.report import words
from weigh.load.report.document import document
from weigh.load.report.first_screen import screen, wrong
from weigh.load.report.report import page, plain
from weigh.load.results import LoadResults, load_results
from weigh.model.finding import Finding
from weigh.render.terminal import plain_text, show_findings
from weigh.serve.stored.load import StoredLoad

if TYPE_CHECKING:
    from weigh.load.record import LoadRecord

LENGTH = 100


@pytest.fixture(scope="module")
def calm() -> LoadRecord:
    return load_records.calm(LENGTH)


@pytest.fixture(scope="module")
def stalled() -> LoadRecord:
    return load_records.stalled()


def codes(found: LoadResults) -> set[str]:
    return {one.code for one in found.findings}


def reasons(found: LoadResults) -> set[str]:
    return {one.code for one in found.runs[0].reasons}


def changed(whole: LoadRecord, **summary: object) -> LoadResults:
    """The same run with another account of it."""
    (first,) = whole.runs
    assert first.summary
    other = msgspec.structs.replace(first, summary=msgspec.structs.replace(first.summary, **summary))
    return load_results(msgspec.structs.replace(whole, runs=(other,)))


def test_a_calm_run_counts_and_has_its_percentiles(calm: LoadRecord) -> None:
    found = load_results(calm)
    assert not found.refused
    assert found.tier.name == "suggestive"
    assert "L4.length" in {one.code for one in found.tier.reasons}
    whole = np.concatenate(steady_times(LENGTH))
    response = found.runs[0].whole.response
    for q in (0.5, 0.9, 0.99):
        part = response.at(q)
        assert part.resolved
        assert part.low is not None
        assert part.high is not None
        assert part.low <= np.quantile(whole, q) * 1.001
        assert part.high >= np.quantile(whole, q) * 0.999
    # 10,000 samples leave one beyond p99.99.
    assert not response.at(0.9999).resolved
    assert response.at(0.9999).value is None
    achieved = found.runs[0].rate_achieved
    assert achieved is not None
    assert achieved.mean == pytest.approx(RATE)


def test_a_stall_is_in_the_figures_of_the_schedule_and_not_in_those_of_the_loop(stalled: LoadRecord) -> None:
    found = load_results(stalled)
    opened = found.runs[0]
    # 5 % of the requests wait uniformly up to 1 s: by arithmetic p99 is 0.8 s and p99.9 is 0.98 s.
    assert opened.settled is not None
    assert opened.settled.cut_s == 0
    whole = opened.whole.response
    assert found.loops is not None
    assert found.loops.open_p99 == pytest.approx(0.8, rel=0.01)
    assert whole.max == pytest.approx(1.0, rel=0.01)
    assert found.loops.ratio > 100
    assert "L2.closed" in codes(found)


def test_a_cluster_of_slow_requests_widens_the_interval_or_takes_it(stalled: LoadRecord, calm: LoadRecord) -> None:
    one_event = load_results(stalled).runs[0].whole.response.at(0.99)
    assert not one_event.resolved or one_event.high / one_event.low > 10  # type: ignore[operator]
    quiet = load_results(calm).runs[0].whole.response.at(0.99)
    assert quiet.high / quiet.low < 1.2  # type: ignore[operator]


def test_a_warm_up_is_cut_and_said(calm: LoadRecord) -> None:
    slow = [interval(at, 4 * own if at < 20 else own) for at, own in enumerate(steady_times(LENGTH))]
    found = load_results(record([run(slow)]))
    assert found.runs[0].settled is not None
    assert found.runs[0].settled.cut_s == pytest.approx(2.0, abs=0.5)
    assert "L4.warm_up" in codes(found)
    assert "L4.warm_up" not in codes(load_results(calm))
    p99, truth = found.runs[0].whole.response.at(0.99), load_results(calm).runs[0].whole.response.at(0.99)
    assert p99.value == pytest.approx(truth.value, rel=0.05)


@pytest.mark.promise("`--warmup 5m` cuts what you say instead; `--warmup 0s` cuts nothing.")
def test_a_warm_up_that_is_asked_for_is_cut_without_a_test(calm: LoadRecord) -> None:
    asked = msgspec.structs.replace(calm, spec=msgspec.structs.replace(calm.spec, warmup_s=5.0))
    found = load_results(asked)
    assert found.runs[0].settled is not None
    assert found.runs[0].settled.cut_s == pytest.approx(5.0)
    assert found.runs[0].whole.count == 5_000


@pytest.mark.promise(
    "one request in ten left later than it was due, by more than the median response time, although a"
    " connection was free"
)
def test_a_generator_that_is_late_is_refused(calm: LoadRecord) -> None:
    late = [interval(at, own, late=5e-3) for at, own in enumerate(steady_times(LENGTH))]
    found = load_results(record([run(late)]))
    assert reasons(found) == {"E8.late"}
    assert found.tier.name == "inadmissible"
    assert document(found, "here")["load"]["rate_achieved"] is None
    assert not reasons(load_results(calm))


@pytest.mark.promise("the generator computed for more than 90 % of its threads' time")
def test_a_generator_without_a_moment_of_rest_is_refused() -> None:
    busy = [interval(at, own, cpu=0.099) for at, own in enumerate(steady_times(LENGTH))]
    assert reasons(load_results(record([run(busy)]))) == {"E8.saturated"}


@pytest.mark.promise("the clocks of the machine disagreed: it slept, or was moved")
def test_a_clock_that_jumped_is_refused(calm: LoadRecord) -> None:
    assert reasons(changed(calm, clock_jumps=1)) == {"E8.clock"}


@pytest.mark.promise(
    "more than 2 % of what was due had no answer when the last request was due, or something was never sent"
)
def test_a_rate_that_was_missed_is_refused_and_the_unsent_are_counted(calm: LoadRecord) -> None:
    found = changed(calm, scheduled=20_000, unsent=7_000)
    assert reasons(found) == {"L2.rate"}
    assert "L7.unsent" in codes(found)
    assert "7,000 of them were never sent" in found.runs[0].reasons[0].text


@pytest.mark.promise("rate times service time is more than there were connections: one of the figures is wrong")
def test_figures_that_littles_law_forbids_are_refused() -> None:
    # 1,000/s of 24 ms each need 24 connections; there are 16.
    times = [np.full(100, 0.024) for _ in range(LENGTH)]
    assert reasons(load_results(record([run([interval(at, own) for at, own in enumerate(times)])]))) == {"E8.little"}
    times = [np.full(100, 0.014) for _ in range(LENGTH)]
    assert not reasons(load_results(record([run([interval(at, own) for at, own in enumerate(times)])])))


def test_a_stall_that_the_warm_up_ends_in_is_no_wrong_figure() -> None:
    """Sixteen requests of a stall of ten times the part that counts end in it; they were on their way before."""
    times = [np.full(100, 0.001) for _ in range(LENGTH)]
    times[0] = np.concatenate([times[0], np.full(16, 10.0 * LENGTH)])
    assert "E8.little" not in reasons(load_results(record([run([interval(at, own) for at, own in enumerate(times)])])))


@pytest.mark.promise("more requests failed than `--error-budget` [0.1 %] allows")
def test_errors_beyond_the_budget_leave_no_throughput() -> None:
    def failing(each: int) -> LoadResults:
        parts = [
            interval(at, own, errors={"out of memory": each} if at % 20 == 0 else None)
            for at, own in enumerate(steady_times(LENGTH))
        ]
        return load_results(record([run(parts)]))

    assert reasons(failing(10)) == {"L7.errors"}
    assert "L7.failed" in codes(failing(1))
    assert not reasons(failing(1))


def test_an_answer_that_contradicts_what_was_written_is_an_error(calm: LoadRecord) -> None:
    found = changed(calm, violations=[{"text": "user7: version 3 after 4 was acknowledged"}])
    assert "L6.wrong" in codes(found)
    assert found.exit_code() == 1
    assert load_results(calm).exit_code() == 0


@pytest.mark.parametrize(
    ("where", "workload", "expected"),
    [
        (target(), "ycsb-b", set()),
        (target(durable=False, undurable=("appendonly is off",)), "ycsb-b", {"E7.not_durable"}),
        (target(durable=None, unread="NOPERM"), "ycsb-b", {"E7.unread"}),
        (target(kind="postgres"), "ycsb-b", {"L8.kind"}),
        (target(), "ycsb-e", {"L8.scans"}),
        (target(cycles={"checkpoints": 300.0}), "ycsb-b", {"L4.cycles"}),
    ],
)
def test_what_is_said_of_the_target(calm: LoadRecord, where: object, workload: str, expected: set[str]) -> None:
    asked = msgspec.structs.replace(calm.spec, workload=workload)
    found = load_results(record(calm.runs, asked, where))  # type: ignore[arg-type]
    assert codes(found) == expected


def test_repeats_have_an_interval_for_the_next_run() -> None:
    rng = np.random.default_rng(5)
    runs = []
    for number in range(1, 5):
        # Each start has its own speed, which no run can know of itself.
        pace = rng.lognormal(0, 0.1)
        times = steady_times(60, seed=number)
        runs.append(run([interval(at, pace * own) for at, own in enumerate(times)], number=number))
    found = load_results(record(runs, spec(60, repeats=4)))
    (group,) = found.groups
    p50 = next(one for one in group.between if one.name == "p50")
    inside = group.first.whole.response.at(0.5)
    assert len(p50.values) == 4
    assert (p50.high - p50.low) > 5 * (inside.high - inside.low)  # type: ignore[operator]
    # All against one life: said, and the interval is called what it is.
    assert p50.lives == 1
    assert "next run in this life" in words.of_repeats(p50)
    assert codes(found) >= {"T10.one_life"}


def test_repeats_in_lives_of_their_own_speak_of_the_next_start() -> None:
    made = [
        run([interval(at, own) for at, own in enumerate(steady_times(60, seed=number))], number=number)
        for number in range(1, 4)
    ]
    runs = [msgspec.structs.replace(one, life=one.number) for one in made]
    found = load_results(record(runs, spec(60, repeats=3)))
    p50 = next(one for one in found.groups[0].between if one.name == "p50")
    assert p50.lives == 3
    assert "next start" in words.of_repeats(p50)
    assert "T10.one_life" not in codes(found)


def test_two_lives_that_cannot_tell_where_the_next_falls_say_so() -> None:
    lives = [[interval(at, own / place) for at, own in enumerate(steady_times(60))] for place in (1, 4)]
    made = [run(parts, number=number) for number, parts in enumerate(lives, 1)]
    found = load_results(record([msgspec.structs.replace(one, life=one.number) for one in made], spec(60, repeats=2)))
    p99 = next(one for one in found.groups[0].between if one.name == "p99")
    assert p99.high > 100 * p99.low
    assert words.of_repeats(p99).endswith("(where the next one falls 2 lives cannot tell)")


def test_a_server_that_went_away_is_on_the_first_screen_and_no_lower_rate_helps(calm: LoadRecord) -> None:
    assert calm.runs[0].summary
    found = changed(calm, unsent=900, done=100, failed_connects=40)
    said = " ".join(plain(found, "here").split())
    assert "The server went away and did not come back" in said
    assert reasons(found) >= {"L2.rate"}
    assert "Lower --rate" not in said.partition("Findings")[0]
    back = " ".join(plain(changed(calm, unsent=900, done=100, failed_connects=40, reconnect_s=1.0), "here").split())
    assert "went away" not in back
    assert "Lower --rate" in back


@pytest.mark.parametrize("width", [40, 60, 80])
def test_the_reason_is_cut_between_words_and_says_how_many_more_there_are(calm: LoadRecord, width: int) -> None:
    found = changed(calm, unsent=900, done=100, clock_jumps=1)
    (late,) = (one.text for one in found.runs[0].reasons if one.code == "L2.rate")
    alone = msgspec.structs.replace(
        found, tier=msgspec.structs.replace(found.tier, reasons=found.runs[0].reasons[::-1])
    )
    console = Console(file=io.StringIO(), width=width)
    console.print(screen(alone, "here"))
    shown = "\n".join(map(str.rstrip, console.file.getvalue().splitlines()))  # type: ignore[attr-defined]
    said = " ".join(shown.partition("Inadmissible: ")[2].partition("\n\n")[0].split())
    assert said.removesuffix(" ...").removesuffix(" (and 1 more reason).") in late
    assert not said.endswith(" ...") or late.startswith(said.removesuffix(" ...") + " ")
    assert width < 80 or said.endswith(" (and 1 more reason).")


def test_what_is_wrong_names_the_operation_that_it_is_of(calm: LoadRecord) -> None:
    found = load_results(calm)
    finding = Finding(code="L6.wrong", severity="error", text="3 answers contradict", remedy="none", operation="pay")
    of_one = msgspec.structs.replace(found, findings=(finding,))
    assert wrong(of_one) == ["WRONG: pay: 3 answers contradict."]
    of_all = msgspec.structs.replace(found, findings=(msgspec.structs.replace(finding, operation=None),))
    assert wrong(of_all) == ["WRONG: 3 answers contradict."]


def test_a_run_of_its_own_rate_and_length_is_judged_by_them() -> None:
    times = steady_times(30, each=50)
    made = run([interval(at, own) for at, own in enumerate(times)])
    found = load_results(record([msgspec.structs.replace(made, rate=500.0, duration_s=3.0)], spec(100)))
    assert found.groups[0].first.rate_target == 500.0
    assert not found.groups[0].first.refused


def test_a_page_of_a_hundred_requests(calm: LoadRecord) -> None:
    found = load_results(msgspec.structs.replace(calm, spec=msgspec.structs.replace(calm.spec, fanout=100)))
    shown = found.groups[0].page
    assert shown is not None
    assert shown.hit == pytest.approx(1 - 0.99**100)
    assert shown.p50 == pytest.approx(np.quantile(np.concatenate(steady_times(LENGTH)), 0.5**0.01), rel=0.01)


def test_a_run_that_was_killed_is_shown_as_far_as_it_came(calm: LoadRecord) -> None:
    (first,) = calm.runs
    cut = msgspec.structs.replace(calm, end=None, runs=(msgspec.structs.replace(first, summary=None),))
    found = load_results(cut)
    assert "T8.stopped" in {one.code for one in found.tier.reasons}
    assert document(found, "here")["runs"][0]["requests"]["scheduled"] is None


def test_a_run_that_was_broken_off_before_its_first_request_measured_nothing(calm: LoadRecord) -> None:
    empty = run([interval(0, [])])
    end = End(how="stopped", reason="the server cannot be reached")
    found = load_results(msgspec.structs.replace(calm, end=end, runs=(msgspec.structs.replace(empty, summary=None),)))
    assert (found.tier.name, [one.code for one in found.tier.reasons]) == ("inadmissible", ["T8.stopped"])
    assert found.exit_code() == 2
    assert "0 requests" not in plain(found, "here")
    whole = msgspec.json.decode(json_bytes(document(found, "here")), type=StoredLoad)
    assert whole.summary().says == "Nothing was measured."


def test_a_list_of_loads_says_why_one_is_refused_in_whole_sentences(calm: LoadRecord) -> None:
    late = load_results(record([run([interval(at, own, late=5e-3) for at, own in enumerate(steady_times(LENGTH))])]))
    says = msgspec.json.decode(json_bytes(document(late, "here")), type=StoredLoad).summary().says
    (reason,) = (one.text for one in late.runs[0].reasons)
    assert says.startswith("Refused: the generator itself was late: ")
    assert says.removeprefix("Refused: ").removesuffix(".") + ". " in reason


def test_nothing_measured_is_said_and_is_a_failure(calm: LoadRecord) -> None:
    empty = msgspec.structs.replace(calm, runs=())
    found = load_results(empty)
    assert "Nothing was measured" in plain(found, "here")
    assert found.exit_code() == 2
    assert page(found, "here").decode()
    (reason,) = found.tier.reasons
    assert (found.tier.name, reason.code) == ("inadmissible", "T8.stopped")
    assert "T8.stopped it was broken off before anything was measured" in plain(found, "here")


def test_a_remedy_is_indented_below_its_finding_however_long() -> None:
    found = Finding(code="E4.before", severity="warning", text="others worked. " * 20, remedy="wait. " * 40)
    lines = plain_text(show_findings((found,))).splitlines()
    below = [line for line in lines if "wait" in line]
    assert len(below) > 1
    assert {len(line) - len(line.lstrip()) for line in below} == {4}
    assert {len(line) - len(line.lstrip()) for line in lines if line not in below} == {2}


def test_the_page_is_whole_and_small(stalled: LoadRecord) -> None:
    text = page(load_results(stalled), "here").decode()
    assert text.count("<svg") >= 6
    assert "<script" not in text
    assert "Content-Security-Policy" in text
    assert len(text) < 150_000


def test_the_head_of_a_page_has_version_and_date(calm: LoadRecord) -> None:
    ended = msgspec.structs.replace(calm, end=End(how="complete", at="2026-01-02T03:04:05.000+00:00"))
    head = page(load_results(ended), "here").decode().partition("<h1>")[0]
    assert head.endswith(", 2026-01-02</p>\n")


def test_the_codes_of_a_page_are_explained_at_its_end(stalled: LoadRecord) -> None:
    found = load_results(stalled)
    text = page(found, "here").decode()
    assert_codes_explained(text)
    for one in (*found.findings, *found.tier.reasons):
        assert f'<a href="#{one.code}">' in text


def test_a_hostile_message_of_a_server_stays_text(calm: LoadRecord) -> None:
    bad = Finding(code="L7.failed", severity="warning", text="<script>\x1b[31m", remedy="none")
    found = load_results(msgspec.structs.replace(calm, findings=(bad,)))
    assert "<script>" not in page(found, "here").decode()
    assert "\x1b" not in plain(found, "here")


def test_the_document_has_every_percentile_of_the_contract(calm: LoadRecord) -> None:
    made = document(load_results(calm), "20261122-abc-1")
    assert set(made["operations"][0]["response"]) == {"mean", "p50", "p90", "p95", "p99", "p999", "p9999", "max"}
    assert set(made["operations"][0]["response"]["p50"]) == {"value", "low", "high", "resolved", "seen"}
    assert made["load"]["rate_target"] == RATE

"""The first screen: a sentence first, what matters before what does not, 80 columns and 24 lines for ten operations."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import msgspec
import pytest

from support import experiment_records
from support.html_pages import Reader, assert_sound, rendered
from support.screen_forms import EVIDENCE, FORMS, MANY, MIXED, NEW, OLD, RECORDS, TEN, form, results, verdict
from weigh.experiment.report.first_screen import first_screen
from weigh.experiment.report.first_screen.markdown import markdown
from weigh.experiment.report.first_screen.outlook import about
from weigh.experiment.report.first_screen.terminal import screen_text
from weigh.experiment.report.terminal import notes, plain, whole
from weigh.experiment.results.pace import Pace
from weigh.experiment.results.results import experiment_results
from weigh.experiment.results.stalls import Stalls
from weigh.experiment.results.statements import Statement
from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.finding import Finding
from weigh.model.verdict import Reason, Tier, TierName, Total, VerdictName
from weigh.render.shape import command
from weigh.render.terminal import plain_text

if TYPE_CHECKING:
    from weigh.experiment.results.results import ExperimentResults

replace = msgspec.structs.replace


def shown(found: ExperimentResults) -> str:
    return plain_text(screen_text(first_screen(found, EVIDENCE)))


def words(found: ExperimentResults) -> str:
    """The screen on one line."""
    return " ".join(shown(found).split())


@pytest.mark.parametrize("name", FORMS)
def test_it_fits_one_screen(name: str) -> None:
    lines = shown(form(name)).splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 24, "\n".join(lines)


@pytest.mark.parametrize("name", RECORDS)
def test_the_page_begins_with_the_same_sentences(name: str) -> None:
    text = rendered(RECORDS[name]())
    assert_sound(text)
    head = Reader(f"<body>{text[text.index('<header>') : text.index('</header>')]}</header></body>").text
    screen = first_screen(form(name), EVIDENCE)
    assert all(" ".join(said.split()) in head for said in (*screen.wrong, *screen.says))


def test_who_on_how_many_how_much_how_sure() -> None:
    lines = shown(form("mixed")).splitlines()
    assert " ".join(line[:66].strip() for line in lines[:3]).startswith(
        "new is FASTER than old on 2 of 10 operations, by 22.5 to 30.0 %; SLOWER on 1, by 13.5 %; the same within 5 % "
        "on 5. 2 are open. All answers agree with the ground truth."
    )
    assert [lines[0].split()[-1], lines[1].rstrip().endswith("4 min 51 s")] == ["[SUGGESTIVE]", True]
    assert lines[3].startswith("  Suggestive: ")


def test_rows_that_matter_come_first_and_the_same_is_one_line() -> None:
    text = shown(form("mixed"))
    order = ("q3 ", "q1 ", "q2 ", "q4, q5, q6, q7, q8 ", "q9 ", "q10 ")
    places = [next(at for at, line in enumerate(text.splitlines()) if line.startswith(f"  {one}")) for one in order]
    assert places == sorted(places)
    assert "FASTER by 22.5 %" in text
    assert "same within 5 %" in text
    assert "REFUSED" not in text


def test_all_of_one_kind_is_said_with_its_mean() -> None:
    assert words(form("many")).startswith(
        "new is SLOWER than old on 10 of 10 operations, 1.5 to 3.3 times [SUGGESTIVE]"
    )
    assert "(geometric mean 2.3)" in words(form("many"))
    assert "geometric mean of 10" in words(form("many"))


def test_with_a_ratio_missing_there_is_no_mean() -> None:
    found = results([*MANY[:9], verdict("q10", "refused", 1.1)])
    assert "geometric mean" not in shown(found)


def test_what_there_is_no_room_for_is_counted_by_direction() -> None:
    ratios = [1.9 - at / 40 for at in range(30)]
    slower = [verdict(f"slow_{at}", "slower", ratio) for at, ratio in enumerate(ratios)]
    faster = [verdict(f"fast_{at}", "faster", 1 / ratio) for at, ratio in enumerate(ratios)]
    text = shown(results([*slower, *faster]))
    assert re.search(r"slow_\d+, .* and \d+ more +SLOWER, by 17.5 to .* %", text)
    assert re.search(r"fast_\d+, .* and \d+ more +FASTER, by 14.9 to .* %", text)


def test_what_is_open_says_what_it_would_take() -> None:
    pace = Pace(begin_s=2.0, turns_s={("q9", "hot"): 2.0})
    text = shown(replace(form("mixed"), pace=pace))
    assert re.search(r"q9 +open: about 2 more minutes", text)
    assert re.search(r"q10 +open: a quieter machine", text)
    slow = shown(replace(form("mixed"), pace=Pace(begin_s=2.0, turns_s={("q9", "hot"): 600.0})))
    assert re.search(r"q9 +open: over an hour more, or a quieter machine", slow), "five hours are beyond reason"
    assert re.search(r"q10 +open: a quieter machine", slow)
    assert re.search(r"q9 +open: about 40 starts in all", shown(replace(form("mixed"), pace=None)))


def test_the_only_operation_has_its_times_and_its_ratio_where_it_is_open() -> None:
    one = msgspec.structs.replace(verdict("q1", "unresolved", 1.2), low=0.8, high=1.8)
    assert re.search(r"q1 .+ 1\.200 +0\.80 - 1\.80 +open", shown(results([one])))


@pytest.mark.parametrize(
    ("ratio", "half", "said"),
    [
        (1.05, 0.02, "too close to the margin to tell"),
        (1 / 1.06, 0.02, "too close to the margin to tell"),
        (1.05, 0.10, "more time, or a quieter machine"),
        (1.02, 0.02, "a quieter machine"),
    ],
)
def test_what_no_number_of_starts_would_settle_says_why(ratio: float, half: float, said: str) -> None:
    one = msgspec.structs.replace(verdict("q2", "unresolved", ratio), low=ratio * (1 - half), high=ratio * (1 + half))
    assert re.search(f"q2 +open: {said}", shown(results([verdict("q1", "same", 1.0), one])))


def test_an_estimate_claims_no_more_than_it_knows() -> None:
    assert [about(seconds) for seconds in (1, 44, 120, 1000, 10_920)] == [
        "about 10 more seconds", "about 40 more seconds", "about 2 more minutes", "about 17 more minutes",
        "about 3 more hours",
    ]  # fmt: skip


def test_a_wrong_answer_comes_before_everything_with_its_cell() -> None:
    asked = experiment_records.workload(("q1", "q2"))
    gate = experiment_records.gate(asked, (OLD, NEW), [("q2", NEW)])
    record = experiment_records.record(operations=("q1",), contenders=(OLD, NEW))
    found = experiment_results([replace(record, workload=asked, gate=gate)])
    assert shown(found).lstrip().startswith("new gives WRONG answers on 1 of 2 operations: q2.")
    assert "row 'A', 'F', sum_qty: 37734106.00, not 37734107.00 (ground truth)." in words(found)
    assert "WRONG answer: not timed" in words(found)
    assert markdown(first_screen(found, EVIDENCE)).startswith("**new gives WRONG answers")


def total(name: str, ratio: float) -> Total:
    ends = {"low": ratio / 1.05, "low_fcr": ratio / 1.05, "high": ratio * 1.05, "high_fcr": ratio * 1.05}
    return Total(verdict=VerdictName(name), ratio=ratio, **ends)


def test_a_total_that_claims_more_than_the_typical_time_says_why() -> None:
    other = verdict("q3", "same", total=total("slower", 1.1), reasons=(codes.T1_TOTAL.reason("in total slower"),))
    stalls = Stalls(operation="q3", contender=NEW, temperature="hot", whose=NEW, share=0.01, times=11.2)
    found = results([verdict("q1", "same", total=total("same", 1.0)), other], stalls=(stalls,))
    assert (
        "q3: typically the same; in total 10 % slower, because 1 execution in 100 of new takes 11 times as long."
        in words(found)
    )
    assert "rare executions make the difference" in words(replace(found, stalls=()))


def test_totals_that_are_open_are_counted() -> None:
    found = results([verdict(name, "same", total=total("unresolved", 1.0)) for name in TEN[:3]])
    assert "Total times: open on 3 of 3 (rare stalls weigh in them)." in words(found)


def test_where_cpu_time_decides_it_says_so() -> None:
    made = form("mixed")
    cpu = replace(made.analyses["cpu_s"], verdicts=(verdict("q9", "slower", 1.081, metric="cpu_s"),))
    settled = Statement(code="M.settled", text="CPU settles it", metrics=("cpu_s",), operation="q9", contender=NEW)
    found = replace(made, analyses={**made.analyses, "cpu_s": cpu}, statements=(settled,))
    assert "CPU time decides what wall time cannot: q9 costs 8.1 % more." in words(found)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("one contender", "old took 3.96 ms to 12.1 ms on 10 operations. Nothing was compared with it."),
        ("gate", "All answers agree with the ground truth, 40 questions to each contender. Nothing was timed."),
        ("interrupted before the gate", "Not complete: interrupted. The gate was not reached: no answer was checked."),
        ("nothing decided", "It is open how new compares with old on all 10 operations."),
        ("too few starts", "open: it takes 5 starts"),
        ("crashed", "1 failed: q2."),
        ("wrong later", "new answered differently in a timed execution than in the gate."),
        ("killed", "Not complete: it was killed, or is still running. What follows is from 10 starts."),
        ("six contenders", "#2 chdb@4.4.0: SLOWER on 10, "),
        ("three contenders", "chdb@4.4.0: SLOWER on 10, 2.0 times"),
    ],
)
def test_every_form_has_its_sentence(name: str, said: str) -> None:
    left = " ".join(line[:64].rstrip() if "  " in line[50:] else line for line in shown(form(name)).splitlines())
    assert said in re.sub(r" \[[A-Z]+\]", "", " ".join(left.split())), shown(form(name))


def test_who_is_not_compared_is_not_open() -> None:
    """What forbids a comparison is reported once, and more of the same measuring is not proposed."""
    lazy = codes.A5_LAZY.finding(contender="third", text="it computes after the clock", remedy="consume the answer")
    refused = verdict("q1", "refused", None, "third", reasons=(codes.A5_LAZY.reason("it computes after the clock"),))
    said = words(results([verdict("q1", "same"), refused], findings=(lazy,)))
    assert "new takes the same time as old on q1, within" in said
    assert said.count("third is not compared: it computes after the clock.") == 1
    assert "open" not in said.replace("weigh open", "")
    assert "q1 (third) not compared" in said
    alone = results([replace(refused, contender=NEW)], findings=(replace(lazy, contender=NEW),))
    assert "new is not compared: it computes after the clock." in first_screen(alone, EVIDENCE).says


def test_whose_answers_nothing_confirmed_is_said_once() -> None:
    made = results(MIXED)
    assert made.gate
    assert made.tier
    status = GateStatus.UNVERIFIED
    operations = tuple(replace(one, status=status) for one in made.gate.operations)
    reasons = (codes.A8.reason("nothing independent confirmed the answers of q1, q2"), *made.tier.reasons)
    found = replace(
        made, gate=replace(made.gate, operations=operations), tier=Tier(name=TierName.SUGGESTIVE, reasons=reasons)
    )
    assert words(found).lower().count("nothing independent confirmed") == 1
    assert "Suggestive: those answers are not confirmed" in words(found)


def test_findings_are_a_count_and_told_where_they_are_asked_for() -> None:
    found = [
        Finding(code="E5.container", severity="note", text="a container hides", remedy="run outside"),
        Finding(code="D7.memory", severity="note", text="it fits into memory", remedy="raise --scale"),
    ]
    made = results(MIXED, findings=tuple(found))
    assert f"2 notes: weigh report {EVIDENCE} --notes" in words(made)
    assert "E5.container" not in shown(made)
    assert "E5.container" in plain_text(notes(made))
    assert "E5.container" in plain_text(whole(made, EVIDENCE))
    assert plain(made, EVIDENCE).startswith(shown(made))


def test_a_command_that_is_too_long_can_be_copied() -> None:
    line = "weigh run --contender 'old=duckdb@1.5.5?a=b&c=d' " + "--operations " + ",".join(TEN) + " --seed 42 --strict"
    lines = command(line, "  Again:   ")
    assert len(lines) > 1
    assert max(map(len, lines)) <= 80
    assert all(one.endswith(" \\") for one in lines[:-1])
    assert shlex.split("".join(one.removesuffix("\\") for one in lines).removeprefix("  Again:   ")) == shlex.split(
        line
    )


@pytest.mark.parametrize("contenders", [1, 2, 3, 4])
def test_an_operation_is_called_by_its_whole_name(contenders: int) -> None:
    """Intervals give way to it where there is no room for both; what is longer than a third of a line may be cut."""
    name = "denied_actions_by_user"
    found = results(
        [verdict(name, "slower", 1.5, contender=f"contender-{at}") for at in range(contenders)],
    )
    text = shown(found)
    assert max(map(len, text.splitlines())) <= 80
    assert name in text or contenders == 1
    assert name[:11] in text


@pytest.mark.parametrize(("operations", "folded"), [(5, False), (60, True)])
def test_with_several_contenders_what_is_left_out_is_summed_up(operations: int, folded: bool) -> None:
    names = [f"op_{at}" for at in range(operations)]
    found = [verdict(name, "slower", 1.5, contender=one) for name in names for one in ("a", "b", "c")]
    text = shown(results(found))
    assert all(name in text for name in names) is not folded
    assert ("differ, ratios 1.50 to 1.50 (--verbose)" in text) is folded


def test_what_a_finding_forbids_to_compare_is_not_open() -> None:
    """A11.outside withholds one operation: more starts would decide nothing on it."""
    withheld = verdict("q2", "refused", None, reasons=(codes.A11_OUTSIDE.reason("it works outside its clock"),))
    found = results([verdict("q1", "slower", 1.2), withheld])
    said = words(found)
    assert "not compared: it works outside its clock" in said
    assert first_screen(found, EVIDENCE).says[0].endswith("1 not compared: q2.")
    assert "open:" not in said
    assert "open." not in said
    matrix = markdown(
        first_screen(results([*found.headline.verdicts, verdict("q2", "slower", 1.2, "third")]), EVIDENCE)
    )
    assert "not compared" in next(line for line in matrix.splitlines() if line.startswith("| q2"))


def test_nothing_but_what_is_forbidden_to_compare_is_no_open_question() -> None:
    reason = codes.A11_PROCESSES.reason("others did the work")
    found = results([verdict("q1", "refused", None, reasons=(reason,))])
    assert "It is open" not in words(found)
    assert "1 not compared: q1" in words(found)


def test_further_reasons_are_counted_in_one_phrase() -> None:
    reasons = (
        codes.E4_BEFORE.reason("others used the CPUs (and 1 more)"),
        codes.T10.reason("few"),
        codes.T10.reason("x"),
    )
    found = results([verdict("q1", "same")], tier=Tier(name=TierName.SUGGESTIVE, reasons=reasons))
    assert "Suggestive: others used the CPUs (and 3 more reasons)." in words(found)
    assert "(and 1 more)" not in words(found)


def test_commands_are_quoted_as_a_shell_needs_them() -> None:
    screen = first_screen(results([verdict("q1", "same")]), "my runs/1")
    assert "weigh open 'my runs/1'" in plain_text(screen_text(screen))


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        (codes.X_UNSUPPORTED.reason("new does not support it"), "not supported"),
        (codes.X_ERROR.reason("new failed before any clock was started"), "failed"),
    ],
)
def test_who_does_not_support_a_question_did_not_fail(reason: Reason, state: str) -> None:
    lost = verdict("q2", "error", None, reasons=(reason,))
    text = words(results([verdict("q1", "same"), lost]))
    assert f"1 {state}: q2." in text
    assert ("failed" in text) is (state == "failed")

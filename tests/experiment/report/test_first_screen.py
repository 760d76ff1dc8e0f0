"""The first screen: a sentence first, what matters before what does not, 80 columns and 24 lines for ten operations."""

from __future__ import annotations

import functools
import re
import shlex
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support import experiment_records
from support.hostile_records import hostile
from support.html_pages import Reader, assert_sound, rendered
from weigh.evidence.sealing import End
from weigh.experiment.report.first_screen import first_screen
from weigh.experiment.report.first_screen.markdown import markdown
from weigh.experiment.report.first_screen.outlook import about
from weigh.experiment.report.first_screen.terminal import screen_text
from weigh.experiment.report.html.many import chosen
from weigh.experiment.report.terminal import notes, plain, whole
from weigh.experiment.results.pace import Pace
from weigh.experiment.results.results import experiment_results
from weigh.experiment.results.stalls import Stalls
from weigh.model import codes
from weigh.model.answer import GateStatus
from weigh.model.build import BuildRead
from weigh.model.finding import Finding
from weigh.model.sample import Outcome
from weigh.model.verdict import Tier, TierName, Total, Verdict, VerdictName
from weigh.render.shape import command
from weigh.render.terminal import plain_text
from weigh.verdict.metrics import Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weigh.experiment.record import Record
    from weigh.experiment.results.results import ExperimentResults

OLD, NEW = "old", "new"
TEN = tuple(f"q{number}" for number in range(1, 11))
EVIDENCE = "runs/20261122-abcdefabcdef-1"
replace = msgspec.structs.replace


def verdict(operation: str, name: str, ratio: float | None = 1.0, contender: str = NEW, **fields: Any) -> Verdict:
    """A verdict with an interval of 2 % to each side."""
    ends = {"low": ratio / 1.02, "high": ratio * 1.02} if ratio else {}
    made: dict[str, Any] = {"confidence": 0.99, "margin": 0.05, "starts": 10, "runs": 3, "ratio": ratio, **ends}
    return Verdict(operation=operation, contender=contender, baseline=OLD, verdict=VerdictName(name), **(made | fields))


def results(verdicts: Sequence[Verdict], **fields: Any) -> ExperimentResults:
    """Results with these verdicts on wall time; the times are those of a made record."""
    operations = tuple(dict.fromkeys(one.operation for one in verdicts))
    names = (OLD, *dict.fromkeys(one.contender for one in verdicts))
    made = experiment_results([experiment_records.record(operations=operations, contenders=names)])
    wall = replace(made.headline, verdicts=tuple(verdicts))
    return replace(made, **({"analyses": {**made.analyses, "wall_s": wall}, "measured_s": 291.0} | fields))


def shown(found: ExperimentResults) -> str:
    return plain_text(screen_text(first_screen(found, EVIDENCE)))


def words(found: ExperimentResults) -> str:
    """The screen on one line."""
    return " ".join(shown(found).split())


MIXED = [
    verdict("q1", "faster", 0.775),
    verdict("q2", "slower", 1.135),
    verdict("q3", "faster", 0.7),
    *(verdict(f"q{at}", "same") for at in range(4, 9)),
    verdict("q9", "unresolved", 1.03, starts_needed=40),
    verdict("q10", "refused", 1.1, reasons=(codes.T7_UNSTABLE.reason("it varies"),)),
]
MANY = [verdict(name, "slower", 1.5 + 0.2 * at) for at, name in enumerate(TEN)]
RECORDS: dict[str, Callable[[], Record]] = {
    "six contenders": lambda: experiment_records.record(operations=TEN, contenders=experiment_records.names(6), runs=1),
    "three contenders": lambda: experiment_records.record(
        operations=TEN, contenders=experiment_records.names(3), runs=1
    ),
    "one contender": lambda: experiment_records.record(operations=TEN, contenders=(OLD,), runs=1),
    "gate": lambda: experiment_records.record(operations=TEN, samples=(), blocks=()),
    "killed": lambda: experiment_records.record(operations=TEN, contenders=(OLD, NEW), end=None),
    "interrupted before the gate": lambda: experiment_records.record(
        samples=(), blocks=(), gate=None, end=End(how="stopped", reason="interrupted")
    ),
    "nothing decided": lambda: experiment_records.record(operations=TEN, contenders=(OLD, NEW), noise=0.4),
    "too few starts": lambda: experiment_records.record(operations=TEN, contenders=(OLD, NEW), starts=2),
    "crashed": lambda: experiment_records.with_outcome(
        experiment_records.record(contenders=(OLD, NEW)), Outcome.CRASH, "q2", NEW
    ),
    "wrong later": lambda: experiment_records.with_outcome(
        experiment_records.record(contenders=(OLD, NEW)), Outcome.WRONG, "q2", NEW
    ),
}
FORMS = ("mixed", "many", *RECORDS)


@functools.cache
def form(name: str) -> ExperimentResults:
    """The results that the screen of this name is of; none is computed where no test is run."""
    if name in RECORDS:
        return experiment_results([RECORDS[name]()])
    return results({"mixed": MIXED, "many": MANY}[name])


@pytest.mark.parametrize("name", FORMS)
def test_it_fits_one_screen(name: str) -> None:
    lines = shown(form(name)).splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 24, "\n".join(lines)


@pytest.mark.parametrize("name", FORMS)
def test_markdown_is_short_and_says_the_same(name: str) -> None:
    screen = first_screen(form(name), EVIDENCE)
    text = markdown(screen)
    assert len(text.splitlines()) <= 25
    unescaped = text.replace("\\", "")
    assert all(said in unescaped for said in screen.says[1:])
    widths = {len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("|")}
    assert len(widths) <= 1, "every row has as many cells"


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


@pytest.mark.promise("those that are slower come first, then those that differ most")
def test_what_fails_a_run_comes_before_what_differs_more() -> None:
    """The summary of a large suite has room for four rows: they are those for which the job is red."""
    faster = [verdict(f"fast_{at}", "faster", 0.3) for at in range(100)]
    found = results([*faster, *(verdict(f"slow_{at}", "slower", 1.1 + at / 100) for at in range(100))])
    spec = replace(found.record.spec, baseline_declared=True)
    declared = replace(found, record=replace(found.record, spec=spec))

    def rows(one: ExperimentResults) -> list[str]:
        lines = [line for line in markdown(first_screen(one, EVIDENCE)).splitlines() if line.startswith("| ")]
        return [line.split()[1] for line in lines[2:6]]

    def full(one: ExperimentResults) -> set[str]:
        return {*chosen(one, [verdict.operation for verdict in one.headline.verdicts])}

    assert rows(declared) == [r"slow\_99", r"slow\_98", r"slow\_97", r"slow\_96"]
    assert {name.partition("_")[0].rstrip("\\") for name in rows(found)} == {"fast"}
    assert {"slow_99", "slow_70"} <= full(declared)
    assert "slow_99" not in full(found)


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
    assert [about(seconds) for seconds in (1, 44, 120, 1000)] == [
        "about 10 more seconds", "about 40 more seconds", "about 2 more minutes", "about 17 more minutes",
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
    """What forbids a comparison is said once, and more of the same measuring is not proposed."""
    lazy = codes.A5_LAZY.finding(contender="third", text="it computes after the clock", remedy="consume the answer")
    refused = verdict("q1", "refused", None, "third", reasons=(codes.A5_LAZY.reason("it computes after the clock"),))
    said = words(results([verdict("q1", "same"), refused], findings=(lazy,)))
    assert "new takes the same time as old on 1 of 1 operation" in said
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


@pytest.mark.promise("Its first line answers the question, and it has less than 60 lines")
def test_markdown_of_a_large_suite_answers_in_the_first_line() -> None:
    """Of every kind of verdict some, with names as long as they come, read from several attempts."""
    operations = 300
    kinds = (("slower", 1.2), ("same", 1.0), ("small", 1.04), ("unresolved", 1.03), ("refused", None), ("faster", 0.8))
    made = [
        verdict(f"{number:04d}_a_name_that_says_what_is_asked_of_the_engine", *kinds[number % len(kinds)])
        for number in range(operations)
    ]
    found = results(made, attempts=3)
    lines = markdown(first_screen(found, EVIDENCE)).splitlines()
    assert lines[0].startswith(f"**new is SLOWER than old on {operations // 6} of {operations} operations")
    assert any("3 attempts are read together" in line for line in lines)
    assert len(lines) < 60
    assert sum(map(len, lines)) < 10_000
    # Nobody mines it for green: what is open is counted, and said to be.
    assert any(f"{operations // 3} are open" in line or f"open on {operations // 3}" in line for line in lines)


def test_what_a_pull_request_shows_leaks_and_injects_nothing() -> None:
    """Names and words of a run whose author wants the reader's browser, or his terminal."""
    found = experiment_results(
        [hostile(experiment_records.record(operations=("q1", "q2"), contenders=("a", "b", "c")))]
    )
    text = markdown(first_screen(found, EVIDENCE))
    # Code is shown as it is.
    assert "<script" not in re.sub(r"`[^`]*`", "", text).replace("\\<", "")
    assert not [char for char in text if not char.isprintable() and char != "\n"]


@pytest.mark.promise("It names the builds that were measured")
def test_markdown_names_the_builds() -> None:
    """Where a build fails there is no new evidence, and ``latest`` is that of another commit."""
    whole = experiment_records.record(contenders=("main", "pr"))
    assert whole.environment
    asked = {"main": ("revision", "1a2b3c4d5e6f7081"), "pr": ("wheel", "")}
    read = tuple(
        msgspec.structs.replace(one, build=BuildRead(kind=kind, content="c", commit=commit, sha256="9c8b7a6f5e4d" * 5))
        for one, (kind, commit) in zip(whole.environment.contenders, asked.values(), strict=True)
    )
    built = msgspec.structs.replace(whole, environment=msgspec.structs.replace(whole.environment, contenders=read))
    text = markdown(first_screen(experiment_results([built]), EVIDENCE))
    assert "Measured: main git 1a2b3c4d5e6f, pr sha256 9c8b7a6f5e4d." in text
    assert "Measured:" not in markdown(first_screen(experiment_results([whole]), EVIDENCE))


def test_markdown_shows_names_as_they_are() -> None:
    made = markdown(first_screen(results([verdict("a|b_*c*", "slower", 1.5, contender="x`y@me")]), EVIDENCE))
    assert r"a\|b\_\*c\*" in made
    assert r"x\`y\@me" in made


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

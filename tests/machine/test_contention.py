"""Contention: what others used is shared out over turns, and what that spoils."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from weigh.machine import contention_findings
from weigh.machine.contention import Contention, PairShare, contention, processes_during
from weigh.model.machine.timeline import ForeignProcess, Moment, Watch
from weigh.model.sample import Outcome, Sample
from weigh.verdict.question import Question

if TYPE_CHECKING:
    from weigh.model.finding import Finding

JOB = ForeignProcess(pid=812, name="burn", cpu_s=0.5)


def executions(
    block: int, turn: int, *, contender: str = "b", runs: int = 3, wall: float = 0.1, **fields: Any
) -> list[Sample]:
    """One turn of a block that lasts ten seconds; each turn has one of them for itself."""
    begin = 10.0 * block + turn
    given: dict[str, Any] = {"start": 0, "arm": contender, "operation": "q", "case": "c", "outcome": Outcome.OK}
    return [
        Sample(
            block=block, turn=turn, run=run, contender=contender, wall_s=wall, at=begin + run * (wall + 0.01),
            **(given | fields),
        )
        for run in range(runs + 1)
    ]  # fmt: skip


def moments(begin: float, length: float, foreign: float | None, *, span: float = 0.05, **fields: Any) -> list[Moment]:
    """Moments in which others use a share of one CPU."""
    number = round(length / span)
    return [
        Moment(at=begin + at * span, span=span, foreign=None if foreign is None else foreign * span, **fields)
        for at in range(number)
    ]


def watch(block: int, turn: int, foreign: float | None, *culprits: ForeignProcess, **fields: Any) -> Watch:
    return Watch(moments=tuple(moments(10.0 * block + turn, 1.0, foreign, **fields)), culprits=culprits)


def experiment(shares: dict[str, list[float]], bound: float = 0.05, **fields: Any) -> Contention:
    """Each contender has one turn a block, in which others use a share of one CPU."""
    samples, watches = [], []
    for turn, (contender, own) in enumerate(shares.items()):
        for block, share in enumerate(own):
            samples += executions(block, turn, contender=contender, **fields)
            watches.append(watch(block, turn, share, *((JOB,) if share > 0.01 else ())))
    return contention([(samples, watches)], bound, next(iter(shares)))


def pair(found: Contention, contender: str = "b") -> PairShare:
    return next(one for one in found.pairs if one.contender == contender)


def said(found: Contention, code: str = "E4.contended") -> list[Finding]:
    return [one for one in contention_findings.findings(found) if one.code == code]


def test_a_job_beside_one_contender_refuses_that_one_and_nobody_else() -> None:
    found = experiment({"a": [0.0] * 10, "b": [1.0] * 10, "c": [0.01] * 10})
    assert [one.refused for one in found.pairs] == [False, True, False]
    assert pair(found).foreign == pytest.approx(1.0)
    (reasons,) = contention_findings.refusals(found)
    assert reasons.keys() == {(Question("q"), "b")}
    assert reasons[Question("q"), "b"].code == "E4.contended"
    assert reasons[Question("q"), "b"].text == (
        "others used 100.0 % of the CPU of its turns and 0.0 % of those of a, more than 5.0 % apart: "
        "burn (pid 812) 1.60 s of CPU"
    )
    (finding,) = said(found)
    assert (finding.severity, finding.contender, finding.operation) == ("warning", "b", "q")
    assert "10 of 10 turns: block 0 turn 1 (100 %)" in finding.text
    assert found.watched


def test_without_it_there_is_silence() -> None:
    found = experiment({"a": [0.0] * 10, "b": [0.02] * 10})
    assert not list(contention_findings.findings(found))
    assert not contention_findings.refusals(found)
    assert not contention_findings.gaps(found)


def test_one_short_blip_names_its_turn_and_refuses_nobody() -> None:
    """Even where it alone would lift the share over the bound."""
    found = experiment({"a": [0.0] * 10, "b": [0.0] * 6 + [1.0] + [0.0] * 3})
    assert pair(found).foreign == pytest.approx(0.1)
    assert not pair(found).refused
    assert not contention_findings.refusals(found)
    (finding,) = said(found)
    assert finding.severity == "note"
    assert "1 of 10 turns: block 6 turn 1 (100 %)" in finding.text
    assert "burn" in finding.text


def test_two_blips_may_be_an_accident_and_are_a_warning() -> None:
    found = experiment({"a": [0.0] * 10, "b": [0.0] * 6 + [1.0, 1.0, 0.0, 0.0]})
    assert (pair(found).above, pair(found).refused) == (True, False)
    (finding,) = said(found)
    assert (finding.severity, finding.contender) == ("warning", None)


def test_seven_of_ten_are_no_accident() -> None:
    assert pair(experiment({"a": [0.0] * 10, "b": [0.0, 1.0, 1.0] * 3 + [1.0]})).refused


@pytest.mark.promise("**A machine that is busy for both sides alike** refuses nothing.")
def test_what_falls_on_both_sides_alike_is_a_warning_once() -> None:
    found = experiment({"a": [1.0] * 10, "b": [0.98] * 10, "c": [1.02] * 10})
    assert not contention_findings.refusals(found)
    assert not any(one.refused for one in found.pairs)
    (finding,) = contention_findings.findings(found)
    assert (finding.code, finding.severity, finding.contender) == ("E4.contended", "warning", None)
    assert finding.text.startswith(
        "others used up to 102.0 % of the CPU of turns (q, c), more than 5.0 % on 3 of 3 pairs, on both sides alike, "
        "so the ratios are those of a busy machine: burn (pid 812)"
    )


def test_who_runs_alone_has_no_other_side() -> None:
    found = experiment({"a": [1.0] * 10})
    assert not contention_findings.refusals(found)
    (finding,) = contention_findings.findings(found)
    assert "on 1 of 1 pair; the times are those of a busy machine: burn" in finding.text


def test_a_job_beside_the_baseline_is_the_baselines() -> None:
    found = experiment({"a": [1.0] * 10, "b": [0.0] * 10, "c": [0.97] * 10})
    assert [one.refused for one in found.pairs] == [True, False, False]
    (reasons,) = contention_findings.refusals(found)
    assert reasons.keys() == {(Question("q"), "b")}, "alongside c it was too"
    assert reasons[Question("q"), "b"].text.startswith("others used 0.0 % of the CPU of its turns and 100.0 % of those")
    finding, busy = said(found)
    assert (finding.severity, finding.contender) == ("warning", "a")
    assert "(q, c), more than 5.0 % on 1 of 3 pairs" in busy.text
    assert "others used 100.0 % of the CPU of its turns and 0.0 % of those of b, more than 5.0 % apart" in finding.text
    (reasons,) = contention_findings.refusals(found, "b")
    assert reasons.keys() == {(Question("q"), "a"), (Question("q"), "c")}, "compared with another one"


def test_who_computes_on_more_cpus_has_a_smaller_share_of_the_same_neighbour() -> None:
    samples = [one for block in range(10) for one in executions(block, 0, contender="a", cpu_s=0.1)]
    samples += [one for block in range(10) for one in executions(block, 1, contender="b", cpu_s=0.4)]
    watches = [watch(block, turn, 0.2, JOB) for block in range(10) for turn in (0, 1)]
    found = contention([(samples, watches)], 0.05, "a")
    assert [one.foreign for one in found.pairs] == pytest.approx([0.2, 0.05])
    assert not contention_findings.refusals(found)


@pytest.mark.promise(
    "**The CPU of a turn** is what its timed executions used, and at least one CPU for as long as they lasted."
)
def test_the_cpu_of_a_turn_is_what_it_used_and_at_least_one_cpu() -> None:
    assert pair(experiment({"b": [0.1] * 5}, cpu_s=0.001)).foreign == pytest.approx(0.1), "it slept"
    assert pair(experiment({"b": [0.1] * 5}, cpu_s=0.4)).foreign == pytest.approx(0.025), "it had four"
    assert pair(experiment({"b": [0.1] * 5}, cpu_s=None)).foreign == pytest.approx(0.1), "nobody measured it"


def test_executions_shorter_than_a_moment_get_their_part_of_it() -> None:
    found = experiment({"a": [0.0] * 10, "b": [1.0] * 5}, wall=0.002, runs=2)
    assert pair(found).foreign == pytest.approx(1.0)
    assert pair(found).turns[0].foreign_s == pytest.approx(0.004)
    assert pair(found).refused
    assert not pair(found).contended, "a single turn of that length cannot be distinguished from the steps of the clock"
    assert "none of 5 turns is long enough to be named" in said(found)[0].text


def test_what_happened_before_and_after_a_turn_is_not_its() -> None:
    samples = [one for block in range(5) for one in executions(block, 1)]
    watches = [watch(block, turn, share) for block in range(5) for turn, share in ((0, 2.0), (1, 0.0), (2, 2.0))]
    found = contention([(samples, watches)], 0.05, "b")
    assert pair(found).foreign == pytest.approx(0.0, abs=1e-9)


def test_the_untimed_execution_and_failures_are_not_judged() -> None:
    samples = [one for block in range(5) for one in executions(block, 0)]
    samples += executions(5, 0, outcome=Outcome.CRASH)
    first = [Watch(moments=tuple(moments(10.0 * block, 0.1, 1.0))) for block in range(6)]
    rest = [Watch(moments=tuple(moments(10.0 * block + 0.1, 0.9, 0.0))) for block in range(6)]
    found = contention([(samples, first + rest)], 0.05, "b")
    assert pair(found).foreign == pytest.approx(0.0, abs=1e-9)
    assert len(pair(found).turns) == 5


@pytest.mark.promise(
    "CPU time that the hypervisor gave to other guests (steal) is judged in the same way, as a "
    "finding of its own (`E4.steal`)."
)
def test_what_the_hypervisor_took_is_a_finding_of_its_own() -> None:
    samples = [one for block in range(10) for name in "ab" for one in executions(block, ord(name) - 97, contender=name)]
    watches = [watch(block, turn, 0.0, steal=0.01 * turn) for block in range(10) for turn in (0, 1)]
    found = contention([(samples, watches)], 0.05, "a")
    assert (pair(found).refused, pair(found).stolen, pair(found).steal) == (False, True, pytest.approx(0.2))
    (reasons,) = contention_findings.refusals(found)
    assert reasons[Question("q"), "b"].code == "E4.steal"
    assert reasons[Question("q"), "b"].text == (
        "the hypervisor gave 20.0 % of the CPU of its turns to other guests and 0.0 % of those of a, "
        "more than 5.0 % apart"
    )
    (finding,) = contention_findings.findings(found)
    assert (finding.code, finding.severity, finding.contender) == ("E4.steal", "warning", None)
    assert (
        "20.0 % of the CPU of turns (q, b), and 0.0 % of those of a, so there is no verdict on 1 comp" in finding.text
    )


def test_what_it_took_from_both_sides_is_a_warning() -> None:
    samples = [one for block in range(10) for name in "ab" for one in executions(block, ord(name) - 97, contender=name)]
    watches = [watch(block, turn, 0.0, steal=0.01) for block in range(10) for turn in (0, 1)]
    found = contention([(samples, watches)], 0.05, "a")
    assert not contention_findings.refusals(found)
    (finding,) = contention_findings.findings(found)
    assert (finding.code, finding.severity) == ("E4.steal", "warning")
    assert "on 2 of 2 pairs, on both sides alike, so the ratios are those of a busy machine; 20 of 20" in finding.text


@pytest.mark.promise(
    "Executions that it did not cover are a reason of the [tier](method.md#tiers) (`E4.unwatched`), "
    "with their number and the attempt."
)
def test_a_hole_is_not_watched_and_says_where() -> None:
    samples = [one for block in range(5) for one in executions(block, 0)]
    watches = [watch(block, 0, 0.0) for block in range(4)]
    unread = Watch(moments=tuple(moments(40.0, 1.0, None)), unreadable={"processes": "permission denied"})
    found = contention([(samples, [*watches, unread])], 0.05, "b")
    assert not found.watched
    (gap,) = contention_findings.gaps(found)
    assert gap.startswith("the machine was not watched during 3 of 15 timed executions of attempt 1")
    assert "permission denied" in gap
    assert not contention([(samples, [])], 0.05, "b").watched


def test_the_ends_of_an_execution_may_be_cut() -> None:
    samples = executions(0, 0, wall=0.1)
    # A moment that the last reading missed by a millisecond.
    seen = Watch(moments=(*moments(0.0, 0.4, 0.0), Moment(at=0.4, span=0.029, foreign=0.0)))
    assert contention([(samples, [seen])], 0.05, "b").watched


@pytest.mark.promise("the shares are over all of them, so quiet attempts dilute a contended one and do not replace it.")
def test_attempts_have_clocks_of_their_own() -> None:
    first = [one for block in range(5) for one in executions(block, 0)]
    second = [msgspec.structs.replace(one, attempt=2) for one in first]
    quiet = [watch(block, 0, 0.0) for block in range(5)]
    busy = [watch(block, 0, 1.0, JOB) for block in range(5)]
    found = contention([(first, quiet), (second, busy[:1])], 0.05, "b")
    assert pair(found).foreign == pytest.approx(1 / 6)
    assert {turn.attempt for turn in pair(found).contended} == {2}
    assert "attempt 2 block 0 turn 0" in said(found)[0].text
    assert pair(contention([(first, quiet), (second, busy)], 0.05, "b")).foreign == pytest.approx(0.5)


def test_a_cold_turn_has_two_temperatures() -> None:
    samples, watches = [], []
    for block in range(10):
        for turn, name in enumerate("ab"):
            cold = executions(block, turn, runs=1, temperature="cold", contender=name)
            samples += [*cold, *(msgspec.structs.replace(one, at=one.at + 0.5, temperature="first") for one in cold)]
            begin = 10.0 * block + turn
            watches += [Watch(moments=tuple(moments(begin, 0.5, turn) + moments(begin + 0.5, 0.5, 0.0)))]
    found = contention([(samples, watches)], 0.05, "a")
    assert {one.temperature: one.refused for one in found.pairs if one.contender == "b"} == {
        "cold": True,
        "first": False,
    }
    (reasons,) = contention_findings.refusals(found)
    assert {question for question, _ in reasons} == {Question("q", "cold")}


@pytest.mark.promise("With `--contention 100%` nothing is refused.")
def test_any_share_can_be_allowed_and_that_is_said() -> None:
    found = experiment({"a": [0.0] * 10, "b": [1.0] * 10}, bound=1.0)
    assert not contention_findings.refusals(found)
    (finding,) = contention_findings.findings(found)
    assert (finding.code, finding.severity) == ("E4.allowed", "warning")
    assert "contention of any size was allowed: others used at most 100.0 %" in finding.text
    (finding,) = contention_findings.findings(experiment({"b": [0.0] * 10}, bound=1.0))
    assert (finding.code, finding.severity) == ("E4.allowed", "note"), "nothing came of it"


def test_another_bound_is_kept_and_said() -> None:
    found = experiment({"b": [0.15] * 10}, bound=0.2)
    assert not contention_findings.refusals(found)
    assert [(one.code, one.severity) for one in contention_findings.findings(found)] == [("E4.allowed", "warning")]
    assert pair(experiment({"a": [0.0] * 10, "b": [0.25] * 10}, bound=0.2)).refused
    assert not contention_findings.refusals(experiment({"a": [0.1] * 10, "b": [0.25] * 10}, bound=0.2))
    assert [one.code for one in contention_findings.findings(experiment({"b": [0.04] * 10}, bound=0.03))] == [
        "E4.contended"
    ]


def test_many_operations_are_one_finding_and_processes_are_added_up() -> None:
    samples, watches = [], []
    for turn in range(6):
        for block in range(5):
            samples += executions(block, turn, operation=f"q{turn}", runs=3)
            watches.append(watch(block, turn, 0.5, JOB, ForeignProcess(pid=7, name="cron", cpu_s=0.1)))
            for arm in (6, 12):
                samples += executions(block + arm, turn, operation=f"q{turn}", contender="a")
                watches.append(watch(block + arm, turn, 0.0))
    found = contention([(samples, watches)], 0.05, "a")
    assert len(contention_findings.refusals(found)[0]) == 6
    (finding,) = said(found)
    assert finding.operation is None
    assert "on q0, q1, q2 and 3 more operations and 0.0 % of those of a" in finding.text
    assert "burn (pid 812) 4.80 s, cron (pid 7) 960 ms of CPU" in finding.text


def test_who_worked_beside_somebody_else_is_not_blamed_for_this_one() -> None:
    """Short turns share an event of the sampler: a process has the part that others' use has in the turn."""
    samples, watches = [], []
    for block in range(5):
        samples += [*executions(block, 0, contender="a"), *executions(block, 1, contender="b")]
        both = moments(10.0 * block, 1.0, 0.1) + moments(10.0 * block + 1, 1.0, 0.9)
        watches.append(Watch(moments=tuple(both), culprits=(ForeignProcess(pid=812, name="burn", cpu_s=1.0),)))
    found = contention([(samples, watches)], 0.05, "b")
    of_a, of_b = (pair(found, name).other_processes[0].cpu_s for name in "ab")
    assert of_a == pytest.approx(5 * 0.1 * 0.32)
    assert of_b == pytest.approx(5 * 0.9 * 0.32)


def test_who_ended_unseen_is_not_named() -> None:
    samples = [one for block in range(5) for one in executions(block, 0)]
    found = contention([(samples, [watch(block, 0, 0.5) for block in range(5)])], 0.05, "b")
    assert "no process can be named" in said(found)[0].text


def test_nothing_measured_nothing_said() -> None:
    found = contention([([], [watch(0, 0, 1.0)])], 0.05, "b")
    assert not found.pairs
    assert not found.watched
    assert not list(contention_findings.findings(found))


def test_turns_that_nobody_watched_do_not_dilute() -> None:
    samples = [one for block in range(10) for one in executions(block, 0)]
    found = contention([(samples, [watch(block, 0, 0.2) for block in range(3)])], 0.05, "b")
    assert pair(found).foreign == pytest.approx(0.2)
    assert pair(found).above


@pytest.mark.promise(
    "Contention is not judged for a contender that is reached by URL, and the report says so (`E4.apart`)."
)
def test_a_server_that_somebody_else_runs_is_not_taken_for_others() -> None:
    samples = [one for block in range(10) for name in "ab" for one in executions(block, ord(name) - 97, contender=name)]
    watches = [watch(block, turn, 1.0, JOB) for block in range(10) for turn in (0, 1)]
    found = contention([(samples, watches)], 0.05, "a", apart=["b"])
    assert [(one.contender, one.above, len(one.contended)) for one in found.pairs] == [("a", True, 10), ("b", False, 0)]
    assert {(one.code, one.contender) for one in contention_findings.findings(found)} == {
        ("E4.contended", None),
        ("E4.apart", "b"),
    }
    one_sided = [watch(block, turn, float(turn), JOB) for block in range(10) for turn in (0, 1)]
    assert not contention_findings.refusals(contention([(samples, one_sided)], 0.05, "a", apart=["b"]))
    allowed = contention([(samples, watches)], 1.0, "a", apart=["a", "b"])
    assert {one.code for one in contention_findings.findings(allowed)} == {"E4.apart"}


@pytest.mark.parametrize("edited", [False, True])
def test_every_event_that_meets_a_turn_counts(edited: bool) -> None:
    """Also where somebody edited the order of the events."""
    seen = [
        Watch(
            moments=(Moment(at=at, span=span, foreign=0.1),),
            culprits=(ForeignProcess(pid=number, name="x", cpu_s=1.0),),
        )
        for number, (at, span) in enumerate([(0.0, 1.0), (1.0, 3.0), (4.0, 0.5), (4.5, 1.5), (6.0, 1.0)])
    ]
    seen = [seen[at] for at in (3, 0, 4, 2, 1)] if edited else seen
    found = processes_during([(0.5, 1.5), (2.0, 3.0), (4.6, 6.5), (8.0, 9.0)], seen)
    assert [sorted(one.pid for one in of) for of in found] == [[0, 1], [1], [3, 4], []]

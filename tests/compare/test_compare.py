"""From two evidence directories to what is printed, without an engine."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from rich.console import Console

from support.machine_timelines import JOB, watched
from support.sessions import READ, changed, record, written
from weigh.compare.document import document
from weigh.compare.report import text
from weigh.compare.run import compare
from weigh.model.answer import GateStatus
from weigh.model.errors import EvidenceFault, ExitCode
from weigh.model.finding import Finding
from weigh.model.machine.calibration import Calibration
from weigh.model.verdict import TierName, VerdictName

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.compare.results import CompareResults
    from weigh.experiment.record import Record
    from weigh.model.verdict import Reason

NEW = changed(READ, name="new", version="2.1.0")


def day(seed: int, *reads: Any, new: float = 1.0, **fields: Any) -> Record:
    """A session of ten blocks in which everybody but the reference takes ``new`` times as long as it."""
    draw = np.random.default_rng(seed)
    plain = record(*reads, **({"blocks": 10} | fields))
    samples = tuple(
        changed(one, wall_s=float(np.exp(draw.normal(0, 0.002))) * (1.0 if one.contender == "ref" else new))
        for one in plain.samples
    )
    return changed(plain, samples=samples)


def compared(tmp_path: Path, first: Record, second: Record, **fields: Any) -> CompareResults:
    return compare(written(tmp_path / "first", first), written(tmp_path / "second", second), **fields)


def printed(comparison: CompareResults, width: int = 150) -> str:
    paper = io.StringIO()
    Console(file=paper, width=width, color_system=None).print(text(comparison, "one", "other"))
    return paper.getvalue()


def names(comparison: CompareResults) -> list[tuple[str, str, str]]:
    return [(one.contender, one.baseline, str(one.verdict)) for one in comparison.headline.verdicts]


def gate(one: Record, status: GateStatus, contender: str = "new") -> Record:
    """The same session whose gate had this word on a contender."""
    assert one.gate is not None
    operations = tuple(
        changed(of, status=status, contenders={**of.contenders, contender: status}) for of in one.gate.operations
    )
    return changed(one, gate=changed(one.gate, operations=operations))


@pytest.mark.parametrize(
    ("ratio", "name", "code"),
    [
        (1.0, "same", ExitCode.OK),
        (1.2, "slower", ExitCode.FOUND),
        (0.8, "faster", ExitCode.OK),
    ],
)
def test_two_sessions(tmp_path: Path, ratio: float, name: str, code: ExitCode) -> None:
    found = compared(tmp_path, day(1), day(2, new=ratio))
    assert names(found) == [("new", "new", name)]
    assert found.exit_code() is code
    body = msgspec.json.decode(msgspec.json.encode(document(found)))
    assert body["schema"] == "weigh/compare/1"
    assert [one["attempts"] for one in body["sessions"]] == [1, 1]
    assert body["reference"] == {
        "first": "ref", "second": "ref", "engine": "duckdb", "version": "2.0.0", "settings": {"threads": 2}, "pins": [],
    }  # fmt: skip
    (moved,) = [one for one in body["reference_moved"] if one["metric"] == "wall_s"]
    assert moved["operation"] == "q1"
    (verdict,) = [one for one in body["verdicts"] if one["metric"] == "wall_s"]
    assert verdict["ratio"] == pytest.approx(ratio, rel=0.01)
    assert verdict["ratio_second"] == pytest.approx(ratio, rel=0.01)
    assert verdict["starts_first"] == 10


def test_the_noise_is_called_so_and_the_first_column_that_a_narrow_terminal_leaves_out(tmp_path: Path) -> None:
    comparison = compared(tmp_path, day(1), day(2))

    def headings(width: int) -> list[str]:
        lines = printed(comparison, width).splitlines()
        return next(line for line in lines if "verdict" in line and "ratio" in line).split()

    assert "noise" in headings(150)
    assert "noise" not in headings(76)
    assert "verdict" in headings(76)


@pytest.mark.promise(
    "So a joined result is *suggestive* at most ([tiers](../concept/method.md#tiers)), with the reason `T5.join`."
)
def test_a_join_is_never_conclusive_and_says_that_nothing_was_verified(tmp_path: Path) -> None:
    found = compared(tmp_path, day(1), day(2))
    assert found.tier.name is TierName.SUGGESTIVE
    assert [one.code for one in found.findings] == ["R4.unsealed", "R4.unsealed"]
    assert {"T5.join", "R4.unsealed"} <= {one.code for one in found.tier.reasons}


@pytest.mark.promise("DIVERGED where the answers differed in either session: no figures.")
@pytest.mark.parametrize("which", [0, 1])
def test_a_divergence_in_either_session(tmp_path: Path, which: int) -> None:
    days = [day(1), day(2)]
    days[which] = gate(days[which], GateStatus.DIVERGED)
    found = compared(tmp_path, *days)
    assert names(found) == [("new", "new", "diverged")]
    assert found.headline.movement.ratios == {}
    assert found.exit_code() is ExitCode.FOUND
    assert found.tier.name is TierName.INADMISSIBLE


def test_a_rerun_does_not_acquit(tmp_path: Path) -> None:
    """The latest attempt agreed; the one before it did not."""
    written(tmp_path / "second", gate(day(2), GateStatus.DIVERGED))
    found = compared(tmp_path, day(1), day(3))
    assert found.second.results.attempts == 2
    assert names(found) == [("new", "new", "diverged")]


def test_all_attempts_count(tmp_path: Path) -> None:
    written(tmp_path / "second", day(2))
    (verdict,) = compared(tmp_path, day(1), day(3)).headline.verdicts
    assert (verdict.starts_first, verdict.starts_second) == (10, 20)


def test_a_disqualified_contender_has_no_figures_and_is_said(tmp_path: Path) -> None:
    lazy = Finding(code="A5.lazy", severity="error", contender="new", text="it is lazy", remedy="mend it")
    found = compared(tmp_path, day(1), day(2, findings=(lazy,)))
    (verdict,) = found.headline.verdicts
    assert (verdict.verdict, verdict.ratio, verdict.reasons[0].code) == (VerdictName.REFUSED, None, "A5.lazy")
    assert "in the second session, it is lazy" in [one.text for one in found.findings]
    assert found.exit_code() is ExitCode.FOUND
    assert found.tier.inadmissible == ("new",)


@pytest.mark.promise(
    "no contender is the same in both sessions; or only the reference is; or both directories hold the same executions"
)
def test_whom_it_compares(tmp_path: Path) -> None:
    a, b = (changed(READ, name=name, version=name) for name in ("a", "b"))
    pairs = names(compared(tmp_path / "1", day(1, READ, a), day(2, READ, b)))
    assert [pair[:2] for pair in pairs] == [("b", "a")]
    pairs = names(compared(tmp_path / "2", day(1, READ, a, NEW), day(2, READ, b, NEW)))
    assert [pair[:2] for pair in pairs] == [("new", "new")]
    pairs = names(compared(tmp_path / "3", day(1, READ, a, NEW), day(2, READ, b, NEW), all_pairs=True))
    assert [pair[:2] for pair in pairs] == [("b", "a"), ("b", "new"), ("new", "a"), ("new", "new")]
    with pytest.raises(EvidenceFault, match="T5: there is nothing to compare alongside the reference ref"):
        compared(tmp_path / "4", day(1, READ), day(2, READ, a))


@pytest.mark.promise("Nor is evidence that measured nothing.")
def test_sessions_that_measured_nothing(tmp_path: Path) -> None:
    with pytest.raises(EvidenceFault, match="nothing was measured") as raised:
        compared(tmp_path, day(1), day(2, measured=False))
    assert raised.value.where.startswith(str(tmp_path / "second"))
    with pytest.raises(EvidenceFault, match="there is no such directory"):
        compare(tmp_path / "nowhere", tmp_path)


@pytest.mark.promise("REFUSED below 5 starts in either session.")
def test_few_starts_are_inconclusive(tmp_path: Path) -> None:
    found = compared(tmp_path, day(1), day(2, blocks=4))
    assert names(found) == [("new", "new", "refused")]
    assert found.exit_code() is ExitCode.INCONCLUSIVE, "nothing can be concluded"


def beside(one: Record, contender: str) -> Record:
    """The same session on a machine that was watched, while a job used half a CPU during the turns of one contender."""
    order = {read.name: turn for turn, read in enumerate(one.environment.contenders)} if one.environment else {}
    turns = changed(one, samples=tuple(changed(sample, turn=order[sample.contender]) for sample in one.samples))
    return watched(turns, lambda sample: 0.5 if sample.contender == contender else 0.01, rows=False)


def only_reasons(comparison: CompareResults, metric: str = "wall_s") -> tuple[Reason, ...]:
    (verdict,) = comparison.joinings[metric].verdicts
    return verdict.reasons


@pytest.mark.parametrize(
    ("which", "contender", "said"),
    [
        (0, "new", "in the first session, others used 50.0 % of the CPU of its turns and 1.0 % of those of ref"),
        (1, "new", "in the second session, others used 50.0 % of the CPU of its turns and 1.0 % of those of ref"),
        (1, "ref", "in the second session, others used 1.0 % of the CPU of its turns and 50.0 % of those of ref"),
    ],
)
def test_what_a_job_spoilt_in_a_session_has_no_verdict(tmp_path: Path, which: int, contender: str, said: str) -> None:
    days = [day(1), day(2, new=1.2)]
    days[which] = beside(days[which], contender)
    found = compared(tmp_path, *days)
    (verdict,) = found.headline.verdicts
    assert verdict.verdict is VerdictName.REFUSED
    assert verdict.reasons[0].code == "E4.contended"
    assert verdict.reasons[0].text.startswith(said)
    assert f"{JOB.name} (pid {JOB.pid})" in verdict.reasons[0].text
    assert verdict.ratio == pytest.approx(1.2, rel=0.01), "what was measured stays"
    assert (verdict.low_fcr, found.headline.family) == (None, 0)
    assert only_reasons(found, "cpu_s")[0].code == "E4.contended"
    assert found.exit_code(strict=True) is ExitCode.INCONCLUSIVE
    assert found.tier.name is TierName.INADMISSIBLE, "as a session in which every comparison is refused for it"
    assert "REFUSED (E4.contended)" in printed(found)


def test_a_job_beside_somebody_else_spoils_nothing(tmp_path: Path) -> None:
    third = changed(READ, name="third", version="3")
    days = day(1, READ, NEW, third), day(2, READ, NEW, third, new=1.2)
    found = compared(tmp_path, *(beside(one, "third") for one in days))
    assert {one.contender: str(one.verdict) for one in found.headline.verdicts} == {"new": "slower", "third": "refused"}
    assert found.headline.family == 1
    assert found.tier.name is TierName.SUGGESTIVE


def test_contention_that_a_session_allowed_is_allowed(tmp_path: Path) -> None:
    """Its own bound counts, as in its own report; what came of it stands among the reasons of the tier."""
    free = beside(day(2, new=1.2, contention=1.0), "new")
    found = compared(tmp_path, day(1), free)
    assert names(found) == [("new", "new", "slower")]
    assert "E4.allowed" in {one.code for one in found.tier.reasons}


@pytest.mark.parametrize(("serial", "name"), [(True, "refused"), (False, "slower")])
def test_drift_that_the_arms_of_a_session_did_not_share(tmp_path: Path, serial: bool, name: str) -> None:
    one = day(2, new=1.2)
    draw = np.random.default_rng(3)
    speeds = [0.01 * (2 if at >= 5 else 1) * np.exp(draw.normal(0, 0.003, 5)) for at in range(11)]
    drifting = changed(
        one,
        blocks=tuple(changed(block, serial=serial) for block in one.blocks),
        calibrations=tuple(
            Calibration(at=float(at), block=at, place="between", kernel="integer", seconds=tuple(map(float, seconds)))
            for at, seconds in enumerate(speeds)
        ),
    )
    found = compared(tmp_path, day(1), drifting)
    assert names(found) == [("new", "new", name)]
    codes = [reason.code for reason in only_reasons(found)]
    assert ("T4.machine" in codes) is serial
    if serial:
        assert codes[0] == "T4.machine"
        assert only_reasons(found)[0].text.startswith("in the second session, within one block the machine's speed")

"""The tier: every condition of docs/concept/method.md#tiers, one by one."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from weigh.model.answer import GateStatus
from weigh.model.finding import Finding, Severity
from weigh.model.gate import Gate, OperationGate
from weigh.model.verdict import Reason, Tier, TierName, Verdict, VerdictName
from weigh.verdict.tier import Basis, tier

AGREED, DIVERGED, UNVERIFIED = GateStatus.AGREED, GateStatus.DIVERGED, GateStatus.UNVERIFIED


def gate(**operations: dict[str, GateStatus]) -> Gate:
    words = tuple(
        OperationGate(
            operation=name, status=max(statuses.values(), key=[AGREED, UNVERIFIED, DIVERGED].index), contenders=statuses
        )
        for name, statuses in operations.items()
    )
    return Gate(operations=words, checks=(), truth=True)


def verdict(starts: int = 10, name: VerdictName = VerdictName.SAME, *codes: str, of: str = "b") -> Verdict:
    reasons = tuple(Reason(code=code, text="") for code in codes)
    return Verdict(
        operation="q",
        contender=of,
        baseline="a",
        verdict=name,
        confidence=0.99,
        margin=0.03,
        starts=starts,
        reasons=reasons,
    )


def finding(code: str, severity: Severity, contender: str | None = None) -> Finding:
    return Finding(code=code, severity=severity, text="something", remedy="", contender=contender)


PERFECT = Basis(
    contenders=("a", "b", "c"),
    baseline="a",
    gate=gate(q={"a": AGREED, "b": AGREED, "c": AGREED}),
    verdicts=(verdict(), verdict(of="c")),
    findings=(),
    timed=True,
    unfinished=(),
    unread=(),
    laid_out=True,
    watched=True,
    temperature_proven=True,
)


def of(**changed: Any) -> Tier:
    found = tier(msgspec.structs.replace(PERFECT, **changed))
    assert found is not None
    return found


@pytest.mark.promise("Findings of severity note change nothing.")
def test_conclusive_is_what_lacks_nothing() -> None:
    assert of() == Tier(name=TierName.CONCLUSIVE)
    assert of(findings=(finding("R8.terms", "note", "b"), finding("X.serial", "note"))).name is TierName.CONCLUSIVE


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"gate": gate(q={"a": AGREED, "b": UNVERIFIED})}, "A8"),
        ({"verdicts": (verdict(9),)}, "T10"),
        ({"verdicts": (verdict(10), verdict(4, VerdictName.REFUSED, "T10.starts"))}, "T10.starts"),
        ({"verdicts": (verdict(0, VerdictName.REFUSED, "T10.starts"),)}, "T10.starts"),
        ({"unfinished": ((2, "interrupted"),)}, "T8.unfinished"),
        ({"unread": (("b", "its version was"),)}, "R3.unread"),
        ({"laid_out": False}, "X.layout"),
        ({"watched": False}, "E4.unwatched"),
        ({"temperature_proven": False}, "E1.unproven"),
        ({"findings": (finding("E4.before", "warning"),)}, "E4.before"),
        ({"findings": (finding("X.start", "warning", "b"),)}, "X.start"),
    ],
)
def test_one_thing_missing_is_suggestive_and_named(changed: dict[str, Any], code: str) -> None:
    found = of(**changed)
    assert (found.name, [reason.code for reason in found.reasons]) == (TierName.SUGGESTIVE, [code])
    assert found.inadmissible == ()


@pytest.mark.parametrize("name", [VerdictName.DIVERGED, VerdictName.ERROR])
def test_what_was_not_counted_lacks_no_starts(name: VerdictName) -> None:
    assert of(verdicts=(verdict(0, name), verdict(of="c"))).name is TierName.CONCLUSIVE


def test_a_contender_that_was_contradicted_takes_its_own_figures_with_it() -> None:
    found = of(gate=gate(q={"a": AGREED, "b": DIVERGED, "c": AGREED}, r={"a": AGREED, "b": AGREED, "c": AGREED}))
    assert (found.name, found.inadmissible) == (TierName.SUGGESTIVE, ("b",))
    (reason,) = found.reasons
    assert (reason.code, reason.text) == ("A1", "b is inadmissible: its answers are contradicted on q")


@pytest.mark.parametrize("code", ["A5.lazy", "A6.prepare", "A9.detected", "A3.changed"])
def test_a_contender_with_a_forbidding_finding_is_inadmissible(code: str) -> None:
    found = of(findings=(finding(code, "error", "b"),))
    assert (found.name, found.inadmissible) == (TierName.SUGGESTIVE, ("b",))
    assert [reason.code for reason in found.reasons] == [code]


@pytest.mark.promise(
    "Where no comparison is left without it (it is the baseline, or the only other one), the whole is inadmissible."
)
@pytest.mark.parametrize("wrong", [("a",), ("b", "c"), ("a", "b", "c")])
def test_where_no_comparison_is_left_all_is_inadmissible(wrong: tuple[str, ...]) -> None:
    found = of(gate=gate(q={name: DIVERGED if name in wrong else AGREED for name in "abc"}))
    assert (found.name, found.inadmissible) == (TierName.INADMISSIBLE, wrong)


@pytest.mark.parametrize("code", ["E4.contended", "E8.saturated", "D8.rows"])
def test_what_concerns_all_makes_all_inadmissible(code: str) -> None:
    found = of(findings=(finding(code, "error"),), verdicts=(verdict(9),))
    assert (found.name, found.inadmissible) == (TierName.INADMISSIBLE, ())
    assert [reason.code for reason in found.reasons] == [code, "T10"]


@pytest.mark.promise("An experiment without times has no tier (null), unless a contender is inadmissible.")
def test_where_nothing_was_timed_there_is_none() -> None:
    assert tier(msgspec.structs.replace(PERFECT, timed=False, verdicts=())) is None


@pytest.mark.promise("An experiment without times has no tier (null), unless a contender is inadmissible.")
def test_but_who_is_wrong_is_inadmissible_all_the_same() -> None:
    found = of(timed=False, verdicts=(), gate=gate(q={"a": AGREED, "b": DIVERGED, "c": AGREED}), watched=False)
    assert (found.inadmissible, [reason.code for reason in found.reasons]) == (("b",), ["A1"])


def test_each_kind_of_finding_is_a_reason_once() -> None:
    found = of(findings=tuple(finding("X.start", "warning", "b") for _ in range(3)))
    assert [reason.text for reason in found.reasons] == ["b: something (and 2 more)"]


def test_alone_a_contender_has_a_tier_of_its_own() -> None:
    alone = {"contenders": ("a",), "verdicts": (), "gate": gate(q={"a": AGREED})}
    assert of(**alone).name is TierName.CONCLUSIVE
    assert of(**{**alone, "gate": gate(q={"a": DIVERGED})}).name is TierName.INADMISSIBLE

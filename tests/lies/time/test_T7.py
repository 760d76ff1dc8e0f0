"""T7: an unstable query counted as passed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..reading import junit, reasons, suites, verdicts, words

if TYPE_CHECKING:
    from support.command import Run, Weigh

OPERATION = "unordered"


def test_what_is_unstable_is_refused_and_listed(noisy: Run) -> None:
    wild = verdicts(noisy, OPERATION)["wild"]
    assert wild["verdict"] == "refused", wild
    assert next(iter(reasons(wild))) == "T7.unstable"
    assert wild["detectable"] > 0.1
    assert wild["low_fcr"] is None
    assert "varies so much from start to start" in wild["sentence"]
    report = words((noisy.evidence / "report.txt").read_text())
    assert "REFUSED (T7.unstable)" in report
    assert "Unstable, so neither passed nor failed: " in report
    assert f"{OPERATION} on wild" in report
    assert suites(noisy)["wild"]["mean"] is None


def test_refused_does_not_pass_a_strict_run(noisy: Run) -> None:
    assert noisy.code == 3


def test_what_is_stable_is_not_refused(noisy: Run) -> None:
    for name in ("lucky", "slower"):
        verdict = verdicts(noisy, OPERATION)[name]
        assert "T7.unstable" not in reasons(verdict), verdict
        assert verdict["verdict"] != "refused"


def test_in_a_job_it_is_neither_green_nor_red(noisy: Run, weigh: Weigh) -> None:
    """As CI meets it: a test that passes with an unstable query hides what changed, one that fails cries wolf."""
    told = junit(weigh, noisy)
    tag, said = told["time.wild", OPERATION]
    assert (tag, "T7.unstable" in said) == ("skipped", True)
    for name in ("lucky", "slower"):
        assert "T7.unstable" not in told[f"time.{name}", OPERATION][1]
    lines = weigh("report", str(noisy.evidence), "--markdown").out.splitlines()
    assert any("wild" in line and "open on 1" in line for line in lines), lines

"""E5: what the machine does by itself, by its settings or because it must."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..reading import SMALL, contenders

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.command import Run, Weigh

GATE = ("gate", *contenders("duckdb=fork"), "--operations", "by_action", *SMALL)
KNOBS = {
    "governor": ("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave", "performance"),
    "turbo": ("sys/devices/system/cpu/intel_pstate/no_turbo", "0", "1"),
}


def machine(root: Path, *, spoilt: bool) -> str:
    """A folder with the files of the knobs, for WEIGH_ROOT."""
    for path, bad, good in KNOBS.values():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(bad if spoilt else good)
    return str(root)


def of_knobs(run: Run) -> dict[str, str]:
    """Severities of the findings on knobs that are set, by code."""
    return {
        one["code"]: one["severity"]
        for one in run.json["findings"]
        if one["code"].startswith("E5.") and one["code"] != "E5.root"
    }


def test_settings_that_make_the_frequency_follow_the_load(weigh: Weigh, tmp_path: Path) -> None:
    run = weigh(*GATE, WEIGH_ROOT=machine(tmp_path / "liar", spoilt=True))
    assert of_knobs(run) == {"E5.governor": "warning", "E5.turbo": "note"}
    assert {"governor", "turbo"} <= {knob["name"] for knob in run.json["knobs"] if knob["state"] == "spoils"}
    assert "E5.governor" in (run.evidence / "report.txt").read_text()
    assert "powersave" in (run.evidence / "report.html").read_text()
    assert weigh("verify", str(run.evidence)).code == 0


def test_settings_that_hold_it(weigh: Weigh, tmp_path: Path) -> None:
    """The honest twin differs in two files. That they are not this machine's is reported of both."""
    run = weigh(*GATE, WEIGH_ROOT=machine(tmp_path / "twin", spoilt=False))
    assert of_knobs(run) == {}
    assert "E5.root" in run.codes


@pytest.mark.long
def test_a_machine_that_slows_down_is_named(slowing: Run) -> None:
    (drift,) = [one for one in slowing.json["findings"] if one["code"] == "E5.drift" and "integer" in one["text"]]
    assert drift["severity"] == "note"
    assert "% longer than before" in drift["text"]
    assert any(f"since block {block} " in drift["text"] for block in (4, 5, 6)), drift["text"]
    assert "the verdicts stand" in drift["text"]
    (quiet,) = [one for one in slowing.json["machine"]["quiet"] if one["kernel"] == "integer"]
    assert quiet["drift"] == "step"
    assert quiet["size"] > 1


@pytest.mark.long
def test_a_machine_that_does_not_is_not_accused(fresh: Callable[[], Weigh]) -> None:
    """The honest twin: the same run, left alone. Whoever works alongside it may be named."""
    named = contenders("base=liar?lie=pace&ms=1&burn=40", "more=liar?lie=pace&ms=1&burn=60")
    flags = ("--workload", "two", "--operations", "unordered", *SMALL)
    how = ("--starts", "10", "--rounds", "1", "--runs", "1", "--margin", "10%")
    run = fresh()("run", *named, *flags, *how, WEIGH_CALIBRATION="yes")
    # Whatever others do, all arms share it.
    assert {one["severity"] for one in run.json["findings"] if one["code"] == "E5.drift"} <= {"note"}
    assert not any(one["code"] == "T4.machine" for verdict in run.json["verdicts"] for one in verdict["reasons"])
    if run.json["machine"]["foreign"] < 0.05:
        assert "E5.drift" not in run.codes, run.json["findings"]
    assert len(run.json["machine"]["quiet"]) == 3

"""``weigh history`` on nightly builds of a machine whose weekends are another thing, through the command line."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from support.command import Weigh
from support.history_records import entry, measured, point, written
from weigh.history.weekdays import weekdays

if TYPE_CHECKING:
    from pathlib import Path

NIGHTS, STEP = 100, 60
FIRST = datetime(2026, 1, 1, 2, tzinfo=UTC)
DAYS = [FIRST + timedelta(night) for night in range(NIGHTS)]


def nights(weekend: float, step: float, seed: int = 3) -> list[float]:
    """Seconds of each night: weekends are slower by a logarithm, and all from a night on."""
    logs = np.random.default_rng(seed).normal(0, 0.02, NIGHTS)
    logs += weekend * np.array([day.weekday() >= 5 for day in DAYS])
    logs[STEP:] += step
    return [float(one) for one in 0.2 * np.exp(logs)]


def shown(folder: Path, seconds: list[float], *, csv: bool) -> Any:
    """What ``weigh history show`` says of evidence of these nights, or of a file of Otava's of the same."""
    weigh = Weigh(folder)
    if csv:
        lines = [
            f"{day:%Y-%m-%dT%H:%M:%S},c{at:03},{one!r}" for at, (day, one) in enumerate(zip(DAYS, seconds, strict=True))
        ]
        (folder / "perf.csv").write_text("\n".join(["time,commit,q1", *lines]) + "\n")
        weigh("history", "add", "perf.csv", "--to", "nightly")
    else:
        built = [msgspec.structs.replace(measured(at), version=f"c{at:03}") for at in range(NIGHTS)]
        written(
            folder / "nightly",
            [
                entry(at, one, at=f"{DAYS[at]:%Y-%m-%dT%H:%M:%SZ}", points=(point(at, one, who=built[at]),))
                for at, one in enumerate(seconds)
            ],
        )
    return weigh("history", "show", "--from", "nightly", "--json").json


@pytest.mark.parametrize("csv", [False, True])
def test_a_step_is_found_beside_weekends_that_are_larger_than_it(tmp_path: Path, *, csv: bool) -> None:
    document = shown(tmp_path, nights(0.15, 0.05), csv=csv)
    (candidate,) = document["candidates"]
    assert abs(int(candidate["after"].removeprefix("c")) - STEP) <= 2
    assert candidate["ratio"] == pytest.approx(np.exp(0.05), abs=0.015)
    (note,) = (one for one in document["findings"] if one["code"] == "R6.weekdays")
    assert "% larger on a S" in note["text"]


def test_weekends_alone_are_no_candidate(tmp_path: Path) -> None:
    document = shown(tmp_path, nights(0.15, 0.0), csv=False)
    assert document["candidates"] == []
    assert "R6.weekdays" in {one["code"] for one in document["findings"]}


def test_a_step_without_weekends_is_not_put_on_them(tmp_path: Path) -> None:
    document = shown(tmp_path, nights(0.0, 0.05), csv=False)
    assert len(document["candidates"]) == 1
    assert "R6.weekdays" not in {one["code"] for one in document["findings"]}


def test_days_that_are_too_few_or_no_times_tell_no_pattern() -> None:
    times = [day.isoformat() for day in DAYS]
    assert weekdays(nights(0.15, 0.0)[:20], times[:20]) is None
    assert weekdays(nights(0.15, 0.0), ["soon", *times[1:]]) is None
    assert weekdays([0.2] * NIGHTS, times) is None

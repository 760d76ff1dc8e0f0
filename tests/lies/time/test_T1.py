"""T1: a difference inside the noise called a win."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..reading import reasons, statements, verdicts, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

OPERATION = "unordered"


def test_a_difference_inside_the_noise_is_no_win(noisy: Run) -> None:
    """Two engines of one speed: the starts that were drawn happen to favour one of them by 2.5 %."""
    lucky = verdicts(noisy, OPERATION)["lucky"]
    assert lucky["verdict"] in ("unresolved", "refused", "same", "small"), lucky
    assert lucky["low"] < 1 < lucky["high"]
    assert lucky["high"] - lucky["low"] > 0.03
    report = words((noisy.evidence / "report.txt").read_text())
    assert f"{lucky['low']:.2f}-{lucky['high']:.2f}" in report
    assert "FASTER" not in report
    assert "FASTER" not in (noisy.evidence / "report.html").read_text()


def test_how_much_it_scatters_stands_beside_every_time(noisy: Run) -> None:
    timings = [one for one in noisy.json["timings"] if one["metric"] == "wall_s"]
    assert {one["contender"] for one in timings} == {"base", "lucky", "slower", "busy", "wild"}
    assert all(one["cv"] > 0.01 for one in timings)


def test_a_difference_beyond_the_noise_is_found(noisy: Run) -> None:
    slower = verdicts(noisy, OPERATION)["slower"]
    assert slower["verdict"] == "slower", slower
    assert 1.03 < slower["low_fcr"] < 1.3 < slower["high_fcr"]
    assert "longer on slower than on base" in slower["sentence"]
    assert "more than the 3 % you said matters" in slower["sentence"]


def test_what_time_leaves_open_cpu_seconds_settle(noisy: Run) -> None:
    """As fast as the baseline, with twice the work."""
    assert verdicts(noisy, OPERATION)["busy"]["verdict"] in ("unresolved", "refused", "same", "small")
    work = verdicts(noisy, OPERATION, "cpu_s")["busy"]
    assert work["verdict"] == "slower"
    assert 1.5 < work["low"] < work["high"] < 2.5
    assert verdicts(noisy, OPERATION, "cpu_s")["lucky"]["verdict"] != "slower"
    (said,) = (one for one in statements(noisy, "busy") if "cpu_s" in one["metrics"])
    assert said["code"] in ("M.settled", "M.beside")
    assert f"{said['code']} {OPERATION}, busy" in words((noisy.evidence / "report.txt").read_text())


def clocked(weigh: Weigh, digits: int) -> dict[str, Any]:
    """The verdict on two programs of one speed, about 3.4 ms, by a clock that shows so many digits of a millisecond."""
    draw = np.random.default_rng(5)
    rows = [
        f"{name},{start},{draw.normal(3.4, 0.15):.{digits}f}"
        for start in range(20)
        for name in (("old", "new"), ("new", "old"))[start % 2]
        for _ in range(5)
    ]
    (weigh.folder / "times.csv").write_text("\n".join(("contender,start,time_ms", *rows)) + "\n")
    (verdict,) = weigh("judge", "times.csv", "--json").json["verdicts"]
    return dict(verdict)


def test_a_clock_that_ticks_in_steps_larger_than_the_margin_decides_nothing(fresh: Callable[[], Weigh]) -> None:
    liar, twin = clocked(fresh(), 0), clocked(fresh(), 6)
    assert liar["verdict"] == "refused", liar
    assert "the clock ticks in steps of 33.3 % of the time" in reasons(liar)["T1.clock"]
    assert twin["verdict"] in ("same", "small", "unresolved"), twin
    assert "T1.clock" not in reasons(twin)

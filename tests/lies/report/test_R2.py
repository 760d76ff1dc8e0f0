"""R2: one number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..reading import suites, words

if TYPE_CHECKING:
    from support.command import Run


def test_a_mean_never_stands_without_its_spread_nor_before_its_members(whole: Run) -> None:
    # One operation takes three times as long, the other as long: the mean is true of neither.
    suite = suites(whole)["uneven"]
    assert suite["low"] < 1.2 < suite["mean"] < 2 < suite["high"]
    text = words((whole.evidence / "report.txt").read_text())
    line = f"uneven / base is {suite['mean']:.3f} in the geometric mean, from {suite['low']:.3f} to {suite['high']:.3f}"
    assert line in text
    assert text.index("SLOWER by") < text.index(line)
    assert list(whole.json).index("verdicts") < list(whole.json).index("suites")


def test_without_a_mean_there_is_no_spread_of_a_part_either(five: Run) -> None:
    for suite in suites(five).values():
        assert (suite["mean"], suite["low"], suite["high"]) == (None, None, None)
    text = words((five.evidence / "report.txt").read_text())
    assert "in the geometric mean" not in text
    # An overall ratio of a part names what is left out in the same breath.
    assert all(rest.startswith(" (without ") for rest in re.split(r"geometric mean of \d+ of \d+ operations", text)[1:])


def test_an_even_one_is_said_in_the_same_words(whole: Run) -> None:
    suite = suites(whole)["equal"]
    assert suite["low"] <= suite["mean"] <= suite["high"]
    assert f"equal / base is {suite['mean']:.3f} in the geometric mean, from " in words(
        (whole.evidence / "report.txt").read_text()
    )

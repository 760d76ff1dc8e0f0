"""T9: many comparisons, each tested by itself: some always differ.

Three engines of one speed, and one that differs on one of three operations. A session of 3,000 operations is simulated
in tests/sim.
"""

from __future__ import annotations

import math
import random
import re
from typing import TYPE_CHECKING

import pytest
import scipy

from ..reading import SMALL, contenders, junit, times, verdicts, words
from ..recorded import recorded

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh

OPERATIONS = ("unordered", "ties", "quotients")
EQUAL = ("one", "two", "three")
SEED = 0
"""Of times among which some differ by chance, tested one by one."""


@pytest.fixture(scope="module", params=["recorded", pytest.param("measured", marks=pytest.mark.long)])
def many(request: pytest.FixtureRequest, fresh: Callable[[], Weigh]) -> Run:
    """Twelve comparisons, of which one is not by chance."""
    weigh = fresh()
    if request.param == "recorded":

        def law(contender: str, life: int, operation: str) -> tuple[float, float]:
            slower = 1.3 if (contender, operation) == ("real", "ties") else 1.0
            return 0.03 * slower * math.exp(random.Random(f"{SEED} {life} {operation}").gauss(0, 0.05)), 0.01

        return recorded(weigh, ("base", *EQUAL, "real"), OPERATIONS, law, margin=0.03)

    def pace(name: str, seed: int, limit: float = 1.0) -> str:
        own = f"seed={seed}&limit={limit}&diary={weigh.folder / name}"
        return f"{name}=liar?lie=pace&ms=30&spread=0.05&{own}"

    named = (pace("base", 0), pace("one", 57), pace("two", 58), pace("three", 59), pace("real", 60, limit=1.3))
    asked = ("--workload", "three", *SMALL, "--starts", "10", "--rounds", "1", "--runs", "2", "--baseline", "base")
    return weigh("run", *contenders(*named), *asked)


def test_one_by_one_some_would_have_differed(many: Run) -> None:
    """The liar's way: a test at 5 % for each comparison, executions counted where starts should be."""

    def executions(operation: str, name: str) -> list[float]:
        return [seconds for block in times(many, operation, name).values() for seconds in block]

    assert [
        (operation, name)
        for operation in OPERATIONS
        for name in EQUAL
        if scipy.stats.mannwhitneyu(executions(operation, name), executions(operation, "base")).pvalue < 0.05
    ]


def test_over_the_session_none_does(many: Run) -> None:
    for operation in OPERATIONS:
        for name in EQUAL:
            assert verdicts(many, operation)[name]["verdict"] not in ("slower", "faster")
    assert "over 12 comparisons" in words((many.evidence / "report.txt").read_text())


def test_the_real_change_among_them_is_found(many: Run) -> None:
    assert verdicts(many, "ties")["real"]["verdict"] == "slower"
    assert {verdicts(many, operation)["real"]["verdict"] for operation in ("unordered", "quotients")} <= {
        "unresolved", "refused", "same", "small",
    }  # fmt: skip


def test_a_job_names_the_real_change_alone(many: Run, weigh: Weigh) -> None:
    """As CI meets it: every commit has its false alarms, each time others, until nobody reads them."""
    assert many.code == 1
    failed = {key for key, (tag, _) in junit(weigh, many).items() if tag == "failure"}
    # A mean over three of which one is slower by 30 % is slower too.
    assert failed - {("mean.real", "overall")} == {("time.real", "ties")}
    comment = weigh("report", str(many.evidence), "--markdown").out
    # Of the recorded ones the mean is open, and then nothing of it stands before the operation.
    named = re.findall(r"^(\w+): .*\b(SLOWER|FASTER) on (\d)", comment, re.MULTILINE)
    assert named == [("real", "SLOWER", "1")]

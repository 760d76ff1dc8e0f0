"""What the first screen computes from the samples: the stalls behind a total, and how long more starts would take."""

from __future__ import annotations

from typing import Any

import pytest

from support import experiment_records
from weigh.experiment.results.pace import Pace, measured_s, pace
from weigh.experiment.results.stalls import stalls
from weigh.model import codes
from weigh.model.sample import Outcome, Sample
from weigh.model.verdict import Total, Verdict, VerdictName


def sample(contender: str, wall_s: float, **fields: Any) -> Sample:
    made: dict[str, Any] = {
        "block": 0, "start": 0, "turn": 0, "run": 1, "arm": contender, "contender": contender, "operation": "q",
        "case": "only", "outcome": Outcome.OK, "wall_s": wall_s,
    }  # fmt: skip
    return Sample(**(made | fields))


def verdict(ratio: float, total: float, *reasons: Any) -> Verdict:
    ends = {"low": total, "high": total, "low_fcr": total, "high_fcr": total}
    return Verdict(
        operation="q", contender="new", baseline="old", verdict=VerdictName.SAME, confidence=0.99, margin=0.03,
        ratio=ratio, total=Total(verdict=VerdictName.SLOWER, ratio=total, **ends), reasons=reasons,
    )  # fmt: skip


CLAIM = codes.T1_TOTAL.reason("in total slower")


def test_the_side_that_stalls_is_named_with_share_and_size() -> None:
    samples = [sample("old", 0.1) for _ in range(100)] + [sample("new", 0.1) for _ in range(99)]
    samples += [sample("new", 1.1), sample("new", 9.0, run=0), sample("new", 9.0, outcome=Outcome.TIMEOUT)]
    (found,) = stalls([verdict(1.0, 1.1, CLAIM)], samples)
    assert (found.whose, found.share, found.times) == ("new", 0.01, pytest.approx(11.0))
    swapped = [sample({"new": "old", "old": "new"}[one.contender], one.wall_s or 0)
               for one in samples[:200]]  # fmt: skip
    (found,) = stalls([verdict(1.0, 0.9, CLAIM)], swapped)
    assert found.whose == "old"


def test_cases_of_different_size_are_no_stalls() -> None:
    samples = [sample("new", wall, case=case) for case, wall in (("small", 0.1), ("large", 1.0)) for _ in range(10)]
    assert stalls([verdict(1.0, 1.1, CLAIM)], samples) == ()


def test_stalls_that_explain_nothing_are_not_told() -> None:
    samples = [sample("old", wall) for wall in [0.1] * 9 + [2.0]] + [sample("new", 0.1) for _ in range(10)]
    assert stalls([verdict(1.0, 1.1, CLAIM)], samples) == (), "the baseline stalls, and the contender is slower"
    assert stalls([verdict(1.0, 1.1)], samples) == (), "nothing is claimed"


def test_more_starts_take_what_starts_took() -> None:
    samples = tuple(
        sample("old", 0.5, operation=operation, block=block, at=10.0 * block + at)
        for block in range(3)
        for operation, at in (("q1", 1.0), ("q2", 2.0), ("q1", 5.0))
    )
    record = experiment_records.record(samples=samples)
    found = pace([record])
    assert found == Pace(begin_s=5.5, turns_s={("q1", "hot"): 1.5, ("q2", "hot"): 3.0})
    assert found is not None
    assert found.more({("q1", "hot"): 10, ("q2", "hot"): 4}) == pytest.approx(10 * 5.5 + 10 * 1.5 + 4 * 3.0)
    assert found.more({}) == 0.0
    assert measured_s([record, record]) == pytest.approx(2 * 25.5)


def test_samples_that_do_not_say_when_have_no_pace() -> None:
    record = experiment_records.record()
    assert pace([record]) is None
    assert measured_s([record]) is None

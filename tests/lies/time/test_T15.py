"""T15: a contender that slows whoever comes next, and never follows itself.

What is carried over is told over a hundred turns or more, on a machine that may be busy: here the times are made, with
the order of their turns, and go the way of recorded ones; ``tests/guarantees`` has the rates.
"""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from weigh.experiment.results.analysis import analyse
from weigh.model.contender import Contender
from weigh.model.rules import RULES
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import Spec
from weigh.model.verdict import VerdictName
from weigh.verdict.refusals import why_not_pooled

ARMS = ("new", "old", "old#2")


def samples(carried: float) -> list[Sample]:
    """34 starts of 6 rounds; a turn right after one of ``new`` takes longer by a factor."""
    draw = np.random.default_rng(7)
    found = []
    for block in range(34):
        for turn_of_round in range(6):
            order, before = draw.permutation(3), ""
            for place, number in enumerate(order):
                factor = 1 + carried if before == "new" else 1.0
                before = ARMS[number].removesuffix("#2")
                found.append(
                    Sample(
                        block=block,
                        start=0,
                        turn=3 * turn_of_round + place,
                        run=1,
                        round=turn_of_round,
                        arm=ARMS[number],
                        contender=before,
                        operation="q",
                        case="only",
                        outcome=Outcome.OK,
                        wall_s=float(factor * np.exp(draw.normal(0, 0.02))),
                    )
                )
    return found


@pytest.mark.parametrize(("carried", "told"), [(0.06, True), (0.0, False)])
def test_what_is_left_behind_is_told_and_left_out(carried: float, told: bool) -> None:
    """The twin leaves nothing behind."""
    contenders = tuple(Contender(name=name, engine="duckdb") for name in ("old", "new"))
    spec = Spec(workload="w", contenders=contenders, baseline="old", rules=RULES)
    (verdict,) = analyse(samples(carried), spec=spec).verdicts
    assert ("T15" in {why.code for why in verdict.reasons}) is told
    assert verdict.ratio == pytest.approx(1, abs=0.008)
    # The rule of before 0.1.0 is off by a third of it.
    earlier = Spec(workload="w", contenders=contenders, baseline="old")
    (before,) = analyse(samples(carried), spec=earlier).verdicts
    assert before.ratio == pytest.approx(1 - carried / 3, abs=0.008)


def test_it_leaves_no_operation_out_of_the_mean_that_only_noise_refuses() -> None:
    contenders = tuple(Contender(name=name, engine="duckdb") for name in ("old", "new"))
    rules = msgspec.structs.replace(RULES, unstable=0.0001, margin=0.0001)
    spec = Spec(workload="w", contenders=contenders, baseline="old", rules=rules)
    (verdict,) = analyse(samples(0.06), spec=spec).verdicts
    assert verdict.verdict is VerdictName.REFUSED
    assert [why.code for why in verdict.reasons][:2] == ["T7.unstable", "T15"]
    assert why_not_pooled(verdict) is None

"""What ``weigh doctor --effect`` says of its figures."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from weigh.doctor.effect_analysis import Effect, KernelEffect
from weigh.doctor.report import effect
from weigh.statistics.cv import Estimate


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        ((1.0, 0.98, 1.03), "no difference in scatter is shown; no difference in times is shown"),
        ((1.6, 0.03, 78.7), "no difference in times is shown, nor excluded: more --blocks tell more"),
        ((7.2, 6.0, 8.5), "restless, scatter is 7.20 of those when calm"),
    ],
)
def test_an_interval_that_says_nothing_is_not_called_equality(ratio: tuple[float, float, float], said: str) -> None:
    one = Estimate(value=ratio[0], low=ratio[1], high=ratio[2])
    kernel = KernelEffect(
        kernel="sustained", executions=36, restless=one, calm=one, cv_ratio=one, restless_s=0.1, calm_s=0.1,
        time_ratio=one,
    )  # fmt: skip
    paper = io.StringIO()
    found = Effect(knob="aslr", places={"/proc/x": ("0", "2")}, blocks=12, kernels=(kernel,))
    Console(file=paper, width=100).print(effect(found))
    assert said in " ".join(paper.getvalue().split())
    assert "\nsustained " in paper.getvalue(), "not cut off"

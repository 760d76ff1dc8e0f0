"""The other metrics: what they say together, on simulated samples whose law is known."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from weigh.experiment.results.analysis import analyse
from weigh.experiment.results.statements import Statement, judged, statements
from weigh.model.contender import Contender
from weigh.model.metrics.run_metrics import HEADLINE, metrics_of, rules_of
from weigh.model.rules import Rules
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import Spec
from weigh.model.verdict import VerdictName
from weigh.statistics.effects import Effects
from weigh.verdict.decide import p_matters, step_up

if TYPE_CHECKING:
    from weigh.experiment.results.analysis import MetricAnalysis

BESIDE = metrics_of()[1:]
SPEC = Spec(
    workload="netflow",
    contenders=(Contender(name="old", engine="duckdb"), Contender(name="new", engine="duckdb")),
    baseline="old",
)
CALM, LOUD, WILD = 0.003, 0.045, 0.3
"""Standard deviations from start to start: resolved, unresolved, and unstable at ten starts."""


def simulated(starts: int = 10, seed: int = 8, **laws: tuple[float, float] | None) -> list[Sample]:
    """Ten starts of both arms of the baseline and of a candidate.

    Args:
        starts: blocks.
        seed: of the noise.
        laws: by metric, the candidate's ratio and the standard deviation of a start; None for a metric that is zero.
    """
    draw = np.random.default_rng(seed)
    found = []
    for block in range(starts):
        for turn, arm in enumerate(("old", "new", "old#2")):
            values: dict[str, Any] = {}
            for metric, law in laws.items():
                effect = math.log(law[0]) if law and arm == "new" else 0.0
                value = math.exp(effect + draw.normal(0, law[1])) if law else 0.0
                whole = metric in ("peak_memory", "bytes_read")
                values[metric] = round(1e9 * value) if whole else value
            found.append(
                Sample(
                    block=block, start=0, turn=turn, run=1, arm=arm, contender=arm[:3], operation="q1", case="c",
                    outcome=Outcome.OK, **values,
                )
            )  # fmt: skip
    return found


def analyses(samples: list[Sample]) -> dict[str, MetricAnalysis]:
    return {metric: judged(metric, analyse(samples, spec=SPEC, metric=metric)) for metric in (HEADLINE, *BESIDE)}  # type: ignore[arg-type]


def said(**laws: tuple[float, float] | None) -> dict[str, str]:
    """Texts by code of what is reported of the candidate."""
    samples = simulated(**laws)
    return {one.code: one.text for one in statements(analyses(samples), samples) if one.contender == "new"}


@pytest.mark.parametrize(
    ("laws", "expected"),
    [
        ({"wall_s": (1.0, LOUD), "cpu_s": (1.12, CALM)}, {"M.settled": "CPU seconds settle it: 1"}),
        ({"wall_s": (1.0, WILD), "cpu_s": (0.8, CALM)}, {"M.settled": "% fewer ("}),
        ({"wall_s": (1.0, LOUD), "cpu_s": (1.0, CALM)}, {"M.settled": "no difference that matters (under 3.0 %)"}),
        ({"wall_s": (1.0, LOUD), "cpu_s": (2.5, CALM)}, {"M.settled": "settle it: 2.5"}),
        ({"wall_s": (1.0, LOUD), "cpu_s": (1.0, LOUD)}, {}),
        ({"wall_s": (1.0, LOUD), "peak_memory": (1.5, CALM)}, {"M.beside": "time leaves it open; "}),
        ({"wall_s": (1.0, CALM), "cpu_s": (1.0, CALM)}, {}),
        ({"wall_s": (1.0, CALM), "cpu_s": (1.2, CALM)}, {"M.beside": "the time is the same, with "}),
        (
            {"wall_s": (0.8, CALM), "cpu_s": (1.6, CALM)},
            {"M.bought": "0.80 times the time, bought with cores: 1.60 times the CPU seconds"},
        ),
        ({"wall_s": (0.8, CALM), "peak_memory": (3.0, CALM)}, {"M.bought": "bought with memory: 3.0"}),
        (
            {"wall_s": (0.8, CALM), "cpu_s": (1.6, CALM), "peak_memory": (1.5, CALM)},
            {"M.bought": "bought with cores and memory: "},
        ),
        (
            {"wall_s": (1.2, CALM), "cpu_s": (0.7, CALM)},
            {"M.against": "1.20 times the time, and yet 0.70 times the CPU seconds"},
        ),
        ({"wall_s": (1.2, CALM), "cpu_s": (1.2, CALM)}, {"M.with": "CPU seconds moved with the time"}),
        (
            {"wall_s": (1.2, CALM), "cpu_s": (1.2, CALM), "peak_memory": (1.0, CALM)},
            {"M.with": "CPU seconds moved with the time; memory at the peak did not"},
        ),
        ({"wall_s": (1.2, CALM), "cpu_s": (1.0, CALM)}, {"M.alone": "CPU seconds are the same within 3.0 %"}),
        (
            {"wall_s": (1.2, CALM), "cpu_s": (0.8, CALM), "bytes_read": (1.5, CALM)},
            {"M.against": "0.80 times the CPU seconds", "M.with": "bytes read moved with the time"},
        ),
    ],
)
def test_what_is_said_of_a_known_law(laws: dict[str, tuple[float, float]], expected: dict[str, str]) -> None:
    found = said(**laws)
    assert found.keys() == expected.keys()
    for code, text in expected.items():
        assert text in found[code], found[code]


def test_the_figures_are_those_of_the_verdict() -> None:
    samples = simulated(wall_s=(1.0, LOUD), cpu_s=(1.12, CALM))
    made = analyses(samples)
    (work,) = made["cpu_s"].verdicts
    (one,) = (one for one in statements(made, samples) if one.code == "M.settled")
    assert work.ratio is not None
    assert work.low is not None
    assert work.high is not None
    figures = f"{100 * work.ratio - 100:.1f} % more ({100 * work.low - 100:.1f} to {100 * work.high - 100:.1f} %)"
    assert one == Statement(
        code="M.settled", text=f"time leaves it open, CPU seconds settle it: {figures}", metrics=("cpu_s",),
        operation="q1", contender="new",
    )  # fmt: skip


def test_nothing_is_said_where_nobody_was_compared() -> None:
    assert statements({}, []) == ()
    few = simulated(starts=3, wall_s=(1.0, CALM), cpu_s=(1.5, CALM))
    assert not [one for one in statements(analyses(few), few) if one.contender == "new"]


def test_a_metric_that_is_zero_is_said_once_and_has_no_rows() -> None:
    samples = simulated(wall_s=(1.0, CALM), cpu_s=(1.0, CALM), peak_memory=(1.0, CALM), bytes_read=None)
    made = analyses(samples)
    assert made["bytes_read"].verdicts == ()
    (one,) = statements(made, samples)
    assert (one.code, one.metrics, one.operation, one.contender) == ("M.zero", ("bytes_read",), None, None)


def test_a_metric_that_is_sometimes_zero_is_said_once_and_has_no_rows() -> None:
    samples = simulated(wall_s=(1.0, CALM), cpu_s=(1.0, CALM), peak_memory=(1.0, CALM), bytes_read=None)
    samples[4] = Sample(**{name: getattr(samples[4], name) for name in Sample.__struct_fields__} | {"bytes_read": 4096})
    made = analyses(samples)
    assert made["bytes_read"].verdicts == ()
    (one,) = statements(made, samples)
    assert one.code == "M.some"
    assert "zero in 29 of 30 executions" in one.text


def test_a_metric_that_was_not_measured_is_said() -> None:
    samples = simulated(wall_s=(1.0, CALM), cpu_s=(1.0, CALM), bytes_read=(1.0, CALM))
    found = statements(analyses(samples), samples)
    assert [(one.code, one.metrics) for one in found] == [("M.missing", ("peak_memory",))]
    elsewhere = [
        Sample(**{name: getattr(one, name) for name in Sample.__struct_fields__} | {"cpu_s": None})
        if one.contender == "new"
        else one
        for one in samples
    ]
    (one,) = (one for one in statements(analyses(elsewhere), elsewhere) if one.metrics == ("cpu_s",))
    assert (one.code, one.contender) == ("M.missing", "new")


def test_a_constant_metric_has_a_verdict() -> None:
    for ratio, name in ((1.0, VerdictName.SAME), (1.5, VerdictName.SLOWER), (0.5, VerdictName.FASTER)):
        samples = simulated(wall_s=(1.0, CALM), peak_memory=(ratio, 0.0))
        (verdict,) = analyses(samples)["peak_memory"].verdicts
        assert verdict.verdict is name
        assert verdict.low == pytest.approx(ratio)


def test_claims_beside_the_time_are_false_in_five_per_cent_of_sessions_at_most() -> None:
    """22 comparisons of each metric, all exactly at the margin, so that every claim is false; 2,000 sessions.

    The band is that of a rate of 5 %: three standard deviations are 1.5 points. With a q for each metric it is 7 %.
    """
    draw, rules, error = np.random.default_rng(1), Rules(), 0.01
    margin = math.log1p(rules.margin)
    sessions, false = 2_000, 0
    for _ in range(sessions):
        claimed = False
        for metric in BESIDE:
            estimated = margin + error * draw.standard_normal(22)
            spread = error * np.sqrt(draw.chisquare(9, 22) / 9)
            effects = Effects(estimated, spread, np.full(22, 9.0))
            own = rules_of(metric, rules)
            claimed |= bool(step_up(p_matters(effects, margin), own.fdr, 1 - own.confidence).any())
        false += claimed
    assert false / sessions < 0.05


def test_the_other_metrics_share_one_false_discovery_rate() -> None:
    rules = Rules(fdr=0.06)
    assert rules_of("wall_s", rules) == rules
    assert sum(rules_of(metric, rules).fdr for metric in BESIDE) == pytest.approx(rules.fdr)

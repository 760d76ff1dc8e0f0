"""Stopping on precision keeps the coverage of the 99 % interval at 98.5 % or better, for every kind of noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from weigh.experiment.results import precision as rule
from weigh.model.contender import Contender
from weigh.model.spec import Spec

from . import noise, precision
from .noise import Size
from .test_guarantees import sampled

if TYPE_CHECKING:
    from weigh.experiment.interim_look import InterimLook
    from weigh.model.sample import Sample

WORST = 0.6
"""The target at which stopping costs most coverage, in standard deviations of the contrast."""
LAWS = [pytest.param("iid", marks=pytest.mark.long), "runs chosen"]


@pytest.mark.parametrize("kind", LAWS)
def test_coverage_where_sampling_stops_on_precision(kind: str) -> None:
    found, starts = precision.coverage(precision.KINDS[kind], 10_000, 31, WORST)
    assert found.within(0.985, 1.0), found
    assert 15 < starts < 40


@pytest.mark.long
@pytest.mark.parametrize("target", precision.TARGETS)
@pytest.mark.parametrize("kind", precision.KINDS)
def test_coverage_for_every_target_and_noise(kind: str, target: float) -> None:
    found, _ = precision.coverage(precision.KINDS[kind], 20_000, 33, target)
    assert found.within(0.985, 1.0), found


@pytest.mark.long
def test_stopping_at_the_first_narrow_look_is_rejected_with_reason() -> None:
    """Why ten starts and three looks in a row: without them the intervals cover too rarely."""
    _, found, _ = precision.worst(noise.iid, 20_000, 31, precision.EAGER)
    assert not found.within(0.985, 1.0), found


SPEC = Spec(
    workload="w",
    contenders=tuple(Contender(name=name, engine="duckdb") for name in ("old", "new")),
    baseline="old",
    starts=40,
    runs=1,
    precision=0.02,
)


def retired(samples: list[Sample], spec: Spec) -> dict[str, int]:
    """The number of starts after which each operation is retired, by the rule as the protocol asks it."""
    looks: list[InterimLook] = []
    live = tuple(dict.fromkeys(one.operation for one in samples))
    found = {}
    for block in range(rule.FIRST_LOOK - 1, spec.starts):
        own = [one for one in samples if one.block <= block]
        look = rule.look(
            own, (), spec=spec, runs=1, most=spec.starts, live=live, before=looks, block=block, at=float(block)
        )
        looks.append(look)
        found.update(dict.fromkeys(look.retired, block + 1))
        live = tuple(one for one in live if one not in look.retired)
        if look.stop:
            break
    return found


def test_the_simulation_stops_as_the_protocol_does() -> None:
    logs = noise.start_effects(Size(12, 40), np.random.default_rng(34), sd=0.02, start=0.015)
    found = precision.stop(logs, float(np.log1p(0.02)))
    by_protocol = retired(sampled(logs), SPEC)
    reached = found.half <= np.log1p(0.02)
    assert reached.sum() > 3
    assert len(set(found.starts[reached])) > 2
    assert by_protocol == {f"{number:04}": int(found.starts[number]) for number in np.flatnonzero(reached)}

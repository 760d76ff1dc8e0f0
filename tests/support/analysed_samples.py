"""Samples of two contenders, made by hand or drawn, and the one verdict that follows from them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.experiment.results.analysis import analyse
from weigh.model.contender import Contender
from weigh.model.sample import Outcome, Sample
from weigh.model.spec import Spec

if TYPE_CHECKING:
    from weigh.model.verdict import Verdict

ARMS = (("old", "old"), ("new", "new"), ("old#2", "old"))


def spec(*contenders: str, **fields: Any) -> Spec:
    names = contenders or ("old", "new")
    made = tuple(Contender(name=name, engine="duckdb") for name in names)
    return Spec(workload="netflow", contenders=made, baseline=names[0], **fields)


def sample(block: int, arm: str, wall_s: float | None = 1.0, **fields: Any) -> Sample:
    given_fields: dict[str, Any] = {
        "block": block,
        "start": 0,
        "turn": 0,
        "run": 1,
        "arm": arm,
        "contender": arm.removesuffix("#2"),
        "operation": "q1",
        "case": "c",
        "outcome": Outcome.OK,
        "wall_s": wall_s,
    }
    return Sample(**(given_fields | fields))


def experiment(
    blocks: int = 10,
    *,
    ratio: float = 1.0,
    noise: float = 0.01,
    arms: tuple[tuple[str, str], ...] = ARMS,
    operations: tuple[str, ...] = ("q1",),
    seed: int = 7,
    **fields: Any,
) -> list[Sample]:
    """Samples of two contenders, three runs a start after an untimed one that is ten times slower."""
    draw = np.random.default_rng(seed)
    samples = []
    for operation in operations:
        for block in range(blocks):
            level = draw.normal(0, 0.1)
            for turn, (arm, contender) in enumerate(arms):
                start = level + draw.normal(0, noise) + (math.log(ratio) if contender == "new" else 0)
                for run in range(4):
                    wall_s = math.exp(start + draw.normal(0, noise)) * (10 if run == 0 else 1)
                    own = {"operation": operation, "turn": turn, "run": run, "contender": contender}
                    samples.append(sample(block, arm, wall_s, **(own | fields)))
    return samples


def only(samples: list[Sample], **arguments: Any) -> Verdict:
    (verdict,) = analyse(samples, spec=arguments.pop("spec", spec()), **arguments).verdicts
    return verdict


def codes(verdict: Verdict) -> list[str]:
    return [reason.code for reason in verdict.reasons]

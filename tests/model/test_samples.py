"""Samples as columns: they say what the samples say one by one."""

from __future__ import annotations

import random

import numpy as np

from weigh.experiment.results.analysis import observed
from weigh.model.sample import Outcome, Sample, Samples

NAMES = ("old", "new")


def drawn(seed: int) -> Samples:
    draw = random.Random(seed)
    return Samples(
        Sample(
            block=draw.randrange(3), start=0, turn=draw.randrange(4), run=draw.randrange(3), arm=arm,
            contender=arm.removesuffix("#2"), operation=draw.choice("pq"), case="only",
            outcome=draw.choice((Outcome.OK, Outcome.OK, Outcome.ERROR)),
            wall_s=draw.choice((None, 0.0, draw.uniform(0.1, 1.0))), solo=draw.random() < 0.1,
        )
        for arm in draw.choices(("old", "old#2", "new"), k=60)
    )  # fmt: skip


def test_what_is_timed_and_the_groups_are_those_of_single_samples() -> None:
    for seed in range(20):
        samples = drawn(seed)
        assert samples.timed.tolist() == [one.timed for one in samples]
        wanted: dict[tuple[str, str], list[int]] = {}
        for place, one in enumerate(samples):
            if one.timed:
                wanted.setdefault((one.operation, one.arm), []).append(place)
        found = samples.groups("operation", "arm", among=samples.timed)
        assert [*found] == [*wanted]
        assert {key: places.tolist() for key, places in found.items()} == wanted


def test_other_seconds_give_the_table_of_samples_that_have_them() -> None:
    for seed in range(20):
        samples = drawn(seed)
        seconds = 2 * samples.floats("wall_s") + 0.1
        by_values = observed(samples, "wall_s", NAMES, seconds)
        by_samples = observed(samples.with_seconds(seconds), "wall_s", NAMES)
        assert (by_values.questions, by_values.arms, by_values.blocks) == (
            by_samples.questions,
            by_samples.arms,
            by_samples.blocks,
        )
        for name in ("case", "arm", "block", "round", "value"):
            np.testing.assert_array_equal(getattr(by_values, name), getattr(by_samples, name))
        # What was computed once is not that of the other clock.
        assert observed(samples, "wall_s", NAMES) is observed(samples, "wall_s", NAMES)
        assert not np.array_equal(observed(samples, "wall_s", NAMES).value, by_values.value, equal_nan=True)

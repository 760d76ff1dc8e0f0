"""The table of some executions: as if there had been no others."""

from __future__ import annotations

import dataclasses
from itertools import product

import msgspec
import numpy as np
import pytest

from weigh.experiment.results.analysis import observed
from weigh.model.sample import Outcome, Sample

NAMES = ("base", "new")
SAMPLES = [
    Sample(
        attempt=attempt, block=block, start=0, turn=0, round=run % 2, run=run, arm=arm, contender=arm.split("#")[0],
        operation=operation, case=case, outcome=Outcome.OK, wall_s=None if run == 3 else 1.0 + (7 * block + run) % 5,
        build=None if arm == "new" else block % 2,
    )
    for attempt, block, arm, (operation, case), run in product(
        (1, 2), (0, 1, 3), ("base", "new", "base#2"), (("q", "a"), ("q", "b"), ("r", "only"), ("s", "only")), (1, 2, 3)
    )
]  # fmt: skip


@pytest.mark.parametrize("builds", [True, False])
@pytest.mark.parametrize(
    ("operations", "blocks", "contenders"),
    [
        ({"q", "s"}, {0, 3}, {"base", "new"}),
        ({"r"}, {1}, {"new"}),
        ({"q", "r", "s"}, {0, 1, 3}, {"base", "new"}),
        (set(), {1}, {"new"}),
    ],
)
def test_some_of_the_executions(operations: set[str], blocks: set[int], contenders: set[str], builds: bool) -> None:
    samples = SAMPLES if builds else [msgspec.structs.replace(one, build=None) for one in SAMPLES]
    some = [
        one for one in samples if one.operation in operations and one.block in blocks and one.contender in contenders
    ]
    whole, wanted = observed(samples, "wall_s", NAMES), observed(some, "wall_s", NAMES)
    at = [
        place
        for place, (_, block) in enumerate(sorted({(one.attempt, one.block) for one in samples}))
        if block in blocks
    ]
    named = np.array([question.operation in operations for question in whole.questions])
    chosen = named[whole.question] & np.isin(whole.block, at)
    chosen &= np.isin(whole.contender, [NAMES.index(one) for one in contenders])
    found = whole.only(chosen, len({one.attempt for one in some}))
    for field in dataclasses.fields(wanted):
        np.testing.assert_array_equal(getattr(found, field.name), getattr(wanted, field.name), err_msg=field.name)

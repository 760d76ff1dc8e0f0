"""The rungs of a ladder: which there are where none are named, and their order."""

from __future__ import annotations

import pytest

from weigh.ladder.run import rungs, usual_scales
from weigh.model.contender import parse_contender
from weigh.model.errors import UsageError
from weigh.model.spec import Spec


def spec(*contenders: str, scale: int = 1_000) -> Spec:
    made = tuple(parse_contender(text) for text in contenders)
    return Spec(workload="netflow", contenders=made, baseline=made[0].name, scale=scale)


def test_usual_ladders_follow_the_unit_of_the_data() -> None:
    assert usual_scales("netflow") == ("100K", "1M", "10M")
    assert usual_scales("tpch") == ("0.01", "0.1", "1")
    with pytest.raises(UsageError, match="no scale"):
        usual_scales("sql")


def test_rungs_ascend() -> None:
    made = [spec("duckdb", scale=scale) for scale in (3_000, 1_000, 2_000)]
    assert [one.scale for one in rungs(made)] == [1_000, 2_000, 3_000]
    with pytest.raises(UsageError, match="named twice"):
        rungs([made[0], made[0]])

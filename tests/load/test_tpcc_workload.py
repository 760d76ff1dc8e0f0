"""What `weigh load tpcc` is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.load_flags import NONE
from weigh.load import config
from weigh.load.tpcc.workload import workload
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from support.command import Weigh


def test_warehouses_and_constants_are_part_of_the_experiment() -> None:
    def made(**flags: object) -> str:
        return config.make(["tpcc"], "postgres:embedded", {**NONE, "rate": "10", **flags}).id

    assert made() == made(warehouses=1)
    assert made() != made(warehouses=2)
    assert made() != made(seed=1)


def test_the_constants_of_load_and_run_are_as_far_apart_as_the_specification_says() -> None:
    """Clause 2.1.6.1: 65 to 119, without 96 and 112."""
    found = [workload(1, seed).nurand for seed in range(2_000)]
    apart = {abs(one.load - one.run) for one in found}
    assert apart == set(range(65, 120)) - {96, 112}
    assert {one.load for one in found} == set(range(256))
    assert all(one.customer <= 1_023 and one.item <= 8_191 for one in found)
    assert workload(1, 7) == workload(1, 7)


@pytest.mark.parametrize(
    ("words", "target", "flags", "said"),
    [
        (["tpcc"], "valkey:embedded", {}, "needs PostgreSQL"),
        (["tpcc"], "sqlite:embedded", {}, "needs PostgreSQL"),
        (["tpcc"], "postgres:embedded", {"warehouses": 0}, "cannot be"),
        (["tpcc"], "postgres:embedded", {"records": "10"}, "--warehouses"),
        (["ycsb-a"], "postgres:embedded", {"warehouses": 2}, "another workload"),
        (["tpcc", "ycsb-a"], "postgres:embedded", {}, "workload of its own"),
    ],
)
def test_what_cannot_be_is_refused(words: list[str], target: str, flags: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        config.make(words, target, {**NONE, "rate": "10", **flags})


def test_a_server_among_several_that_has_no_place_for_it_is_told_what_to_take(weigh: Weigh) -> None:
    both = ("--contender", "a=sqlite:embedded", "--contender", "b=sqlite:embedded")
    run = weigh("load", "tpcc", *both, "--rate", "10", "--quiet")
    assert (run.code, run.out) == (2, "")
    assert run.err == (
        "error: TPC-C needs PostgreSQL, MySQL or MariaDB\n"
        "  take postgres:embedded, mariadb:embedded@FOLDER, or a URL of one\n"
    )

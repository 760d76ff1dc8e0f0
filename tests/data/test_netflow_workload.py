"""The workload netflow: the truth agrees with an engine on every case; the sweeps hold what they promise."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa
import pytest

from weigh import workloads
from weigh.answers import compare
from weigh.data.generator import generator
from weigh.data.ground_truth import Truth
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from weigh.model.operation import Workload

GATE_ALONE = {"alike", "at_the_ends", "past_the_ends", "nameless", "users_of_action", "unscored", "same_user"}
SCALES = [(0, 42), (1, 42), (1_000, 42), (1_000, 43), (150_000, 42)]


@cache
def dataset(scale: int, seed: int) -> tuple[pa.Table, Truth]:
    source = generator("netflow").open(scale, seed)
    events = source.tables["events"]
    with ThreadPoolExecutor(2) as pool:
        batches = list(events.batches(pool))
    table = pa.Table.from_batches(batches) if batches else events.schema.empty_table()
    return table, source.truth()


@cache
def built(scale: int, seed: int) -> Workload:
    return workloads.load("netflow").build(dataset(scale, seed)[1], seed)


@pytest.mark.long
@pytest.mark.parametrize(("scale", "seed"), SCALES)
def test_the_truth_agrees_with_duckdb(scale: int, seed: int) -> None:
    table, truth = dataset(scale, seed)
    source = workloads.load("netflow")
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.register("arriving", table)
    connection.execute("CREATE TABLE events AS FROM arriving")
    for operation in built(scale, seed).operations:
        columns = operation.schema.columns
        for case in operation.cases:
            got = connection.sql(operation.text(case)).to_arrow_table()
            expected = source.expected(operation.name, case, truth)
            assert expected is not None
            assert expected.column_names == [column.name for column in columns]
            compared = compare.compare(got, expected, operation.schema)
            assert compared.agrees, (operation.name, case, compared.differences)


def test_the_names_that_are_known_beforehand_are_those_of_the_operations() -> None:
    names = tuple(operation.name for operation in built(1_000, 42).operations)
    assert workloads.operation_names(workloads.load("netflow")) == names


@pytest.mark.parametrize(("scale", "seed"), SCALES)
def test_every_operation_has_a_case_on_the_clock(scale: int, seed: int) -> None:
    for operation in built(scale, seed).operations:
        names = [case.name for case in operation.cases]
        assert len(operation.timed()) == (operation.name not in GATE_ALONE), operation.name
        assert len(set(names)) == len(names), operation.name


def test_sweeps_are_wide() -> None:
    workload = built(150_000, 42)
    for name in ("eq_user", "eq_src_ip", "eq_dst_ip", "eq_dst_port"):
        groups = [case.name.partition("-")[0] for case in workload.operation(name).cases]
        assert len(groups) >= 35, name
        assert set(groups) == {"common", "middling", "rare", "edge", "absent"}


def test_the_seed_chooses_the_literals_and_nothing_else() -> None:
    _, truth = dataset(150_000, 42)
    source = workloads.load("netflow")
    once, again, other = (source.build(truth, seed) for seed in (1, 1, 2))
    assert once == again
    assert once.operation("eq_user").cases != other.operation("eq_user").cases
    assert [o.sql for o in once.operations] == [o.sql for o in other.operations]


def test_a_part_that_is_built_alone_is_what_it_is_in_the_whole() -> None:
    _, truth = dataset(1_000, 42)
    source, whole = workloads.load("netflow"), built(1_000, 42)
    for one in whole.operations:
        part = workloads.build(source, truth, 42, (one.name,))
        assert part.operations == (one,)
        assert part.suite == tuple(each.name for each in whole.operations if each.timed())
    assert workloads.build(source, truth, 42, ()) == whole


def test_literals_survive_a_truth_from_the_disk(tmp_path) -> None:
    _, truth = dataset(1_000, 42)
    truth.save(tmp_path / "truth")
    assert workloads.load("netflow").build(Truth.load(tmp_path / "truth"), 42) == built(1_000, 42)


def test_no_literal_has_a_backslash() -> None:
    table, _ = dataset(150_000, 42)
    assert any("\\" in (user or "") for user in table["user_name"].unique().to_pylist())
    for operation in built(150_000, 42).operations:
        for case in operation.cases:
            assert "\\" not in operation.text(case)


def test_answers_stay_small_and_joins_bounded() -> None:
    _, truth = dataset(150_000, 42)
    source = workloads.load("netflow")
    for operation in built(150_000, 42).operations:
        for case in operation.cases:
            answer = source.expected(operation.name, case, truth)
            assert answer is not None
            assert answer.num_rows < 10_000
    join = built(150_000, 42).operation("denied_and_allowed")
    met = source.expected(join.name, join.timed()[0], truth)
    assert met is not None
    assert 0 < sum(met["pairs"].to_pylist()) <= 200_000


def test_what_is_not_netflows_is_not_answered() -> None:
    _, truth = dataset(1, 42)
    assert workloads.load("netflow").expected("q1", built(1, 42).operations[0].cases[0], truth) is None


def test_an_unknown_workload_names_the_nearest() -> None:
    with pytest.raises(UsageError) as raised:
        workloads.load("netflo")
    assert "netflow" in raised.value.remedy

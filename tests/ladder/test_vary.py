"""Variations: one contender taken in several times, with a setting at several values."""

from __future__ import annotations

import pytest

from weigh.ladder.run import rungs, usual_scales
from weigh.ladder.vary import expand, parse
from weigh.model.contender import parse_contender
from weigh.model.errors import UsageError
from weigh.model.spec import Spec


def spec(*contenders: str, scale: int = 1_000) -> Spec:
    made = tuple(parse_contender(text) for text in contenders)
    return Spec(workload="netflow", contenders=made, baseline=made[0].name, scale=scale)


def names(one: Spec) -> list[str]:
    return [contender.name for contender in one.contenders]


def test_threads_is_each_engines_own_setting() -> None:
    varied, variations = expand(spec("duckdb", "chdb", "datafusion"), [parse("threads=1,2")])
    assert names(varied) == [
        "duckdb?threads=1",
        "duckdb?threads=2",
        "chdb?max_threads=1",
        "chdb?max_threads=2",
        "datafusion?datafusion.execution.target_partitions=1",
        "datafusion?datafusion.execution.target_partitions=2",
    ]
    assert varied.contenders[2].settings == {"max_threads": 1}
    assert all(one.threads for one in variations)
    assert variations[1].members == {"chdb?max_threads=1": 1, "chdb?max_threads=2": 2}


def test_the_name_of_a_member_is_its_spec() -> None:
    varied, _ = expand(spec("duckdb?memory_limit=1GB"), [parse("threads=1,2")])
    for contender in varied.contenders:
        assert parse_contender(contender.name) == contender


def test_the_first_value_of_the_baseline_is_the_baseline() -> None:
    assert expand(spec("duckdb", "chdb"), [parse("threads=4,1")])[0].baseline == "duckdb?threads=4"
    assert expand(spec("duckdb", "chdb"), [parse("chdb:threads=4,1")])[0].baseline == "duckdb"


def test_one_contender_can_be_varied_alone() -> None:
    varied, (one,) = expand(spec("old=duckdb", "chdb"), [parse("old:memory_limit=1GB,2GB")])
    assert names(varied) == ["old?memory_limit=1GB", "old?memory_limit=2GB", "chdb"]
    assert (one.contender, one.key, one.threads) == ("old", "memory_limit", False)


def test_an_engine_without_threads_takes_part_as_it_is() -> None:
    varied, variations = expand(spec("duckdb", "sqlite"), [parse("threads=1,2")])
    assert names(varied) == ["duckdb?threads=1", "duckdb?threads=2", "sqlite"]
    assert [one.contender for one in variations] == ["duckdb"]


def test_values_are_typed_as_settings_are() -> None:
    assert parse("a=1, 0.5,true,x").values == (1, 0.5, True, "x")
    assert parse("e@1+p==2?k=v:key=1,2").contender == "e@1+p==2?k=v"


def test_without_a_variation_nothing_changes() -> None:
    asked = spec("duckdb", "chdb")
    assert expand(asked, []) == (asked, ())


@pytest.mark.parametrize("text", ["threads", "=1,2", "threads=", "a b=1,2"])
def test_what_has_another_form_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a variation"):
        parse(text)


def test_one_value_is_no_ladder() -> None:
    with pytest.raises(UsageError, match="names one value"):
        parse("threads=2,2")


@pytest.mark.parametrize(
    ("contenders", "texts", "said"),
    [
        (["duckdb"], ["b:threads=1,2"], "'b' is not a contender"),
        (["duckdb"], ["threads=1,2", "duckdb:memory_limit=1GB,2GB"], "'duckdb' is varied twice"),
        (["c=duckdb?threads=2"], ["threads=1,2"], "'c' sets threads already"),
        (["sqlite", "duckdb"], ["sqlite:threads=1,2"], "engine 'sqlite' has no setting for threads"),
        (["duckdb"], ["layout=a,b"], "'layout' is no setting of an engine"),
        (["sqlite"], ["threads=1,2"], "no contender's engine has a setting for threads"),
        (["duckdb", "duckdb?threads=1"], ["duckdb:threads=1,2"], "two contenders are called 'duckdb?threads=1'"),
    ],
)
def test_what_cannot_be_varied_is_refused(contenders: list[str], texts: list[str], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        expand(spec(*contenders), [parse(text) for text in texts])
    assert said in refused.value.what


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

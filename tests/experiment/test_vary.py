"""Variations: one contender taken in several times, with a setting at several values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from weigh.experiment.config.contenders import Varied, expand, parse
from weigh.experiment.config.file import read_file
from weigh.experiment.config.spec import make_spec
from weigh.model.contender import parse_contender
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh


def varied(*contenders: str, vary: list[str], baseline: str | None = None) -> Varied:
    return expand([parse_contender(text) for text in contenders], baseline, [parse(text) for text in vary])


def names(one: Varied) -> list[str]:
    return [contender.name for contender in one.contenders]


def test_threads_is_each_engines_own_setting() -> None:
    made = varied("duckdb", "chdb", "datafusion", vary=["threads=1,2"])
    assert names(made) == [
        "duckdb?threads=1",
        "duckdb?threads=2",
        "chdb?max_threads=1",
        "chdb?max_threads=2",
        "datafusion?datafusion.execution.target_partitions=1",
        "datafusion?datafusion.execution.target_partitions=2",
    ]
    assert made.contenders[2].settings == {"max_threads": 1}
    assert all(one.threads for one in made.variations)
    assert made.variations[1].members == {"chdb?max_threads=1": 1, "chdb?max_threads=2": 2}


def test_the_name_of_a_member_is_its_spec() -> None:
    for contender in varied("duckdb?memory_limit=1GB", vary=["threads=1,2"]).contenders:
        assert parse_contender(contender.name) == contender


def test_the_first_value_of_the_baseline_is_the_baseline() -> None:
    assert varied("duckdb", "chdb", vary=["threads=4,1"], baseline="duckdb").baseline == "duckdb?threads=4"
    assert varied("duckdb", "chdb", vary=["chdb:threads=4,1"], baseline="duckdb").baseline == "duckdb"


def test_any_value_can_be_named_as_the_baseline() -> None:
    flags = {"contender": ("duckdb",), "vary": ("threads=1,2",)}
    assert make_spec(None, flags).baseline == "duckdb?threads=1"
    assert make_spec(None, {**flags, "baseline": "duckdb?threads=2"}).baseline == "duckdb?threads=2"


def test_one_contender_can_be_varied_alone() -> None:
    made = varied("old=duckdb", "chdb", vary=["old:memory_limit=1GB,2GB"])
    (one,) = made.variations
    assert names(made) == ["old?memory_limit=1GB", "old?memory_limit=2GB", "chdb"]
    assert (one.contender, one.key, one.threads) == ("old", "memory_limit", False)


def test_an_engine_without_threads_takes_part_as_it_is() -> None:
    made = varied("duckdb", "sqlite", vary=["threads=1,2"])
    assert names(made) == ["duckdb?threads=1", "duckdb?threads=2", "sqlite"]
    assert [one.contender for one in made.variations] == ["duckdb"]


def test_values_are_typed_as_settings_are() -> None:
    assert parse("a=1, 0.5,true,x").values == (1, 0.5, True, "x")
    assert parse("e@1+p==2?k=v:key=1,2").contender == "e@1+p==2?k=v"


def test_without_a_variation_nothing_changes() -> None:
    asked = (parse_contender("duckdb"), parse_contender("chdb"))
    assert expand(asked, "chdb", []) == (asked, "chdb", ())


@pytest.mark.parametrize("text", ["threads", "=1,2", "threads=", "a b=1,2"])
def test_what_has_another_form_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a variation"):
        parse(text)


def test_one_value_is_no_variation() -> None:
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
        varied(*contenders, vary=texts)
    assert said in refused.value.what


def test_a_file_asks_for_it_too_and_a_flag_wins(tmp_path: Path) -> None:
    (tmp_path / "weigh.toml").write_text('[experiment]\nvary = ["threads=1,2"]\n[[contender]]\nengine = "duckdb"\n')
    read = read_file(tmp_path / "weigh.toml")
    assert (
        make_spec(read, {}).contenders
        == make_spec(None, {"contender": ("duckdb",), "vary": ("threads=1,2",)}).contenders
    )
    by_flag = make_spec(read, {"vary": ("memory_limit=1GB,2GB",)})
    assert [one.settings for one in by_flag.contenders] == [{"memory_limit": "1GB"}, {"memory_limit": "2GB"}]


def test_two_values_of_one_contender_are_measured_until_decided_and_can_be_a_duet() -> None:
    """What is asked of several contenders is asked after they were varied."""
    flags = {"contender": ("duckdb",), "vary": ("threads=1,2",)}
    assert make_spec(None, flags).precision == pytest.approx(0.45 * 0.03)
    assert make_spec(None, {**flags, "duet": True}).duet
    assert make_spec(None, {**flags, "precision": "2%"}).precision == pytest.approx(0.02)


def test_it_is_the_experiment_of_its_contenders_named_by_hand() -> None:
    by_hand = make_spec(None, {"contender": ("duckdb?threads=1", "duckdb?threads=2")})
    assert make_spec(None, {"contender": ("duckdb",), "vary": ("threads=1,2",)}).id == by_hand.id


@pytest.mark.promise(
    "`weigh run` and `weigh gate` take `--vary` too, and compare the widths at one scale, without COST:"
)
def test_the_command_line_takes_it(weigh: Weigh) -> None:
    run = weigh("gate", "--contender", "duckdb", "--vary", "threads=1,2", "--scale", "1K", "--operations", "by_proto",
                "--json", "--quiet")  # fmt: skip
    assert run.code == 0, run.err
    assert [one["name"] for one in run.json["contenders"]] == ["duckdb?threads=1", "duckdb?threads=2"]
    assert [one["settings"] for one in run.json["contenders"]] == [{"threads": 1}, {"threads": 2}]
    assert {one["severity"] for one in run.json["findings"] if one["code"] == "E6.threads"} <= {"note"}

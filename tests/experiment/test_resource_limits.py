"""The same for all: bounds of contenders, by control group or by their own settings."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from weigh.engines import engine
from weigh.engines.environment import Environment
from weigh.engines.prepared import PreparedContender
from weigh.experiment.measure.resources import bounded
from weigh.host import cgroup
from weigh.model.contender import parse_contender
from weigh.model.errors import EnvironmentFault, UsageError
from weigh.model.spec import Spec

SPEC = Spec(workload="netflow", contenders=(), baseline="", affinity=(0,), memory_limit=3 << 29)


def ready(text: str) -> PreparedContender:
    contender = parse_contender(text)
    environment = Environment(python=Path("python"), key="", lock="")
    loaded = engine.load(contender.engine)
    settings = contender.engine_settings()
    return PreparedContender(
        contender=contender, engine=loaded, environment=environment, settings=settings, cache=Path()
    )


@pytest.fixture
def no_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "usable", lambda: None)


def test_a_control_group_needs_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    place = cgroup.Hierarchy(2, Path("/top"), Path("/top/own"))
    monkeypatch.setattr(cgroup, "usable", lambda: place)
    for one in bounded([ready("duckdb"), ready("sqlite")], SPEC):
        assert one.bounds.affinity == (0,)
        assert (one.bounds.memory, one.groups) == (3 << 29, place)
        assert not one.settings


@pytest.mark.promise(
    "Where none can be made, the engine's own setting gets the limit (DuckDB `memory_limit`, chDB "
    "`max_memory_usage`, DataFusion `datafusion.runtime.memory_limit`)."
)
@pytest.mark.usefixtures("no_groups")
@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        ("duckdb", "memory_limit", "1536MiB"),
        ("chdb", "max_memory_usage", 3 << 29),
        ("datafusion", "datafusion.runtime.memory_limit", "1536M"),
    ],
)
def test_the_engine_s_own_setting_without_one(name: str, setting: str, value: object) -> None:
    (one,) = bounded([ready(name)], SPEC)
    assert one.settings == {setting: value}
    assert one.groups is None


@pytest.mark.promise("An engine without such a setting is then refused (exit 2): a limit is never dropped silently.")
@pytest.mark.usefixtures("no_groups")
@pytest.mark.parametrize("name", ["polars", "sqlite", "pyarrow", "postgres"])
def test_a_limit_is_never_left_out_silently(name: str) -> None:
    with pytest.raises(EnvironmentFault, match=f"{name} has no setting that limits its memory"):
        bounded([ready(name)], SPEC)


@pytest.mark.usefixtures("no_groups")
def test_a_limit_of_its_own_contradicts() -> None:
    with pytest.raises(UsageError, match="both given"):
        bounded([ready("duckdb?memory_limit=1GB")], SPEC)


def test_without_bounds_nothing_changes() -> None:
    free = msgspec.structs.replace(SPEC, affinity=msgspec.UNSET, memory_limit=msgspec.UNSET)
    one = ready("duckdb")
    assert bounded([one], free) == [one]
    assert free.id == Spec(workload="netflow", contenders=(), baseline="").id

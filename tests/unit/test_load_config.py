"""What a user asks of a load, as a spec; and where a server is, without its password."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from weigh.engines.targets.target import target
from weigh.engines.targets.url import parse
from weigh.model.errors import UsageError
from weigh.model.load import Arrivals
from weigh.protocol.load_config import arrivals, make

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.model.load import LoadSpec

NONE: dict[str, Any] = {
    "rate": None, "arrivals": None, "closed": False, "both": False, "duration": None, "warmup": None,
    "connections": None, "threads": None, "repeats": None, "records": None, "define": (), "fanout": None,
    "max_in_flight": None, "timeout": None, "error_budget": None, "seed": None,
}  # fmt: skip


def asked(*workload: str, **flags: Any) -> LoadSpec:
    return make(workload or ("ycsb-b",), "valkey:embedded", {**NONE, **flags})


@pytest.mark.parametrize(
    ("text", "rate", "expected"),
    [
        (None, "2000", Arrivals(rate=2000.0)),
        ("constant", "2K/s", Arrivals(rate=2000.0)),
        ("poisson", "100", Arrivals(kind="poisson", rate=100.0)),
        ("bursts", "100", Arrivals(kind="bursts", rate=100.0, peak=4.0, length_s=1.0)),
        ("bursts:3:200ms", "100", Arrivals(kind="bursts", rate=100.0, peak=3.0, length_s=0.2)),
        ("ramp:500", "100", Arrivals(kind="ramp", rate=100.0, to=500.0)),
        ("steps:100,200:5s", None, Arrivals(kind="steps", rates=(100.0, 200.0), step_s=5.0)),
    ],
)
def test_arrivals(text: str | None, rate: str | None, expected: Arrivals) -> None:
    assert arrivals(text, rate) == expected


def test_the_mean_rate_of_what_changes() -> None:
    assert Arrivals(kind="ramp", rate=100.0, to=500.0).mean_rate(10) == 300
    assert Arrivals(kind="steps", rates=(100.0, 200.0), step_s=5.0).mean_rate(20) == pytest.approx(175)
    assert Arrivals(kind="trace", times_s=(0.0, 1.0, 2.0, 9.0)).mean_rate(4) == 0.75
    assert Arrivals(kind="closed").mean_rate(4) is None


def test_a_trace_begins_with_its_first_request(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("100.5\n100.75\n102\n")
    assert arrivals(f"trace:{tmp_path / 'trace'}", None).times_s == (0.0, 0.25, 1.5)
    (tmp_path / "trace").write_text("2\n1\n")
    with pytest.raises(UsageError, match="do not ascend"):
        arrivals(f"trace:{tmp_path / 'trace'}", None)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({}, "no --rate"),
        ({"rate": "0"}, "cannot be"),
        ({"rate": "many"}, "not a number"),
        ({"rate": "5", "arrivals": "poison"}, "no arrivals 'poison'"),
        ({"rate": "5", "arrivals": "bursts:1"}, "are none"),
        ({"rate": "5", "arrivals": "ramp"}, "needs its end"),
        ({"arrivals": "steps:5"}, "need their rates"),
        ({"closed": True, "rate": "5"}, "it has no rate"),
        ({"rate": "5", "connections": "1,x"}, "--connections x"),
        ({"rate": "5", "repeats": 0}, "--repeats 0"),
        ({"rate": "5", "duration": "5"}, "not a duration"),
        ({"rate": "5", "duration": "5s", "warmup": "5s"}, "leaves nothing"),
        ({"rate": "5", "error_budget": "2"}, "--error-budget 2"),
        ({"rate": "5", "define": ("a",)}, "defines no variable"),
    ],
)
def test_what_cannot_be_is_said_with_a_remedy(flags: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as error:
        asked(**flags)
    assert error.value.remedy


def test_scripts_with_weights(tmp_path: Path) -> None:
    for name in ("pay.sql", "look.sql"):
        (tmp_path / name).write_text(f"SELECT 1 -- {name}\n")
    made = asked(f"{tmp_path}/pay.sql@3", f"{tmp_path}/look.sql", rate="5", define=("scale=2",))
    assert [(one.name, one.weight) for one in made.scripts] == [("pay", 3), ("look", 1)]
    assert made.variables == {"scale": 2}
    with pytest.raises(UsageError, match="cannot be read"):
        asked("missing.sql", rate="5")
    with pytest.raises(UsageError, match="no workload 'ycsb-z'"):
        asked("ycsb-z", rate="5")


def test_built_in_scripts_have_names_and_no_text() -> None:
    made = asked("tpcb-like@2", "select-only", rate="5")
    assert [(one.name, one.text, one.weight) for one in made.scripts] == [("tpcb-like", "", 2), ("select-only", "", 1)]
    with pytest.raises(UsageError, match="no workload 'tpcb-lik'"):
        asked("tpcb-lik", rate="5")


def test_an_empty_script_is_none(tmp_path: Path) -> None:
    (tmp_path / "blank.sql").write_text(" \n")
    with pytest.raises(UsageError, match="empty"):
        asked(f"{tmp_path}/blank.sql", rate="5")


def test_the_id_follows_from_what_is_done() -> None:
    assert asked(rate="5").id == asked(rate="5.0").id != asked(rate="6").id


def test_only_scans_keep_an_index() -> None:
    assert asked("ycsb-e", rate="5").ordered_index
    assert not asked("ycsb-d", rate="5").ordered_index


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgres://me:secret@db.example:6432/shop", "postgres://me@db.example:6432/shop"),
        ("postgresql://db/shop?password=secret&sslmode=require", "postgresql://db/shop?sslmode=require"),
        ("redis://:secret@10.0.0.1/2", "redis://10.0.0.1/2"),
        ("rediss://app:s%40crets@cache", "rediss://app@cache"),
    ],
)
def test_a_password_is_taken_out_of_what_is_shown(text: str, shown: str) -> None:
    url = parse(text)
    assert url.text == target(text).text == shown
    assert url.password in ("secret", "s@crets")
    assert "secret" not in url.text


def test_what_a_url_says(monkeypatch: pytest.MonkeyPatch) -> None:
    url = parse("postgres://me@db/shop?sslmode=verify-full&sslrootcert=/ca.pem")
    assert (url.kind, url.host, url.port, url.user, url.database) == ("postgres", "db", 5432, "me", "shop")
    assert (url.tls, url.ca) == ("verify", "/ca.pem")
    assert parse("postgres://me@/shop?host=/run/postgresql").socket == "/run/postgresql"
    assert parse("redis://cache").tls == "off"
    assert parse("rediss://cache").tls == "verify"
    monkeypatch.setenv("REDISCLI_AUTH", "from outside")
    assert parse("redis://cache").password == "from outside"


@pytest.mark.parametrize(
    "text", ["mysql://db", "postgres://db?sslmode=maybe", "postgres://db?colour=1", "redis://h:x", "nothing"]
)
def test_a_target_that_is_none(text: str) -> None:
    with pytest.raises(UsageError) as error:
        target(text)
    assert error.value.remedy

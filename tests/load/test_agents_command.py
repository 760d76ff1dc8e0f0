"""Three agents against one: what they saw together is what one sees at the same rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.command import RAN, Run
from weigh.engines.prepared import cache_folder
from weigh.load.target.valkey.target import EmbeddedValkey
from weigh_liars import resp_proxy

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Weigh

QUANTILES = ("p50", "p90", "p95")
SHARED = ("--arrivals", "poisson", "--rate", "40", "--connections", "60", "--duration", "25s", "--quiet", "--json")
LINGERS = 0.8
"""Seconds that an answer takes at most, any time below as likely: a machine that others use adds milliseconds."""


def spectrum(run: Run) -> dict[str, Any]:
    assert run.code in RAN, run.err
    # Also of a server that takes its time over every row all are read back.
    assert not {code for code in run.codes if code.startswith("L6")}, run.json["findings"]
    found: dict[str, Any] = run.json["runs"][0]["operations"][0]["response"]
    return found


def equal(load: Callable[..., Run]) -> None:
    """One and three agents: as many requests, and intervals of percentiles that overlap."""
    alone, shared = load(), load("--agents", "local:3")
    assert alone.json["runs"][0]["requests"]["answered"] == shared.json["runs"][0]["requests"]["answered"]
    assert len(shared.json["runs"][0]["agents"]) == 3
    one, three = spectrum(alone), spectrum(shared)
    for name in QUANTILES:
        mine, merged = one[name], three[name]
        # Answers that depend on each other may leave the tail open; the middle never.
        if name != "p50" and not (mine["resolved"] and merged["resolved"]):
            continue
        assert mine["low"] <= merged["high"] and merged["low"] <= mine["high"], (name, mine, merged)
        # An interval that reaches everywhere would be equal to anything.
        assert merged["high"] < 1.5 * merged["low"], merged


@pytest.mark.long
def test_three_agents_see_a_key_value_store_as_one_does(weigh: Weigh, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resp_proxy, "LINGERS", LINGERS)
    with (
        EmbeddedValkey().reach(cache_folder(), 64) as reached,
        resp_proxy.Proxy(reached.connect["socket"], "lingers") as proxy,
    ):
        flags = ("ycsb-a", "--target", proxy.url, "--records", "200")
        equal(lambda *more: weigh("load", *flags, *SHARED, *more))


@pytest.mark.long
def test_three_agents_see_a_database_as_one_does(weigh: Weigh) -> None:
    script = weigh.folder / "takes-its-time.sql"
    script.write_text(f"\\set ms random(1, {LINGERS * 1000:.0f})\nselect pg_sleep(:ms / 1000.0);\n")
    flags = (str(script), "--target", "postgres:embedded")
    equal(lambda *more: weigh("load", *flags, *SHARED, *more))

"""Lies about loading: rows that are lost or changed, work outside the clock, and a promise that is not the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..reading import ONCE, SMALL, contenders, detail, diverged, errors, reasons, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh
    from support.once import Once

LOADS = "ingest_events"
HONEST = "liar?lie=ingests"
GATE = ("ingest-loses", "ingest-rounds", "ingest-early", "ingest-nothing", "ingest-links")
TWIN = "copies=liar?lie=ingest-copies"
LATER, CARELESS = "liar?lie=ingest-later", "liar?lie=ingest-careless"


@pytest.fixture(scope="module")
def gate(fresh: Callable[[], Weigh], once: Once) -> Run:
    """Who stores other rows than it was given, or does the work before the clock, alongside an honest one."""
    named = [f"{lie}=liar?lie={lie}" for lie in GATE]
    return once(
        "ingest-gate",
        lambda: fresh()(
            "gate", "--ingest", *contenders(HONEST, "sqlite", TWIN, *named), "--scale", "2K", "--quiet", "--json"
        ),
    )


@pytest.fixture(scope="module")
def run(fresh: Callable[[], Weigh], once: Once) -> Run:
    """One that returns before it has loaded, one that does not wait for the device, and an honest one."""
    named = contenders("duckdb", HONEST, LATER, CARELESS)
    return once("ingest-run", lambda: fresh()("run", "--ingest", *named, *SMALL, *ONCE))


@pytest.mark.promise("A load that loses a row or changes a value is DIVERGED, and nobody's time of it is shown.")
def test_rows_that_are_lost_or_changed_are_found(gate: Run) -> None:
    assert diverged(gate) == {("ingest-loses", LOADS), ("ingest-rounds", LOADS)}
    assert "1,998 rows, not 2,000 rows" in detail(gate, LOADS) or "not 2000" in detail(gate, LOADS)
    assert gate.code == 1


def test_who_reads_the_files_before_the_clock_is_found(gate: Run) -> None:
    assert ("A6.prepare", "ingest-early") in errors(gate)


def test_who_stores_nothing_is_found(gate: Run) -> None:
    assert ("A5.lazy", "ingest-nothing") in errors(gate)


@pytest.mark.promise("A file of the data under another name is no load: `D9.linked`, disqualified.")
def test_who_links_the_files_in_place_of_writing_is_found(gate: Run) -> None:
    assert ("D9.linked", "ingest-links") in errors(gate)


def test_nobody_else_is_accused(gate: Run) -> None:
    assert {who for _, who in errors(gate)} == {"ingest-early", "ingest-nothing", "ingest-links"}


def test_who_returns_before_it_has_loaded_is_found(run: Run) -> None:
    assert {who for _, who in errors(run)} == {LATER}
    assert ("A5.lazy", LATER) in errors(run)
    refused = verdicts(run, LOADS)[LATER]
    assert refused["verdict"] == "refused"
    assert "A5.lazy" in reasons(refused)


@pytest.mark.promise("A contender whose rows can be lost once its load has returned is called not durable")
def test_another_durability_is_said(run: Run) -> None:
    said = {(one["code"], one["contender"]): one for one in run.json["findings"] if one["code"].startswith("E7")}
    assert set(said) == {("E7.not_durable", CARELESS), ("E7.parity", None)}
    assert "sync=off" in said["E7.not_durable", CARELESS]["text"]
    assert "E7.parity" in {reason["code"] for reason in run.json["tier"]["reasons"]}
    durable = {one["contender"]: one["durable"] for one in run.json["ingested"]}
    assert durable[CARELESS] is False
    assert durable[HONEST] is durable["duckdb"] is True


@pytest.mark.promise("on all metrics, those of loading tables among them")
def test_sql_counts_the_metrics_of_loading(weigh: Weigh, run: Run) -> None:
    found = weigh("verify", "--sql", "--json", str(run.evidence)).json["sql"]
    assert {"stored_bytes", "first_query_s"} <= {one["metric"] for one in run.json["timings"]}
    assert found["compared"]["median"] == len(run.json["timings"])
    assert found["problems"] == []

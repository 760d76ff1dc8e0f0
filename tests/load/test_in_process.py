"""A load on an engine in the generator's own process: its CPU time is no reason to doubt the generator."""

from __future__ import annotations

import msgspec
import pytest

from support import load_records
from weigh.load.results import load_results


@pytest.mark.parametrize(
    ("target", "kind", "refused"), [("sqlite:embedded?synchronous=FULL", "sqlite", False), ("redis://x", "redis", True)]
)
def test_a_busy_process_is_refused_only_where_the_engine_is_another(target: str, kind: str, refused: bool) -> None:
    intervals = [
        load_records.interval(at, times, cpu=load_records.EACH)
        for at, times in enumerate(load_records.steady_times(12))
    ]
    asked = load_records.spec(12, target=target)
    said = load_results(load_records.record([load_records.run(intervals)], asked, load_records.target(kind=kind)))
    reasons = {one.code for one in said.runs[0].reasons}
    assert ("E8.saturated" in reasons) is refused
    if not refused:
        (where,) = [one.text for one in said.tier.reasons if one.code == "E8.same_machine"]
        assert "generator's process" in where


def test_a_late_generator_is_told_what_it_can_change() -> None:
    intervals = [load_records.interval(at, times, late=0.1) for at, times in enumerate(load_records.steady_times(12))]
    for target, words in (("sqlite:embedded", "--connections"), ("valkey:embedded", "--threads")):
        said = load_results(load_records.record([load_records.run(intervals)], load_records.spec(12, target=target)))
        (late,) = [one.text for one in said.runs[0].reasons if one.code == "E8.late"]
        assert words in late


def test_one_that_spins_is_not_told_to_spin() -> None:
    intervals = [load_records.interval(at, times, late=0.1) for at, times in enumerate(load_records.steady_times(12))]
    for spin, advised in ((msgspec.UNSET, True), (True, False)):
        asked = msgspec.structs.replace(load_records.spec(12, target="sqlite:embedded"), spin=spin)
        said = load_results(load_records.record([load_records.run(intervals)], asked))
        (late,) = [one.text for one in said.runs[0].reasons if one.code == "E8.late"]
        assert ("Ask for --spin" in late) is advised
        assert "ower the rate" in late

"""A10: a system of scripts that prints a made time, or no answer. Its honest twin prints what went by."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import pytest

from support import clickbench_systems as systems
from support import evidence_files

from ..reading import ONCE, contenders, statuses

if TYPE_CHECKING:
    from support.command import Run, Weigh

FLAGS = ("--quiet", "--json")
SEVERAL = ("--starts", "1", "--rounds", "1", "--runs", "5")
"""Executions of which a median is taken."""


def run_of(weigh: Weigh, flags: tuple[str, ...], *lies: str) -> Run:
    """A system of scripts, those that lie, of which one prints a made time and one answers nothing, and a witness."""
    systems.make_experiment(weigh.folder)
    named = contenders(*(systems.system(weigh.folder, one) for one in ("", *lies)), "duckdb=fork")
    return weigh("run", *named, *FLAGS, *flags)


@pytest.mark.promise("Its scripts are called unchanged, and its answers are compared like any other's.")
def test_answers_of_a_folder_are_compared(weigh: Weigh) -> None:
    run = run_of(weigh, ONCE, "silent")
    assert statuses(run) == {"kinds": "agreed", "pairs": "agreed"}
    for row in run.json["gate"]:
        assert row["status"] == ("error" if row["contenders"] == ["silent"] else "agreed")
        if row["status"] == "error":
            assert "it printed nothing, not even the names of the columns" in row["detail"]
    (read,) = (one for one in run.json["contenders"] if one["name"] == "honest")
    assert read["version"].startswith("honest, files ")


@pytest.mark.long
@pytest.mark.promise(
    "What a system of ClickBench prints of its time stands alongside what went by, and decides nothing (`A10.said`)."
)
def test_a_made_time_changes_no_figure_and_is_named(weigh: Weigh) -> None:
    run = run_of(weigh, SEVERAL, "made", "silent")
    found = {(one["code"], one["contender"], one["operation"]) for one in run.json["findings"] if "A10" in one["code"]}
    assert {("A10.said", "honest", None), ("A10.said", "made", None), ("A10.claim", "made", "pairs")} <= found
    # The other query is over so soon that what it leaves out may be too little to tell.
    assert {contender for code, contender, _ in found if code == "A10.claim"} == {"made"}
    samples = [one for one in evidence_files.read_samples(run.evidence) if one.timed and one.operation == "pairs"]
    said = {name: [one.reported_s for one in samples if one.contender == name] for name in ("made", "duckdb")}
    assert set(said["made"]) == {0.001}
    assert set(said["duckdb"]) == {None}
    # A figure of weigh's is what went by.
    assert median(one.wall_s for one in samples if one.contender == "made") > 0.01

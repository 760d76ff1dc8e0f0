"""Where the clock begins: a verdict that depends on it is refused, and nobody is accused."""

from __future__ import annotations

from statistics import median

import msgspec
import pytest

from support.experiment_records import record
from weigh.experiment.results.results import ExperimentResults, experiment_results

MS = 1e-3


def results(prepare: dict[str, float]) -> ExperimentResults:
    """Ten starts of three contenders, of which the third takes 1.3 times as long, with seconds of taking the query."""
    made = record()
    samples = tuple(
        msgspec.structs.replace(one, prepare_s=prepare.get(one.contender, 0.3 * MS)) for one in made.samples
    )
    return experiment_results([msgspec.structs.replace(made, samples=samples)])


def reasons(found: ExperimentResults) -> dict[str, list[str]]:
    return {
        one.contender: [str(reason.code) for reason in one.reasons]
        for one in found.headline.verdicts
        if one.operation == "q1"
    }


def test_what_all_take_alike_changes_nothing() -> None:
    assert reasons(results({})) == reasons(experiment_results([record()]))


def test_a_verdict_that_depends_on_it_is_refused() -> None:
    plain = experiment_results([record()])
    base, equal, slower = plain.record.spec.contenders
    walls = [one.wall_s for one in plain.record.samples if one.contender == base.name and one.wall_s]
    wall = sorted(walls)[len(walls) // 2]
    # As much again as it executes: what was as fast takes twice as long.
    found = results({equal.name: wall})
    (verdict,) = (one for one in found.headline.verdicts if (one.operation, one.contender) == ("q1", equal.name))
    assert verdict.verdict == "refused"
    assert verdict.reasons[0].code == "A6.clock"
    assert "it depends on where the clock begins" in verdict.reasons[0].text
    assert "A6.clock" not in reasons(found)[slower.name]
    assert not [one for one in found.findings if one.severity == "error"], "nobody is accused"


@pytest.mark.parametrize("prepare", [0.2 * MS, 0.7 * MS])
def test_what_is_chance_changes_nothing(prepare: float) -> None:
    """Half a millisecond is what the message takes on a busy machine."""
    (_, equal, _) = record().spec.contenders
    assert "A6.clock" not in reasons(results({equal.name: prepare}))[equal.name]


def test_what_the_scatter_of_a_busy_machine_explains_changes_nothing() -> None:
    """Now and then somebody waits for a CPU while he takes a query: the medians differ, and say nothing."""
    (base, equal, _) = record().spec.contenders
    made = record()
    waits = {base.name: (0.3, 0.3, 0.3, 3, 6), equal.name: (0.3, 3, 3, 3, 6)}
    starts = sorted({(one.contender, one.block) for one in made.samples})
    taken = {key: MS * waits.get(key[0], (0.3,) * 5)[number % 5] for number, key in enumerate(starts)}
    samples = tuple(msgspec.structs.replace(one, prepare_s=taken[one.contender, one.block]) for one in made.samples)
    found = experiment_results([msgspec.structs.replace(made, samples=samples)])
    medians = {
        name: median(one.prepare_s or 0 for one in samples if one.contender == name and one.timed)
        for name in (base.name, equal.name)
    }
    assert abs(medians[base.name] - medians[equal.name]) > MS
    assert not any("A6.clock" in codes for codes in reasons(found).values())

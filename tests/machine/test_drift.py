"""Drift of the machine: what the fixed kernels show, what is reported of it, and whose verdicts it spoils."""

from __future__ import annotations

import random

import msgspec
import numpy as np
import pytest

from support import sessions
from weigh.experiment.record import BlockBegun
from weigh.experiment.results.results import experiment_results
from weigh.machine import drift
from weigh.model.machine.calibration import Calibration, Kernel
from weigh.model.rules import Rules
from weigh.model.verdict import VerdictName

BLOCKS = 10


def calibrations(levels: list[float], kernel: Kernel = "integer", noise: float = 0.003) -> list[Calibration]:
    """One calibration for each level, five executions each; the last is after the last block."""
    draw = np.random.default_rng(5)
    last = len(levels) - 1
    return [
        Calibration(
            at=10.0 * number,
            block=min(number, last - 1),
            place="before" if number == 0 else "after" if number == last else "between",
            kernel=kernel,
            seconds=tuple(0.01 * level * np.exp(noise * draw.standard_normal(5))),
        )
        for number, level in enumerate(levels)
    ]


def one(levels: list[float]) -> drift.Quiet:
    (found,) = drift.quiet(calibrations(levels))
    return found


def test_a_quiet_machine() -> None:
    found = one([1.0] * 11)
    assert (found.drift, found.size, found.calibrations) == (None, 0.0, 11)
    assert found.cv == pytest.approx(0.003, rel=0.5)
    assert found.median == pytest.approx(0.01, rel=0.01)
    assert drift.findings([found], 0.03, serial=True) == []


def test_a_step_is_named_with_its_size_and_when() -> None:
    found = one([1.0] * 5 + [1.4] * 6)
    assert (found.drift, found.first, found.at) == ("step", 4, 50.0)
    assert found.size == pytest.approx(0.4, rel=0.05)
    (said,) = drift.findings([found], 0.03, serial=False)
    assert (said.code, said.severity) == ("E5.drift", "note")
    assert "since block 4 the fixed integer kernel took" in said.text
    assert "% longer than before" in said.text
    assert "the verdicts stand" in said.text


def test_an_episode() -> None:
    found = one([1.0] * 3 + [0.6] * 4 + [1.0] * 4)
    assert (found.drift, found.first, found.last) == ("episode", 2, 6)
    assert found.size == pytest.approx(-0.4, rel=0.05)
    assert "less than before and after" in drift.findings([found], 0.03, serial=False)[0].text


def test_a_trend() -> None:
    found = one(list(np.linspace(1.0, 1.3, 11)))
    assert (found.drift, found.first, found.last) == ("trend", 0, 9)
    assert found.size == pytest.approx(0.3, rel=0.1)
    assert found.abrupt == pytest.approx(0.027, rel=0.1)
    assert "steadily from block 0 to block 9" in drift.findings([found], 0.03, serial=False)[0].text


def test_a_spike_is_no_drift() -> None:
    assert one([1.0] * 5 + [1.8] + [1.0] * 5).drift is None


def test_less_than_the_margin_is_not_worth_a_word() -> None:
    found = one([1.0] * 5 + [1.05] * 6)
    assert found.drift == "step"
    assert drift.findings([found], 0.10, serial=True) == []


@pytest.mark.promise("At least 6 calibrations are needed, those of five blocks.")
def test_too_few_calibrations_tell_nothing() -> None:
    found = one([1.0, 1.0, 1.0, 2.0, 2.0])
    assert found.drift is None
    assert found.cv is not None and found.cv > 0.3
    assert drift.quiet([]) == ()


def test_a_clock_without_noise() -> None:
    assert drift.quiet(calibrations([1.0] * 11, noise=0.0))[0].drift is None


def test_kernels_are_judged_apart() -> None:
    both = calibrations([1.0] * 11) + calibrations([1.0] * 5 + [2.0] * 6, "disk")
    found = {quiet.kernel: quiet.drift for quiet in drift.quiet(both)}
    assert found == {"integer": None, "disk": "step"}


@pytest.mark.promise(
    (
        "Drift is then a warning, and where the speed changed within one block by more than the margin, "
        "verdicts on times are REFUSED (`T4.machine`)."
    ),
    "It is a note where all arms alternated in every block: what they share cancels in the ratio.",
)
@pytest.mark.parametrize(
    ("levels", "kernel", "serial", "refused"),
    [
        ([1.0] * 5 + [1.4] * 6, "integer", True, True),
        ([1.0] * 5 + [1.4] * 6, "integer", False, False),
        ([1.0] * 11, "integer", True, False),
        (list(np.linspace(1.0, 1.2, 11)), "integer", True, False),
        ([1.0] * 5 + [1.4] * 6, "disk", True, False),
    ],
)
def test_only_arms_that_did_not_share_it_are_refused(
    levels: list[float], kernel: Kernel, serial: bool, refused: bool
) -> None:
    record = sessions.record(blocks=BLOCKS, rules=Rules(margin=0.03))
    # Times that are all the same are refused for another reason.
    draw = random.Random(1)
    samples = tuple(msgspec.structs.replace(one, wall_s=0.01 * draw.uniform(0.999, 1.001)) for one in record.samples)
    record = msgspec.structs.replace(record, samples=samples)
    blocks = tuple(msgspec.structs.replace(block, serial=serial) for block in record.blocks)
    assert isinstance(blocks[0], BlockBegun)
    results = experiment_results(
        [msgspec.structs.replace(record, blocks=blocks, calibrations=tuple(calibrations(levels, kernel)))]
    )
    verdicts = results.headline.verdicts
    assert verdicts
    for verdict in verdicts:
        assert (verdict.verdict is VerdictName.REFUSED) is refused
        assert ("T4.machine" in {reason.code for reason in verdict.reasons}) is refused
    named = [finding for finding in results.findings if finding.code == "E5.drift"]
    assert bool(named) is bool(levels[-1] > levels[0])
    assert all(finding.severity == ("warning" if serial else "note") for finding in named)

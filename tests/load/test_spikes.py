"""Spikes of a load: what was saturated in them alone, and what is reported where nothing was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from support.load_records import interval, run
from support.watched_loads import AT, LENGTH, SLOW, SPAN, load, of, watches
from weigh.load.report.report import plain
from weigh.load.results import LoadResults, load_results
from weigh.model.machine.timeline import Disk

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.load.spikes import Spike


def spike(found: LoadResults) -> Spike:
    (one,) = of(found).spikes
    return one


def busy(at: float) -> bool:
    return 4.9 < at < 5.2


def test_a_spike_is_linked_to_what_was_saturated_in_it_alone() -> None:
    def disk(at: float) -> dict[str, Disk]:
        return {"vda": Disk(read=0, written=0, queue=9.0, utilisation=1.0 if busy(at) else 0.1)}

    seen = watches(disk=disk, pressure_io=lambda at: 0.9 if busy(at) else 0.0)
    found = spike(load_results(load(seen, SLOW)))
    assert found.saturated == ("disk",)
    assert found.to_s == pytest.approx(5.3)
    assert found.from_s < 5.0, "when the slowest requests were due"
    assert found.p99_s > 50 * found.typical_s
    text = plain(load_results(load(seen, SLOW)), "here")
    assert "spike 1, from" in text
    assert "waited for a disk" in " ".join(text.split())


@pytest.mark.promise("What is saturated all the time explains no spike.")
def test_what_is_saturated_all_the_time_explains_no_spike() -> None:
    seen = watches(
        disk=lambda _: {"vda": Disk(read=0, written=0, queue=9.0, utilisation=1.0)}, pressure_io=lambda _: 0.9
    )
    found = load_results(load(seen, SLOW))
    assert spike(found).saturated == ()
    assert "nothing that was watched was busier at that time than otherwise" in " ".join(plain(found, "here").split())


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        ("cpu", {"busy": lambda at: 2 * SPAN if busy(at) else 0.3 * SPAN}),
        ("steal", {"steal": lambda at: SPAN if busy(at) else 0.0}),
        ("others", {"foreign": lambda at: SPAN if busy(at) else 0.0}),
        ("memory", {"pressure_memory": lambda at: 0.8 if busy(at) else 0.0}),
        ("limit", {"throttled": lambda at: 0.5 * SPAN if busy(at) else 0.0}),
    ],
)
def test_every_resource_can_be_the_one(cause: str, told: dict[str, Callable[[float], float]]) -> None:
    found = spike(load_results(load(watches(**told), SLOW)))
    assert found.saturated == (cause,)
    assert bool(found.other_processes) == (cause == "others")


@pytest.mark.parametrize(
    ("asked", "expected"), [({}, ("generator",)), ({"target": "sqlite:embedded"}, ()), ({"spin": True}, ())]
)
def test_a_generator_without_rest_in_a_spike_is_named(asked: dict[str, Any], expected: tuple[str, ...]) -> None:
    """Not where its CPU is that of an engine in its threads, or of waiting for the next request."""
    made = load(watches(), SLOW, **asked)
    (one,) = made.runs
    parts = tuple(
        msgspec.structs.replace(part, client_cpu_s=0.099 if at in SLOW else 0.01)
        for at, part in enumerate(one.intervals)
    )
    found = spike(load_results(msgspec.structs.replace(made, runs=(msgspec.structs.replace(one, intervals=parts),))))
    assert found.saturated == expected


def test_a_spike_that_reaches_back_over_several_takes_all_of_them_in() -> None:
    times = {30: 0.02, 40: 0.02, 50: 2.5}
    parts = [interval(at, np.full(100, times.get(at, 5e-4))) for at in range(LENGTH)]
    made = load(watches())
    found = load_results(msgspec.structs.replace(made, runs=(msgspec.structs.replace(run(parts), at=AT),)))
    (one,) = of(found).spikes
    assert one.from_s < 3.0
    assert one.to_s == pytest.approx(5.1)


def test_a_run_without_a_spike_has_none() -> None:
    assert not of(load_results(load(watches()))).spikes


def test_a_spike_that_nobody_watched_is_said_to_be_one() -> None:
    (whole,) = watches()
    holed = msgspec.structs.replace(whole, moments=tuple(one for one in whole.moments if not 4 < one.at - AT < 6))
    found = load_results(load((holed,), SLOW))
    assert not spike(found).watched
    assert "nobody watched the machine then" in " ".join(plain(found, "here").split())

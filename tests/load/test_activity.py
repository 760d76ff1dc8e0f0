"""What a server did meanwhile: which spikes are blamed on it, and how it is told, on records made by hand."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from support.load_records import EACH, interval, record, run, spec, steady_times, target
from weigh.evidence import journal
from weigh.load.activity.model import Activity, ActivityLook, Event, RunActivity
from weigh.load.activity.recording import LoadActivity
from weigh.load.report.document import document
from weigh.load.report.report import page, plain
from weigh.load.results import LoadResults, load_results
from weigh.load.waits.model import RunWaits, Waits, WaitSample
from weigh.model.errors import EngineFault
from weigh.model.machine.timeline import Moment, Watch

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from weigh.load.activity.kinds import KindActivity
    from weigh.load.runs import LoadRun

LENGTH = 200
AT = 7.0
"""When the schedule began, since the attempt did."""
MOMENTS = (1.0, 2.3, 6.1, 7.0, 11.2, 15.7)
"""Seconds of a run of 20 s, not evenly spaced."""
OTHERS = (1.7, 4.0, 8.5, 9.6, 13.1, 18.0)


@functools.cache
def slowed(at: tuple[float, ...]) -> LoadRun:
    """A run whose server stands still for 0.2 s at these moments."""
    parts = []
    for number, own in enumerate(steady_times(LENGTH)):
        began = number * EACH
        slow = any(moment <= began + 1e-9 < moment + 0.2 for moment in at)
        parts.append(interval(number, own + 0.1 if slow else own))
    return msgspec.structs.replace(run(parts), at=AT)


def checkpoints(at: Iterable[float], length: float = 0.1, **changed: Any) -> list[Event]:
    """Of the server's log: each begins at its moment."""
    usual = {"kind": "checkpoint", "source": "log", "amount": 100, "what": "time"}
    return [Event(**{**usual, "at": AT + one, "until": AT + one + length, **changed}) for one in at]


def seen(events: Iterable[Event], spikes: tuple[float, ...] = MOMENTS, **changed: Any) -> LoadResults:
    """A load whose server stood still at the moments of the spikes, and did these things."""
    looks = tuple(
        ActivityLook(at=AT + at, took_s=0.001, log_bytes=at << 20, server_cpu_s=0.5 * at, waiting=0) for at in range(20)
    )
    counted = ("checkpoint", "checkpoint_sync", "autovacuum", "deadlock")
    whole = Activity(looks=looks, events=tuple(events), counted=counted, cpu_s=0.02)
    made = record([slowed(spikes)], spec(LENGTH), target(kind="postgres", **changed))
    watch = Watch(moments=tuple(Moment(at=0.5 * at, span=0.5, busy=0.1, tracked=0.1, foreign=0.0) for at in range(60)))
    return load_results(msgspec.structs.replace(made, watches=(watch,), activity=(RunActivity(run=1, activity=whole),)))


def of(found: LoadResults, kind: str = "checkpoint") -> KindActivity:
    (one,) = (one for one in found.activity[1].kinds if one.kind == kind)
    return one


def blamed(found: LoadResults) -> list[str]:
    return [one.text for one in found.findings if one.code == "L10.blamed"]


@pytest.mark.promise("Spikes in forced checkpoints are blamed on checkpoints.")
def test_spikes_in_checkpoints_are_blamed_on_them() -> None:
    found = seen(checkpoints(MOMENTS))
    one = of(found)
    assert (one.hits, one.counted, one.slow_elsewhere, one.blamed) == (6, 6, 0, True)
    assert one.elsewhere > 150
    assert one.times
    assert one.times > 50
    (said,) = blamed(found)
    assert said.startswith(f"p99 rose {one.times:,.2g} x in 6 of 6 checkpoints, and in 0 of {one.elsewhere} other")
    assert found.activity[1].spikes == (("checkpoint",),) * 6
    text = " ".join(plain(found, "here").split())
    assert "6 checkpoints (600 pages written; 100 ms the longest; 6 x time)" in text
    assert "the server's checkpoints are blamed" in text
    assert "Of 6 spikes 6 began in something that is blamed; 0 did not." in text


@pytest.mark.promise("The same spikes alongside checkpoints are not.")
def test_the_same_spikes_at_other_moments_are_not() -> None:
    found = seen(checkpoints(OTHERS))
    assert (of(found).hits, of(found).blamed) == (0, False)
    assert not blamed(found)
    assert found.activity[1].spikes == ((),) * 6
    assert not blamed(seen([]))


@pytest.mark.promise("Fewer than three events, or what goes on for half of the time, cannot be blamed.")
@pytest.mark.parametrize(
    ("events", "tested"),
    [
        (checkpoints(MOMENTS[:2]), False),
        (checkpoints((0.0, 5.0, 10.5), 4.5), False),
        (checkpoints(MOMENTS, vague=True, source="looks"), False),
        (checkpoints(MOMENTS, 0.0), True),
    ],
    ids=["two", "most of the time", "between looks far apart", "of a moment"],
)
def test_what_cannot_be_blamed_is_decided_without_the_spikes(events: list[Event], *, tested: bool) -> None:
    found = seen(events)
    assert (of(found).tested, of(found).blamed) == (tested, tested)


def test_spikes_that_come_all_the_time_are_blamed_on_nothing() -> None:
    found = seen(checkpoints(MOMENTS), tuple(0.5 * at for at in range(40)))
    assert of(found).hits >= 5
    assert not blamed(found)
    assert "at other moments as many would" in " ".join(plain(found, "here").split())


def test_many_kinds_are_judged_together() -> None:
    """What one alone would be blamed for is not, where it is the best of several that were looked at."""
    few = checkpoints(MOMENTS[:3])
    alone = of(seen(few))
    others = [one for kind in ("autovacuum", "deadlock") for one in checkpoints(OTHERS, kind=kind)]
    together = of(seen([*few, *others]))
    assert alone.p
    assert together.p == pytest.approx(3 * alone.p)


def test_the_end_of_a_long_checkpoint_is_an_event_of_its_own() -> None:
    long = [
        one
        for at in MOMENTS
        for one in (
            *checkpoints([at - 0.9], 1.0, amount=10),
            *checkpoints([at], 0.1, kind="checkpoint_sync"),
        )
    ]
    found = seen(long)
    assert of(found, "checkpoint_sync").blamed
    assert "ends of checkpoints (sync)" in plain(found, "here")


@pytest.mark.promise("Cycles are counted from what was observed where that is more than the settings say.")
def test_cycles_are_counted_from_what_was_seen() -> None:
    few = seen(checkpoints(MOMENTS), cycles={"checkpoints": 300.0})
    (said,) = (one.text for one in few.findings if one.code == "L4.cycles")
    assert "0.067 of checkpoints (every 300 s by its settings; 6 were observed)" in said
    many = seen(checkpoints([1.5 * at for at in range(12)]), cycles={"checkpoints": 300.0})
    assert "L4.cycles" not in {one.code for one in many.findings}
    none = seen([], cycles={"checkpoints": 300.0})
    (said,) = (one.text for one in none.findings if one.code == "L4.cycles")
    assert "none was observed" in said
    without = seen(checkpoints(MOMENTS))
    (said,) = (one.text for one in without.findings if one.code == "L4.cycles")
    assert "holds 6 checkpoints" in said


def test_rates_and_cores_are_in_all_three_reports() -> None:
    found = seen(checkpoints(MOMENTS))
    one = found.activity[1]
    assert one.log_rate == pytest.approx(1 << 20)
    assert (one.cores, one.most_cores) == (pytest.approx(0.5), pytest.approx(0.5))
    assert one.deadlocks == 0
    text = " ".join(plain(found, "here").split())
    assert (
        "It wrote 1.00 MiB a second to its log, 1.00 MiB at most; its processes kept 0.5 CPUs busy, 0.5 at most" in text
    )
    made = document(found, "here")["runs"][0]["activity"]
    assert [place["from_s"] for place in made["places"]] == pytest.approx(list(MOMENTS))
    assert made["kinds"][0]["blamed"]
    html = page(found, "here").decode()
    assert "What the server did meanwhile" in html
    assert 'class="bl" d="M' in html
    assert ">checkpoints</text>" in html
    assert 'class="ev" d="M' in page(seen(checkpoints(OTHERS)), "here").decode()
    before = record([slowed(MOMENTS)], spec(LENGTH))
    assert "activity" not in document(load_results(before), "here")["runs"][0]
    assert "meanwhile" not in plain(load_results(before), "here")


def test_locks_are_a_resource_of_their_own() -> None:
    found = seen([Event(kind="deadlock", at=AT + 6.2, until=AT + 6.2, source="log", amount=1)])
    looks = tuple(
        WaitSample(
            at=0.1 * number,
            took_s=0.001,
            connections=8,
            active={"Lock:tuple": 3} if any(one <= 0.1 * number < one + 0.2 for one in MOMENTS) else {"CPU": 1},
        )
        for number in range(LENGTH)
    )
    waits = (RunWaits(run=1, at=AT, waits=Waits(looks=looks)),)
    locked = load_results(msgspec.structs.replace(found.record, waits=waits))
    assert locked.machine
    (watched,) = locked.machine.runs
    (locks,) = (one for one in watched.use.resources if one.name == "locks")
    assert locks.saturated
    assert 0.02 < locks.saturated < 0.2
    assert (locks.utilisation, locks.errors) == (None, 1)
    assert watched.use.bottleneck == "locks"
    assert {"locks"} == {cause for one in watched.spikes for cause in one.saturated}
    text = " ".join(plain(locked, "here").split())
    assert "first saturated: locks, in the interval from 1.00 s on" in text
    assert "sessions of the server waited for locks" in text
    unplaced = msgspec.structs.replace(locked.record, waits=(msgspec.structs.replace(waits[0], at=None),))
    old = load_results(unplaced).machine
    assert old
    assert "locks" not in {one.name for one in old.runs[0].use.resources}


class Failing:
    """A sampler that cannot begin, or fails from a moment on."""

    def __init__(self, error: str = "") -> None:
        self._error = error
        self.asked = 0

    def begin(self, origin: float) -> None:
        assert origin == pytest.approx(-5.0, abs=1e9)
        self.asked += 1
        if not self._error:
            raise EngineFault("too many clients already")

    def drain(self) -> Activity:
        self.asked += 1
        return Activity(error=self._error)

    end = drain


@pytest.mark.promise("A sampler of it that fails is reported once for each run (`X.activity`) and ends none.")
@pytest.mark.parametrize("error", ["", "terminating connection"])
def test_a_sampler_that_fails_is_said_once_and_not_asked_again(tmp_path: Path, error: str) -> None:
    sampler, kept_in = Failing(error), journal.Journal(tmp_path)
    activity = LoadActivity(sampler, kept_in, lambda: 5.0)
    activity.begin(1)
    activity.keep()
    activity.end()
    activity.end()
    kept_in.close()
    findings = [one.body for one in journal.read(tmp_path) if one.event == "finding"]
    assert [one["code"] for one in findings] == ["X.activity"]
    assert (error or "too many clients") in findings[0]["text"]
    assert sampler.asked == (2 if error else 1)


def test_switched_off_nobody_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEIGH_SAMPLER", "no")
    sampler, kept_in = Failing(), journal.Journal(tmp_path)
    activity = LoadActivity(sampler, kept_in, lambda: 5.0)
    activity.begin(1)
    activity.end()
    assert sampler.asked == 0

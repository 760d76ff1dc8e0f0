"""Tuning: sets what spoils, and undoes it, also after a crash.

What stood in a place is on disk, in the user's state folder, before anything is set. A place that is in the snapshot
already keeps the value that it has there: what a second tuning finds is what the first one set.
"""

from __future__ import annotations

import datetime
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import whole
from weigh.host import lock
from weigh.host.knobs import knobs
from weigh.host.knobs.read import KnobState
from weigh.model.errors import EnvironmentFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.host.knobs.knob import Knob
    from weigh.host.sysfs import Machine

SCHEMA = "weigh/doctor-snapshot/1"
_BOOT = "/proc/sys/kernel/random/boot_id"


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One place that was set, or could not be.

    Attributes:
        knob: name of the knob.
        place: a file of the kernel, or what it is called where it is none.
        before: what stood there.
        after: what was to stand there.
        problem: why it does not; empty where it does.
    """

    knob: str
    place: str
    before: str
    after: str
    problem: str = ""


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """What stood where before weigh set anything.

    Attributes:
        schema: of the file that keeps it.
        taken: date and time of the first change.
        boot: which start of the system it belongs to; values of the kernel do not outlive it.
        settings: original value by knob and place.
    """

    schema: str = SCHEMA
    taken: str
    boot: str
    settings: dict[str, dict[str, str]]


def path(machine: Machine) -> Path:
    """Where the snapshot lies: in the user's state folder; of a made-up machine inside it."""
    if not machine.real:
        return machine.path("/weigh-doctor.json")
    from platformdirs import user_state_path

    return user_state_path("weigh") / "doctor.json"


def snapshot(machine: Machine) -> Snapshot | None:
    """What there is to restore; None where nothing was set, or nothing is left of it.

    Raises:
        EnvironmentFault: the file cannot be read, or does not say what weigh writes.
    """
    place = path(machine)
    try:
        found = msgspec.json.decode(place.read_bytes(), type=Snapshot)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        raise EnvironmentFault(
            f"what stood where before it was set cannot be read: {error}",
            where=str(place),
            remedy="remove it after you have set the knobs back by hand (weigh doctor shows them)",
        ) from error
    return _still_in_force(found, machine)


def wanted(machine: Machine) -> tuple[Change, ...]:
    """What :func:`tune` would set."""
    return tuple(
        Change(knob=knob.name, place=place, before=before, after=after)
        for knob in _spoiling(machine)
        for place, after in knob.calm().items()
        if (before := knob.value(place)) is not None and before != after
    )


def tune(machine: Machine) -> tuple[Change, ...]:
    """Set every knob that spoils and can be set.

    Raises:
        EnvironmentFault: a measurement is going on, or the snapshot cannot be written; nothing was set.
    """
    with lock.measuring("doctor --tune"):
        changes = wanted(machine)
        _remember(machine, changes)
        able = {knob.name: knob for knob in knobs(machine)}
        # What was written down, and nothing else: a knob that moves meanwhile could not be brought back.
        problems = {
            (one.knob, place): why
            for one in changes
            for place, why in able[one.knob].restore({one.place: one.after}).items()
        }
        _forget_unchanged(machine)
        return tuple(
            msgspec.structs.replace(change, problem=problems.get((change.knob, change.place), "")) for change in changes
        )


def restore(machine: Machine) -> tuple[Change, ...]:
    """Bring everything back, and say what could not be. The snapshot is kept until all of it is.

    Raises:
        UsageError: there is nothing to undo.
        EnvironmentFault: a measurement is going on.
    """
    with lock.measuring("doctor --restore"):
        return _undo(machine)


@contextmanager
def tried(machine: Machine, knob: Knob) -> Iterator[None]:
    """Whatever is set of a knob inside is undone at the end, also when it is interrupted; ``--restore`` after a kill.

    The caller holds the measurement lock.
    """
    places = {**knob.restless(), **knob.calm()}
    changes = tuple(
        Change(knob=knob.name, place=place, before=before, after=after)
        for place, after in places.items()
        if (before := knob.value(place)) is not None
    )
    earlier = snapshot(machine)
    _remember(machine, changes)
    try:
        yield
    finally:
        problems = knob.restore({change.place: change.before for change in changes})
        if not problems:
            _write(machine, earlier)
    if problems:
        where, why = next(iter(problems.items()))
        raise EnvironmentFault(f"it could not be put back: {why}", where=where, remedy="weigh doctor --restore")


def _spoiling(machine: Machine) -> tuple[Knob, ...]:
    return tuple(knob for knob in knobs(machine) if (read := knob.show()).tunable and read.state is KnobState.SPOILS)


def _undo(machine: Machine) -> tuple[Change, ...]:
    found = snapshot(machine)
    if found is None:
        path(machine).unlink(missing_ok=True)
        raise UsageError(
            "there is nothing to restore",
            where=str(path(machine)),
            remedy="only what `weigh doctor --tune` set is undone, by the user who ran it, until the next restart",
        )
    changes: list[Change] = []
    for knob in knobs(machine):
        originals = found.settings.get(knob.name, {})
        now = {place: knob.value(place) for place in originals}
        problems = knob.restore(originals)
        changes += [
            Change(
                knob=knob.name,
                place=place,
                before=str(now[place]),
                after=value,
                problem=problems.get(place, ""),
            )
            for place, value in originals.items()
        ]
    _forget_unchanged(machine)
    return tuple(changes)


def _forget_unchanged(machine: Machine) -> None:
    """Keep of the snapshot what still has to be undone."""
    found = snapshot(machine)
    if found is None:
        return
    left: dict[str, dict[str, str]] = {}
    for knob in knobs(machine):
        for place, original in found.settings.get(knob.name, {}).items():
            if knob.value(place) != original:
                left.setdefault(knob.name, {})[place] = original
    _write(machine, msgspec.structs.replace(found, settings=left) if left else None)


def _remember(machine: Machine, changes: tuple[Change, ...]) -> None:
    """Write down what stands there, alongside what an earlier tuning found."""
    if not changes:
        return
    known = snapshot(machine) or Snapshot(
        taken=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), boot=_boot(machine), settings={}
    )
    settings = {name: dict(places) for name, places in known.settings.items()}
    for change in changes:
        settings.setdefault(change.knob, {}).setdefault(change.place, change.before)
    _write(machine, msgspec.structs.replace(known, settings=settings))


def _still_in_force(found: Snapshot, machine: Machine) -> Snapshot | None:
    """After a restart of the system only what lasts is left to undo."""
    if found.boot == _boot(machine):
        return found
    lasting = {knob.name for knob in knobs(machine) if knob.lasting}
    settings = {name: places for name, places in found.settings.items() if name in lasting}
    return msgspec.structs.replace(found, boot=_boot(machine), settings=settings) if settings else None


def _boot(machine: Machine) -> str:
    return machine.text(_BOOT) or ""


def _write(machine: Machine, snapshot: Snapshot | None) -> None:
    """Replace the file as a whole, durably: a crash leaves the old one or the new one."""
    place = path(machine)
    if snapshot is None:
        place.unlink(missing_ok=True)
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        whole.write(place, msgspec.json.format(msgspec.json.encode(snapshot), indent=2) + b"\n")
        folder = os.open(place.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise EnvironmentFault(
            f"what stands where cannot be written down ({error.strerror}), so nothing is set",
            where=str(place),
            remedy="free space, or set XDG_STATE_HOME to a folder that you can write",
        ) from error

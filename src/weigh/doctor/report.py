"""What ``weigh doctor`` prints: knobs, what was set and undone, and the effect of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from rich import box
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from weigh.doctor.tuning import Change, Snapshot
from weigh.host.knobs.read import KnobRead, KnobState
from weigh.model import units
from weigh.model.text import one_line
from weigh.statistics.cv import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from weigh.doctor.effect_analysis import Effect
    from weigh.statistics.cv import Estimate

SCHEMA = "weigh/doctor/1"
_STYLE = {KnobState.FINE: "green", KnobState.SPOILS: "bold yellow", KnobState.UNSEEN: "dim"}
_ORDER = (KnobState.SPOILS, KnobState.UNSEEN, KnobState.FINE)
_WIDE = 1.5
"""Factor to one side from which on an interval says next to nothing."""
_AS_ROOT = ("Permission denied", "Operation not permitted")


class DoctorDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The examination as JSON, but for ``schema``.

    Attributes:
        knobs: as they are, after ``--tune``.
        set: with ``--tune``, every place that was to be set; else empty.
        restorable: what ``--restore`` would undo; None where nothing was set.
    """

    knobs: tuple[KnobRead, ...]
    set: tuple[Change, ...]
    restorable: Snapshot | None


class RestoredDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What was undone as JSON, but for ``schema``.

    Attributes:
        restored: with ``--restore``, alone: every place that was to be set back.
    """

    restored: tuple[Change, ...]


def document(reads: Sequence[KnobRead], changes: Sequence[Change], snapshot: Snapshot | None) -> dict[str, Any]:
    """The examination as JSON."""
    found = DoctorDocument(knobs=tuple(reads), set=tuple(changes), restorable=snapshot)
    return {"schema": SCHEMA, **msgspec.to_builtins(found)}


def examination(reads: Sequence[KnobRead], changes: Sequence[Change], snapshot: Snapshot | None) -> RenderableType:
    """The examination for a terminal."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("knob", "", "value", "what that means"):
        table.add_column(heading, overflow="fold")
    # What spoils first: it is what there is to do.
    for read in sorted(reads, key=lambda read: _ORDER.index(read.state)):
        text = Text(one_line(read.text))
        if read.state is not KnobState.FINE and read.remedy:
            text.append(f"\n{one_line(read.remedy)}", style="dim")
        state = Text(str(read.state), style=_STYLE[read.state])
        table.add_row(read.name, state, one_line(read.value or "-"), text)
    parts: list[RenderableType] = [*_changes("Set", changes), table, Text()]
    if snapshot:
        number = sum(len(places) for places in snapshot.settings.values())
        summary = (
            f"{units.count(number, 'place')} set by weigh since {snapshot.taken}; weigh doctor --restore undoes it"
        )
        parts.append(Text(summary, style="bold"))
    parts.append(Text(_summary(reads), style="bold"))
    return Group(*parts)


def _summary(reads: Sequence[KnobRead]) -> str:
    counts = {state: sum(read.state is state for read in reads) for state in KnobState}
    spoiling = counts[KnobState.SPOILS]
    tunable = sum(read.tunable for read in reads if read.state is KnobState.SPOILS)
    more = f"; weigh doctor --tune would set {tunable} of them" if tunable else ""
    return (
        f"{counts[KnobState.FINE]} fine, {spoiling} {'spoils' if spoiling == 1 else 'spoil'}{more}, "
        f"{counts[KnobState.UNSEEN]} cannot be observed from here"
    )


def restored_document(changes: Sequence[Change]) -> dict[str, Any]:
    """What was undone as JSON."""
    return {"schema": SCHEMA, **msgspec.to_builtins(RestoredDocument(restored=tuple(changes)))}


def restored(changes: Sequence[Change]) -> RenderableType:
    """What was undone, and what could not be."""
    failed = sum(bool(change.problem) for change in changes)
    summary = f"{units.count(len(changes) - failed, 'place')} as before" + (
        f", {failed} not: see what stands in the way and restore again" if failed else ""
    )
    return Group(*_changes("Restored", changes), Text(summary, style="bold"))


def _changes(heading: str, changes: Sequence[Change]) -> list[RenderableType]:
    if not changes:
        return []
    rows: list[RenderableType] = [Text(heading, style="bold")]
    for change in changes:
        if change.problem:
            text = Text(f"{change.knob}: {change.place} could not be set to {change.after}: {change.problem}", "red")
            if change.problem in _AS_ROOT:
                text.append("\n  run it as root: sudo weigh doctor", style="dim")
        else:
            text = Text(f"{change.knob}: {change.place}: {change.before} -> {change.after}")
        rows.append(Padding(text, (0, 0, 0, 2)))
    return [*rows, Text()]


def effect_document(effect: Effect) -> dict[str, Any]:
    """The effect of a knob as JSON."""
    return {"schema": "weigh/effect/1", **msgspec.to_builtins(effect)}


def effect(effect: Effect) -> RenderableType:
    """The effect of a knob for a terminal."""
    heading = Text(f"{effect.knob}", style="bold")
    heading.append(f"  {units.count(effect.blocks, 'block')}, both states in random order in each", style="not bold")
    for place, (restless, calm) in effect.places.items():
        heading.append(f"\n{place}: restless {restless}, calm {calm}", style="dim")
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("work", no_wrap=True, min_width=max(len(one.kernel) for one in effect.kernels))
    for name in ("CV restless", "CV calm", "ratio of CVs", "time restless", "time calm", "ratio of times"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in effect.kernels:
        table.add_row(
            one.kernel,
            _share(one.restless),
            _share(one.calm),
            _ratio(one.cv_ratio),
            units.seconds(one.restless_s),
            units.seconds(one.calm_s),
            _ratio(one.time_ratio),
        )
    sentences = [
        f"{one.kernel}: {_in_words(one.cv_ratio, 'scatter')}; {_in_words(one.time_ratio, 'times')}"
        for one in effect.kernels
    ]
    note = f"CV: over all executions; in brackets {units.percent(CONFIDENCE, 0)} intervals, by a jackknife over blocks."
    return Group(heading, table, Text(note, style="dim"), Text(), *(Text(line) for line in sentences))


def _in_words(ratio: Estimate, what: str) -> str:
    if not ratio.differs:
        wide = ratio.high > _WIDE * ratio.value or ratio.low < ratio.value / _WIDE
        return f"no difference in {what} is shown" + (", nor excluded: more --blocks tell more" if wide else "")
    return f"restless, {what} {'are' if what == 'times' else 'is'} {ratio.value:.2f} of those when calm"


def _share(one: Estimate) -> str:
    return f"{units.percent(one.value)} [{100 * one.low:.1f}-{100 * one.high:.1f}]"


def _ratio(one: Estimate) -> str:
    return f"{one.value:.2f} [{one.low:.2f}-{one.high:.2f}]"

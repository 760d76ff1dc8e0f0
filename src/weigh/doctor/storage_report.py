"""What ``weigh doctor storage`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from rich import box
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from weigh.model import units
from weigh.model.text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weigh.doctor.read_rates_model import Rates
    from weigh.doctor.unused_disks_model import Examination, Spare

SCHEMA = "weigh/doctor-storage/1"
_USES = {"data": "PATH", "copy": "weigh's cache", "temp": "temporary files"}
_STYLE = {"blank": "green", "signed": "yellow", "unreadable": "yellow"}


def document(found: Examination) -> dict[str, Any]:
    """The examination as JSON."""
    return {"schema": SCHEMA, **msgspec.to_builtins(found)}


def report(found: Examination) -> RenderableType:
    """The examination for a terminal."""
    parts: list[RenderableType] = []
    for place in found.places:
        text = Text(f"{_USES[place.use]}: {place.path}", style="bold")
        parts += [text, Padding(Text(f"{place.kind}: {one_line(place.description)}", style="not bold"), (0, 0, 0, 2))]
    if found.rates:
        parts += [Text(), *_rates(found.rates)]
    parts += [Text(), *_spares(found)]
    return Group(*parts)


def _rates(rates: Rates) -> list[RenderableType]:
    heading = Text("Read rates in PATH", style="bold")
    if rates.why_not:
        return [heading, Padding(Text(f"not measured: {rates.why_not}"), (0, 0, 0, 2))]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in ("pattern", "depth", "block", "a second", "reads a second"):
        table.add_column(name, justify="left" if name == "pattern" else "right")
    for one in rates.rates:
        table.add_row(
            one.pattern, str(one.depth), units.size(one.block), units.size(one.bytes_s), f"{one.reads_s:,.0f}"
        )
    note = (
        f"By {rates.how}. A file of {units.size(rates.file_bytes)} just written, {rates.seconds:g} s each: what the "
        "device or a host below caches is in it."
    )
    return [heading, table, Text(note, style="dim")]


def _spares(found: Examination) -> list[RenderableType]:
    if not found.spares:
        return [Text("Every disk here is in use.")]
    parts: list[RenderableType] = [Text("Disks that are not mounted", style="bold")]
    parts += [Padding(_spare(one), (0, 0, 0, 2)) for one in found.spares]
    if found.script:
        note = "As root, this would make storage of the blank ones. weigh does not run it."
        parts += [Text(), Text(note, style="bold"), Text(found.script.rstrip("\n"))]
    else:
        parts.append(Text("None of them is both blank and a disk of this machine: no script."))
    return parts


def _spare(one: Spare) -> Text:
    size = units.size(one.device.bytes)
    text = Text(
        f"/dev/{one.device.name}  {size}, {one.device.kind}{f', {one.device.model}' if one.device.model else ''}: "
    )
    state = "blank" if one.state == "blank" else f"refused: {one_line(one.why)}"
    return text.append(state, style=_STYLE[one.state])

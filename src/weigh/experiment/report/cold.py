"""Cold: what cold executions found in memory and read, in words and as a part of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from weigh.model import codes, units
from weigh.model.units import count
from weigh.render.blocks import Cell, Column, Fold, Group, Lines, Part, Row, Table, small

if TYPE_CHECKING:
    from collections.abc import Collection

    from weigh.experiment.report.contenders import Contenders, Mark
    from weigh.experiment.results.cold.cold_proof import ColdProof
    from weigh.experiment.results.results import ExperimentResults
    from weigh.render.blocks import Block

_TITLES = {"cold": "cold", "first": "first in a fresh life, the data in memory"}
_OPEN_ROWS = 24
"""More rows than that are folded in."""
_HEADINGS = (
    "operation", "contender", "pages in memory before", "read from devices", "by anybody", "data that came in", "rate",
    Markup("of the device's"), "proven",
)  # fmt: skip
_NOTE = Markup(
    "Medians, and the most pages that were in memory. Read from devices: by the contender's processes while the query "
    "ran; by anybody: what the devices under the data gave out meanwhile. Rate: of the reading over the whole "
    "execution; alongside it, as a share of what the device was measured to read past the page cache. What is empty "
    "nobody can tell, or nothing was read."
)


def title(temperature: str) -> str:
    """A temperature as a heading names it."""
    return _TITLES.get(temperature, temperature)


def question(operation: str, temperature: str) -> str:
    """An operation at a temperature, as a table names it: ``q1``, ``q1, cold``."""
    return operation if temperature in ("hot", "unknown") else f"{operation}, {temperature}"


def lines(results: ExperimentResults) -> list[str]:
    """A line for every account of cold executions."""
    return [_line(one) for one in results.accounts if one.temperature == "cold"]


def _line(one: ColdProof) -> str:
    pages = f"{one.pages:,} pages" if one.pages else "pages"
    found = "nobody can tell how many" if one.resident is None else f"{one.resident:,}"
    text = f"{one.operation}, {one.contender}: {found} of {pages} in memory before"
    if one.bytes_read is not None:
        text += f"; {units.size(one.bytes_read)} read from devices, {units.size(one.came_in)} of the data came in"
    if one.bytes_read and one.rate is not None:
        share = f", {units.percent(one.share, 0)} of what was measured of the device" if one.share is not None else ""
        text += f"; {units.size(one.rate)} a second{share}"
    if one.refused:
        text += f"; {one.executions - one.proven} of {one.executions} not cold ({one.refused.code})"
    return text


def part(results: ExperimentResults, contenders: Contenders, operations: Collection[str]) -> Fold | None:
    """The part; None where nothing was to be cold. Of the operations that are reported in full alone."""
    everybody = {who.name: who for who in contenders.everybody}
    rows = [
        _row(one, everybody[one.contender])
        for one in results.accounts
        if one.operation in operations and (one.temperature == "cold" or one.refused is not None)
    ]
    if not rows:
        return None
    about = Markup(
        "Each in a life of its own, with nothing of the data in this machine's memory, or it is not called cold."
    )
    title = f"What was in memory, and what was read: {count(len(rows), 'account')}"
    columns = [Column(one) for one in _HEADINGS]
    table = Table(columns, [Group("", rows)], css="lines co", label=None, scoped=False)
    below = next((one.text for one in results.findings if one.code == codes.E1_HYPERVISOR.code), "")
    parts: list[Block] = [
        Lines([about]),
        Fold(title, [table, small(_NOTE)], tag="", css="", open=len(rows) <= _OPEN_ROWS),
        *([small(f"{below[:1].upper()}{below[1:]}.")] if below else []),
    ]
    return Fold("Cold executions", parts, "h2", anchor="cold", short="Cold")


def _row(one: ColdProof, who: Mark) -> Row:
    """One contender on one operation. What nobody can tell is empty, and so is a rate where nothing was read."""
    proven = f"{one.proven:,} of {one.executions:,}"
    refused = (Markup('<span class="w refused">'), proven, ", ")
    return Row([
        question(one.operation, "hot" if one.temperature == "cold" else one.temperature),
        Cell(who.name, f"a{who.mark}"),
        "" if one.resident is None else f"{one.resident:,} of {one.pages:,}",
        "" if one.bytes_read is None else units.size(one.bytes_read),
        "" if one.device_bytes is None else units.size(one.device_bytes),
        units.size(one.came_in),
        f"{units.size(one.rate)}/s" if one.bytes_read and one.rate is not None else "",
        units.percent(one.share, 0) if one.bytes_read and one.share is not None else "",
        (*refused, Part(one.refused.code, "explained"), Markup("</span>")) if one.refused else proven,
    ])  # fmt: skip

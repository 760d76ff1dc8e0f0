"""Cold: what cold executions found in memory and read, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.model import units

if TYPE_CHECKING:
    from weigh.experiment.results.cold.cold_proof import ColdProof
    from weigh.experiment.results.results import ExperimentResults

_TITLES = {"cold": "cold", "first": "first in a fresh life, the data in memory"}


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

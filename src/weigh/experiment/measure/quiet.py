"""The quiet check: whether others use the machine just before the first block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weigh.host import settle
from weigh.model import codes, units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.model.finding import Finding


def findings() -> Iterator[Finding]:
    """What is reported where it did not become quiet, after waiting for that."""
    calm = settle.settle(settle.patience())
    for busy, text in (
        (calm.busy, f"others used {units.percent(calm.foreign)} of the CPUs just before the first block"),
        (calm.undrained, f"{units.size(calm.dirty)} still waited to be written just before the first block"),
    ):
        if busy:
            remedy = "stop others and run again: contention adds noise, and may fall on one side"
            yield codes.E4_BEFORE.finding(text=text, remedy=remedy)

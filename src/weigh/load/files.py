"""Files of a load that its spec only names by their digests: they stay where the user has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.load.gate_events import Pins
    from weigh.load.recording.plan import Plan


class LoadFiles(NamedTuple):
    """What a load reads and writes that is no part of its spec.

    Attributes:
        pins: answers to compare with; None where none are named.
        pin: where to write the answers; None where nowhere.
        prepare: SQL that makes the data of scripts; None where weigh or somebody else made them.
        plan: of a replay: what is sent; None of other loads.
    """

    pins: Pins | None = None
    pin: Path | None = None
    prepare: Path | None = None
    plan: Plan | None = None

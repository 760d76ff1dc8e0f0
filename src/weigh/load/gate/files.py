"""Files of answers that a user names."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weigh.load.gate_events import Pins


class GateFiles(msgspec.Struct, frozen=True, kw_only=True):
    """Files of answers that a user names.

    Attributes:
        pins: answers to compare with; None where none are named.
        pin: where to write the answers; None where nowhere.
    """

    pins: Pins | None = None
    pin: Path | None = None

"""Knobs: settings and states of the machine that move times, as they were found."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from weigh.model import codes
from weigh.model.finding import Finding, Severity


class KnobState(StrEnum):
    """What is to be thought of a knob."""

    FINE = "fine"
    SPOILS = "spoils"
    UNSEEN = "cannot see"


class KnobRead(msgspec.Struct, frozen=True, kw_only=True):
    """One knob as it was found.

    Attributes:
        name: of the knob.
        state: whether it spoils a measurement.
        value: as it stands, in few words; None where it cannot be observed.
        text: one sentence: why it spoils, or what cannot be observed.
        remedy: what to do about it; empty where nothing is to be done.
        severity: of the finding that a report makes of it; None without one.
        tunable: whether ``weigh doctor --tune`` would set it.
    """

    name: str
    state: KnobState
    value: str | None
    text: str
    remedy: str = ""
    severity: Severity | None = None
    tunable: bool = False

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What a report says about it: nothing, or one finding E5."""
        if self.severity is None:
            return ()
        return (codes.knob(self.name).finding(self.severity, text=self.text, remedy=self.remedy),)

"""The tier: what the evidence is good for (statistics.md §6b; docs/tiers.md)."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from weigh.model.verdict import Reason


class TierName(StrEnum):
    """From best to worst."""

    CONCLUSIVE = "conclusive"
    SUGGESTIVE = "suggestive"
    INADMISSIBLE = "inadmissible"


class Tier(msgspec.Struct, frozen=True, kw_only=True):
    """The tier of an experiment.

    Attributes:
        name: what may be said of the comparisons that are left; inadmissible where none is.
        reasons: what is missing for a better tier, each with a code of the catalogue; none when conclusive.
        inadmissible: contenders whose own figures are inadmissible, whatever the rest is good for.
    """

    name: TierName
    reasons: tuple[Reason, ...] = ()
    inadmissible: tuple[str, ...] = ()

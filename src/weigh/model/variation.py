"""What became of a contender that was asked for at several values of a setting."""

from __future__ import annotations

import msgspec

from weigh.model.contender import Setting


class Variation(msgspec.Struct, frozen=True, kw_only=True):
    """One contender in several widths: members of the same experiment, so that their ratios have intervals.

    Attributes:
        contender: the name it was varied from.
        key: the setting, as its engine calls it.
        threads: whether that setting limits the engine's threads.
        members: the value of the setting by the name of the member.
    """

    contender: str
    key: str
    threads: bool
    members: dict[str, Setting]

"""The ladder as it was asked for: experiments that differ in one thing."""

from __future__ import annotations

import hashlib

import msgspec

from weigh.model.contender import Setting
from weigh.model.units import Scale


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


class LadderPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A ladder.

    Attributes:
        scales: one a rung, ascending; a single None for a user's own files.
        experiments: id of the experiment of each rung.
        variations: contenders that take part in several widths.
        command: the command that does it again.
    """

    scales: tuple[Scale | None, ...]
    experiments: tuple[str, ...]
    variations: tuple[Variation, ...] = ()
    command: str = ""

    @property
    def id(self) -> str:
        """Twelve hex digits of the hash of everything that defines the ladder (not the command)."""
        plain = msgspec.to_builtins(msgspec.structs.replace(self, command=""))
        return hashlib.sha256(msgspec.json.encode(plain, order="deterministic")).hexdigest()[:12]
